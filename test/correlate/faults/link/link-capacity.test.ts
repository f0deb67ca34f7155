// link_capacity_bottleneck: a link whose trains were held up is named with its rate; few trains leave a candidate.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile } from '#correlate/engine/facts.ts';
import { linkCapacity } from '#correlate/faults/link/link-capacity.ts';
import type { World } from '#correlate/network/world.ts';
import { bottleneckSymptom } from '#correlate/symptoms/links/bottleneck.ts';
import { linkOf } from '../../pair-scene.ts';
import { caseOf, lossOf, onLink } from '../proposing.ts';

const LINK = linkOf('a-b');
const WORLD = { links: [LINK], views: new Map(), reach: [] } as unknown as World;

function proposed(trains: number, others = 3) {
  const symptom = bottleneckSymptom.raise({
    ...{ id: 'narrow:ab', subject: LINK.key, text: '', source: ['p1'], nodes: ['a', 'b'], link: LINK },
    detail: { heldMs: 52, othersMs: 0.3, others, trains, megabits: 10, narrowFrom: ['a'] },
  });
  const file = { path: [], facts: [], world: WORLD, symptoms: [symptom] } as unknown as CaseFile;
  return linkCapacity.propose(file, [])[0];
}

test('a link that most trains were held up on is named with about what it passes, and what to look at', () => {
  const found = proposed(5);
  assert.deepEqual([found?.resource, found?.confidence, found?.withheld], [LINK.key, 'certain', undefined]);
  assert.equal(found?.details['aboutMegabits'], 10);
  assert.deepEqual(found?.remedy, {
    node: 'a',
    summary: 'find out what limits the rate between {a} to-b and {b} to-a',
  });
});

test('with one other link it is likely; two trains alone may have met a busy moment', () => {
  assert.equal(proposed(5, 1)?.confidence, 'likely');
  assert.equal(proposed(2)?.withheld, '2 trains alone may have met a busy moment');
});

test('what waits in its queue comes late or is lost: delays and losses on the same link follow, others do not', () => {
  const detail = { heldMs: 52, othersMs: 0.3, others: 3, trains: 3, megabits: 10, narrowFrom: ['a'] };
  const narrow = onLink('bottleneck', 'a-b', { id: 'narrow', kind: bottleneckSymptom.kind, detail });
  const others = ['a-b', 'b-c'].flatMap((pair) => [
    onLink('slow', pair, { id: `slow ${pair}` }),
    onLink('isis', pair, { id: `isis ${pair}` }),
  ]);
  const losses = [lossOf('b', 'a'), lossOf('b', 'c')];
  const [found] = linkCapacity.propose(caseOf([narrow, ...others]), losses);
  assert.deepEqual(
    found?.explains.map(({ symptom, lost }) => [symptom, lost]),
    [
      ['narrow', 1],
      ['slow a-b', 1],
      ['isis a-b', 1],
      ['loss b>a', 40],
    ],
  );
  assert.deepEqual([found?.score, found?.withheld], [3.2, undefined]);
  assert.deepEqual(found?.details, { heldMs: 52, othersMs: 0.3, otherLinks: 3, aboutMegabits: 10 });
  assert.deepEqual(linkCapacity.propose(caseOf([{ ...narrow, link: undefined } as never]), losses), []);
});
