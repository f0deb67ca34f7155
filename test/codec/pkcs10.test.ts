// Certification requests: what OpenSSL makes, what is refused, and that no input ends the reader.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { readCertificationRequest } from '#codec/pkcs10.ts';

const dir = mkdtempSync(join(tmpdir(), 'parley-pkcs10-'));
after(() => rmSync(dir, { recursive: true }));

function madeByOpenssl(subject: string, more = ''): Uint8Array {
  const config = join(dir, 'req.cnf');
  writeFileSync(
    config,
    `[req]\ndistinguished_name=dn\nstring_mask=utf8only\n${more}[dn]\n[ext]\nsubjectAltName=DNS:a.example\n`,
  );
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-keyout', join(dir, 'key.pem'), '-nodes'];
  const args = ['req', '-new', ...key, '-config', config, '-subj', subject, '-outform', 'DER', '-sha256'];
  return new Uint8Array(execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] }));
}

const EXTENSIONS = 'req_extensions=ext\n';
const whole = madeByOpenssl('/CN=leaf-1', EXTENSIONS);
const reason = (der: Uint8Array) => {
  const read = readCertificationRequest(der);
  return read.ok ? `read ${read.value.commonName}` : read.reason;
};

test('reads the request that OpenSSL makes', () => {
  const read = readCertificationRequest(whole);
  assert.ok(read.ok);
  assert.equal(read.value.commonName, 'leaf-1');
  assert.deepEqual(read.value.extensions.sanDns, ['a.example']);
  assert.equal(read.value.signatureAlgorithmOid, '1.2.840.10045.4.3.2');
  // P-256: an algorithm of two object identifiers, and an uncompressed point.
  assert.equal(read.value.spki.length, 91);
  assert.equal(Buffer.from(whole).includes(Buffer.from(read.value.info)), true);
});

test('refuses more than one name, no extensions, and another structure', () => {
  assert.match(reason(madeByOpenssl('/O=x/CN=leaf-1', EXTENSIONS)), /one common name/);
  assert.match(reason(madeByOpenssl('/CN=a+CN=b', EXTENSIONS)), /one common name/);
  assert.match(reason(madeByOpenssl('/O=x', EXTENSIONS)), /one common name/);
  assert.match(reason(madeByOpenssl('/CN=leaf-1')), /one attribute, the extensions/);
  assert.match(reason(new Uint8Array(20_000)), /at most \d+ bytes/);
  assert.match(reason(Uint8Array.of(0x30, 0x00)), /three parts/);
  assert.match(reason(Uint8Array.of(...whole, 0)), /end of the DER/);
  const version = Buffer.from(whole);
  // Behind the headers of the whole and of the part that is signed: INTEGER, one octet.
  const at = version.indexOf(Buffer.from('020100', 'hex')) + 2;
  version[at] = 1;
  assert.match(reason(version), /version 1/);
});

test('each cut and each changed octet is a value', () => {
  for (let length = 0; length < whole.length; length++) assert.doesNotMatch(reason(whole.subarray(0, length)), /^read/);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Uint8Array.from(whole);
      changed[at]! ^= change;
      reason(changed);
    }),
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void reason(bytes)));
});
