// What a time that is over must have been watched for, by every node and over every link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provenPast } from '#correlate/health/history-proof.ts';
import { pairWorld } from '../pair-scene.ts';

type History = Readonly<Record<string, unknown>>;
const SINCE = 60_000;
/** Both nodes remember and watch for longer than is asked about; a probes its link every two seconds. */
const round = (agoMs: number, lost = 0, dark = 0) => [agoMs, 20, 20 - lost, 20 - lost, 20, 20, 20, 500, dark];
const ROUNDS = Array.from({ length: 40 }, (_, index) => round(80_000 - index * 2_000));
const watched = (change: History = {}) => ({
  now: { history: { spanMs: SINCE, watched: [{ what: 'links', forMs: SINCE }], events: [], ...change } },
});
const far = new Map([['fd00::b', [{ node: 'b', ifname: 'to-a' }]]]);
const watch = (rounds: readonly unknown[] = ROUNDS) => ({ watch: [{ ifname: 'to-b', far: ['fd00::b'], rounds }] });
const past = (a: History = {}, b: History = {}, more: object = {}, kind: 'healthy' | 'fault' = 'healthy') =>
  provenPast(
    { kind, reasons: ['r'] },
    pairWorld(['a-b'], { a: watched({ ...watch(), ...a }), b: watched(b) }, { sinceMs: SINCE, owners: far, ...more }),
  );
const lacks = (...given: Parameters<typeof past>) => {
  const { kind, reasons } = past(...given);
  return kind === 'healthy' ? [] : reasons.map((line) => line.replace(/^.*not known: /, ''));
};

test('a time that every node and link was watched for is proven; other verdicts and questions stay', () => {
  const { kind, reasons } = past();
  assert.deepEqual([kind, reasons.length], ['healthy', 2]);
  assert.match(reasons[0]!, /for all of the 60 s and noticed nothing; not watched: /);
  assert.deepEqual(past({}, {}, {}, 'fault'), { kind: 'fault', reasons: ['r'] });
  assert.deepEqual(past({}, {}, { sinceMs: undefined }), { kind: 'healthy', reasons: ['r'] });
});

test('earlier states that are too many to look at again are not tested', () => {
  const states = (count: number) => ({
    past: Array.from({ length: count }, (_, index) => ({
      fromAgoMs: index * 2_000,
      untilAgoMs: index * 2_000,
      state: {},
    })),
  });
  const told = (count: number) => {
    const a = { now: { ...watched(watch()).now, ...states(count) } };
    const world = pairWorld(['a-b'], { a, b: watched() }, { sinceMs: SINCE, owners: far });
    return provenPast({ kind: 'healthy', reasons: ['r'] }, world).reasons.slice(1);
  };
  assert.deepEqual(told(16), ['r']);
  assert.deepEqual(told(19), [
    'not tested: what nodes were like at 3 earlier times, as only the latest are looked at again',
    'r',
  ]);
});

/** Pauses between whole readings, and how far back states are known. */
const readings = (reachMs: number, ...pauses: readonly (readonly [agoMs: number, forMs: number])[]) => ({
  stateReadings: { reachMs, pauses: pauses.map(([agoMs, forMs]) => ({ agoMs, forMs })) },
});

test('the proof says how short what was not seen may have been: less than the longest pause of that time', () => {
  const limit = (a: History, b: History) => /what lasted less than (.*)$/.exec(past(a, b).reasons[0]!)?.[1];
  const often = readings(900_000, [20_000, 4_000]);
  const seldom = readings(900_000, [61_000, 30_000], [40_000, 16_000], [0, 3_000]);
  assert.equal(limit(often, seldom), '16 s');
  assert.equal(limit(often, often), '4 s');
  assert.equal(limit(readings(900_000, [0, 1_000]), readings(900_000, [0, 0])), '2 s', 'events are no more exact');
  assert.equal(limit(often, {}), '4 s, or a few seconds more at {b}, whose agents do not tell it');
  assert.equal(limit({}, {}), 'a few seconds', 'agents of earlier versions');
});

test('who could not read its state for long, or knows no states of that time, is named', () => {
  const pausing = (agoMs: number, forMs: number) => lacks(readings(900_000, [agoMs, forMs]));
  assert.deepEqual([pausing(SINCE, 45_000), pausing(SINCE + 1, 300_000)], [[], []]);
  assert.deepEqual(pausing(SINCE, 46_000), ['{a} could not read its whole state for 46 s']);
  assert.deepEqual(lacks(readings(SINCE)), []);
  assert.deepEqual(lacks(readings(SINCE - 20_000)), ['{a} remembers only the last 40 s']);
});

test('what may have been wrong keeps a time from being proven, and is said with what is not known', () => {
  const doubt = {
    ...{ fault: 'mtu_mismatch', resource: 'interface/a/to-b', details: { over: true, agoSeconds: 30 } },
    withheld: 'what {b} was like then was not read',
  };
  const world = pairWorld(['a-b'], { a: watched(watch()), b: watched() }, { sinceMs: SINCE, owners: far });
  const told = (kind: 'healthy' | 'fault', doubts: readonly object[]) =>
    provenPast({ kind, reasons: ['r'] }, world, () => false, doubts as never);
  assert.equal(told('healthy', []).kind, 'healthy');
  assert.deepEqual(told('healthy', [doubt]), {
    kind: 'inconclusive',
    reasons: [
      'nothing is wrong now, and nothing was in what the nodes remember; not known: whether there was {a} to-b MTU mismatch, over: 30 s ago: what {b} was like then was not read',
    ],
  });
  assert.deepEqual(told('fault', [doubt]), { kind: 'fault', reasons: ['r'] });
});

