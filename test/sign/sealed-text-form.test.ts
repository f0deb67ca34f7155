// A sealed text as any other JOSE program would read it: ECDH-ES with the Concat KDF of RFC 7518 §4.6.2, written out here once more.
import assert from 'node:assert/strict';
import { createDecipheriv, createHash, createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { openText, recipientId, recipientOf, sealText } from '#sign/sealed-text.ts';

test('the content key is SHA-256 of round, secret, algorithm and key length, and the header is authenticated [NET-18]', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const recipient = recipientOf(publicKey.export({ format: 'pem', type: 'spki' }) as string);
  assert.ok(recipient.ok);
  const sealed = sealText(recipient.value, 'hostname pe1\n');
  assert.ok(sealed.ok);
  const [header = '', wrapped, iv = '', body = '', tag = ''] = sealed.value.split('.');
  const { epk, ...members } = JSON.parse(Buffer.from(header, 'base64url').toString());
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  assert.deepEqual(members, {
    alg: 'ECDH-ES',
    enc: 'A256GCM',
    kid: createHash('sha256').update(spki).digest('hex'),
  });
  assert.equal(recipientId(recipient.value), members.kid);
  assert.deepEqual([Object.keys(epk), epk.kty, epk.crv, wrapped], [['kty', 'crv', 'x', 'y'], 'EC', 'P-256', '']);
  const octets = (part: string) => Buffer.from(part, 'base64url');
  assert.deepEqual([octets(iv).length, octets(tag).length], [12, 16]);
  const secret = diffieHellman({ privateKey, publicKey: createPublicKey({ key: epk, format: 'jwk' }) });
  // Round 1; "A256GCM" after its length 7; two empty party infos; 256 bits.
  const info = Buffer.from(`00000007${Buffer.from('A256GCM').toString('hex')}000000000000000000000100`, 'hex');
  const key = createHash('sha256')
    .update(Buffer.concat([Buffer.from('00000001', 'hex'), secret, info]))
    .digest();
  const decipher = createDecipheriv('aes-256-gcm', key, octets(iv));
  decipher.setAAD(Buffer.from(header));
  decipher.setAuthTag(octets(tag));
  assert.equal(decipher.update(octets(body), undefined, 'utf8') + decipher.final('utf8'), 'hostname pe1\n');
});

test('each text has an ephemeral key of its own', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const recipient = recipientOf(privateKey.export({ format: 'pem', type: 'pkcs8' }) as string);
  assert.ok(recipient.ok);
  const headers = [1, 2].map(() => {
    const sealed = sealText(recipient.value, 'x');
    assert.ok(sealed.ok);
    return JSON.parse(Buffer.from(sealed.value.split('.')[0]!, 'base64url').toString()).epk.x as string;
  });
  assert.notEqual(headers[0], headers[1]);
});

test('a key that is none, or on another curve, opens nothing', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  const recipient = recipientOf(pem);
  assert.ok(recipient.ok);
  const sealed = sealText(recipient.value, 'x');
  assert.ok(sealed.ok);
  const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  const opened = openText(sealed.value, other.export({ format: 'pem', type: 'pkcs8' }) as string);
  assert.deepEqual(opened, { ok: false, reason: 'expected a P-256 key, got another' });
  assert.equal(openText(sealed.value, 'no key').ok, false);
  assert.deepEqual(openText(` ${sealed.value}\n`, pem), { ok: true, value: 'x' });
  assert.equal(sealText('AAAA', 'x').ok, false);
});

test('a header that is no JSON object, and an ephemeral key on another curve, open nothing [NET-18]', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  const recipient = recipientOf(pem);
  assert.ok(recipient.ok);
  const sealed = sealText(recipient.value, 'x');
  assert.ok(sealed.ok);
  const [header = '', ...rest] = sealed.value.split('.');
  const reason = (text: string) => {
    const opened = openText([Buffer.from(text).toString('base64url'), ...rest].join('.'), pem);
    return opened.ok ? 'opened' : opened.reason;
  };
  for (const text of ['', 'x', '[]', '"a"'])
    assert.equal(reason(text), 'expected a sealed text, its header cannot be read', text);
  const members = JSON.parse(Buffer.from(header, 'base64url').toString());
  const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
  assert.equal(reason(JSON.stringify({ ...members, epk: other })), 'expected a P-256 key in the header, got another');
  const spki = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'der', type: 'spki' });
  assert.deepEqual(sealText(spki.toString('base64'), 'x'), { ok: false, reason: 'expected a P-256 key, got another' });
  assert.deepEqual(sealText('AAAA', 'x'), { ok: false, reason: 'expected a P-256 key, got something else' });
});

test('a sealed text has five parts, the second of them empty', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  const recipient = recipientOf(pem);
  assert.ok(recipient.ok);
  const sealed = sealText(recipient.value, 'x');
  assert.ok(sealed.ok);
  const [header, , ...rest] = sealed.value.split('.');
  const refused = { ok: false, reason: 'expected a sealed text, got something else' };
  assert.deepEqual(openText([header, 'AA', ...rest].join('.'), pem), refused, 'a wrapped key');
  assert.deepEqual(openText(`${sealed.value}.`, pem), refused, 'six parts');
  assert.deepEqual(openText([header, '', ...rest.slice(1)].join('.'), pem), refused, 'four parts');
});
