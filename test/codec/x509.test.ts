// Certificates: fields as literals, agreement with node:crypto, refusals by changed bytes, PEM.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodePem, decodePemAll, encodePem } from '#codec/pem.ts';
import { type CertificateFields, readCertificate } from '#codec/x509.ts';

const vectors = JSON.parse(readFileSync(new URL('../vectors/x509-p256.json', import.meta.url), 'utf8')) as {
  authority: string;
  device: string;
};

function derOf(pem: string): Uint8Array {
  const der = decodePem(pem, 'CERTIFICATE');
  assert.ok(der.ok);
  return der.value;
}

function fieldsOf(pem: string): CertificateFields {
  const fields = readCertificate(derOf(pem));
  assert.ok(fields.ok);
  return fields.value;
}

test('reads a P-256 device certificate', () => {
  const device = fieldsOf(vectors.device);
  assert.equal(device.serialHex, '7a01');
  assert.equal(device.subjectCn, 'pe1');
  assert.equal(device.notBeforeMs, 1_795_248_245_000);
  assert.equal(device.notAfterMs, 1_795_853_045_000);
  assert.deepEqual(device.sanUris, ['parley://lab.example/pe1']);
  assert.deepEqual(device.sanDns, ['pe1.lab.example']);
  assert.deepEqual(device.sanIps, ['192.0.2.1', '2001:db8:0:0:0:0:0:1']);
  assert.deepEqual(device.extKeyUsage, ['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1']);
  assert.deepEqual(device.keyUsage, ['digitalSignature']);
  assert.equal(device.basicConstraints, undefined);
  assert.deepEqual([...device.criticalOids], ['2.5.29.15']);
  assert.equal(Buffer.from(device.extensions.get('1.3.6.1.4.1.32473.1.1') ?? []).toString('hex'), '040568656c6c6f');
  assert.equal(device.signatureAlgorithmOid, '1.2.840.10045.4.3.2');
});

test('reads an authority of path length 0 that ends after 2049', () => {
  const authority = fieldsOf(vectors.authority);
  assert.equal(authority.serialHex, '00c0ffee');
  assert.deepEqual(authority.basicConstraints, { ca: true, pathLength: 0 });
  assert.deepEqual(authority.keyUsage, ['keyCertSign', 'cRLSign']);
  assert.equal(authority.notAfterMs, 2_741_328_245_000);
  assert.deepEqual(authority.sanUris, []);
});

test('gives the bytes that chain two certificates and that node:crypto sees', () => {
  const [authority, device] = [fieldsOf(vectors.authority), fieldsOf(vectors.device)];
  assert.deepEqual(device.issuerRaw, authority.subjectRaw);
  assert.notDeepEqual(device.issuerRaw, device.subjectRaw);
  const node = new X509Certificate(vectors.device);
  assert.deepEqual(Buffer.from(device.spki), node.publicKey.export({ format: 'der', type: 'spki' }));
  assert.equal(new Date(device.notAfterMs).getTime(), Date.parse(node.validTo));
});

const hexOf = (pem: string) => Buffer.from(derOf(pem)).toString('hex');
/** Replaces bytes by as many others, so that every length still fits. */
function changed(pem: string, from: string, to: string): Uint8Array {
  const hex = hexOf(pem);
  assert.ok(hex.includes(from) && from.length === to.length);
  return Buffer.from(hex.replace(from, to), 'hex');
}

const ECDSA_SHA256 = '06082a8648ce3d040302';
const CHANGES: readonly (readonly [fact: string, der: Uint8Array])[] = [
  ['another algorithm inside than outside', changed(vectors.device, ECDSA_SHA256, '06082a8648ce3d040303')],
  ['version 2', changed(vectors.device, 'a003020102', 'a003020101')],
  ['the same extension twice', changed(vectors.device, '0603551d23', '0603551d0e')],
  [
    'a NUL in a name',
    changed(vectors.device, Buffer.from('pe1.lab').toString('hex'), Buffer.from('pe1\0lab').toString('hex')),
  ],
  ['an address of five octets', changed(vectors.device, '8704c0000201', '8204c0000201')],
  ['a false boolean written out', changed(vectors.device, '0603551d0f0101ff', '0603551d0f010100')],
  ['a negative path length', changed(vectors.authority, '30060101ff020100', '30060101ff0201ff')],
  ['a key usage with a bit that its length hides', changed(vectors.device, '0404030207', '0404030206')],
  ['one byte more', Uint8Array.of(...derOf(vectors.device), 0)],
  ['one byte less', derOf(vectors.device).subarray(0, -1)],
  ['16 KiB and a byte', new Uint8Array(16_385)],
];
for (const [fact, der] of CHANGES) {
  test(`refuses ${fact}`, () => assert.equal(readCertificate(der).ok, false));
}

test('never throws on a certificate with any bytes changed', () => {
  const der = derOf(vectors.device);
  const changes = fc.array(fc.tuple(fc.nat(der.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(changes, fc.nat(der.length), (list, length) => {
      const copy = der.slice();
      for (const [at, byte] of list) copy[at] = byte;
      readCertificate(copy);
      assert.equal(readCertificate(der.subarray(0, Math.min(length, der.length - 1))).ok, false);
    }),
    { numRuns: 1_500 },
  );
});

test('PEM: one block, several blocks, refusals', () => {
  const der = derOf(vectors.device);
  assert.equal(encodePem(der, 'CERTIFICATE'), vectors.device);
  const both = decodePemAll(vectors.authority + vectors.device, 'CERTIFICATE');
  assert.deepEqual(both, { ok: true, value: [derOf(vectors.authority), der] });
  assert.equal(encodePem(new Uint8Array(0), 'X'), '-----BEGIN X-----\n-----END X-----\n');
  assert.equal(decodePem(vectors.authority + vectors.device, 'CERTIFICATE').ok, false);
  assert.equal(decodePem(vectors.device, 'PRIVATE KEY').ok, false);
  assert.equal(decodePem('', 'CERTIFICATE').ok, false);
  assert.equal(decodePem(`note\n${vectors.device}`, 'CERTIFICATE').ok, false);
  assert.equal(decodePem(vectors.device.replace('-----END', '----- END'), 'CERTIFICATE').ok, false);
  assert.equal(decodePem(vectors.device.replace('M', '-'), 'CERTIFICATE').ok, false);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), fc.string(), (bytes, text) => {
      assert.deepEqual(decodePem(encodePem(bytes, 'A B'), 'A B'), { ok: true, value: bytes });
      assert.equal(decodePem(text, 'A B').ok, false);
    }),
    { numRuns: 200 },
  );
});
