// Round trips over a link that rise and stay so, and the two ways of timed probes: no socket, and clocks that begin and drift as they like.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchCounts, WatchWays } from '#model/router/link-monitor.ts';
import { riseOf } from '#router/drivers/linux-frr/link-monitor/delay-onset.ts';
import { createMonitorHistory } from '#router/drivers/linux-frr/link-monitor/monitor-history.ts';
import { createMonitorLedger } from '#router/helper/link-monitor/monitor-ledger.ts';
import { createWayClock } from '#router/helper/link-monitor/one-way-delay.ts';
import { createReflectorTable } from '#router/helper/probe/reflector-table.ts';
import { decodeProbeMessage, encodeProbeMessage, type ProbeMessage } from '#router/protocol/probe-message.ts';
import { STRANGERS } from '../../../../fakes/reflector-trust.ts';

const countsWith = (rttUs: number, dark = 0): WatchCounts => [20, 20, 20, 20, 20, 20, rttUs, dark];

type Way = { readonly outMs: number; readonly backMs: number };
const QUICK: Way = { outMs: 0.3, backMs: 0.4 };

/** Rounds of two seconds each; the other clock began at another time and runs 80 ppm faster. */
function taken(ways: readonly Way[], session: (index: number) => number = () => 3) {
  return ways.map(({ outMs, backMs }, index) => {
    const atMs = 10_000 + index * 2_000;
    const aheadMs = -7_777 + atMs * 80e-6;
    const told: WatchWays = [
      Math.round((outMs + aheadMs) * 1_000),
      Math.round((backMs - aheadMs) * 1_000),
      session(index),
    ];
    return { atMs, counts: countsWith(Math.round((outMs + backMs) * 1_000)), ways: told };
  });
}

const times = (count: number, way: Way) => Array.from({ length: count }, () => way);

test('a rise is told with how much either way took more, whatever the clocks show', () => {
  const rounds = taken([...times(6, QUICK), ...times(3, { outMs: 60.3, backMs: 0.5 })]);
  assert.deepEqual(riseOf(rounds), {
    ...{ atMs: 22_000, quickUs: 700, slowUs: 60_800, slowRounds: 3 },
    // 60 ms and 0.1 ms; the clocks drifted by half a millisecond.
    ways: { outUs: 60_480, backUs: -380 + 160, spanMs: 10_000 },
  });
});

test('the round in which it rose is quick, and its ways are those of before', () => {
  const straddling = { outMs: 0.35, backMs: 0.45 };
  const rounds = taken([...times(4, QUICK), straddling, ...times(2, { outMs: 0.3, backMs: 30.4 })]);
  assert.deepEqual(riseOf(rounds)?.ways, { outUs: 480, backUs: 29_630, spanMs: 10_000 });
});

test('nothing has risen: too few rounds before or since, a small delay, a delay that is over, a link that is long for ever', () => {
  const slow = { outMs: 60.3, backMs: 0.4 };
  const none = (ways: readonly Way[]) => assert.equal(riseOf(taken(ways)), undefined);
  none([]);
  none(times(9, QUICK));
  none([...times(2, QUICK), ...times(5, slow)]);
  none([...times(8, QUICK), slow]);
  none([...times(5, QUICK), ...times(4, slow), QUICK]);
  none([...times(5, QUICK), ...times(4, { outMs: 5, backMs: 0.4 })]);
  none(times(9, { outMs: 60.3, backMs: 60.3 }));
});

test('rounds that say nothing are no rounds', () => {
  const rounds = taken([...times(5, QUICK), ...times(2, { outMs: 60.3, backMs: 0.4 })]);
  const spoiled = (index: number, counts: WatchCounts) =>
    rounds.map((each, at) => (at === index ? { ...each, counts } : each));
  assert.equal(riseOf(spoiled(6, countsWith(60_700, 8))), undefined);
  assert.equal(riseOf(spoiled(5, countsWith(0))), undefined);
  assert.equal(riseOf(spoiled(0, countsWith(700, 40)))?.slowRounds, 2);
});

test('the ways are told within one session alone, when all rounds have them, and none is far from the next', () => {
  const ways = [...times(5, QUICK), ...times(2, { outMs: 60.3, backMs: 0.4 })];
  assert.equal(riseOf(taken(ways, (index) => (index < 5 ? 3 : 4)))?.ways, undefined);
  assert.equal(riseOf(taken(ways, (index) => (index < 2 ? 3 : 4)))?.ways?.outUs, 60_480);
  const untimed = taken(ways).map(({ atMs, counts }) => ({ atMs, counts }));
  assert.deepEqual(riseOf(untimed), { atMs: 20_000, quickUs: 700, slowUs: 60_700, slowRounds: 2 });
  const apart = taken(ways).map((each, index) => (index < 5 ? { ...each, atMs: each.atMs - 60_000 } : each));
  assert.equal(riseOf(apart)?.ways, undefined);
});

test('the ring tells which links rose, with the addresses that were probed', () => {
  const ring = createMonitorHistory();
  const target = { ifname: 'eth1', far4: '198.18.0.1', far6: 'fd00:1:1::1' };
  const rounds = taken([...times(5, QUICK), ...times(2, { outMs: 60.3, backMs: 0.4 })]);
  for (const [round, each] of rounds.entries()) {
    assert.deepEqual(ring.rises(each.atMs), []);
    ring.add([target], [{ ifname: 'eth1', round, ...each }], 0, each.atMs);
  }
  assert.deepEqual(ring.rises(24_000), [
    {
      ...{
        ifname: 'eth1',
        far: ['fd00:1:1::1', '198.18.0.1'],
        agoMs: 4_000,
        quickUs: 700,
        slowUs: 60_700,
        slowRounds: 2,
      },
      ways: { outUs: 60_480, backUs: -320, spanMs: 10_000 },
    },
  ]);
});

