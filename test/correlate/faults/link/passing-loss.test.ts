// passing_loss: lost probes that an extended measurement from both ends did not meet again are explained, and nothing is accused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile, Fact, ProbeLoss } from '#correlate/engine/facts.ts';
import { lossSymptomsOf } from '#correlate/engine/loss-symptom.ts';
import { passingLoss } from '#correlate/faults/link/passing-loss.ts';
import { linkOf } from '../../pair-scene.ts';

const LINK = linkOf('a-b');

function proposed(measuredAgain: boolean) {
  const value: ProbeLoss = {
    ...{ scope: 'segment', from: 'a', to: 'b', measuredBy: 'a', sent: 200, lost: 20, refused: 0, unanswered: 0 },
    ...{ refusedByFilter: true, directionKnown: true, link: LINK.key },
  };
  const looks = [
    { from: LINK.from, to: LINK.to },
    { from: LINK.to, to: LINK.from },
  ].map((way): Fact => {
    const counts = ['a', 'b'].map((measuredBy) => ({ measuredBy, sent: 2_000, lost: 0 }));
    const crossed = { txPackets: 5_000, rxPackets: 5_000, estimate: 0, lostAtLeast: 0, lostAtMost: 2 };
    const wire = { ...way, comparable: true, ...crossed };
    return {
      subject: LINK.key,
      predicate: 'extended-measurement',
      value: { link: LINK.key, ...way, counts, wire },
      source: ['l1'],
    };
  });
  const loss: Fact = { subject: LINK.key, predicate: 'probe-loss', value, source: ['p1'] };
  const counted = { txPackets: 5_000, rxPackets: 5_000, estimate: 0, lostAtLeast: 0, lostAtMost: 2 };
  const whole = { from: LINK.from, to: LINK.to, comparable: true, ...counted };
  const counters: Fact = { subject: LINK.key, predicate: 'wire', value: whole, source: ['w1'] };
  const facts = measuredAgain ? [loss, counters, ...looks] : [loss, counters];
  const file = { path: [], facts, symptoms: [], world: { links: [LINK] } } as unknown as CaseFile;
  return passingLoss
    .propose(file, lossSymptomsOf(file))
    .map(({ resource, accuses, score }) => [resource, accuses, score]);
}

test('an extended measurement that lost nothing explains the loss, below every accusation', () => {
  assert.deepEqual(proposed(true), [[LINK.key, false, 0.4]]);
});

test('without an extended measurement nothing explains it', () => {
  assert.deepEqual(proposed(false), []);
});
