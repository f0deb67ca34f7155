// What lets a backup out, against everything that must not: other people, other consents, other times, and the same one twice.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { createLog } from '#base/log.ts';
import { createBackupRelease } from '#consent/backup-release.ts';
import type { Decision } from '#model/consent.ts';
import type { Identity } from '#mtls/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { signDecision } from '#sign/decision.ts';
import { openText, recipientOf } from '#sign/sealed-text.ts';
import { createSigner } from '#sign/signer.ts';
import { createUsedConsents } from '#sign/used-consents.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createDomain, type Domain } from '../mtls/domain.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
const recipient = recipientOf(publicKey.export({ format: 'pem', type: 'spki' }) as string);
assert.ok(recipient.ok);
const ARGUMENTS = { file: 'backup', recipient: recipient.value };
const CONSENT = { id: 'c1', node: 'pe1', tool: 'network.file.pull', arguments: ARGUMENTS };

let domain: Domain;
let stranger: Domain;
const who: Record<string, Identity> = {};
before(async () => {
  [domain, stranger] = [await createDomain(), await createDomain()];
  who['ann'] = await domain.identity('ann', { kind: 'operator', role: 'admin' });
  who['olaf'] = await domain.identity('olaf', { kind: 'operator', role: 'operator' });
  who['eve'] = await stranger.identity('ann', { kind: 'operator', role: 'admin' });
});
after(async () => {
  await domain.remove();
  await stranger.remove();
});

function bed(t: TestContext) {
  const clock = createFakeClock({ nowMs: Date.now() });
  let reads = 0;
  let broken = false;
  const logged: string[] = [];
  const log = createLog({ level: 'info', sink: (line) => logged.push(line), now: () => 0, redact: (text) => text });
  const folder = mkdtempSync(join(tmpdir(), 'parley-used-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const release = createBackupRelease({
    node: 'pe1',
    clock,
    used: createUsedConsents(folder),
    log,
    verifyChain: (chain, atMs) => verifyChain(chain, domain.caPem, atMs),
  });
  const ask = (signed: JsonObject) =>
    release(signed, async () => {
      reads++;
      if (broken) throw new Error('vtysh is away');
      return 'hostname pe1\n';
    });
  const sign = (over: JsonObject = {}, by = 'ann', decision: Decision = 'approve', nowMs = clock.nowMs()) => {
    const { party, signingKey, chain } = who[by]!;
    const signer = createSigner({ node: party.name, privateKey: signingKey });
    const consent = { ...CONSENT, ...over };
    return signDecision({ signer, chain, decision, consent, nowMs }) as unknown as JsonObject;
  };
  const breakReading = (is: boolean) => {
    broken = is;
  };
  return { clock, ask, sign, logged, reads: () => reads, breakReading };
}

const code = (expected: string) => (error: ParleyError) => error.code === expected;

test('a backup is sealed to the key that an admin has signed for, once [TS-32, NET-18]', async (t) => {
  const { ask, sign, logged, reads } = bed(t);
  const signed = sign();
  const opened = openText(await ask(signed), KEY);
  assert.ok(opened.ok);
  const { created, ...rest } = JSON.parse(opened.value) as JsonObject;
  assert.deepEqual(rest, { schemaVersion: 1, node: 'pe1', configuration: 'hostname pe1\n' });
  assert.match(String(created), /^\d{4}-\d\d-\d\dT/);
  await assert.rejects(ask(signed), code('caller/bad-consent'));
  assert.equal(reads(), 1);
  assert.equal(logged.length, 1);
  assert.match(logged[0]!, /a backup was sealed.*c1.*ann.*[0-9a-f]{64}/);
  assert.doesNotMatch(logged[0]!, /hostname/);
});

