// Sealed texts: opened by their key only, and not at all after any change.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { openText, recipientId, recipientOf, sealText } from '#sign/sealed-text.ts';

function pair(namedCurve = 'P-256') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  return {
    publicPem: publicKey.export({ format: 'pem', type: 'spki' }) as string,
    privatePem: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
  };
}

const { publicPem, privatePem } = pair();
const recipient = textOf(recipientOf(publicPem));
const TEXT = 'neighbor 192.0.2.1 password überraschung\n';

function textOf<T>(result: { ok: true; value: T } | { ok: false; reason: string }): T {
  assert.ok(result.ok, result.ok ? '' : result.reason);
  return result.value;
}

const reasonOf = (result: { ok: boolean; reason?: string }) => (result.ok ? 'opened' : result.reason);

test('a sealed text opens with its key, and names it [NET-18]', () => {
  const sealed = textOf(sealText(recipient, TEXT));
  assert.equal(textOf(openText(sealed, privatePem)), TEXT);
  const header = JSON.parse(Buffer.from(sealed.split('.')[0]!, 'base64url').toString()) as Record<string, unknown>;
  assert.deepEqual([header['alg'], header['enc'], header['kid']], ['ECDH-ES', 'A256GCM', recipientId(recipient)]);
  assert.equal(recipient, textOf(recipientOf(privatePem)));
});

test('the same text is never sealed to the same octets twice', () => {
  assert.notEqual(textOf(sealText(recipient, TEXT)), textOf(sealText(recipient, TEXT)));
});

test('a change of any part, another key and another form are refused', () => {
  const sealed = textOf(sealText(recipient, TEXT));
  const changed = 'expected a text sealed to this key, it is another one or was changed';
  for (const index of [2, 3, 4]) {
    const parts = sealed.split('.');
    const octets = Buffer.from(parts[index]!, 'base64url');
    octets[0]! ^= 1;
    parts[index] = octets.toString('base64url');
    assert.equal(reasonOf(openText(parts.join('.'), privatePem)), changed, `part ${index}`);
  }
  const [header = '', ...rest] = sealed.split('.');
  const members = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, unknown>;
  const withHeader = (over: Record<string, unknown>) =>
    [Buffer.from(JSON.stringify({ ...members, ...over })).toString('base64url'), ...rest].join('.');
  assert.equal(reasonOf(openText(withHeader({ typ: 'x' }), privatePem)), changed);
  assert.equal(reasonOf(openText(withHeader({ alg: 'dir' }), privatePem)), 'expected ECDH-ES and A256GCM, got another');
  // A tag of four octets would be guessed in an afternoon.
  const short = [...sealed.split('.').slice(0, 4), sealed.split('.')[4]!.slice(0, 6)].join('.');
  assert.equal(reasonOf(openText(short, privatePem)), changed);
  assert.match(
    String(reasonOf(openText(sealed, pair().privatePem))),
    /^expected the key [0-9a-f]{64}, got [0-9a-f]{64}$/,
  );
  assert.equal(reasonOf(openText('configuration', privatePem)), 'expected a sealed text, got something else');
});

test('only P-256 keys are recipients', () => {
  assert.equal(reasonOf(recipientOf(pair('P-384').publicPem)), 'expected a P-256 key, got another');
  assert.equal(reasonOf(recipientOf('no key')), 'expected a P-256 key in PEM, got something else');
  assert.equal(reasonOf(sealText('AAAA', TEXT)), 'expected a P-256 key, got something else');
});
