// One Ed25519 rule, two implementations (docs/decisions/0002-one-ed25519-rule.md): the published vectors, signatures made to
// part cofactored from cofactorless verifiers, and random changes. Both give the expected verdict on each.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { Point, verifyAsync } from '@noble/ed25519';
import fc from 'fast-check';
import { checkPublicKey } from '#sign/key-check.ts';
import { signNative, verifyNative } from '#sign/native.ts';
import { isNeutral, verifyPortable } from '#sign/portable/ed25519.ts';
import { generateSigningKey } from '#sign/signer.ts';

type Case = {
  readonly id: string;
  readonly comment: string;
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
  readonly valid: boolean;
  readonly seed?: string;
};

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const load = (name: string) =>
  (JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as { cases: Case[] }).cases;
const spki = (raw: Uint8Array) =>
  createPublicKey({ key: Buffer.concat([bytes('302a300506032b6570032100'), raw]), format: 'der', type: 'spki' });

/** Both verdicts, which must be one. */
async function verdict(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): Promise<boolean> {
  const native = verifyNative(signature, message, publicKey);
  assert.equal(await verifyPortable(signature, message, publicKey), native);
  return native;
}

before(() => {
  // The library's table of multiples is made on first use.
  Point.BASE.multiply(3n);
});

for (const [name, count] of [
  ['ed25519-rfc8032', 5],
  ['ed25519-speccheck', 10],
  ['ed25519-wycheproof', 58],
] as const) {
  test(`both implementations give the verdicts of ${name} [TS-16]`, async () => {
    const cases = load(name);
    assert.equal(cases.length, count);
    for (const each of cases) {
      const got = await verdict(bytes(each.signature), bytes(each.message), bytes(each.publicKey));
      assert.equal(got, each.valid, `${each.id}: ${each.comment}`);
    }
  });
}

test('signs as RFC 8032 §7.1 does', () => {
  for (const each of load('ed25519-rfc8032')) {
    const pkcs8 = Buffer.concat([bytes('302e020100300506032b657004220420'), bytes(each.seed ?? '')]);
    const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    assert.equal(Buffer.from(signNative(key, bytes(each.message))).toString('hex'), each.signature);
  }
});

test('the rule is needed: the libraries disagree with it, and with each other', async () => {
  const [, , , mixed, cofactored] = load('ed25519-speccheck');
  assert.ok(mixed && cofactored);
  const parts = (each: Case) => [bytes(each.signature), bytes(each.message), bytes(each.publicKey)] as const;
  const [signature, message, key] = parts(mixed);
  assert.equal(verify(null, message, spki(key), signature), true);
  const [other, text, sameKey] = parts(cofactored);
  assert.equal(verify(null, text, spki(sameKey), other), false);
  assert.equal(await verifyAsync(other, text, sameKey), true);
});