test('nothing is read for another person, another consent, another time or a changed one [TS-32, NET-18]', async (t) => {
  const { ask, sign, reads, logged, clock } = bed(t);
  await assert.rejects(ask(sign({}, 'olaf')), code('caller/not-approver'));
  await assert.rejects(ask(sign({}, 'eve')), code('caller/not-approver'));
  const others: readonly JsonObject[] = [
    { node: 'pe2' },
    { tool: 'network.commit' },
    { arguments: { file: 'running-config' } },
    { arguments: { ...ARGUMENTS, more: true } },
    { arguments: { file: 'backup', recipient: 'AAAA' } },
    { id: '' },
  ];
  for (const over of others)
    await assert.rejects(ask(sign(over)), code('caller/bad-consent'), `taken: ${JSON.stringify(over)}`);
  await assert.rejects(ask(sign({}, 'ann', 'deny')), code('caller/bad-consent'));
  await assert.rejects(ask(sign({}, 'ann', 'approve', clock.nowMs() - 1_000_000)), code('caller/bad-consent'));
  const { envelope } = sign();
  await assert.rejects(ask({ envelope: envelope!, chain: sign({}, 'olaf')['chain']! }), code('caller/not-approver'));
  await assert.rejects(ask({ envelope: envelope! }), code('caller/bad-consent'));
  assert.deepEqual([reads(), logged], [0, []]);
});

test('a consent is not used up by a reading that failed, and counts while one goes on [TS-32]', async (t) => {
  const { ask, sign, logged, breakReading } = bed(t);
  const signed = sign();
  breakReading(true);
  await assert.rejects(ask(signed), { message: 'vtysh is away' });
  breakReading(false);
  const [first, second] = await Promise.allSettled([ask(signed), ask(signed)]);
  assert.deepEqual([first?.status, second?.status, logged.length], ['fulfilled', 'rejected', 1]);
});

test('a consent to a key that is no point of the curve seals nothing, and stays unused [TS-32, NET-18]', async (t) => {
  const { ask, sign, logged } = bed(t);
  const noPoint = `MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${'A'.repeat(86)}==`;
  const signed = sign({ arguments: { file: 'backup', recipient: noPoint } });
  const refused = { code: 'caller/bad-consent', message: 'expected a P-256 key, got something else' };
  await assert.rejects(ask(signed), refused);
  await assert.rejects(ask(signed), refused, 'the same reason again: it was not used up');
  assert.deepEqual(logged, []);
});

test('a used consent stays used, however the clocks are set [TS-32]', async (t) => {
  const { ask, sign, clock } = bed(t);
  const startMs = clock.nowMs();
  const signed = sign();
  await ask(signed);
  await clock.advance(10_000_000);
  clock.setWall(startMs);
  await assert.rejects(ask(signed), { message: 'expected a consent that was not used before, it was' });
});

test('refusals say what was expected, and what was sealed is on record [TS-32]', async (t) => {
  const { ask, sign, logged } = bed(t);
  const message = (over: JsonObject, by = 'ann') =>
    ask(sign(over, by)).then(
      () => assert.fail('taken'),
      (error: Error) => error.message,
    );
  assert.equal(await message({}, 'olaf'), "expected an admin's certificate, got operator/olaf");
  assert.match(await message({}, 'eve'), /^expected a certificate of this domain: /);
  const another = 'expected a consent to a backup of this node, got another';
  for (const over of [
    { node: 'pe2' },
    { tool: 'x' },
    { arguments: [] },
    { arguments: { ...ARGUMENTS, recipient: 1 } },
  ] as const)
    assert.equal(await message(over as never), another, JSON.stringify(over));
  for (const id of ['', 'x'.repeat(65), 7])
    assert.equal(await message({ id }), 'expected a consent with an id, it has none');
  await ask(sign({ id: 'x'.repeat(64) }));
  const signer = 'expected the chain of certificates of the signer, got something else';
  for (const chain of [[], 'x', [1], ['x', 1]])
    await assert.rejects(ask({ ...sign({ id: 'y' }), chain }), { message: signer, code: 'caller/bad-consent' });
  const line = JSON.parse(logged[0]!) as JsonObject;
  assert.deepEqual([line['consent'], line['agreedBy'], String(line['recipient']).length], ['x'.repeat(64), 'ann', 64]);
});
