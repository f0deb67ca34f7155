// What is over: what nodes' records say of a link counts only where nothing else is wrong with it; what is wrong now is not over.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import { resolvedFaults } from '#correlate/history/resolved.ts';
import type { World } from '#correlate/network/world.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';

/** a and b count their packets for a minute; 40 of a's never arrive, 30 to 20 seconds ago. */
function counting(): World {
  const ages = Array.from({ length: 30 }, (_, index) => 60_000 - index * 2_000);
  const gone = (agoMs: number) => (agoMs > 30_000 ? 0 : agoMs < 20_000 ? 40 : (40 * (30_000 - agoMs)) / 10_000);
  const sent = (agoMs: number) => 1_000 + Math.round((60_000 - agoMs) / 100);
  const state = (ifname: string, lost: (agoMs: number) => number) => ({
    now: {
      history: {
        ...{ spanMs: 600_000, events: [], lastHeard: [] },
        traffic: [
          { ifname, samples: ages.map((agoMs) => [agoMs, sent(agoMs) - Math.round(lost(agoMs)), sent(agoMs)]) },
        ],
      },
    },
  });
  const states = { a: state('to-b', () => 0), b: state('to-a', gone) };
  return pairWorld(['a-b'], states, { sinceMs: 120_000, logs: new Map(), dhcp: [] });
}
const named = (found: readonly Partial<Proposal>[] = [], sinceMs: number | undefined = 120_000) =>
  resolvedFaults({ kind: 'fault', sinceMs } as never, counting(), [], found as never).map(
    ({ fault, resource, details, remedy }) => [fault, resource, details['over'], remedy],
  );
const LOST = [['packet_loss', 'interface/a/to-b', true, undefined]];
const wrong = (resource: string, change: object = {}) => [{ fault: 'x', resource, explains: [], ...change }] as never;

test('a loss that the counts of both ends show is over, without a remedy, when the past is asked about', () => {
  assert.deepEqual(named(), LOST);
  assert.deepEqual(resolvedFaults({ kind: 'fault' } as never, counting(), [], []), []);
});

test('what is wrong at either end, its node or the whole link explains the loss; what is wrong elsewhere does not', () => {
  for (const resource of ['node/a', 'node/b', 'interface/a/to-b', 'interface/b/to-a', linkOf('a-b').key])
    assert.deepEqual(named(wrong(resource)), [], resource);
  for (const resource of ['node/c', 'interface/a/to-c', 'link/a:to-c--c:to-a', 'link/c:to-b--b:to-c'])
    assert.deepEqual(named(wrong(resource)), LOST, resource);
  assert.deepEqual(named(wrong('node/a', { accuses: false })), LOST, 'it accuses no node');
  assert.deepEqual(named(wrong('link/a:to-b--x:y')), []);
  assert.deepEqual(named(wrong('link/x:y--b:to-a')), []);
});

test('what is found now at the same place is not over', () => {
  const now = wrong('interface/a/to-b', { fault: 'packet_loss', accuses: false });
  assert.deepEqual(named(now), []);
});

test('without a time in the question, what is over is the answer only where nothing is wrong now', () => {
  const past = (found: readonly Partial<Proposal>[] = []) =>
    resolvedFaults({ kind: 'fault', sinceMs: 120_000, when: 'past' } as never, counting(), [], found as never).length;
  assert.deepEqual([past(), past(wrong('node/c')), past(wrong('node/c', { accuses: false }))], [1, 0, 1]);
});

test('what was over only after the time that was asked about is left out', () => {
  const until = (untilMs: number) =>
    resolvedFaults({ kind: 'fault', sinceMs: 120_000, untilMs } as never, counting(), [], []).length;
  assert.deepEqual([until(10_000), until(60_000)], [1, 0]);
});
