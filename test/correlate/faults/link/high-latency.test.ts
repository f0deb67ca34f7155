// high_latency: the sending end of the slow direction is named where loops show it; a link that may always have been long is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile } from '#correlate/engine/facts.ts';
import { highLatency } from '#correlate/faults/link/high-latency.ts';
import type { World } from '#correlate/network/world.ts';
import { type SlowLinkDetail, slowLinkSymptom } from '#correlate/symptoms/links/slow-link.ts';
import { linkOf } from '../../pair-scene.ts';

const LINK = linkOf('a-b');
const WORLD = { links: [LINK], views: new Map() } as unknown as World;

function proposed(change: Partial<SlowLinkDetail>) {
  const symptom = slowLinkSymptom.raise({
    ...{ id: 'slow:ab', subject: LINK.key, text: '', source: ['p1'], nodes: ['a', 'b'], link: LINK },
    detail: { roundTripMs: 60, othersMs: 0.2, looks: 3, ...change },
  });
  const file = { path: [], facts: [], world: WORLD, symptoms: [symptom] } as unknown as CaseFile;
  return highLatency.propose(file, []).map(({ resource, confidence, withheld, details, remedy }) => ({
    ...{ resource, confidence, withheld: withheld?.slice(0, 7), direction: details['direction'], at: remedy?.node },
  }));
}

test('the direction that loops show is named for certain, with the end that sends', () => {
  assert.deepEqual(proposed({ slowFrom: ['b'] }), [
    { resource: 'interface/b/to-a', confidence: 'certain', withheld: undefined, direction: 'from {b}', at: 'b' },
  ]);
});

test('a rise that standing probes saw is likely, and not believed of one measurement alone', () => {
  const [one, other] = proposed({ rose: true, roseSecondsAgo: 12 });
  assert.deepEqual([one?.confidence, one?.withheld, other?.withheld], ['likely', undefined, undefined]);
  assert.equal(proposed({ rose: true, looks: 1 })[0]?.withheld, 'seen by');
});

test('without loops and without a rise the link may be long: nothing is accused', () => {
  assert.deepEqual(
    proposed({ slowFrom: [] }).map(({ resource, withheld }) => [resource, withheld]),
    [
      ['interface/a/to-b', 'no loop'],
      ['interface/b/to-a', 'no loop'],
    ],
  );
});
