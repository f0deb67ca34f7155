// Parts start in order and stop in reverse, also when one of them fails; the journal keeps what an operator saw.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Part, startAll } from '#agent/lifecycle.ts';
import { openJournal } from '#agent/parts/progress.ts';
import { createLog, silentLog } from '#base/log.ts';
import { LOCAL_ASKER } from '../fakes/asker.ts';
import { createFakeClock } from '../fakes/clock.ts';

function partsWith(steps: string[], faults: Readonly<Record<string, 'start' | 'stop'>> = {}): Part[] {
  return ['store', 'listener', 'discovery'].map((name) => ({
    name,
    start: async () => {
      steps.push(`start ${name}`);
      if (faults[name] === 'start') throw new Error(`${name} cannot start`);
    },
    stop: async () => {
      steps.push(`stop ${name}`);
      if (faults[name] === 'stop') throw new Error(`${name} hangs`);
    },
  }));
}

test('starts in order and stops in reverse, once', async () => {
  const steps: string[] = [];
  const running = await startAll(partsWith(steps), silentLog);
  await running.stop();
  await running.stop();
  assert.deepEqual(steps, [
    'start store',
    'start listener',
    'start discovery',
    'stop discovery',
    'stop listener',
    'stop store',
  ]);
});

test('a part that cannot start takes those before it down, itself included, and says why', async () => {
  const steps: string[] = [];
  await assert.rejects(startAll(partsWith(steps, { listener: 'start' }), silentLog), /listener cannot start/);
  assert.deepEqual(steps, ['start store', 'start listener', 'stop listener', 'stop store']);
});

test('a part that does not stop cleanly is told, and the others still stop', async () => {
  const steps: string[] = [];
  const lines: string[] = [];
  const log = createLog({ level: 'error', sink: (line) => lines.push(line), now: () => 0 });
  const running = await startAll(partsWith(steps, { discovery: 'stop' }), log);
  await running.stop();
  assert.deepEqual(steps.slice(3), ['stop discovery', 'stop listener', 'stop store']);
  assert.equal(JSON.parse(lines[0]!).reason, 'discovery hangs');
});

test('the journal keeps each step with the time of this node, and counts from its beginning', async () => {
  const clock = createFakeClock();
  const seen: unknown[] = [];
  const journal = openJournal({
    ...LOCAL_ASKER,
    sessionId: 'dom-1',
    node: 'pe1',
    clock,
    onProgress: (event) => seen.push(event),
  });
  journal.tell('intent', 'path-loss', { sidList: ['PE-1'] });
  await clock.advance(1_500);
  journal.tell('peers', 'p2 known');
  assert.deepEqual(seen, [
    { step: 'intent', message: 'path-loss', data: { sidList: ['PE-1'] } },
    { step: 'peers', message: 'p2 known' },
  ]);
  assert.deepEqual(journal.timeline, [
    { at: '2026-01-01T00:00:00.000Z', event: 'intent', node: 'pe1', detail: 'path-loss' },
    { at: '2026-01-01T00:00:01.500Z', event: 'peers', node: 'pe1', detail: 'p2 known' },
  ]);
  assert.equal(journal.elapsedMs(), 1_500);
});