test('who did not answer, remembers less, or watched for less is named', () => {
  assert.deepEqual(lacks({}, {}, { nodes: ['a', 'b', 'z'] }), ['{z} did not answer']);
  assert.deepEqual(lacks({}, {}, { nodes: ['a', 'b', 'z'], agentless: new Set(['z']) }), []);
  assert.deepEqual(lacks({ spanMs: SINCE - 1 }), ['{a} remembers only the last 60 s']);
  assert.deepEqual(lacks({ spanMs: 5_400 }), ['{a} remembers only the last 5 s']);
  assert.deepEqual(lacks({}, { watched: [{ what: 'links', forMs: 9_000 }] }), [
    '{b} has been watching its links for 9 s',
  ]);
  assert.deepEqual(lacks({}, { watched: [] }), ['{b} does not watch its links']);
  assert.deepEqual(lacks({}, { watched: undefined }), ['{b} does not watch its links']);
  const host = { hosts: [{ ifname: 'eth9', address: '198.19.1.10', mac: 'x' }] };
  assert.deepEqual(lacks(host), ['{a} does not watch its hosts']);
  assert.deepEqual(lacks({ hosts: [{ ...host.hosts[0], ifname: 'to-b' }] }), [], 'a neighbour with an agent');
  const looking = (hostsMs: number, servicesMs = 0) => ({
    watchedHosts: { hostsMs, servicesMs, asks: [], names: [], looks: [] },
  });
  assert.deepEqual(lacks({ ...host, ...looking(SINCE) }), []);
  assert.deepEqual(lacks({ ...host, ...looking(SINCE - 1) }), ['{a} has been watching its hosts for 60 s']);
  assert.deepEqual(lacks({ services: [{}], ...looking(0) }), ['{a} does not watch its services']);
  assert.deepEqual(lacks({ services: [{}], ...looking(0, SINCE) }), []);
  const looks = (untilAgoMs: number) => ({
    watchedHosts: { ...looking(0).watchedHosts, looks: [{ fromAgoMs: untilAgoMs, untilAgoMs, ports: [], tries: [] }] },
  });
  assert.match(String(lacks(looks(SINCE))), /saw hosts that were not as usual/);
  assert.deepEqual(lacks(looks(SINCE + 1)), []);
});

test('probes over a link must not pause for more than eight seconds, nor lose more than one', () => {
  const rounds = (keep: (agoMs: number) => boolean, change: (agoMs: number) => unknown = (agoMs) => round(agoMs)) =>
    lacks(
      watch(
        ROUNDS.map(([agoMs]) => agoMs!)
          .filter(keep)
          .map(change),
      ),
    );
  assert.deepEqual(
    rounds(() => true),
    [],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs <= 30_000 || agoMs >= 38_000),
    [],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs <= 30_000 || agoMs >= 40_000),
    ['{a} to-b – {b} to-a: not probed for 10 s'],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs >= 8_000),
    [],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs >= 10_000),
    ['{a} to-b – {b} to-a: not probed for 10 s'],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs <= 52_000),
    [],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs <= 50_000),
    ['{a} to-b – {b} to-a: not probed for 10 s'],
  );
  const losing = (lost: number, agoMs: number) =>
    rounds(
      () => true,
      (each) => round(each, each === agoMs ? lost : 0),
    );
  assert.deepEqual([losing(1, 20_000), losing(2, 62_000)], [[], []]);
  assert.match(String(losing(2, 20_000)), /: 2 of 1200 probes lost, too few or too many at once to say why/);
  const dark = rounds(
    () => true,
    (each) => round(each, 0, each <= 20_000 && each > 16_000 ? 1 : 0),
  );
  assert.match(String(dark), /the probes tell nothing of 4 s/);
  assert.deepEqual(lacks({ watch: [] }), ['neither end of {a} to-b – {b} to-a probed it all the time']);
});

test('damaged packets whose way is not known keep a time from being proven', () => {
  const samples = (now: number) => ({
    damage: [
      [80_000, 3],
      [SINCE, 3],
      [2_000, now],
    ],
  });
  assert.deepEqual(lacks(samples(3)), []);
  assert.match(String(lacks(samples(5))), /\{a\} noticed 2 packets with a wrong checksum/);
});

test('without a time in the question, what is proven is as far back as every node and link was watched', () => {
  const asFar = { asFarAsKnown: true, sinceMs: 2_592_000_000 };
  const long = { spanMs: 900_000, watched: [{ what: 'links', forMs: 900_000 }] };
  const { kind, reasons } = past(long, long, asFar);
  assert.equal(kind, 'healthy');
  // The probes that are remembered begin 80 s ago.
  assert.match(reasons[0]!, /for all of the 72 s and noticed nothing/);
  assert.equal(past(long, { ...long, spanMs: 30_000 }, asFar).kind, 'inconclusive', 'too short to prove anything');
});
