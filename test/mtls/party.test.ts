// Names in certificates: which are spelled how, and which certificates name nobody. Also the end of a TLS session that showed one.
import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createServer as createTlsServer, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { silentLog } from '#base/log.ts';
import { buildCertificate } from '#mtls/certificate.ts';
import type { Identity } from '#mtls/identity.ts';
import { listen } from '#mtls/listen.ts';
import { authorityUri, isDomain, isDoorName, partyOf, partyUri, thumbprintOf } from '#mtls/party.ts';
import { peerCertificateOf, readPeerCertificate } from '#mtls/peer-certificate.ts';
import { nextSerial } from '#mtls/register.ts';
import { createTrust } from '#mtls/trust.ts';
import { closed, createDomain, type Domain, dialTo, startListener, systemClock } from './domain.ts';
import { oddIdentity } from './odd-certificates.ts';

let domain: Domain;
let pe1: Identity;
before(async () => {
  domain = await createDomain();
  pe1 = await domain.identity('pe1');
});
after(() => domain.remove());

const derOf = (identity: Identity) => Buffer.from(identity.chain[0]!, 'base64');

test('domains are spelled as DNS names are, in lower case', () => {
  const good = ['a', 'lab.example', '0-9.x', 'a'.repeat(253)];
  const bad = ['', 'Lab.example', '-a', 'a-', '.a', 'a.', 'a_b', 'a b', 'a'.repeat(254)];
  assert.deepEqual([...good, ...bad].filter(isDomain), good);
});

test('a URI names the kind of every party but a node [TS-24]', () => {
  const party = { domain: 'lab.example', name: 'x' };
  assert.deepEqual(
    (['node', 'operator', 'controller'] as const).map((kind) => partyUri({ ...party, kind })),
    ['parley://lab.example/x', 'parley://lab.example/operator/x', 'parley://lab.example/controller/x'],
  );
  assert.equal(authorityUri('lab.example'), 'parley://lab.example');
  assert.deepEqual(['local', 'loopback', 'pe1'].map(isDoorName), [true, true, false]);
});

