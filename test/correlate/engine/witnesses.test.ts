// The second witness of a loss (the probes of the other end, or those along the whole path) and other explanations of one: wires and sockets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile, Fact, FactWith, ProbeLoss, Wire } from '#correlate/engine/facts.ts';
import type { LossSymptom } from '#correlate/engine/loss-symptom.ts';
import {
  droppedBySockets,
  explainedBySockets,
  neededOf,
  socketErrors,
  wireExplains,
} from '#correlate/engine/loss-witnesses.ts';
import { contradiction, denies, isFarBelow, unconfirmed } from '#correlate/engine/second-witness.ts';

const LINK = 'link/r1:eth1--r2:eth1';
const lossOf = (change: Partial<ProbeLoss> = {}): FactWith<'probe-loss'> => ({
  ...{ subject: 'path/r1>r2', predicate: 'probe-loss', source: ['p'] },
  value: {
    ...{ scope: 'segment', from: 'r1', to: 'r2', measuredBy: 'r1', sent: 1_000, lost: 100, refused: 0, unanswered: 0 },
    ...{ refusedByFilter: true, directionKnown: true },
    ...change,
  },
});
const symptomOf = (change: Partial<ProbeLoss> = {}): LossSymptom => ({ id: 'loss', fact: lossOf(change) });
const fileOf = (facts: readonly Fact[], path: readonly string[] = []) => ({ facts, path }) as unknown as CaseFile;
const wireOf = (change: Partial<Wire> = {}, from = 'r1', to = 'r2'): FactWith<'wire'> => ({
  ...{ subject: `interface/${from}/eth1`, predicate: 'wire', source: ['w'] },
  value: {
    ...{ from: { node: from, ifname: 'eth1' }, to: { node: to, ifname: 'eth1' }, comparable: true },
    ...{ txPackets: 1_000, rxPackets: 900, estimate: 100, lostAtLeast: 100, lostAtMost: 100 },
    ...change,
  },
});
const way = { from: 'r1', to: 'r2' };

test('none lost is a contradiction only where five were to be expected, and more than a third is agreement', () => {
  for (const [lost, expected, isBelow] of [
    [0, 4.9, false],
    [0, 5, true],
    [2, 6, false],
    [1, 6, true],
    [33, 99, false],
    [32, 99, true],
  ] as const)
    assert.equal(isFarBelow(lost, expected), isBelow, `${lost} of ${expected}`);
});

test('a report denies a claim by the lower end of what the claim says, for as many probes as it has', () => {
  const claim = { sent: 1_000, lost: 100 };
  assert.equal(denies({ sent: 1_000, lost: 26 }, claim), true, 'a third of 80.4 is 26.8');
  assert.equal(denies({ sent: 1_000, lost: 27 }, claim), false);
  assert.equal(denies({ sent: 100, lost: 2 }, claim), true, 'a third of 8.04 is 2.68');
  assert.equal(denies({ sent: 100, lost: 3 }, claim), false);
  assert.equal(denies({ sent: 50, lost: 0 }, claim), false, '4 were to be expected');
  assert.equal(denies({ sent: 1_000, lost: 0 }, { sent: 1_000, lost: 2 }), false, 'no loss is claimed');
  assert.equal(denies({ sent: 1_000, lost: 0 }, { sent: 0, lost: 5 }), false);
});

test('over a link the other end’s probes must have lost some in this direction, and not far fewer', () => {
  const other = (change: Partial<ProbeLoss>) => lossOf({ link: LINK, measuredBy: 'r2', ...change });
  const symptom = symptomOf({ link: LINK });
  const why = (facts: readonly Fact[], mine = symptom) => unconfirmed(fileOf([mine.fact, ...facts]), mine, way);
  assert.equal(unconfirmed(fileOf([]), symptomOf(), way), undefined, 'along a path there is no such other end');
  assert.match(why([])!, /^only .*r1.*own probes say so$/);
  assert.match(why([other({ sent: 0, lost: 0 })])!, /^only/);
  assert.match(why([other({ link: 'link/r1:eth2--r2:eth2' })])!, /^only/);
  assert.equal(why([other({})]), undefined);
  assert.equal(why([other({ lost: 27 })]), undefined);
  assert.match(why([other({ lost: 26 })])!, /of the 1000 probes of .*r2.* 26 were lost this way/);
  assert.match(why([other({ lost: 0 })])!, /of the 1000 probes of .*r2.* 0 were lost this way/);
  assert.match(why([other({ lost: 40, refused: 40 })])!, /of the 960 probes of .* 0 were lost/);
  assert.match(why([other({ from: 'r2', to: 'r1' })])!, /of the 0 probes of .* 0 were lost/, 'the other direction');
  assert.equal(why([other({ from: 'r2', to: 'r1', directionKnown: false })]), undefined);
  const again = symptomOf({ link: LINK, again: { sent: 1_000, lost: 10 } });
  assert.equal(why([other({ lost: 2 })], again), undefined, 'the second look alone is compared');
  assert.equal(why([other({ lost: 30 })], symptomOf({ link: LINK, lost: 200, refused: 100 })), undefined);
});

