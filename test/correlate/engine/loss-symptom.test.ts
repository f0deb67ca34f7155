// From how many lost probes on there is a loss to explain, and how one is named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile, Fact, ProbeLoss } from '#correlate/engine/facts.ts';
import { atLeast, isLoss, isStray, lossSymptomsOf, percentOf, underWay } from '#correlate/engine/loss-symptom.ts';

const LOSS: ProbeLoss = {
  ...{ scope: 'segment', from: 'r1', to: 'r2', measuredBy: 'r1', sent: 1_000, lost: 30, refused: 0, unanswered: 0 },
  ...{ refusedByFilter: true, directionKnown: true },
};
const factOf = (change: Partial<ProbeLoss>): Fact => ({
  ...{ subject: 'path/r1>r2', predicate: 'probe-loss', source: ['p'] },
  value: { ...LOSS, ...change },
});

test('three lost probes are a loss, if they are two in a thousand; fewer are none', () => {
  for (const [sent, lost, isOne] of [
    [100, 0, false],
    [100, 2, false],
    [100, 3, true],
    [1_500, 3, true],
    [1_501, 3, false],
    [2_000, 4, true],
    [2_001, 4, false],
    [2_001, 5, true],
  ] as const)
    assert.equal(isLoss(sent, lost), isOne, `${lost} of ${sent}`);
});

test('some lost probes of 500 at least are a stray, unless they are a loss', () => {
  for (const [sent, lost, isOne] of [
    [500, 0, false],
    [499, 1, false],
    [500, 1, true],
    [500, 2, true],
    [500, 3, false],
    [1_501, 3, true],
  ] as const)
    assert.equal(isStray(sent, lost), isOne, `${lost} of ${sent}`);
});

test('what the sender was refused was never under way', () => {
  assert.deepEqual(underWay({ ...LOSS, refused: 10 }), { sent: 990, lost: 20 });
});

test('shares have one decimal, and of nothing nothing is lost', () => {
  assert.deepEqual([percentOf(1, 3), percentOf(20, 1_000), percentOf(0, 0), percentOf(5, 5)], [33.3, 2, 0, 100]);
});

test('the lower end of a count is 1.96 standard deviations below, and never below nothing', () => {
  assert.equal(atLeast(100), 80.4);
  assert.equal(atLeast(3), 0);
  assert.equal(atLeast(0), 0);
});

test('a loss is named by stretch and direction, and where there are several words by who says so and which packets', () => {
  const facts = [
    factOf({}),
    factOf({ lost: 2 }),
    factOf({ scope: 'path', to: 'r3' }),
    factOf({ flows: 64 }),
    factOf({ link: 'link/r1:eth1--r2:eth1', flows: 64, measuredBy: 'r2' }),
  ];
  const found = lossSymptomsOf({ facts } as unknown as CaseFile);
  assert.deepEqual(
    found.map(({ id }) => id),
    [
      'segment r1>r2',
      'path r1>r3',
      'segment r1>r2 by flows',
      'segment r1>r2 by flows over link/r1:eth1--r2:eth1 told by r2',
    ],
  );
  assert.equal(found[1]?.fact, facts[2]);
});
