// What the extended measurement of a link says of a loss: bounds of its probes and of both ends' counters, one at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settledBy, totalOf } from '#correlate/observe/extended-measurement.ts';
import { fact, fileOf, wire } from '../fact-scene.ts';

const KEY = 'link/a:to-b--b:to-a';
const LOSS = {
  ...{ scope: 'segment', from: 'a', to: 'b', measuredBy: 'a', sent: 1_000, lost: 40, refused: 0, unanswered: 0 },
  ...{ refusedByFilter: true, directionKnown: true, link: KEY },
} as const;
type Count = readonly [sent: number, lost: number];
type Given = {
  readonly counts?: readonly Count[];
  readonly quiet?: object;
  readonly whole?: object | 'none';
  readonly look?: object;
  readonly loss?: object;
};
/** An extended measurement from a to b, with both ends' counters of its own time (`quiet`) and of the whole time. */
function settled({ counts = [], quiet = {}, whole = {}, look = {}, loss = {} }: Given) {
  const ends = { from: { node: 'a', ifname: 'to-b' }, to: { node: 'b', ifname: 'to-a' } };
  const value = {
    ...{ link: KEY, ...ends, wire: wire({ txPackets: 6_000, rxPackets: 6_000, ...quiet }).value },
    counts: counts.map(([sent, lost], index) => ({ measuredBy: index === 0 ? 'a' : 'b', sent, lost })),
    ...look,
  };
  const facts = [fact('extended-measurement', value), ...(whole === 'none' ? [] : [wire(whole)])];
  return settledBy(fileOf(facts), { ...LOSS, ...loss } as never)?.kind;
}

const BOTH: readonly Count[] = [
  [1_000, 40],
  [1_000, 40],
];
const LACKING = { rxPackets: 5_920, estimate: 80, lostAtLeast: 0, lostAtMost: 80 };

test('both ends’ probes at one rate and counters that lack half as many or more are a loss', () => {
  const lossy = (change: object, counts = BOTH) => settled({ counts, quiet: { ...LACKING, ...change } });
  assert.equal(lossy({}), 'lossy');
  assert.equal(lossy({ estimate: 40, rxPackets: 5_960 }), 'lossy');
  assert.equal(lossy({ estimate: 39 }), 'open', 'by the estimate');
  assert.equal(lossy({ rxPackets: 5_961 }), 'open', 'by the counts themselves');
  assert.equal(lossy({ lostAtMost: 79 }), 'open', 'the counters exclude so many');
  const one = (lost: number): readonly Count[] => [
    [1_000, 40],
    [1_000, lost],
  ];
  assert.equal(lossy({}, one(2)), 'open', 'a stray at one end is no agreement');
  assert.equal(lossy({}, one(8)), 'open', 'far fewer at the other end');
  assert.equal(lossy({}, [...one(8)].reverse()), 'open', 'far fewer at the one end');
});

test('both ends must have sent five hundred probes over counters that can be compared', () => {
  const many = (sent: number): readonly Count[] => [
    [500, 20],
    [sent, 20],
  ];
  const quiet = { rxPackets: 5_960, estimate: 40, lostAtMost: 40 };
  assert.equal(settled({ counts: many(500), quiet }), 'lossy');
  assert.equal(settled({ counts: many(499), quiet }), 'open');
  assert.equal(settled({ counts: many(500).slice(0, 1), quiet }), 'open');
  assert.equal(settled({ counts: BOTH, quiet: { ...LACKING, comparable: false } }), 'open');
});

const NONE: readonly Count[] = [
  [1_000, 0],
  [1_000, 0],
];

test('nothing lost any more, and nothing lacking by any counter, is clean', () => {
  const clean = (given: Given) => settled({ counts: NONE, ...given });
  assert.equal(clean({}), 'clean');
  assert.equal(clean({ quiet: { lostAtLeast: 1 } }), 'open');
  assert.equal(clean({ whole: 'none' }), 'open');
  assert.equal(clean({ whole: { comparable: false } }), 'open');
  assert.equal(clean({ whole: { lostAtLeast: 1 } }), 'open');
  assert.equal(clean({ whole: { from: { node: 'a', ifname: 'other' } } }), 'open');
  assert.equal(clean({ whole: { from: { node: 'c', ifname: 'to-b' } } }), 'open');
  const lacking = (packets: number) => clean({ whole: { estimate: packets, rxPackets: 5_000 - packets } });
  assert.deepEqual([lacking(19), lacking(20)], ['clean', 'open']);
  const stray: readonly Count[] = [
    [1_000, 2],
    [1_000, 2],
  ];
  assert.equal(settled({ counts: stray }), 'clean');
  assert.equal(settled({ counts: [...stray.slice(1), [1_000, 3]] }), 'open');
});

test('few lost probes may have been spared by chance', () => {
  const clean = (loss: object, counts = NONE) => settled({ counts, loss });
  // One of three measurements had all n losses: chance does so once in three to the n.
  assert.equal(clean({ lost: 5 }), 'clean');
  assert.equal(clean({ lost: 4 }), 'open');
  assert.equal(clean({ sent: 2_000, lost: 6 }), 'open');
  assert.equal(clean({ sent: 2_000, lost: 7 }), 'clean');
  const two: readonly Count[] = [
    [1_000, 2],
    [1_000, 0],
  ];
  assert.deepEqual([clean({ lost: 6 }, two), clean({ lost: 7 }, two)], ['open', 'clean']);
});

test('probes that the sender’s node refused to send were not lost on the way', () => {
  assert.equal(settled({ counts: NONE, loss: { sent: 1_036, lost: 40, refused: 36 } }), 'open');
  assert.equal(settled({ counts: NONE, loss: { sent: 1_035, lost: 40, refused: 35 } }), 'clean');
});

test('a measurement of another link or of the other direction says nothing', () => {
  assert.equal(settled({ counts: BOTH, look: { link: 'link/x' } }), undefined);
  assert.equal(settled({ counts: BOTH, loss: { from: 'b' } }), undefined);
  assert.equal(settled({ counts: BOTH, loss: { to: 'c' } }), undefined);
});

test('the probes of both ends are added up', () => {
  const counts = [
    { measuredBy: 'a', sent: 10, lost: 1 },
    { measuredBy: 'b', sent: 20, lost: 3 },
  ];
  assert.deepEqual(totalOf(counts), { sent: 30, lost: 4 });
  assert.deepEqual(totalOf([]), { sent: 0, lost: 0 });
});