test('a thumbprint is SHA-256 in lower-case hex [TS-13]', () => {
  // printf abc | sha256sum
  assert.equal(thumbprintOf(Buffer.from('abc')), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('a certificate names exactly one party [TS-24]', async () => {
  const reason = async (...uris: string[]) => {
    const party = partyOf(derOf(await oddIdentity(domain, { uris }, pe1)));
    return party.ok ? party.value : party.reason;
  };
  const { kind, name, domain: of } = (await reason('parley://lab.example/operator/ann')) as never;
  assert.deepEqual([kind, name, of], ['operator', 'ann', 'lab.example']);
  assert.equal(await reason(), 'expected one parley:// name, got 0');
  assert.equal(await reason('https://lab.example/pe1'), 'expected one parley:// name, got 0');
  assert.equal(
    await reason('parley://lab.example/pe1', 'PARLEY://lab.example/p2'),
    'expected one parley:// name, got 2',
  );
  const form = 'expected parley://<domain>/<name>, got another form of URI';
  for (const uri of ['//lab.example', '//Lab/pe1', '//lab.example/admin/pe1', '//lab.example/a%b', '//lab.example/'])
    assert.equal(await reason(`parley:${uri}`), form, uri);
  assert.equal(((await reason('https://x/', 'parley://lab.example/pe1')) as { name: string }).name, 'pe1');
  assert.equal(partyOf(Buffer.from('x')).ok, false);
});

const shown = (der: Buffer, issuer?: DetailedPeerCertificate): DetailedPeerCertificate =>
  ({
    raw: der,
    fingerprint256: new X509Certificate(der).fingerprint256,
    ...(issuer === undefined ? {} : { issuerCertificate: issuer }),
  }) as unknown as DetailedPeerCertificate;

test('the chain of a peer ends before the root, and is bounded [TS-14]', () => {
  const der = derOf(pe1);
  const ca = new X509Certificate(domain.caPem).raw;
  const root = shown(ca) as { issuerCertificate?: DetailedPeerCertificate };
  root.issuerCertificate = root as DetailedPeerCertificate;
  const read = readPeerCertificate(shown(der, root as DetailedPeerCertificate), 'lab.example');
  assert.deepEqual(read, { ok: true, value: { party: pe1.party, chain: pe1.chain } });
  const between = shown(derOf({ ...pe1, chain: [ca.toString('base64')] }));
  const two = readPeerCertificate(
    shown(der, { ...between, fingerprint256: 'other', issuerCertificate: root } as never),
    'lab.example',
  );
  assert.deepEqual(two.ok && two.value.chain, [pe1.chain[0], ca.toString('base64')]);
  let long = shown(der);
  for (let at = 0; at < 9; at++) long = { ...shown(der, long), fingerprint256: `n${at}` } as DetailedPeerCertificate;
  const bounded = readPeerCertificate(long, 'lab.example');
  assert.equal(bounded.ok && bounded.value.chain.length, 4);
  assert.deepEqual(readPeerCertificate(shown(der), 'lab.example').ok, true, 'a chain without its issuer');
});

test('the whole chain of a session is asked for, not only the leaf [TS-14]', () => {
  const asked: unknown[] = [];
  const socket = {
    getPeerCertificate: (detailed: unknown) => {
      asked.push(detailed);
      return shown(derOf(pe1));
    },
  } as unknown as TLSSocket;
  assert.equal(peerCertificateOf(socket, 'lab.example').ok, true);
  assert.deepEqual(asked, [true]);
});

test('a peer without a certificate, of another domain, or with the name of a door is nobody [TS-14]', async () => {
  const reason = (certificate: DetailedPeerCertificate, of = 'lab.example') => {
    const read = readPeerCertificate(certificate, of);
    return read.ok ? 'read' : read.reason;
  };
  assert.equal(reason({} as DetailedPeerCertificate), 'expected a certificate, the peer showed none');
  assert.equal(
    reason(shown(derOf(pe1)), 'other.example'),
    'expected a certificate of domain other.example, it is of domain lab.example',
  );
  const door = await oddIdentity(domain, { uris: ['parley://lab.example/operator/local'] }, pe1);
  assert.match(reason(shown(derOf(door))), /^expected another name than local, /);
  const node = await oddIdentity(domain, { uris: ['parley://lab.example/local'] }, pe1);
  assert.equal(reason(shown(derOf(node))), 'read', 'a node may be called so');
});

test('a serial number is 16 octets: a sign that keeps it positive, the counter, and chance', () => {
  const random = { bytes: (count: number) => new Uint8Array(count).fill(0xab) };
  const register = { schemaVersion: 1, domain: 'lab.example', counter: 0x1f, issued: {} } as const;
  assert.equal(nextSerial(register, random), `500000001f${'ab'.repeat(11)}`);
});

test('a port that is taken is said to be, with the address', async () => {
  const listener = await startListener(pe1);
  const init = {
    identity: pe1,
    trust: await createTrust({ clock: systemClock }),
    log: silentLog,
    onRefused: () => {},
    clock: systemClock,
    port: listener.port,
  };
  const nothing = { mcp: () => {}, h2: () => {}, http1: () => {} };
  await assert.rejects(listen({ ...init, host: '127.0.0.1' }, nothing), {
    code: 'us/cannot-listen',
    message: new RegExp(`^cannot listen on 127\\.0\\.0\\.1 port ${listener.port}: .*EADDRINUSE`),
  });
  await assert.rejects(listen(init, nothing), {
    code: 'us/cannot-listen',
    message: new RegExp(`^cannot listen on all addresses port ${listener.port}: `),
  });
  await listener.close();
});

test('a certificate of which a part is not what it must be names nobody [TS-24]', async () => {
  const uris = ['parley://lab.example/p2'];
  const reason = async (swap: readonly [string, string], role?: 'admin') => {
    const odd = await oddIdentity(
      domain,
      { uris: role ? ['parley://lab.example/operator/ann'] : uris, swap, ...(role ? { role } : {}) },
      pe1,
    );
    const party = partyOf(derOf(odd));
    return party.ok ? party.value.name : party.reason;
  };
  // Key usage becomes 2.5.29.99, which is critical and unknown.
  assert.equal(
    await reason(['0603551d0f', '0603551d63']),
    'expected no critical extension but the known ones, got 2.5.29.99',
  );
  // Bit 1 instead of bit 0.
  assert.equal(await reason(['03020780', '03020640']), 'expected key usage digitalSignature, it is missing');
  const both = 'expected extended key usages for server and client, not both are there';
  assert.equal(await reason(['2b06010505070302', '2b06010505070303']), both);
  assert.equal(await reason(['2b06010505070301', '2b06010505070303']), both);
  const key = 'expected a signing key of 32 octets, got another value';
  assert.equal(await reason(['04220420', '04220c20']), key);
  const role = 'expected the role observer, operator or admin, got another';
  assert.equal(await reason(['0c0561646d696e', '0c0561646d696f'], 'admin'), role);
  assert.equal(await reason(['0c0561646d696e', '130561646d696e'], 'admin'), role);
});

test('a signing key has 32 octets [TS-24]', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const partyWith = (byteCount: number) =>
    partyOf(
      buildCertificate({
        subject: { commonName: 'p2', uris: ['parley://lab.example/p2'], dnsNames: [], addresses: [], publicKey },
        issuer: { commonName: 'ca', privateKey, publicKey },
        serial: '5000000001',
        notBeforeMs: 0,
        notAfterMs: 1_000,
        use: { kind: 'party', signingKey: new Uint8Array(byteCount) },
      }),
    );
  assert.equal(partyWith(32).ok, true);
  for (const byteCount of [0, 31, 33]) assert.equal(partyWith(byteCount).ok, false, String(byteCount));
});

test('a handler that fails costs its own session, and is in the log', async () => {
  const logged: string[] = [];
  const log = {
    ...silentLog,
    error: (sentence: string, fields?: object) => void logged.push(sentence, JSON.stringify(fields)),
  };
  const fail = () => {
    throw new Error('broken');
  };
  const init = {
    identity: pe1,
    trust: await createTrust({ clock: systemClock }),
    log,
    onRefused: () => {},
    clock: systemClock,
  };
  const listener = await listen({ ...init, host: '127.0.0.1', port: 0 }, { mcp: fail, h2: fail, http1: fail });
  const { socket } = await dialTo(listener, pe1);
  await closed(socket);
  assert.deepEqual(logged, ['session handler failed', '{"party":"pe1","reason":"broken"}']);
  await listener.close();
});

test('a listener that speaks no such protocol is refused [TS-23]', async () => {
  const server = createTlsServer({
    key: pe1.keyPem,
    cert: pe1.certPem,
    ca: domain.caPem,
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.3',
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await assert.rejects(dialTo({ port }, pe1), { code: 'peer/protocol' });
  const silent = createTlsServer({ key: pe1.keyPem, cert: pe1.certPem, ca: domain.caPem, minVersion: 'TLSv1.3' });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const other = silent.address() as { port: number };
  await assert.rejects(dialTo({ port: other.port }, pe1), {
    code: 'peer/protocol',
    message: 'expected 127.0.0.1 to speak mcp, it does not',
    data: { address: '127.0.0.1' },
  });
  for (const each of [server, silent]) await new Promise((resolve) => each.close(resolve));
});
