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

test('of two looks that saw it one is not enough, unless a loop confirms it; a rise beside a loop needs both', () => {
  const held = (change: Partial<SlowLinkDetail>) =>
    proposed(change).map(({ confidence, withheld }) => [confidence, withheld]);
  assert.deepEqual(held({ slowFrom: ['a'], looks: 1 }), [['certain', undefined]]);
  assert.deepEqual(held({ slowFrom: ['a'], rose: true, looks: 2 }), [['likely', undefined]]);
  assert.deepEqual(held({ slowFrom: ['a'], rose: true, looks: 1 }), [['likely', 'seen by']]);
  assert.deepEqual(held({ rose: true, looks: 2 })[0], ['likely', undefined]);
  const { looks: _looks, ...unsaid } = { looks: undefined, rose: true } as const;
  assert.deepEqual(held({ ...unsaid, slowFrom: [] })[0], ['likely', undefined]);
  assert.deepEqual(held({ looks: 1 })[0], ['likely', 'seen by']);
});

test('what was measured, where packets are held back, and what to see there', () => {
  const symptom = slowLinkSymptom.raise({
    ...{ id: 'slow:ab', subject: LINK.key, text: '', source: ['p1'], nodes: ['a', 'b'], link: LINK },
    detail: { roundTripMs: 60, othersMs: 0.2, rose: true, roseSecondsAgo: 12 },
  });
  const of = (each: typeof symptom) =>
    highLatency.propose({ path: [], facts: [], world: WORLD, symptoms: [each] } as unknown as CaseFile, []);
  const [one, other] = of(symptom);
  const direction = 'not known: there is no loop over this link alone';
  assert.deepEqual(one?.details, { roundTripMs: 60, othersMs: 0.2, direction, roseSecondsAgo: 12 });
  assert.deepEqual([one?.together, other?.together], ['slow:ab', 'slow:ab']);
  assert.deepEqual(
    [one?.remedy, other?.remedy?.node],
    [{ node: 'a', summary: 'check what lies between {a} to-b and {b} to-a: it delays packets' }, 'b'],
  );
  assert.deepEqual(of({ ...symptom, link: undefined } as never), []);
});

test('a delay that probe rounds remember names both ends, as likely', () => {
  const value = { link: LINK, ends: [LINK.from, LINK.to], roundTripMs: 40, usualMs: 0.3 };
  const world = { links: [LINK], views: new Map(['a', 'b'].map((node) => [node, { sources: [`s-${node}`] }])) };
  const past = { agoMs: 20_000, now: world, kept: { memory: 'probe-rounds' as const, node: 'a' } };
  const facts = [{ subject: LINK.key, predicate: 'monitored-delay', value, source: [] }];
  const found = highLatency.detect!({ world, facts, past } as never);
  const direction = 'not known: only round trips were measured';
  assert.deepEqual(
    found.map(({ subject, confidence, source, nodes, detail }) => [subject, confidence, source, nodes, detail]),
    ['interface/a/to-b', 'interface/b/to-a'].map((subject) => [
      ...[subject, 'likely', ['s-a', 's-b'], ['a', 'b'], { roundTripMs: 40, usualMs: 0.3, direction }],
    ]),
  );
});
