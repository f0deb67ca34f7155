// Classes of users' traffic over links: from one end at first, from both where a share was lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classesOver, planLinkClasses } from '#measure/links/link-classes.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import type { PlannedCall } from '#model/call.ts';
import { readPurpose } from '#model/read-purpose.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
const rows = (calls: readonly PlannedCall[]) =>
  calls.map(({ id, arguments: { destinations, count, traffic } }) => [id, destinations, count, traffic]);

test('TCP goes over each link from one end, in both families, by one call of a node', () => {
  assert.deepEqual(rows(planLinkClasses(STATES, new Set())), [
    ['probe/r1/parley-reach/tcp', ['198.18.1.1', 'fd00:1:1::1'], 40, 'tcp'],
    ['probe/r3/parley-reach/tcp', ['198.18.2.0', 'fd00:1:2::'], 40, 'tcp'],
  ]);
  const [first] = planLinkClasses(STATES, new Set(['r1']));
  assert.equal(first?.node, 'r2', 'a node that cannot be asked to measure is probed by its neighbour');
});

test('a class in doubt goes over its link from both ends, in the extended round as often as asked', () => {
  const [link] = scopeLinks(STATES);
  const again = classesOver([{ link: link!, traffic: 'tcp' }], STATES, { round: 'confirmation', run: 1 });
  assert.deepEqual(rows(again), [
    ['deepen/r1/parley-reach/tcp/again', ['198.18.1.1', 'fd00:1:1::1'], 100, 'tcp'],
    ['deepen/r2/parley-reach/tcp/again', ['198.18.1.0', 'fd00:1:1::'], 100, 'tcp'],
  ]);
  const long = classesOver([{ link: link!, traffic: 'icmp' }], STATES, { round: 'extended', run: 3 });
  assert.deepEqual(
    long.map(({ id }) => id),
    ['deepen/r1/parley-reach/icmp/long/3', 'deepen/r2/parley-reach/icmp/long/3'],
  );
  for (const { purpose } of [...again, ...long]) assert.deepEqual(readPurpose(purpose), purpose);
});

test('large echoes are as long as the MTU that both ends have, few, and one call for each length', () => {
  const [link] = scopeLinks(STATES);
  const large = (states: typeof STATES) =>
    classesOver([{ link: link!, traffic: 'large-icmp' }], states, { round: 'confirmation', run: 1 });
  assert.deepEqual(
    large(STATES).map(({ node, arguments: { destinations, count, traffic, packetBytes } }) => [
      ...[node, destinations, count, traffic, packetBytes],
    ]),
    [
      ['r1', ['198.18.1.1', 'fd00:1:1::1'], 24, 'large-icmp', 1_500],
      ['r2', ['198.18.1.0', 'fd00:1:1::'], 24, 'large-icmp', 1_500],
    ],
  );
  for (const { purpose } of large(STATES)) assert.deepEqual(readPurpose(purpose), purpose);
  const { inventory, ...rest } = stateOf(2);
  const interfaces = inventory.interfaces.map((entry) => ({ ...entry, mtu: 1_400 }));
  const unequal = new Map([...STATES, ['r2', { ...rest, inventory: { ...inventory, interfaces } }] as const]);
  assert.deepEqual(large(unequal), [], 'ends that differ are a fault of their own');
});

test('nothing is sent over a link that is down or has link-local addresses alone', () => {
  const { inventory, ...rest } = stateOf(2);
  const changed = (change: object) => {
    const interfaces = inventory.interfaces.map((entry) => ({ ...entry, ...change }));
    return new Map([...STATES, ['r2', { ...rest, inventory: { ...inventory, interfaces } }] as const]);
  };
  assert.deepEqual(planLinkClasses(changed({ operUp: false }), new Set()), []);
  assert.deepEqual(planLinkClasses(changed({ addresses: ['fe80::2/64'] }), new Set()), []);
});
