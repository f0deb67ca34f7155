// From what on the nodes' own rounds of probes tell of a loss, or of a delay, that is over: numbers, shares, families, other links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monitoredDelays } from '#correlate/observe/monitored-delay.ts';
import { lossless, monitoredLosses } from '#correlate/observe/monitored-loss.ts';
import type { WatchRound } from '#model/router/link-monitor.ts';
import { pairWorld } from '../pair-scene.ts';

/** Lost of IPv6 and IPv4 on the way out, and on the way back; least round trip. */
type Lost = {
  readonly out6?: number;
  readonly out4?: number;
  readonly back6?: number;
  readonly rttUs?: number;
  readonly dark?: number;
};
type Change = (agoMs: number) => Lost;

const AGES = Array.from({ length: 75 }, (_, index) => 151_000 - index * 2_000);
const roundsOf = (change: Change, each = 20): readonly WatchRound[] =>
  AGES.map((agoMs): WatchRound => {
    const { out6 = 0, out4 = 0, back6 = 0, rttUs = 500, dark = 0 } = change(agoMs);
    return [agoMs, each, each - out6, each - out6 - back6, each, each - out4, each - out4, rttUs, dark];
  });
const PAIRS = ['a-b', 'b-c', 'c-d', 'd-e', 'e-a'];
const farOf = (pair: string, families: number) =>
  [`fd00::${pair}`, `198.18.${PAIRS.indexOf(pair)}.1`].slice(0, families);
const owners = new Map(
  PAIRS.flatMap((pair) => {
    const [one = '', other = ''] = pair.split('-');
    return farOf(pair, 2).map((address) => [address, [{ node: other, ifname: `to-${one}` }]] as const);
  }),
);

type Setting = {
  readonly others?: Readonly<Record<string, Change>>;
  readonly damage?: readonly (readonly [number, number])[];
  readonly families?: number;
  readonly each?: number;
  readonly sinceMs?: number;
};

/** a probes a – b with this loss; every other node of the ring its own link. */
function ring(change: Change, { others = {}, damage = [], families = 2, each = 20, sinceMs = 120_000 }: Setting = {}) {
  const states = PAIRS.map((pair) => {
    const [node = '', other = ''] = pair.split('-');
    const watch = [
      {
        ifname: `to-${other}`,
        far: farOf(pair, families),
        rounds: roundsOf(pair === 'a-b' ? change : (others[pair] ?? (() => ({}))), each),
      },
    ];
    return [node, { now: { history: { events: [], watch, ...(node === 'b' ? { damage } : {}) } } }] as const;
  });
  return pairWorld(PAIRS, Object.fromEntries(states), { owners, sinceMs });
}
const found = (change: Change, setting?: Setting) =>
  monitoredLosses(ring(change, setting)).map(({ from, lost, sent, damaged, seconds, agoMs }) => [
    from.node,
    lost,
    sent,
    damaged,
    seconds,
    agoMs,
  ]);
/** Rounds at these ages lose. */
const at =
  (lost: Lost, ...ages: readonly number[]): Change =>
  (agoMs) =>
    ages.includes(agoMs) ? lost : {};
const BOTH = { out6: 1, out4: 1 };

test('four lost probes in two rounds, of both families, are a loss of the sending end, for as long as it was', () => {
  assert.deepEqual(found(at(BOTH, 25_000, 23_000)), [['a', 4, 80, undefined, 4, 23_000]]);
  assert.deepEqual(found(at({ back6: 2 }, 25_000, 23_000), { families: 1 }), [['b', 4, 80, undefined, 4, 23_000]]);
  assert.deepEqual(found(at({ out6: 1 }, 25_000, 23_000, 21_000), { families: 1 }), [], 'three');
  assert.deepEqual(found(at({ out6: 3, out4: 3 }, 25_000)), [], 'at once');
  assert.deepEqual(
    found(() => ({})),
    [],
  );
  assert.deepEqual(monitoredLosses({ ...ring(at(BOTH, 25_000, 23_000)), sinceMs: undefined } as never), []);
});

test('the time that is asked about ends it; a loss of one in a hundred counts, nine of ten is an outage', () => {
  assert.equal(found(at(BOTH, 25_000, 23_000), { sinceMs: 25_000 }).length, 1);
  assert.equal(found(at(BOTH, 25_000, 23_000), { sinceMs: 24_999 }).length, 0);
  assert.equal(found(at({ out6: 18, out4: 18 }, 25_000, 23_000)).length, 1);
  assert.equal(found(at({ out6: 18, out4: 19 }, 25_000, 23_000)).length, 0);
  assert.equal(found(at({ out6: 2, out4: 2 }, 25_000, 23_000), { each: 200 })[0]?.[1], 8);
  assert.equal(found(at({ out6: 1, out4: 1 }, 25_000, 23_000), { each: 200 }).length, 0, 'four of 800');
});

test('eight lost probes of one family alone are no wire’s doing, where both are probed', () => {
  const four = (count: number, families = 2) => found(at({ out4: count }, 25_000, 23_000), { families }).length;
  const six = (count: number) => found(at({ out6: count }, 25_000, 23_000)).length;
  assert.deepEqual([four(3), four(4), four(4, 1)], [1, 0, 1]);
  assert.deepEqual([six(3), six(4)], [1, 0]);
});

