// srv6_locator_missing: a node has a SID, and a head that reaches the node has no route to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { named, sceneOf } from '../../scope-scene.ts';

const none = (destination: string) => ({ destination, kind: 'none' as const });

test('the node whose locator is not announced is named', () => {
  const scene = { lookups: { r1: [none('fd00:5a:3::d6')] } };
  assert.deepEqual(named(scene), ['srv6_locator_missing node/r3']);
  const [finding] = diagnose(sceneOf(scene)).findings;
  assert.deepEqual(finding?.remedy, {
    node: 'r3',
    summary: 'announce the locator of SID fd00:5a:3::d6 on r3 again',
  });
  assert.equal(
    finding?.details['what'],
    'r1 has no route to SID fd00:5a:3::d6 of r3, who has it: its locator is not announced',
  );
});

test('a head that does not reach the node at all has lost more than a locator', () => {
  const lost = ['fd00:5a:3::d6', 'fd00:0:0:3::1', '198.19.255.3', '198.19.3.1', 'fd00:c:3::1'].map(none);
  assert.deepEqual(
    named({ lookups: { r1: lost } }).filter((each) => each.startsWith('srv6_locator_missing')),
    [],
  );
});

test('a head with a route to the SID misses nothing', () => {
  assert.deepEqual(named({}), []);
});
