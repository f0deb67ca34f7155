// What is to be done with an open change, decided on literals; the journal on a real folder; the candidate's holder.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCandidateStore } from '#router/config/candidate.ts';
import { FAILPOINT_NAMES, noFailpoint } from '#router/config/failpoint.ts';
import { type CommitRecord, createJournal } from '#router/config/journal.ts';
import { decide } from '#router/config/recover.ts';
import { createFakeClock } from '../fakes/clock.ts';

const RECORD: CommitRecord = {
  schemaVersion: 1,
  id: '00000007-0a0b0c0d',
  state: 'VERIFIED',
  by: 'operator/alice',
  startedMs: 1_000,
  timeoutMs: 60_000,
  deadline: { bootId: 'boot-1', uptimeMs: 100_000, wallMs: 61_000 },
  owner: { pid: 1, startTicks: '1' },
  before: 'aa',
  after: 'bb',
};
const NOW = { bootId: 'boot-1', uptimeMs: 40_000, wallMs: 1_000 };

test('an unconfirmed change waits for its deadline while its helper lives [NET-15]', () => {
  assert.deepEqual(decide(RECORD, NOW, true), { kind: 'wait', forMs: 60_000 });
});

test('the deadline, a reboot and a lost session undo it [NET-15]', () => {
  assert.deepEqual(decide(RECORD, { ...NOW, uptimeMs: 100_000 }, true), {
    kind: 'roll-back',
    reason: 'not confirmed in time',
  });
  assert.deepEqual(decide(RECORD, { ...NOW, bootId: 'boot-2', uptimeMs: 5 }, true), {
    kind: 'roll-back',
    reason: 'the node was started anew',
  });
  assert.deepEqual(decide(RECORD, NOW, false), { kind: 'roll-back', reason: 'the session was lost' });
});

test('with persist it outlives its session but neither its deadline nor a half application [NET-15]', () => {
  const persistent = { ...RECORD, persist: 'cc' };
  assert.deepEqual(decide(persistent, NOW, false), { kind: 'wait', forMs: 60_000 });
  assert.deepEqual(decide({ ...persistent, state: 'PREPARED' }, NOW, false), {
    kind: 'roll-back',
    reason: 'ended while it was applied',
  });
  assert.deepEqual(decide(persistent, { ...NOW, uptimeMs: 100_001 }, false), {
    kind: 'roll-back',
    reason: 'not confirmed in time',
  });
});

test('an undoing that began goes on at once', () => {
  assert.deepEqual(decide({ ...RECORD, persist: 'cc', undoing: 'cancelled' }, NOW, true), {
    kind: 'roll-back',
    reason: 'cancelled',
  });
});

test('a decided change is finished, whatever the time [NET-15]', () => {
  assert.deepEqual(decide({ ...RECORD, state: 'CONFIRMED' }, { ...NOW, bootId: 'boot-2' }, false), { kind: 'finish' });
  assert.deepEqual(decide({ ...RECORD, state: 'ROLLED_BACK' }, { ...NOW, uptimeMs: 200_000 }, true), {
    kind: 'finish',
  });
});

test('the wall clock decides nothing', () => {
  assert.deepEqual(decide(RECORD, { ...NOW, wallMs: 9e12 }, true), { kind: 'wait', forMs: 60_000 });
});

test('a journal keeps one open change and a history of at least ten [NET-15]', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-journal-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const steps: string[] = [];
  const journal = createJournal(folder, (name) => void steps.push(name));
  assert.equal(await journal.open(), undefined);
  for (let number = 1; number <= 12; number++) {
    const id = await journal.nextId();
    assert.equal(id.slice(0, 8), String(number).padStart(8, '0'));
    await journal.writeImage(id, 'before', `text ${number}`);
    await journal.write({ ...RECORD, id, state: 'PREPARED' });
    assert.equal((await journal.open())?.id, id);
    await journal.settle({ ...RECORD, id, state: 'CONFIRMED' });
    assert.equal(await journal.open(), undefined);
  }
  const history = await journal.history();
  assert.equal(history.length, 12);
  assert.equal(await journal.readImage(history[2]!.id, 'before'), 'text 3');
  assert.deepEqual(steps.slice(0, 8), [
    'before.written',
    'before.synced',
    'before.renamed',
    'before.durable',
    'prepared.written',
    'prepared.synced',
    'prepared.renamed',
    'prepared.durable',
  ]);
});

test('a damaged journal is an error, never an empty one', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-journal-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const journal = createJournal(folder, noFailpoint);
  for (const text of ['', '{', '{"schemaVersion":2}', JSON.stringify({ ...RECORD, id: '../../etc/frr' })]) {
    writeFileSync(join(folder, 'journal.json'), text);
    await assert.rejects(journal.open(), { code: 'node/journal-damaged' });
  }
  assert.deepEqual(readdirSync(folder), ['journal.json']);
});

test('there are at least forty named points, each once', () => {
  assert.equal(new Set(FAILPOINT_NAMES).size, FAILPOINT_NAMES.length);
  assert.ok(FAILPOINT_NAMES.length >= 40);
});

test('the candidate has one holder at a time, and an idle one loses it [NET-15]', async () => {
  const clock = createFakeClock();
  const store = createCandidateStore(clock);
  const running = async () => 'hostname a\n';
  await store.open('operator/alice', running);
  await assert.rejects(store.open('operator/bob', running), { code: 'caller/candidate-held' });
  assert.throws(() => store.edit('operator/bob', []), { code: 'caller/candidate-held' });
  assert.throws(() => store.discard('operator/bob'), { code: 'caller/candidate-held' });
  assert.throws(() => store.edit('operator/alice', ['write']), { code: 'caller/bad-config' });
  await clock.advance(900_001);
  await store.open('operator/bob', running);
  assert.throws(() => store.of('operator/alice'), { code: 'caller/candidate-held' });
  store.discard('operator/bob');
  assert.throws(() => store.of('operator/alice'), { code: 'caller/no-candidate' });
});
