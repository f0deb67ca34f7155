// What nodes of a scope are asked about each other: loopbacks and networks of hosts before all the links that lead out of the scope.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planLookups } from '#measure/nodes/lookups.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

test('the network of hosts of a node is looked up, however many links it has to nodes that are not asked', () => {
  const [r1, r2] = [stateOf(1), stateOf(2)];
  const like = r1.inventory.interfaces.find(({ name }) => name === 'eth2')!;
  const outward = [4, 5, 6, 7].map((number) => ({
    ...{ ...like, name: `eth${number}` },
    addresses: [`198.18.${number}0.0/31`, `fd00:1:${number}0::/127`],
  }));
  const [first, ...rest] = r1.inventory.interfaces;
  const wide = { ...r1, inventory: { ...r1.inventory, interfaces: [first!, ...outward, ...rest] } };
  const states = new Map([
    ['r1', wide],
    ['r2', r2],
  ]);
  const asked = planLookups(states, 'first').find(({ id }) => id === 'probe/r2/parley-lookups');
  const destinations = asked?.arguments['destinations'] as readonly string[];
  assert.ok(destinations.includes('198.19.1.1'));
  assert.ok(destinations.includes('fd00:c:1::1'));
  assert.ok(destinations.includes('198.19.255.1'));
});

test('an address that a rule writes as the source of packets is looked up by every node', () => {
  const rule = {
    ...{ family: 'ip', table: 'nat', chain: 'post', path: ['post'], hook: 'postrouting', handle: 2 },
    ...({ verdict: 'other', outInterfaces: ['eth2'], inInterfaces: [] } as const),
    rewrites: ['source = 203.0.113.5'],
  };
  const states = new Map([
    ['r1', { ...stateOf(1), filters: [rule, { ...rule, rewrites: ['source = own'] }] }],
    ['r2', stateOf(2)],
  ]);
  const asked = planLookups(states, 'first').map((call) => [call.node, call.arguments['destinations']] as const);
  assert.deepEqual(
    asked.map(([node, destinations]) => [node, (destinations as string[]).includes('203.0.113.5')]),
    [
      ['r1', true],
      ['r2', true],
    ],
  );
});
