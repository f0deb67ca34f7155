// Lost probes against both ends' counters, one bound at a time: what is named, how surely, and what forbids it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile } from '#correlate/engine/facts.ts';
import { lossesByProbes } from '#correlate/faults/link/loss-by-probes.ts';
import { fact, wire } from '../../fact-scene.ts';
import { caseOf, lossOf, ringWorld } from '../proposing.ts';

const KEY = 'link/a:to-b--b:to-a';
const LOSS = lossOf('a', 'b', 40, { link: KEY });
const OTHER = lossOf('a', 'b', 38, { link: KEY, measuredBy: 'b' }).fact;
const LACKING = { txPackets: 1_000, rxPackets: 960, estimate: 40, lostAtLeast: 1, lostAtMost: 80 };
type Given = {
  readonly wire?: object;
  readonly loss?: typeof LOSS;
  readonly more?: readonly object[];
  readonly path?: readonly string[];
};
function found({ wire: change = {}, loss = LOSS, more = [OTHER], path = [] }: Given = {}, losses = [loss]) {
  const facts = [loss.fact, wire({ ...LACKING, ...change }), ...(more as never[])];
  const file: CaseFile = { ...caseOf([], ringWorld(), facts), path };
  return lossesByProbes(file, losses, loss);
}
const told = (...given: Parameters<typeof found>) =>
  found(...given).map(({ resource, confidence, score, withheld }) => [resource, confidence, score, withheld]);
const NAMED = [['interface/a/to-b', 'certain', 3, undefined]];

test('counters that prove a loss make it certain, those that only suggest one likely', () => {
  assert.deepEqual(told(), NAMED);
  assert.deepEqual(told({ wire: { lostAtLeast: 0 } }), [['interface/a/to-b', 'likely', 2.5, undefined]]);
  const [one] = found();
  assert.deepEqual(one?.detail, {
    ...{ segment: '{a} – {b}', direction: '{a} → {b}', interface: 'to-b', peer: 'b', peerInterface: 'to-a' },
    ...{ lossPercent: 4, probesSent: 1_000, probesLost: 40, txPackets: 1_000, rxPackets: 960 },
    ...{ lostAtLeast: 1, lostAtMost: 80 },
  });
  assert.deepEqual(one?.explains, [{ symptom: LOSS.id, lost: 40, spread: 0 }]);
});

test('counters that account for the packets forbid it, those that gained some say nothing at all', () => {
  const why = (change: object) => told({ wire: change }).map(([, , , withheld]) => withheld);
  assert.deepEqual(why({ estimate: 3 }), [
    "both ends' counters account for all but 3 of 1000 packets, fewer than the probes lost",
  ]);
  assert.deepEqual(told({ wire: { estimate: 0 } }), []);
  assert.deepEqual(told({ wire: { estimate: -2 } }), []);
  assert.deepEqual(why({ comparable: false, why: 'a reason', estimate: -2 }), [
    'the counters of this link cannot be compared: a reason',
  ]);
});

test('what only the lengths of the windows make up is doubted, but for a path', () => {
  const doubted = (rxPackets: number, path: readonly string[] = []) =>
    told({ wire: { lostAtLeast: 0, rxPackets }, path })[0]?.[3];
  assert.equal(doubted(993), 'the counts themselves say 7 lost, fewer than half of what the probes were');
  assert.equal(doubted(985), undefined);
  assert.equal(told({ wire: { lostAtLeast: 1, rxPackets: 993 } })[0]?.[3], undefined);
  assert.equal(doubted(993, ['a', 'b']), undefined);
});

test('the other end’s probes must have lost some as well', () => {
  assert.equal(told({ more: [] })[0]?.[3], 'only {a}’s own probes say so');
  assert.match(
    String(told({ more: [{ ...OTHER, value: { ...OTHER.value, lost: 0 } }] })[0]?.[3]),
    /one of the two is wrong, or the link lost packets while one of them sent alone$/,
  );
});

test('where nothing came back it may lie in either direction', () => {
  const loss = lossOf('a', 'b', 1_000, { directionKnown: false });
  const ends = { from: { node: 'b', ifname: 'to-a' }, to: { node: 'a', ifname: 'to-b' } };
  const back = wire({ ...LACKING, ...ends, rxPackets: 0, estimate: 1_000, lostAtMost: 1_000 });
  assert.deepEqual(
    told({ loss, wire: { rxPackets: 0, estimate: 1_000, lostAtMost: 1_000 }, more: [back] }).map(([at]) => at),
    ['interface/a/to-b', 'interface/b/to-a'],
  );
  const known = lossOf('a', 'b', 1_000);
  assert.equal(
    told({ loss: known, wire: { rxPackets: 0, estimate: 1_000, lostAtMost: 1_000 }, more: [back] }).length,
    1,
  );
});

test('probes along the whole path that were lost in the same direction follow, as many as the segment loses', () => {
  const along = (from: string, to: string, change: object = {}) => ({
    ...lossOf(from, to, 90, { scope: 'path', sent: 2_000, ...change }),
    id: `${from}>${to}`,
  });
  const explained = (...others: readonly ReturnType<typeof along>[]) =>
    found({ path: ['a', 'b', 'c'] }, [LOSS, ...others])[0]!
      .explains.slice(1)
      .map(({ symptom, lost, spread }) => [...[symptom, lost, Math.round(spread * 100) / 100]]);
  assert.deepEqual(explained(along('a', 'c')), [['a>c', 80, 12.65]]);
  assert.deepEqual(explained(along('c', 'a')), []);
  assert.deepEqual(explained(along('c', 'a', { directionKnown: false })), [['c>a', 80, 12.65]]);
  assert.deepEqual(explained(along('a', 'c', { scope: 'segment' })), []);
});

test('an extended measurement that lost some settles it, with its own counts, at the end that sends', () => {
  const ends = { from: { node: 'a', ifname: 'to-b' }, to: { node: 'b', ifname: 'to-a' } };
  const counts = ['a', 'b'].map((measuredBy) => ({ measuredBy, sent: 3_000, lost: 60 }));
  const quiet = wire({ txPackets: 6_040, rxPackets: 5_920, estimate: 120, lostAtLeast: 80, lostAtMost: 130 }).value;
  const look = fact('extended-measurement', { link: KEY, ...ends, counts, wire: quiet }, ['long']);
  const [one, ...rest] = found({ wire: { estimate: 0 }, more: [look] });
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [one?.resource, one?.withheld, one?.detail.probesSent, one?.detail.probesLost, one?.detail.lossPercent],
    ['interface/a/to-b', undefined, 6_000, 120, 2],
  );
  assert.deepEqual([one?.detail.txPackets, one?.evidence], [6_040, [...LOSS.fact.source, 'long']]);
});
