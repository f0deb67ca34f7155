// Enrolment over TLS on loopback: what a code is worth, once, to whom; and what is refused, with what reason.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemRandom } from '#base/random.ts';
import { askRegistrar } from '#mtls/enrol/ask-registrar.ts';
import type { EnrolmentCode } from '#mtls/enrol/code.ts';
import { createOpenWatch, hasOpenCode, listCodes, loadCode, statusOf, storeState } from '#mtls/enrol/code-store.ts';
import { idsOf } from '#mtls/enrol/context.ts';
import { ENROL_LIMITS } from '#mtls/enrol/limits.ts';
import { EXPORTER_BYTES } from '#mtls/enrol/messages.ts';
import { preparePending } from '#mtls/enrol/pending.ts';
import { startProver } from '#mtls/enrol/spake2plus.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { dialTo, startListener, systemClock } from '../domain.ts';
import { type EnrolBed, upRegistrar } from './enrol-bed.ts';

let bed: EnrolBed;
before(async () => {
  bed = await upRegistrar();
});
after(() => bed?.down());

/** The registrar's reason, or the error's code where the refusal is not the registrar's. */
async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'enrolled';
  } catch (error) {
    const { code, data } = error as { code: string; data: { reason?: string } };
    return data.reason ?? code;
  }
}

const stateOf = async ({ id }: EnrolmentCode) => (await loadCode(bed.registrarDir, id))!.state;
const node = (name: string) => ({ kind: 'node', name }) as const;
/** Begins a run, as a guesser does who only reads the challenge. */
async function begun({ id }: EnrolmentCode): Promise<string> {
  const guess = startProver(idsOf(id), { w0: 3n, w1: 5n }, systemRandom);
  const shareP = Buffer.from(guess.shareP).toString('hex');
  const hello = { type: 'hello', version: 1, code: id, requestSha256: '00'.repeat(32), shareP } as const;
  const answer = await bed.registrar.start(hello, Buffer.alloc(EXPORTER_BYTES));
  return answer.ok ? answer.value.challenge.type : answer.refusal.reason;
}

const wrong = ({ id, secret }: EnrolmentCode): EnrolmentCode => ({
  id,
  secret: `${secret.startsWith('0') ? '1' : '0'}${secret.slice(1)}`,
});

test('a code gives its node a certificate with which it speaks mutual TLS to the domain [TS-24]', async () => {
  const code = await bed.codeFor('leaf-1', { dnsNames: ['leaf-1.lab.example'] });
  const out = bed.folder();
  const { identity, domain } = await bed.enrol(code, node('leaf-1'), { out });
  assert.equal(domain, 'lab.example');
  assert.deepEqual([identity?.party.kind, identity?.party.name], ['node', 'leaf-1']);
  assert.deepEqual(identity?.dnsNames, ['leaf-1.lab.example']);
  assert.deepEqual(bed.outcomes.at(-1), {
    outcome: 'issued',
    code: code.id,
    party: 'node/leaf-1',
    thumbprint: identity?.thumbprint,
  });
  const pe1 = await bed.domain.identity('pe1');
  const listener = await startListener(pe1);
  const dialled = await dialTo(listener, identity!, { expectedNode: 'pe1' });
  assert.equal(dialled.party.name, 'pe1');
  assert.deepEqual((await readdir(out)).sort(), ['ca.pem', 'chain.pem', 'key.pem', 'signing-key.pem']);
});

