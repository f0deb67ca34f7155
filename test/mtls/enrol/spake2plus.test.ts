// SPAKE2+ against the vectors of RFC 9383, appendix C, and against shares and confirmations that are not what they should be.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, systemRandom } from '#base/random.ts';
import {
  deriveSecrets,
  isConfirmation,
  type ProverSecrets,
  respond,
  startProver,
  verifierOf,
} from '#mtls/enrol/spake2plus.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const scalar = (text: string) => BigInt(`0x${text}`);
/** Gives this scalar, as wide as the caller wants it. */
const fixed = (text: string): Random => ({ bytes: (count) => bytes(text.padStart(2 * count, '0')) });

/** RFC 9383 appendix C, P256-SHA256-HKDF-SHA256-HMAC-SHA256. */
const VECTOR = {
  context: Buffer.from('SPAKE2+-P256-SHA256-HKDF-SHA256-HMAC-SHA256 Test Vectors'),
  ids: { idProver: 'client', idVerifier: 'server' },
  w0: 'bb8e1bbcf3c48f62c08db243652ae55d3e5586053fca77102994f23ad95491b3',
  w1: '7e945f34d78785b8a3ef44d0df5a1a97d6b3b460409a345ca7830387a74b1dba',
  L: '04eb7c9db3d9a9eb1f8adab81b5794c1f13ae3e225efbe91ea487425854c7fc00f00bfedcbd09b2400142d40a14f2064ef31dfaa903b91d1faea7093d835966efd',
  x: 'd1232c8e8693d02368976c174e2088851b8365d0d79a9eee709c6a05a2fad539',
  shareP:
    '04ef3bd051bf78a2234ec0df197f7828060fe9856503579bb1733009042c15c0c1de127727f418b5966afadfdd95a6e4591d171056b333dab97a79c7193e341727',
  y: '717a72348a182085109c8d3917d6c43d59b224dc6a7fc4f0483232fa6516d8b3',
  shareV:
    '04c0f65da0d11927bdf5d560c69e1d7d939a05b0e88291887d679fcadea75810fb5cc1ca7494db39e82ff2f50665255d76173e09986ab46742c798a9a68437b048',
  confirmP: '926cc713504b9b4d76c9162ded04b5493e89109f6d89462cd33adc46fda27527',
  confirmV: '9747bcc4f8fe9f63defee53ac9b07876d907d55047e6ff2def2e7529089d3e68',
  sharedKey: '0c5f8ccd1413423a54f6c1fb26ff01534a87f893779c6e68666d772bfd91f3e7',
};
const secrets: ProverSecrets = { w0: scalar(VECTOR.w0), w1: scalar(VECTOR.w1) };
const run = { ...VECTOR.ids, context: VECTOR.context };

test('prover and verifier compute the values of RFC 9383 appendix C [TS-24]', () => {
  const verifier = verifierOf(secrets);
  assert.deepEqual([hex(verifier.w0), hex(verifier.L)], [VECTOR.w0, VECTOR.L]);
  const prover = startProver(VECTOR.ids, secrets, fixed(VECTOR.x));
  assert.equal(hex(prover.shareP), VECTOR.shareP);
  const answered = respond(run, verifier, prover.shareP, fixed(VECTOR.y));
  assert.ok(answered.ok);
  assert.equal(hex(answered.value.shareV), VECTOR.shareV);
  const proven = prover.finish(VECTOR.context, answered.value.shareV);
  assert.ok(proven.ok);
  for (const side of [answered.value, proven.value]) {
    assert.deepEqual(
      [hex(side.confirmP), hex(side.confirmV), hex(side.sharedKey)],
      [VECTOR.confirmP, VECTOR.confirmV, VECTOR.sharedKey],
    );
  }
});

test('the group’s part of the second vector for P-256, whose hash is another [TS-24]', () => {
  const ids = VECTOR.ids;
  const prover = startProver(
    ids,
    {
      w0: scalar('1cc5207d6e34b8f7828206fb64b86aa9c712bc952abf251bb9f5856b24d8c8cc'),
      w1: scalar('4279649e62532b01dc27d2ed39100ba350518fb969672061a01edce752d0e672'),
    },
    fixed('b586ab83f175c1a2b56b6a1b6a283523f88a9befcf11e22efb48e2ee1fe69a23'),
  );
  assert.equal(
    hex(prover.shareP),
    '04a7928c4b47f6b8657a5b8ebcb6f1bd266192e152fb9745a4180c94657a2f323b4d50d536c0325cdb0ec42c9bd8db8d7af3ff6dc85edb4b5365375c62e09def4a',
  );
});

/** One run with a password on each side; the tamperer changes what travels. */
async function exchange(prover: ProverSecrets, verifier: ProverSecrets, context = [VECTOR.context, VECTOR.context]) {
  const started = startProver(VECTOR.ids, prover, systemRandom);
  const answered = respond({ ...run, context: context[0]! }, verifierOf(verifier), started.shareP, systemRandom);
  assert.ok(answered.ok);
  const proven = started.finish(context[1]!, answered.value.shareV);
  assert.ok(proven.ok);
  return {
    verifierHolds: isConfirmation(answered.value.confirmV, proven.value.confirmV),
    proverHolds: isConfirmation(proven.value.confirmP, answered.value.confirmP),
  };
}

