// From what on both ends' counts of packets tell of a loss that is over: how many, what share, how certain, and for how long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countedLosses } from '#correlate/observe/counted-loss.ts';
import { pairWorld } from '../pair-scene.ts';

type Sample = readonly [agoMs: number, rx: number, tx: number];
type End = { readonly samples: readonly Sample[]; readonly more?: object };

/** Every two seconds a's port sent `pace` more packets; of them `lost` are not counted by b between 30 and 20 seconds ago. */
function samples(lost: number, pace = 20, count = 30): readonly [sent: readonly Sample[], received: readonly Sample[]] {
  const ages = Array.from({ length: count }, (_, index) => (count - index) * 2_000);
  const sent = (agoMs: number) => 10_000 + (pace * (count * 2_000 - agoMs)) / 2_000;
  const gone = (agoMs: number) => (agoMs > 30_000 ? 0 : agoMs <= 20_000 ? lost : (lost * (30_000 - agoMs)) / 10_000);
  return [ages.map((agoMs) => [agoMs, 0, sent(agoMs)]), ages.map((agoMs) => [agoMs, sent(agoMs) - gone(agoMs), 0])];
}

function lossesIn(a: End, b: End, sinceMs: number | undefined = 120_000) {
  const stateOf = ({ samples: own, more = {} }: End, ifname: string) => ({
    now: { history: { events: [], traffic: [{ ifname, samples: own }] }, ...more },
  });
  const states = { a: stateOf(a, 'to-b'), b: stateOf(b, 'to-a') };
  const world = pairWorld(['a-b'], states, sinceMs === undefined ? {} : { sinceMs });
  return countedLosses(world).map(({ link: _, ...rest }) => rest);
}
const lossOf = (lost: number, pace?: number, sinceMs?: number) => {
  const [sent, received] = samples(lost, pace);
  return lossesIn({ samples: sent }, { samples: received }, sinceMs);
};

test('the loss is told with its direction, how many of how many, and when it ended', () => {
  assert.deepEqual(lossOf(80), [
    {
      ...{ from: { node: 'a', ifname: 'to-b' }, to: { node: 'b', ifname: 'to-a' } },
      ...{ sent: 100, lost: 80, agoMs: 20_000 },
    },
  ]);
});

test('at least ten must surely be lost: what may have passed between two samples is taken off at both ends of the time', () => {
  const doubt = 2 * (1 + 2 * Math.sqrt(20));
  assert.deepEqual(
    [Math.ceil(10 + doubt), Math.ceil(10 + doubt) - 1].map((lost) => lossOf(lost).length),
    [1, 0],
  );
});

test('half a percent of what was sent meanwhile must be lost', () => {
  const surely = (pace: number) => Math.ceil(10 + 2 * (1 + 2 * Math.sqrt(pace)));
  assert.equal(lossOf(surely(1_000), 1_000).length, 1);
  assert.equal(surely(1_000), 139);
  assert.equal(lossOf(surely(20_000), 20_000).length, 1);
  assert.equal(lossOf(surely(100_000), 100_000).length, 0, '1277 of some 400,000');
});

test('without a time that is asked about nothing is said; what is older than it is not looked at', () => {
  const [sent, received] = samples(80);
  assert.deepEqual(lossesIn({ samples: sent }, { samples: received }).length, 1);
  assert.deepEqual(countedLosses(pairWorld(['a-b'], { a: { now: {} }, b: { now: {} } })), []);
  assert.equal(lossOf(80, 20, 36_000).length, 1);
  assert.equal(lossOf(80, 20, 18_000).length, 0);
});

test('what came back or was received late is no loss', () => {
  const [sent, received] = samples(0);
  const late = received.map(([agoMs, rx, tx]): Sample => [agoMs, rx - (agoMs === 24_000 ? 80 : 0), tx]);
  assert.deepEqual(lossesIn({ samples: sent }, { samples: late }), []);
});

test('counters that started anew, and ends that cannot be compared, say nothing', () => {
  const [sent, received] = samples(80);
  const anew = received.map(([agoMs, rx, tx], index): Sample => [agoMs, index > 25 ? rx - 9_000 : rx, tx]);
  assert.deepEqual(lossesIn({ samples: sent }, { samples: anew }), []);
  const port = (change: object) => ({
    inventory: { interfaces: [{ name: 'to-b', operUp: true, offloads: [], ...change }] },
  });
  const withPort = (change: object) => lossesIn({ samples: sent, more: port(change) }, { samples: received }).length;
  assert.deepEqual([withPort({}), withPort({ operUp: false }), withPort({ offloads: ['gro'] })], [1, 0, 0]);
  const event = (subject: string, agoMs: number, kind = 'carrier') =>
    lossesIn(
      {
        samples: sent,
        more: { history: { events: [{ kind, subject, agoMs }], traffic: [{ ifname: 'to-b', samples: sent }] } },
      },
      { samples: received },
    ).length;
  assert.deepEqual([event('to-b', 120_000), event('to-b', 120_001)], [0, 1], 'replugged in the time asked about');
  assert.deepEqual([event('to-c', 5_000), event('to-b', 5_000, 'session')], [1, 1]);
});

test('too few quiet samples before and after prove nothing', () => {
  const [sent, received] = samples(80);
  const cut = (from: number, to?: number) =>
    lossesIn({ samples: sent.slice(from, to) }, { samples: received.slice(from, to) }).length;
  assert.equal(cut(5), 1);
  assert.equal(cut(18), 0, 'it had begun');
  assert.equal(cut(0, 4), 0);
});

test('moments at which three times the usual passed are not compared', () => {
  const [sent, received] = samples(80);
  const burst = (more: number) => (rows: readonly Sample[], from: number) =>
    rows.map(
      ([agoMs, rx, tx], index): Sample =>
        index < from ? [agoMs, rx, tx] : [agoMs, rx === 0 ? 0 : rx + more, tx === 0 ? 0 : tx + more],
    );
  assert.equal(lossesIn({ samples: burst(400)(sent, 29) }, { samples: burst(400)(received, 29) }).length, 1);
  assert.equal(
    lossesIn({ samples: burst(400)(samples(0)[0], 28) }, { samples: burst(400)(samples(0)[1], 29) }).length,
    0,
    'counted by one end a sample later',
  );
});