test('the registrar keeps neither the code nor a private key of the node', async () => {
  const code = await bed.codeFor('leaf-2');
  const out = bed.folder();
  await bed.enrol(code, node('leaf-2'), { out });
  const kept = await Promise.all(
    (await readdir(bed.registrarDir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')),
  );
  const key = (await readFile(join(out, 'key.pem'), 'utf8')).split('\n')[1]!;
  for (const text of kept) {
    assert.equal(text.includes(code.secret), false);
    assert.equal(text.includes(key), false);
  }
});

test('a wrong code is proven to neither side, and is counted until its code is locked [TS-24]', async () => {
  const code = await bed.codeFor('leaf-3');
  const other = await bed.codeFor('leaf-4');
  assert.equal(await refusal(bed.enrol(wrong(code), node('leaf-3'))), 'peer/registrar-not-proven');
  assert.equal((await stateOf(code)).failed, 1);
  // Runs that are begun and never ended are guesses as well: the challenge answers them.
  for (let run = 2; run <= ENROL_LIMITS.attemptsPerCode; run++) {
    assert.equal(await begun(code), 'challenge');
    assert.equal((await stateOf(code)).failed, run);
  }
  assert.equal(await refusal(bed.enrol(wrong(code), node('leaf-3'))), 'locked');
  assert.equal(await refusal(bed.enrol(code, node('leaf-3'))), 'locked');
  assert.equal(statusOf((await loadCode(bed.registrarDir, code.id))!, systemClock.nowMs()), 'locked');
  // The next code of the same name, and those of other names, are as good as before.
  assert.equal(await refusal(bed.enrol(other, node('leaf-4'))), 'enrolled');
  assert.equal(await refusal(bed.enrol(await bed.codeFor('leaf-3'), node('leaf-3'))), 'enrolled');
});

test('a lock ends after an hour', async () => {
  const code = await bed.codeFor('leaf-20');
  for (let run = 1; run <= ENROL_LIMITS.attemptsPerCode; run++) assert.equal(await begun(code), 'challenge');
  const isOpenAt = async () => hasOpenCode(bed.registrarDir, systemClock.nowMs() + bed.aheadMs);
  try {
    bed.aheadMs = ENROL_LIMITS.lockMs - 60_000;
    assert.equal(await refusal(bed.enrol(code, node('leaf-20'))), 'locked');
    assert.equal(await isOpenAt(), true);
    bed.aheadMs = ENROL_LIMITS.lockMs + 1;
    assert.equal(await begun(code), 'challenge');
    assert.equal((await stateOf(code)).failed, 1);
  } finally {
    bed.aheadMs = 0;
  }
});

test('a proof sets the count of runs back', async () => {
  const code = await bed.codeFor('leaf-5');
  await refusal(bed.enrol(wrong(code), node('leaf-5')));
  await bed.enrol(code, node('leaf-5'));
  assert.equal((await stateOf(code)).failed, 0);
});

test('a used code gives another key nothing, and the same request its certificate again [TS-24]', async () => {
  const code = await bed.codeFor('leaf-6');
  const out = bed.folder();
  const pending = await preparePending(out, node('leaf-6'));
  const ask = () =>
    askRegistrar({ host: '127.0.0.1', port: bed.port, code, pending, clock: systemClock, random: systemRandom });
  // The answer is lost: nothing was installed.
  const lost = await ask();
  assert.equal(await refusal(bed.enrol(code, node('leaf-6'))), 'used');
  await bed.restart();
  const again = await ask();
  assert.deepEqual(again.chain, lost.chain);
  assert.equal(bed.outcomes.at(-1)?.outcome, 'repeated');
  assert.equal(await refusal(bed.enrol(code, node('leaf-6'))), 'used');
});

test('two machines with one code at once: one certificate', async () => {
  const code = await bed.codeFor('leaf-7');
  const results = await Promise.all([1, 2, 3, 4].map(() => refusal(bed.enrol(code, node('leaf-7')))));
  assert.deepEqual(results.toSorted(), ['enrolled', 'used', 'used', 'used']);
});

test('a code is for its own name, kind and serial number', async () => {
  const code = await bed.codeFor('leaf-8', { serial: 'SN-8' });
  assert.equal(await refusal(bed.enrol(code, node('leaf-9'))), 'other-name');
  assert.equal(await refusal(bed.enrol(code, { kind: 'operator', name: 'leaf-8' })), 'other-name');
  assert.equal(await refusal(bed.enrol(code, node('leaf-8'))), 'other-serial');
  assert.equal(await refusal(bed.enrol(code, { ...node('leaf-8'), serial: 'SN-9' })), 'other-serial');
  // None of these used it.
  assert.equal(await refusal(bed.enrol(code, { ...node('leaf-8'), serial: 'SN-8' })), 'enrolled');
});

test('a code ends, and says so to its holder alone', async () => {
  const code = await bed.codeFor('leaf-10');
  bed.aheadMs = 3_600_001;
  try {
    assert.equal(await refusal(bed.enrol(code, node('leaf-10'))), 'ended');
    assert.equal(await refusal(bed.enrol(wrong(code), node('leaf-10'))), 'peer/registrar-not-proven');
  } finally {
    bed.aheadMs = 0;
  }
  assert.equal((await stateOf(code)).used, undefined);
});

test('a code that was removed or replaced is none', async () => {
  const first = await bed.codeFor('leaf-11');
  const second = await bed.codeFor('leaf-11');
  assert.equal(await refusal(bed.enrol(first, node('leaf-11'))), 'peer/registrar-not-proven');
  const isRecorded = () => bed.outcomes.some(({ outcome, code }) => outcome === 'unknown-code' && code === first.id);
  while (!isRecorded()) await bed.nextOutcome();
  assert.equal(await refusal(bed.enrol(second, node('leaf-11'))), 'enrolled');
  await assert.rejects(bed.codeFor('leaf-11'), { code: 'caller/name-certified' });
  const [replacing] = await bed.codes([node('leaf-11')], { replace: true });
  assert.equal(await refusal(bed.enrol(replacing!.code, node('leaf-11'))), 'enrolled');
});

test('runs of one name are bounded in time, and those of other names are not', async () => {
  const used = await bed.codeFor('leaf-12');
  for (let run = 1; run <= ENROL_LIMITS.attemptsPerName; run++) {
    const { state } = (await loadCode(bed.registrarDir, used.id))!;
    await storeState(bed.registrarDir, used.id, { ...state, failed: 0 });
    assert.equal(await begun(used), 'challenge');
  }
  assert.equal(await begun(used), 'too-often');
  assert.equal(await refusal(bed.enrol(used, node('leaf-12'))), 'too-often');
  assert.equal(await refusal(bed.enrol(await bed.codeFor('leaf-13'), node('leaf-13'))), 'enrolled');
});

test('names that stand twice, read alike or are none are refused before a code is made', async () => {
  const before = (await listCodes(bed.registrarDir)).length;
  await assert.rejects(bed.codes([node('rack-1'), node('rack_1')]), { code: 'caller/name-taken' });
  await assert.rejects(bed.codes([node('leaf_1')]), { code: 'caller/name-taken' });
  await bed.codes([node('waiting-1')]);
  await assert.rejects(bed.codes([node('waiting_1')]), { code: 'caller/name-taken' });
  await assert.rejects(bed.codes([node('Leaf 1')]), { code: 'caller/bad-name' });
  assert.equal((await listCodes(bed.registrarDir)).length, before + 1);
});

test('the port is open while a code waits or was used a moment ago, and no longer', async () => {
  const alone = await upRegistrar();
  const isOpen = () => hasOpenCode(alone.registrarDir, systemClock.nowMs() + alone.aheadMs);
  try {
    assert.equal(await isOpen(), false);
    const code = await alone.codeFor('leaf-1');
    assert.equal(await isOpen(), true);
    await alone.enrol(code, node('leaf-1'));
    assert.equal(await isOpen(), true);
    alone.aheadMs = ENROL_LIMITS.usedOpenMs + 1_000;
    assert.equal(await isOpen(), false);
    await alone.codeFor('leaf-2');
    assert.equal(await isOpen(), true);
    alone.aheadMs += 3_600_001;
    assert.equal(await isOpen(), false);
  } finally {
    await alone.down();
  }
});

test('a port that is closed is not looked into again until the folder of codes changes', async () => {
  const alone = await upRegistrar();
  try {
    const watch = createOpenWatch(alone.registrarDir);
    const now = () => systemClock.nowMs() + alone.aheadMs;
    assert.equal(await watch(now()), false);
    const code = await alone.codeFor('leaf-1');
    assert.equal(await watch(now()), true);
    await alone.enrol(code, node('leaf-1'));
    const atMs = now();
    alone.aheadMs = ENROL_LIMITS.usedOpenMs + 1_000;
    const later = await Promise.all([1, 2, 3, 4, 5].map(() => watch(now())));
    assert.deepEqual(new Set(later), new Set([false]));
    for (let look = 0; look < 4; look++) assert.equal(await watch(now()), false);
    // Not read: at this time the code would keep the port open.
    assert.equal(await watch(atMs), false);
    await alone.codes([node('leaf-2')]);
    assert.equal(await watch(now()), true);
  } finally {
    await alone.down();
  }
});

test('a registrar whose own certificate has ended, or whose disk fails, says so', async () => {
  const alone = await upRegistrar();
  try {
    alone.aheadMs = 366 * 86_400_000;
    const [late] = await alone.codes([node('leaf-2')]);
    assert.equal(await refusal(alone.enrol(late!.code, node('leaf-2'))), 'failed');
    alone.aheadMs = 0;
    const code = await alone.codeFor('leaf-1');
    const out = alone.folder();
    // A folder where the state of the code is to be written.
    await mkdir(join(alone.registrarDir, 'codes', `${code.id}.state.json`));
    assert.equal(await refusal(alone.enrol(code, node('leaf-1'), { out })), 'failed');
    await rmdir(join(alone.registrarDir, 'codes', `${code.id}.state.json`));
    assert.equal(await refusal(alone.enrol(code, node('leaf-1'), { out })), 'enrolled');
  } finally {
    await alone.down();
  }
});

test('a node that enrols again keeps its signing key, and gets a new TLS key', async () => {
  const out = bed.folder();
  await bed.enrol(await bed.codeFor('leaf-14'), node('leaf-14'), { out });
  const first = await loadIdentity(out);
  const [code] = await bed.codes([node('leaf-14')], { replace: true });
  await bed.enrol(code!.code, node('leaf-14'), { out });
  const second = await loadIdentity(out);
  assert.equal(second.party.signingKey, first.party.signingKey);
  assert.notEqual(second.keyPem, first.keyPem);
});
