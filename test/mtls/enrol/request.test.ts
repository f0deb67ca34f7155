// Requests of enrolling nodes: what they hold, that OpenSSL reads them, and that none asks for more than keys of one name.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  bits,
  type DerPart,
  derOf,
  integer,
  octets,
  oid,
  parsed,
  sequence,
  setOf,
  spkiOf,
  tagged,
  utf8,
} from '#mtls/der-parts.ts';
import { buildRequest, fingerprintOf, readRequest } from '#mtls/enrol/request.ts';
import { signNative } from '#sign/native.ts';
import { generateSigningKey, type SigningKey } from '#sign/signer.ts';

const SAN = '2.5.29.17';
const SIGNING_KEY = '2.25.1111528524.1';
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signingKey = generateSigningKey();
const request = buildRequest({ kind: 'node', name: 'leaf-1', serial: 'SN-1', ...keys, signingKey });
const bodyOf = (text = request) => JSON.parse(text) as Record<string, string>;

function reason(text: string): string {
  const read = readRequest(text);
  return read.ok ? `read ${read.value.kind} ${read.value.name}` : read.reason;
}

/** A request whose parts are what the test says. */
function requestOf(parts: {
  readonly subject?: DerPart;
  readonly extensions?: readonly DerPart[];
  readonly attributes?: readonly DerPart[];
  readonly key?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly signer?: KeyObject;
  readonly algorithm?: string;
  readonly proof?: (csr: Uint8Array) => Uint8Array;
  readonly body?: Readonly<Record<string, unknown>>;
}): string {
  const key = parts.key ?? keys;
  const extensions = parts.extensions ?? [signingKeyExtension(signingKey)];
  const attribute = sequence([oid('1.2.840.113549.1.9.14'), setOf([sequence([...extensions])])]);
  const info = sequence([
    integer(0),
    parts.subject ?? nameOf('leaf-1'),
    parsed(spkiOf(key.publicKey)),
    tagged(0, [...(parts.attributes ?? [attribute])]),
  ]);
  const signature = sign('sha256', derOf(info), parts.signer ?? key.privateKey);
  const csr = derOf(sequence([info, sequence([oid(parts.algorithm ?? '1.2.840.10045.4.3.2')]), bits(signature)]));
  const proven = Buffer.concat([Buffer.from('parley-enrolment-signing-key-1\0'), csr]);
  const proof = parts.proof?.(csr) ?? signNative(signingKey.privateKey, proven);
  return JSON.stringify({
    ...bodyOf(),
    csr: Buffer.from(csr).toString('base64'),
    signingKeyProof: Buffer.from(proof).toString('base64'),
    ...parts.body,
  });
}

function nameOf(...names: string[]): DerPart {
  return sequence(names.map((name) => setOf([sequence([oid('2.5.4.3'), utf8(name)])])));
}

function signingKeyExtension({ publicKeyRaw }: Pick<SigningKey, 'publicKeyRaw'>): DerPart {
  return sequence([oid(SIGNING_KEY), octets(derOf(octets(publicKeyRaw)))]);
}

test('a request names one party and binds both its keys [TS-24]', () => {
  const read = readRequest(request);
  assert.ok(read.ok);
  const { kind, name, serial, spki, signingKey: bound } = read.value;
  assert.deepEqual([kind, name, serial], ['node', 'leaf-1', 'SN-1']);
  assert.deepEqual(Buffer.from(spki), spkiOf(keys.publicKey));
  assert.deepEqual(Buffer.from(bound), Buffer.from(signingKey.publicKeyRaw));
  assert.equal(reason(requestOf({})), 'read node leaf-1');
});

test('OpenSSL verifies the request, and reads the same name', () => {
  const csr = Buffer.from(bodyOf()['csr']!, 'base64');
  const said = execFileSync('openssl', ['req', '-inform', 'DER', '-verify', '-noout', '-subject'], {
    input: csr,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  assert.match(said, /CN ?= ?leaf-1/);
});

test('no request asks for another name, another right or another key [TS-24]', () => {
  const san = sequence([oid(SAN), octets(derOf(sequence([])))]);
  const own = signingKeyExtension(signingKey);
  assert.match(reason(requestOf({ extensions: [own, san] })), /asks for more/);
  assert.match(reason(requestOf({ extensions: [san] })), /asks for more/);
  assert.match(reason(requestOf({ extensions: [own, own] })), /once, got twice/);
  assert.match(reason(requestOf({ subject: nameOf('leaf-1', 'leaf-2') })), /one common name/);
  assert.match(reason(requestOf({ subject: nameOf('leaf-2') })), /for another name/);
  assert.match(reason(requestOf({ subject: sequence([]) })), /one common name/);
  assert.match(reason(requestOf({ attributes: [] })), /one attribute/);
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  assert.match(reason(requestOf({ key: p384 })), /expected a P-256 key/);
  const ed25519 = generateSigningKey();
  assert.match(reason(requestOf({ extensions: [signingKeyExtension(ed25519)] })), /proof of the signing key/);
  const small = { publicKeyRaw: new Uint8Array(32) };
  assert.doesNotMatch(reason(requestOf({ extensions: [signingKeyExtension(small)] })), /^read/);
});

test('both keys are proven by signatures over this very request', () => {
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  assert.match(reason(requestOf({ signer: other.privateKey })), /proof of the key/);
  assert.match(reason(requestOf({ algorithm: '1.2.840.10045.4.3.3' })), /another algorithm/);
  assert.match(
    reason(requestOf({ proof: (csr) => signNative(signingKey.privateKey, csr) })),
    /proof of the signing key/,
  );
  assert.match(reason(requestOf({ proof: () => new Uint8Array(12) })), /proof of the signing key/);
  const borrowed = buildRequest({ kind: 'node', name: 'leaf-1', ...other, signingKey });
  assert.match(reason(JSON.stringify({ ...bodyOf(), csr: bodyOf(borrowed)['csr'] })), /proof of the signing key/);
});

test('a text of another form is refused', () => {
  for (const body of [{ version: 2 }, { kind: 'controller' }, { more: 1 }, { name: '' }, { serial: 's'.repeat(65) }])
    assert.match(reason(requestOf({ body })), /expected an enrolment request/);
  assert.match(reason('{'), /./);
  assert.match(reason('x'.repeat(9_000)), /at most 8192 characters/);
});

test('no changed octet of the request is read, and none ends the process', () => {
  const csr = Buffer.from(bodyOf()['csr']!, 'base64');
  for (let octet = 0; octet < csr.length; octet++) {
    const changed = Buffer.from(csr);
    changed[octet]! ^= 1 << (octet % 8);
    assert.doesNotMatch(reason(JSON.stringify({ ...bodyOf(), csr: changed.toString('base64') })), /^read/, `${octet}`);
  }
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4, maxLength: 400 }), (bytes) => {
      const text = JSON.stringify({ ...bodyOf(), csr: Buffer.from(bytes).toString('base64') });
      assert.doesNotMatch(reason(text), /^read/);
    }),
  );
});

test('the fingerprint of a text is 20 symbols of its SHA-256', () => {
  // SHA-256 of the empty text begins with e3b0c44298fc1c149afbf4c899.
  assert.equal(fingerprintOf(''), 'werc8-gmrzg-e196q-vyk49');
  assert.match(fingerprintOf('a'), /^[0-9a-z]{5}(?:-[0-9a-z]{5}){3}$/);
  assert.notEqual(fingerprintOf('a'), fingerprintOf('b'));
});