test('only the same password in the same context confirms, on both sides', async () => {
  const ids = { idProver: 'K7QM3', idVerifier: 'registrar' };
  const right = await deriveSecrets(Buffer.from('ABCDEFGHJ'), ids);
  const wrong = await deriveSecrets(Buffer.from('ABCDEFGHK'), ids);
  const elsewhere = await deriveSecrets(Buffer.from('ABCDEFGHJ'), { ...ids, idProver: 'K7QM4' });
  assert.deepEqual(await exchange(right, right), { verifierHolds: true, proverHolds: true });
  assert.deepEqual(await exchange(wrong, right), { verifierHolds: false, proverHolds: false });
  assert.deepEqual(await exchange(elsewhere, right), { verifierHolds: false, proverHolds: false });
  const contexts = [Buffer.from('one TLS session'), Buffer.from('another')];
  assert.deepEqual(await exchange(right, right, contexts), { verifierHolds: false, proverHolds: false });
});

test('who knows what a verifier keeps, and not the password, cannot prove it', () => {
  const { w0, L } = verifierOf(secrets);
  // The thief of w0 and L makes up w1: V needs w1 itself.
  const thief = startProver(VECTOR.ids, { w0: scalar(hex(w0)), w1: 7n }, systemRandom);
  const answered = respond(run, { w0, L }, thief.shareP, systemRandom);
  assert.ok(answered.ok);
  const claimed = thief.finish(VECTOR.context, answered.value.shareV);
  assert.ok(claimed.ok);
  assert.equal(isConfirmation(claimed.value.confirmP, answered.value.confirmP), false);
});

test('a share is an uncompressed point of the curve, and none that makes the secret known', () => {
  const verifier = verifierOf(secrets);
  const refused = (share: string) => {
    const answered = respond(run, verifier, bytes(share), fixed(VECTOR.y));
    return answered.ok ? 'taken' : answered.reason;
  };
  const [x, y] = [VECTOR.shareP.slice(2, 66), VECTOR.shareP.slice(66)];
  assert.match(refused(`02${x}`), /uncompressed/);
  assert.match(refused(`06${x}${y}`), /uncompressed/);
  assert.match(refused('00'), /uncompressed/);
  assert.match(refused(`${VECTOR.shareP}00`), /uncompressed/);
  assert.match(refused(`04${'00'.repeat(64)}`), /point of P-256/);
  assert.match(refused(`04${x}${x}`), /point of P-256/);
  assert.match(refused(`04${'ff'.repeat(64)}`), /point of P-256/);
  assert.equal(refused(VECTOR.shareP), 'taken');
  // What w0·M hides is the neutral element: Z would not depend on y.
  assert.match(refused(hex(shareOfNothing())), /hides none/);
});

/** w0·M of the vector: the sum of two shares for w0/2 whose hidden points, x·P and (n − x)·P, cancel. */
function shareOfNothing(): Uint8Array {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const half = (scalar(VECTOR.w0) * ((order + 1n) / 2n)) % order;
  const x = scalar(VECTOR.x);
  const shares = [x, order - x].map((each) =>
    hex(startProver(VECTOR.ids, { w0: half, w1: 1n }, fixed(each.toString(16))).shareP),
  );
  return addPoints(shares[0]!, shares[1]!);
}

/** Affine addition on P-256, by hand: the test must not lean on the code under test. */
function addPoints(one: string, other: string): Uint8Array {
  const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
  const mod = (value: bigint) => ((value % p) + p) % p;
  const inverse = (value: bigint) => {
    let [base, exponent, result] = [mod(value), p - 2n, 1n];
    for (; exponent > 0n; exponent >>= 1n, base = mod(base * base))
      if ((exponent & 1n) === 1n) result = mod(result * base);
    return result;
  };
  const at = (point: string) => [scalar(point.slice(2, 66)), scalar(point.slice(66))] as const;
  const [[x1, y1], [x2, y2]] = [at(one), at(other)];
  const slope = mod((y2 - y1) * inverse(x2 - x1));
  const x3 = mod(slope * slope - x1 - x2);
  const y3 = mod(slope * (x1 - x3) - y1);
  return bytes(`04${[x3, y3].map((part) => part.toString(16).padStart(64, '0')).join('')}`);
}

test('each changed bit of a share or a confirmation is found', () => {
  const verifier = verifierOf(secrets);
  const flip = (text: string, bit: number) => {
    const changed = bytes(text);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    return changed;
  };
  for (let bit = 0; bit < 65 * 8; bit++) {
    const answered = respond(run, verifier, flip(VECTOR.shareP, bit), fixed(VECTOR.y));
    assert.equal(answered.ok, false, `bit ${bit} leaves the curve`);
  }
  for (let bit = 0; bit < 256; bit++)
    assert.equal(isConfirmation(flip(VECTOR.confirmP, bit), bytes(VECTOR.confirmP)), false);
  assert.equal(isConfirmation(bytes(VECTOR.confirmP).subarray(0, 31), bytes(VECTOR.confirmP)), false);
});
