// Which carrier changes count, and since when a link is still: the edges of the time and of the pauses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnsettled, recentChanges } from '#correlate/symptoms/links/carrier-changes.ts';
import { flapsAtOneEnd, linkFlapSymptoms } from '#correlate/symptoms/links/link-flap.ts';
import { pairWorld } from '../../pair-scene.ts';

type Event = { readonly agoMs: number; readonly kind?: string; readonly subject?: string; readonly changes?: number };
const historyOf = (subject: string, events: readonly Event[]) => ({
  history: { events: events.map((each) => ({ kind: 'carrier', subject, changes: 1, ...each })) },
});
const port = (name: string, carrierChanges: number, operUp = true) => ({
  inventory: { interfaces: [{ name, operUp, adminUp: true, carrierChanges }] },
});
const A = { node: 'a', ifname: 'to-b' };
const worldWith = (events: readonly Event[]) =>
  pairWorld(['a-b'], { a: { now: historyOf('to-b', events) }, b: { now: historyOf('to-a', []) } });

test('carrier changes of the last minute are added up; other events, ports and times are not', () => {
  const count = (...events: readonly Event[]) => recentChanges(worldWith(events), A);
  assert.equal(count({ agoMs: 60_000, changes: 2 }, { agoMs: 1_000 }), 3);
  assert.equal(count({ agoMs: 60_001 }), 0);
  assert.equal(count({ agoMs: 1_000, kind: 'session' }), 0);
  assert.equal(count({ agoMs: 1_000, subject: 'to-c' }), 0);
  assert.equal(recentChanges(worldWith([]), { node: 'z', ifname: 'to-b' }), 0);
});

test('what the counter moved by between the readings counts where it is more than is remembered', () => {
  const between = (before: number, after: number, ...events: readonly Event[]) => {
    const [first, last] = [port('to-b', before), port('to-b', after)];
    const now = { ...historyOf('to-b', events), ...last };
    return recentChanges(pairWorld(['a-b'], { a: { now, before: first, after: last }, b: { now: {} } }), A);
  };
  assert.equal(between(10, 16), 6);
  assert.equal(between(10, 16, { agoMs: 1_000, changes: 8 }), 8);
  assert.equal(between(16, 10), 0);
});

test('a link is still after eight seconds, or twice its longest pause before, of which ten seconds count', () => {
  const unsettled = (...agos: readonly number[]) => isUnsettled(worldWith(agos.map((agoMs) => ({ agoMs }))), A);
  assert.equal(unsettled(), false);
  assert.deepEqual([unsettled(7_999), unsettled(8_000)], [true, false]);
  assert.deepEqual([unsettled(11_999, 17_999), unsettled(12_000, 18_000)], [true, false]);
  assert.deepEqual([unsettled(19_999, 49_999), unsettled(20_000, 50_000)], [true, false], 'longer pauses are outages');
  assert.equal(unsettled(17_999, 11_999), true, 'in whatever order they are told');
  assert.equal(unsettled(11_999, 17_999, 18_999), true, 'the longest pause counts');
});

test('a port that is down, or changes between the readings, is unsettled; what happened before is read as it was asked', () => {
  const world = (now: object, before?: object, after?: object) =>
    pairWorld(['a-b'], {
      a: { now, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) },
      b: { now: {} },
    });
  assert.equal(isUnsettled(world(port('to-b', 0, false)), A), true);
  assert.equal(isUnsettled(world(port('to-b', 1), port('to-b', 0), port('to-b', 1)), A), true);
  assert.equal(isUnsettled(world(port('to-b', 1), port('to-b', 1), port('to-b', 1)), A), false);
  const [fresh, old] = [historyOf('to-b', [{ agoMs: 5_000 }]), historyOf('to-b', [{ agoMs: 15_000 }])];
  assert.equal(isUnsettled(world(old, fresh), A), true);
  assert.equal(isUnsettled(world(fresh, old), A), false);
});

const times = (count: number) => Array.from({ length: count }, (_, index) => ({ agoMs: 1_000 + index * 1_000 }));
const flap = (a: number, b: number, states: { readonly b?: object } = {}) =>
  pairWorld(['a-b'], {
    a: { now: historyOf('to-b', times(a)) },
    b: { now: { ...historyOf('to-a', times(b)), ...states.b } },
  });

test('a link flaps from four changes on that both ends saw', () => {
  const found = (a: number, b: number) => linkFlapSymptoms(flap(a, b)).map(({ kind, detail }) => [kind, detail]);
  assert.deepEqual(found(4, 1), [['flap', { changes: 4 }]]);
  assert.deepEqual(found(1, 5), [['flap', { changes: 5 }]]);
  assert.deepEqual(found(3, 3), []);
  assert.deepEqual(found(4, 0), [], 'one end alone');
});

test('what one end alone saw is told of that end, unless the other is down', () => {
  const found = flapsAtOneEnd(flap(4, 0), flap(4, 0).links[0]!);
  assert.deepEqual([found?.end, found?.changes], [A, 4]);
  assert.equal(flapsAtOneEnd(flap(0, 4), flap(0, 4).links[0]!)?.end.node, 'b');
  assert.equal(flapsAtOneEnd(flap(3, 0), flap(3, 0).links[0]!), undefined);
  assert.equal(flapsAtOneEnd(flap(4, 1), flap(4, 1).links[0]!), undefined);
  const down = flap(4, 0, { b: port('to-a', 0, false) });
  assert.equal(flapsAtOneEnd(down, down.links[0]!), undefined);
});
