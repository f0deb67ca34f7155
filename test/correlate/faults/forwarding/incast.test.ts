// incast_traffic_network_limitation: a queue that overflows in the window; old drops accuse nobody.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile } from '#correlate/engine/facts.ts';
import { incast } from '#correlate/faults/forwarding/incast.ts';
import { queueSymptoms } from '#correlate/symptoms/links/queue-overflow.ts';
import { caseOf, lossOf, onLink, symptom } from '../proposing.ts';
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
      'raise the rate of {r1} eth1, or spread the traffic that leaves over it',
    ],
  ]);
});

test('a few drops of a burst, and old ones, are none', () => {
  assert.deepEqual(named(['5000', '5003']), []);
  assert.deepEqual(named(['5000', '5000']), []);
});

test('what the queue holds back or loses on its own link follows from it', () => {
  const detail = { node: 'a', ifname: 'to-b', queue: 'tbf', drops: 40 };
  const queue = symptom('queue', { subject: 'interface/a/to-b', detail });
  const others = ['a-b', 'd-a'].flatMap((pair) =>
    ['narrow', 'slow', 'isis', 'mtu'].map((kind) => onLink(kind, pair, { id: `${kind} ${pair}` })),
  );
  const [found, ...rest] = incast.propose(caseOf([queue, ...others]), [lossOf('a', 'b'), lossOf('a', 'd')]);
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [found?.score, found?.explains.map((share) => share.symptom).join()],
    [3.5, 'queue,narrow a-b,slow a-b,isis a-b,loss a>b'],
  );
  assert.deepEqual(found?.details, { what: 'text of queue', droppedPackets: 40, queue: 'tbf' });
  const [slashed] = incast.propose(caseOf([{ ...queue, subject: 'interface/a/xe-0/0/1' } as never]), []);
  assert.deepEqual(slashed?.remedy, {
    node: 'a',
    summary: 'raise the rate of {a} xe-0/0/1, or spread the traffic that leaves over it',
  });
});
