// PKCS #12 files as browsers and OpenSSL read them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createSecureContext } from 'node:tls';
import { systemRandom } from '#base/random.ts';
import { browserFileOf } from '#mtls/pkcs12.ts';
import { createDomain, type Domain } from './domain.ts';

let domain: Domain;
before(async () => {
  domain = await createDomain();
});
after(() => domain?.remove());

test('OpenSSL opens the file with its password alone, and finds key, certificate and name [TS-24]', async () => {
  const alice = await domain.identity('alice', { kind: 'operator', role: 'admin' });
  const file = join(domain.dir, 'alice.p12');
  const der = browserFileOf(alice, 'PASS1-WORD2', systemRandom);
  await writeFile(file, der);
  const openssl = (...args: string[]) =>
    execFileSync('openssl', ['pkcs12', '-in', file, '-passin', 'pass:PASS1-WORD2', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const certificate = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/.exec(openssl('-nokeys'))![0];
  assert.equal(new X509Certificate(certificate).fingerprint256, new X509Certificate(alice.certPem).fingerprint256);
  assert.match(openssl('-nokeys'), /friendlyName: alice \(lab\.example\)/);
  assert.equal(openssl('-nocerts', '-nodes').includes(alice.keyPem.trim()), true);
  createSecureContext({ pfx: Buffer.from(der), passphrase: 'PASS1-WORD2' });
  assert.throws(() => createSecureContext({ pfx: Buffer.from(der), passphrase: 'PASS1-WORD3' }), /mac verify failure/i);
});

test('neither the key nor the name can be read without the password', async () => {
  const bob = await domain.identity('bob', { kind: 'operator' });
  const der = Buffer.from(browserFileOf(bob, 'PASS1-WORD2', systemRandom));
  assert.equal(der.includes(Buffer.from(bob.chain[0]!, 'base64')), false);
  assert.equal(der.includes('bob'), false);
});
