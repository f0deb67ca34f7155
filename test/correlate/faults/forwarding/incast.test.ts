// incast_traffic_network_limitation: a queue that overflows in the window; old drops accuse nobody.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile } from '#correlate/engine/facts.ts';
import { incast } from '#correlate/faults/forwarding/incast.ts';
import { queueSymptoms } from '#correlate/symptoms/links/queue-overflow.ts';
import { worldWith } from './forwarding-scene.ts';

function named(drops: readonly [string, string]) {
  const world = worldWith([], '9', drops);
  const file = { path: [], facts: [], world, symptoms: queueSymptoms(world) } as unknown as CaseFile;
  return incast
    .propose(file, [])
    .map(({ fault, resource, details, remedy }) => [...[fault, resource, details['droppedPackets'], remedy?.summary]]);
}

test('a queue that overflows in the window is named with what it dropped', () => {
  assert.deepEqual(named(['5000', '5400']), [
    [
      ...['incast_traffic_network_limitation', 'interface/r1/eth1', 400],
      'raise the rate of {r1} eth1, or spread what is sent through it',
    ],
  ]);
});

test('a few drops of a burst, and old ones, are none', () => {
  assert.deepEqual(named(['5000', '5003']), []);
  assert.deepEqual(named(['5000', '5000']), []);
});