test('along a path the probes of the whole must have lost a third of what one segment lost', () => {
  const path = ['r1', 'r2', 'r3'];
  const whole = (lost: number, change: Partial<ProbeLoss> = {}) => lossOf({ scope: 'path', to: 'r3', lost, ...change });
  const why = (facts: readonly Fact[], mine = symptomOf(), turned = way) =>
    contradiction(fileOf([mine.fact, ...facts], path), mine, turned);
  assert.equal(why([]), undefined, 'nothing was sent along the whole path');
  assert.equal(why([whole(27)]), undefined);
  assert.match(why([whole(26)])!, /contradict the probes along the whole path, of which 26 of 1000 were lost$/);
  assert.equal(why([whole(0, { directionKnown: false })]), undefined);
  assert.equal(why([whole(0, { scope: 'segment' })]), undefined);
  assert.equal(why([whole(0)], symptomOf({ flows: 64 })), undefined, 'other packets than those along the path');
  assert.match(why([whole(3, { sent: 100 })], symptomOf({ lost: 200 }))!, /3 of 100/);
  assert.equal(why([whole(6, { sent: 100 })], symptomOf({ lost: 200 })), undefined);
});

test('on the way back it counts only where the reflections of the whole path went over this link too', () => {
  const path = ['r1', 'r2', 'r3'];
  const mine = symptomOf({ from: 'r2', to: 'r1' });
  const back = { from: 'r2', to: 'r1' };
  const whole = lossOf({ scope: 'path', from: 'r3', to: 'r1', lost: 0 });
  const carried = (txPackets: number) => [mine.fact, whole, wireOf({ txPackets }, 'r2', 'r1')];
  assert.match(contradiction(fileOf(carried(1_900), path), mine, back)!, /0 of 1000/);
  assert.equal(contradiction(fileOf(carried(1_899), path), mine, back), undefined);
  assert.equal(contradiction(fileOf([mine.fact, whole], path), mine, back), undefined);
});

test('a wire explains a loss when its counters lack half of what it must have lost, and may lack all', () => {
  const explains = (change: Partial<Wire>, loss: Partial<ProbeLoss> = {}) =>
    wireExplains(wireOf(change), symptomOf(loss));
  assert.equal(explains({}), true);
  assert.equal(explains({ comparable: false }), false);
  assert.equal(explains({ estimate: 50 }), true);
  assert.equal(explains({ estimate: 49 }), false);
  assert.equal(explains({ lostAtMost: 99 }), false);
  assert.equal(explains({ lostAtMost: 90 }, { refused: 10 }), true, 'what was refused never came to the wire');
  assert.equal(explains({ estimate: 0, lostAtMost: 0 }, { lost: 0 }), false);
});

test('where other traffic fares like the probes, the wire must have lost of that as well', () => {
  assert.equal(neededOf(wireOf(), symptomOf()), 50);
  assert.equal(neededOf(wireOf({ txPackets: 10_000 }), symptomOf()), 402, 'half of 8.04 % of 10,000');
  assert.equal(neededOf(wireOf({ txPackets: 10_000 }), symptomOf({ flows: 64 })), 50, 'some flows alone may be hit');
});

test('sockets explain what was lost on the way to them, if they dropped nine tenths of it', () => {
  const errors = (packets: number, node = 'r2', counter = 'Udp6RcvbufErrors'): Fact => ({
    ...{ subject: `node/${node}`, predicate: 'node-errors', source: ['s'] },
    value: { node, counter, packets },
  });
  const explained = (facts: readonly Fact[], change: Partial<ProbeLoss> = {}) =>
    explainedBySockets(fileOf(facts), symptomOf(change));
  assert.equal(explained([errors(90)]), true);
  assert.equal(explained([errors(89)]), false);
  assert.equal(explained([errors(90, 'r2', 'Udp6InErrors')]), true);
  assert.equal(explained([errors(90, 'r2', 'Ip6InDiscards')]), false);
  assert.equal(explained([errors(90, 'r1')]), false);
  assert.equal(explained([errors(90)], { directionKnown: false }), false);
  assert.equal(explained([errors(81)], { refused: 10 }), true);
  assert.equal(explained([errors(5)], { lost: 10, refused: 10 }), false);
  assert.equal(droppedBySockets(fileOf([errors(5), errors(7, 'r2', 'Udp6InErrors')]), 'r2'), 7);
  assert.equal(droppedBySockets(fileOf([]), 'r2'), 0);
  assert.equal(socketErrors(fileOf([errors(5), errors(7, 'r1')]), 'r1').length, 1);
});