test('what the other direction loses four times as much is noise; both are told where both lose', () => {
  const both = (out: number, back: number) =>
    found(at({ out6: out, back6: back }, 25_000, 23_000, 21_000), { families: 1 }).map(([node]) => node);
  assert.deepEqual(both(4, 4), ['a', 'b']);
  assert.deepEqual(both(8, 2), ['a', 'b']);
  assert.deepEqual(both(9, 2), ['a']);
});

test('a link that loses a quarter as much all the time has nothing that began', () => {
  const always =
    (rare: number): Change =>
    (agoMs) =>
      agoMs <= 25_000 && agoMs > 15_000
        ? { out6: 4, out4: 4 }
        : { out6: (agoMs - 1_000) % (rare * 2_000) === 0 ? 1 : 0 };
  assert.equal(found(always(30)).length, 1);
  assert.equal(found(always(1)).length, 0);
});

test('packets that the receiver noticed as damaged, half as many as were lost, are damage', () => {
  const noticed = (count: number, early = 0) =>
    [
      [151_000, 0],
      [120_000, early],
      [31_000, early],
      [17_000, early + count],
      [1_000, early + count],
    ] as const;
  const damaged = (change: Change, count: number, setting: Setting = {}, early = 0) =>
    found(change, { ...setting, damage: noticed(count, early) }).map((row) => row[3]);
  const loss = at(BOTH, 25_000, 23_000);
  assert.deepEqual([damaged(loss, 2), damaged(loss, 1), damaged(loss, 9)], [[2], [undefined], [9]]);
  assert.deepEqual(damaged(at({ out6: 3, out4: 3 }, 25_000, 23_000), 5), [undefined], 'half of twelve are six');
  assert.deepEqual(damaged(loss, 4, {}, 5), [undefined], 'it notices more at other times');
  const one = at({ out4: 1 }, 23_000);
  assert.deepEqual(damaged(one, 2), [2], 'one lost probe shows over which link they came');
  const beside = { others: { 'b-c': at({ back6: 1 }, 23_000) } };
  assert.deepEqual(damaged(one, 2, beside), [], 'or over another');
  assert.deepEqual(damaged(one, 2, { others: { 'b-c': at({ out6: 1 }, 23_000) } }), [2], 'away from it');
});

test('a link is not accused when a node of it, or more than a quarter of the others, loses at the same time', () => {
  const loss = at({ out6: 2, out4: 2 }, 25_000, 23_000, 21_000);
  const beside = (others: Readonly<Record<string, Change>>) =>
    found(loss, { others }).filter(([node]) => node === 'a').length;
  assert.equal(beside({ 'c-d': loss }), 1);
  assert.equal(beside({ 'c-d': loss, 'd-e': loss }), 0);
  assert.equal(beside({ 'b-c': loss }), 0, 'the only other link of b');
  assert.equal(beside({ 'b-c': at({ out6: 1 }, 23_000) }), 1, 'a single probe');
  assert.equal(beside({ 'b-c': at({ out6: 2 }, 23_000) }), 1, 'far less than the suspect');
  assert.equal(beside({ 'b-c': at({ out6: 2 }, 25_000, 23_000) }), 0);
  assert.equal(beside({ 'b-c': at({ dark: 1 }, 23_000) }), 0, 'a link that was out');
  assert.equal(beside({ 'b-c': at({ dark: 1 }, 31_000) }), 1, 'long before');
});

test('links without any lost probe in the time that is asked about are lossless', () => {
  const keys = (change: Change, sinceMs?: number) =>
    lossless(ring(change, sinceMs === undefined ? {} : { sinceMs })).length;
  assert.deepEqual(
    [
      keys(() => ({})),
      keys(at({ out6: 1 }, 25_000)),
      keys(at({ back6: 1 }, 25_000)),
      keys(at({ out6: 1 }, 25_000), 24_999),
    ],
    [5, 4, 4, 5],
  );
});

test('three slow rounds in a row are a delay, where other links of both ends were quick meanwhile', () => {
  const slow = (rttUs: number, ...ages: readonly number[]): Change => at({ rttUs }, ...ages);
  const delays = (change: Change, setting?: Setting) =>
    monitoredDelays(ring(change, setting)).map(({ roundTripMs, usualMs, agoMs, link }) => [
      link.from.node,
      roundTripMs,
      usualMs,
      agoMs,
    ]);
  const long = slow(40_000, 25_000, 23_000, 21_000);
  assert.deepEqual(delays(long), [['a', 40, 0.5, 21_000]]);
  const uneven: Change = (agoMs) => ({
    rttUs: agoMs === 25_000 ? 40_000 : [23_000, 21_000].includes(agoMs) ? 60_000 : 500,
  });
  assert.deepEqual(delays(uneven), [['a', 40, 0.5, 21_000]], 'the least of the slow rounds');
  assert.deepEqual(delays(slow(40_000, 25_000, 23_000)), []);
  assert.deepEqual(delays(slow(40_000, 25_000, 23_000, 19_000)), [], 'not in a row');
  assert.deepEqual(delays(long, { sinceMs: 24_000 }), []);
  assert.deepEqual(delays(long, { others: { 'b-c': slow(40_000, 23_000) } }), [], 'b itself may have been slow');
  assert.deepEqual(delays(long, { others: { 'e-a': slow(40_000, 23_000) } }), []);
  assert.deepEqual(delays(long, { others: { 'e-a': slow(40_000, 29_000), 'c-d': slow(40_000, 23_000) } }).length, 1);
  assert.deepEqual(delays(slow(500, 25_000, 23_000, 21_000)), []);
});