test('a rise is remembered beyond the rounds that showed it, until the link is quick again', () => {
  const ring = createMonitorHistory();
  const target = { ifname: 'eth1', far4: '198.18.0.1' };
  const slow = { outMs: 60.3, backMs: 0.4 };
  const rounds = taken([...times(5, QUICK), ...times(400, slow), QUICK]);
  const add = (round: number) =>
    ring.add([target], [{ ifname: 'eth1', round, ...rounds[round]! }], 0, rounds[round]!.atMs);
  for (let round = 0; round < 405; round++) add(round);
  const [rise] = ring.rises(818_000);
  assert.deepEqual([rise?.agoMs, rise?.quickUs, rise?.ways?.outUs], [798_000, 700, 60_480]);
  add(405);
  assert.deepEqual(ring.rises(820_000), []);
});

test('a ring that has only slow rounds of another beginning remembers no rise', () => {
  const ring = createMonitorHistory();
  const rounds = taken([...times(5, QUICK), ...times(3, { outMs: 60.3, backMs: 0.4 })]);
  for (const [round, each] of rounds.entries())
    ring.add([{ ifname: 'eth1', far4: '198.18.0.1' }], [{ ifname: 'eth1', round, ...each }], 0, each.atMs);
  assert.equal(ring.rises(24_000).length, 1);
  ring.add([{ ifname: 'eth1', far4: '198.18.0.9' }], [{ ifname: 'eth1', round: 8, ...rounds[7]! }], 0, 26_000);
  assert.deepEqual(ring.rises(26_000), []);
});

const reflection = (sequence: number, arrivedUs?: number, heldUs?: number): ProbeMessage => ({
  ...{ kind: 'reflection', session: '00112233445566aa', sequence, reflectorSequence: sequence },
  ...{ reflectorReceived: sequence + 1, reflectorRefused: 0 },
  ...(arrivedUs === undefined ? {} : { arrivedUs }),
  ...(heldUs === undefined ? {} : { heldUs }),
});

test('either way is the least of its own, without what a probe waited for the reflector', () => {
  const clock = createWayClock(2);
  assert.equal(clock.least(), undefined);
  clock.note(reflection(0), 100, 101);
  assert.equal(clock.least(), undefined);
  clock.note(reflection(0, 1), 100, 130);
  clock.note(reflection(1, 52_001, 20_000), 150, 172.5);
  assert.deepEqual(clock.least(), [-99_999, 100_499, 2]);
});

test('a reflection tells for how long its probe had waited, unless the clock was set meanwhile', () => {
  const table = createReflectorTable(STRANGERS);
  const held = (
    sequence: number,
    arrivedUs: number,
    wallMs: number,
    timed: Partial<ProbeMessage> = { timed: true },
  ) => {
    const none = { reflectorSequence: 0, reflectorReceived: 0, reflectorRefused: 0 };
    const probe = encodeProbeMessage({ kind: 'probe', session: '00112233445566aa', sequence, ...none, ...timed });
    const [arrived, wall] = [() => arrivedUs, () => wallMs];
    const decoded = decodeProbeMessage(table.reflect('fd00::1', probe, 0, arrived, wall)!);
    return decoded.ok ? decoded.value.heldUs : 'bad';
  };
  const atMs = 1_790_000_000_123;
  assert.equal(held(0, atMs * 1_000 - 25_400, atMs), 25_400);
  // Whole milliseconds may show a moment before the arrival.
  assert.equal(held(1, atMs * 1_000 + 600, atMs), undefined);
  assert.equal(held(2, atMs * 1_000 - 60_000_001, atMs), undefined);
  assert.equal(held(3, atMs * 1_000 - 25_400, atMs, {}), undefined);
});

test('a node that was late with every turn tells no ways; late with some, it does', () => {
  const clock = createWayClock(1);
  clock.note(reflection(0, 1), 100, 130);
  for (const lateMs of [30, 12, 6]) clock.noteTurn(lateMs);
  assert.equal(clock.least(), undefined);
  clock.noteTurn(0.4);
  assert.deepEqual(clock.least(), [-99_999, 129_999, 1]);
});

test('a new session is a new beginning', () => {
  const ledger = createMonitorLedger();
  assert.equal(ledger.begin(), true);
  ledger.hear(6, reflection(ledger.send(6, 10), 1), 12);
  assert.deepEqual(ledger.tell(20).at(-1)!.ways, [-9_999, 11_999, 1]);
  assert.equal(ledger.begin(), false);
  ledger.hear(6, { ...reflection(ledger.send(6, 30), 20_001), reflectorRefused: 1 }, 32);
  assert.deepEqual(ledger.tell(40).at(-1)!.ways, [-9_999, 11_999, 1]);
  assert.equal(ledger.begin(), true);
  ledger.hear(6, reflection(ledger.send(6, 50), 1), 52);
  assert.deepEqual(ledger.tell(60).at(-1)!.ways, [-49_999, 51_999, 2]);
});
