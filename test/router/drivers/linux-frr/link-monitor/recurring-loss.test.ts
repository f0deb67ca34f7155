// Losses that come again and again, by rounds of standing probes: what counts, and from when on it is over.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchCounts } from '#model/router/link-monitor.ts';
import { createMonitorHistory } from '#router/drivers/linux-frr/link-monitor/monitor-history.ts';
import { recurringLossOf } from '#router/drivers/linux-frr/link-monitor/recurring-loss.ts';

const CLEAN: WatchCounts = [20, 20, 20, 20, 20, 20, 400, 0];
/** Six probes lost on the way out, three of each family. */
const LOSSY: WatchCounts = [20, 17, 17, 20, 17, 17, 400, 0];
/** Nothing came back, or the node was late itself. */
const DARK: WatchCounts = [20, 10, 10, 20, 10, 10, 400, 40];
/** Nothing came back for 700 ms. */
const CUT: WatchCounts = [20, 13, 13, 20, 13, 13, 400, 14];

/** Rounds of two seconds each; the first ends at 2 s. */
const rounds = (...counts: readonly WatchCounts[]) =>
  counts.map((each, index) => ({ atMs: (index + 1) * 2_000, counts: each }));
const every = (period: number, count: number, lossy = LOSSY) =>
  Array.from({ length: count }, (_, index) => (index % period === 0 ? lossy : CLEAN));

test('a blackout of 300 ms every 4 s is reported with what was lost since it began', () => {
  assert.deepEqual(recurringLossOf(rounds(...every(2, 10)), 21_000), {
    ...{ firstAgoMs: 19_000, lastAgoMs: 3_000, lossyRounds: 5, sent: 400, lostOut: 30, lostBack: 0, lost4: 15 },
  });
});

test('a blackout of 700 ms every 4 s, of which each is an outage, is reported too; one outage over several rounds is not', () => {
  assert.equal(recurringLossOf(rounds(...every(2, 10, CUT)), 21_000)?.lossyRounds, 5);
  assert.equal(recurringLossOf(rounds(CUT, CUT, CUT, CUT), 9_000)?.lossyRounds, 4, 'one in each round');
  assert.equal(recurringLossOf(rounds(CLEAN, CUT, DARK, DARK, CUT, CLEAN, CLEAN), 14_000), undefined);
});

test('on the way back it is reported so, and each way by itself', () => {
  const back: WatchCounts = [20, 20, 18, 20, 20, 17, 400, 0];
  const both: WatchCounts = [20, 18, 16, 20, 20, 20, 400, 0];
  const lost = (counts: WatchCounts) => recurringLossOf(rounds(...every(2, 9, counts)), 19_000);
  assert.deepEqual([lost(back)?.lostOut, lost(back)?.lostBack, lost(back)?.lost4], [0, 25, 15]);
  assert.deepEqual([lost(both)?.lostOut, lost(both)?.lostBack, lost(both)?.lost4], [10, 10, 0]);
});

test('it is over when it stayed away for longer than its usual gap and two rounds', () => {
  const taken = rounds(...every(2, 9), ...every(99, 6, CLEAN));
  assert.notEqual(recurringLossOf(taken, 18_000 + 8_000), undefined);
  assert.equal(recurringLossOf(taken, 18_000 + 8_001), undefined);
});

test('one early stray does not make a loss that was repaired last longer', () => {
  const taken = rounds(LOSSY, ...every(99, 30, CLEAN), ...every(2, 5), ...every(99, 5, CLEAN));
  assert.equal(recurringLossOf(taken, taken.at(-1)!.atMs), undefined);
});

test('nothing recurs: too few rounds, single strays, less than one in a hundred, outages', () => {
  const stray: WatchCounts = [20, 19, 19, 20, 20, 20, 400, 0];
  const none = (...counts: readonly WatchCounts[]) =>
    assert.equal(recurringLossOf(rounds(...counts), counts.length * 2_000), undefined);
  none();
  none(...every(2, 20, CLEAN));
  none(LOSSY, CLEAN, LOSSY, CLEAN);
  // A question's own probes meet it.
  none(LOSSY, LOSSY, LOSSY, LOSSY, LOSSY, LOSSY, CLEAN, LOSSY);
  none(...every(2, 20, stray));
  none(...every(2, 20, DARK));
  const rare: WatchCounts = [20, 19, 19, 20, 19, 19, 400, 0];
  none(...every(8, 33, rare));
  assert.notEqual(recurringLossOf(rounds(...every(4, 25, rare)), 50_000), undefined);
});

test('the ring reports the link with the addresses that were probed, and waits for the answers of the newest round', () => {
  const ring = createMonitorHistory();
  const target = { ifname: 'eth1', far4: '198.18.0.1', far6: 'fd00:1:1::1' };
  for (const [round, each] of rounds(...every(2, 6)).entries())
    ring.add([target], [{ ifname: 'eth1', round, ...each }], 0, each.atMs);
  const [loss, ...rest] = ring.recurringLosses(12_000);
  assert.deepEqual(
    [loss?.ifname, loss?.far, loss?.lossyRounds, loss?.sent, rest],
    ['eth1', ['fd00:1:1::1', '198.18.0.1'], 3, 200, []],
  );
  ring.add([target], [{ ifname: 'eth1', round: 6, atMs: 14_000, counts: LOSSY }], 0, 14_000);
  assert.equal(ring.recurringLosses(14_000)[0]?.lossyRounds, 3);
});
