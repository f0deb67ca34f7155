// link_capacity_bottleneck: a link whose trains were held up is named with its rate; few trains leave a candidate.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile } from '#correlate/engine/facts.ts';
import { linkCapacity } from '#correlate/faults/link/link-capacity.ts';
import type { World } from '#correlate/network/world.ts';
import { bottleneckSymptom } from '#correlate/symptoms/links/bottleneck.ts';
import { linkOf } from '../../pair-scene.ts';

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
    summary: 'see what limits the rate between {a} to-b and {b} to-a',
  });
});

test('with one other link it is likely; two trains alone may have met a busy moment', () => {
  assert.equal(proposed(5, 1)?.confidence, 'likely');
  assert.equal(proposed(2)?.withheld, '2 trains alone may have met a busy moment');
});