/** Encodings of the eight points of small order, and those of their twins that are not canonical. */
const SMALL_ORDER = [
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '00'.repeat(32),
  `${'00'.repeat(31)}80`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  `01${'00'.repeat(30)}80`,
  `ec${'ff'.repeat(31)}`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(31)}`,
  `ee${'ff'.repeat(31)}`,
];
/** A point of order 8. */
const TORSION = Point.fromHex(SMALL_ORDER[4]!);

test('refuses keys of small order, with a torsion part, and not canonical, at enrolment and in both verifiers', async () => {
  const { publicKeyRaw } = generateSigningKey();
  assert.deepEqual(checkPublicKey(publicKeyRaw), { ok: true, value: undefined });
  const mixed = Point.fromBytes(publicKeyRaw).add(TORSION).toBytes();
  const offCurve = `02${'00'.repeat(31)}`;
  const refused = [
    ...SMALL_ORDER.map(bytes),
    mixed,
    bytes(offCurve),
    publicKeyRaw.subarray(1),
    new Uint8Array(33),
    new Uint8Array(0),
  ];
  for (const key of refused) {
    assert.equal(checkPublicKey(key).ok, false, Buffer.from(key).toString('hex'));
    // R neutral and S = 0 stand under a neutral key for every message.
    assert.equal(await verdict(bytes(`01${'00'.repeat(63)}`), Buffer.from('any'), key), false);
  }
});

test('says that an encoding is not canonical before it looks at the order', () => {
  assert.deepEqual(checkPublicKey(bytes(`f0${'ff'.repeat(30)}7f`)), {
    ok: false,
    reason: 'expected the canonical encoding of a point, got another value',
  });
});

const ORDER = Point.CURVE().n;

async function hashScalar(...parts: readonly Uint8Array[]): Promise<bigint> {
  const digest = await globalThis.crypto.subtle.digest('SHA-512', Buffer.concat(parts));
  return BigInt(`0x${Buffer.from(digest).reverse().toString('hex')}`) % ORDER;
}

function scalarBytes(scalar: bigint): Uint8Array {
  return bytes(scalar.toString(16).padStart(64, '0')).reverse();
}

/** A signature by secret scalar `a` whose R is `[r]B + extra`. */
async function craft(a: bigint, r: bigint, extra: Point, message: Uint8Array) {
  const key = Point.BASE.multiply(a).toBytes();
  const point = (r === 0n ? Point.ZERO : Point.BASE.multiply(r)).add(extra).toBytes();
  const s = (r + (await hashScalar(point, key, message)) * a) % ORDER;
  return { key, signature: Buffer.concat([point, scalarBytes(s)]), s };
}

test('refuses what only a cofactored verifier accepts: torsion in R under a good key', async () => {
  const message = Buffer.from('link pe1:eth1--p2:eth1');
  const honest = await craft(12_345n, 777n, Point.ZERO, message);
  assert.equal(await verdict(honest.signature, message, honest.key), true);
  const crafted = await craft(12_345n, 777n, TORSION, message);
  assert.equal(await verifyAsync(crafted.signature, message, crafted.key), true);
  assert.equal(await verdict(crafted.signature, message, crafted.key), false);
});

test('refuses the neutral element as R, which some versions of Node accept', async () => {
  const message = Buffer.from('m');
  const crafted = await craft(12_345n, 0n, Point.ZERO, message);
  assert.equal(Buffer.from(crafted.signature.subarray(0, 32)).toString('hex'), `01${'00'.repeat(31)}`);
  assert.equal(await verdict(crafted.signature, message, crafted.key), false);
});

test('refuses S + L for any signature', async () => {
  const message = Buffer.from('m');
  const { key, signature, s } = await craft(99n, 98n, Point.ZERO, message);
  assert.equal(await verdict(signature, message, key), true);
  assert.equal(await verdict(Buffer.concat([signature.subarray(0, 32), scalarBytes(s + ORDER)]), message, key), false);
});

test('both implementations agree on random and on changed signatures', async () => {
  const { privateKey, publicKeyRaw } = generateSigningKey();
  const change = fc.record({ at: fc.nat(63), bit: fc.nat(7) });
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 64 }),
      fc.option(change, { nil: undefined }),
      fc.boolean(),
      async (message, flip, cut) => {
        const signature = signNative(privateKey, message);
        if (flip !== undefined) signature[flip.at]! ^= 1 << flip.bit;
        const sent = cut ? signature.subarray(0, 63) : signature;
        assert.equal(await verdict(sent, message, publicKeyRaw), flip === undefined && !cut);
      },
    ),
    { numRuns: 60 },
  );
});

test('both implementations agree on noise as key and signature, and never throw', async () => {
  const sized = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(sized(32), fc.uint8Array({ maxLength: 40 })),
      fc.oneof(sized(64), fc.uint8Array({ maxLength: 70 })),
      async (key, signature) => {
        assert.equal(await verdict(signature, Buffer.from('m'), key), false);
      },
    ),
    { numRuns: 60 },
  );
});

test('the neutral element has one encoding: a one and 31 zeros, whatever follows', () => {
  const neutral = Uint8Array.of(1, ...new Uint8Array(31));
  assert.equal(isNeutral(neutral), true);
  assert.equal(
    isNeutral(Uint8Array.of(...neutral, ...new Uint8Array(32).fill(0xff))),
    true,
    'R at the head of a signature',
  );
  for (let at = 0; at < 32; at++) assert.equal(isNeutral(neutral.with(at, 2)), false, `byte ${at}`);
  assert.equal(isNeutral(new Uint8Array(32)), false);
});
