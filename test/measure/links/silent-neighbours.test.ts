// Echoes to routers whose agents give no state: from which ports, to which addresses, and from which never.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { farAddresses, planSilentNeighbours } from '#measure/links/silent-neighbours.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

function withPort(addresses: readonly string[], { operUp = true, heard = 'Z-1' } = {}): NodeState {
  const state = stateOf(1);
  const [first] = state.inventory.interfaces;
  const port = { ...first!, name: 'eth9', operUp, addresses: [...addresses] };
  const history = { spanMs: 9, events: [], lastHeard: [{ ifname: 'eth9', name: heard }] };
  return { ...state, history, inventory: { ...state.inventory, interfaces: [port] } };
}

test('each neighbour that heard a router without a state tries the far ends of its port, in both families', () => {
  const state = withPort(['198.18.5.0/31', 'fd00:5::1/126', '192.0.2.1/24', 'fe80::1/64']);
  assert.deepEqual(
    planSilentNeighbours(['r1', 'z1'], new Map([['r1', state]])).map(({ id, arguments: args }) => [id, args]),
    [['probe/r1/parley-reach/silent', { destinations: ['198.18.5.1', 'fd00:5::2'], count: 3, traffic: 'icmp' }]],
  );
});

test('nothing is sent to routers that gave a state or are out of scope, over ports that are down, or by a relayed node', () => {
  const plan = (nodes: readonly string[], state: NodeState, mute?: { has(node: string): boolean }) =>
    planSilentNeighbours(nodes, new Map([['r1', state]]), mute).length;
  const state = withPort(['198.18.5.0/31']);
  assert.deepEqual(
    [
      plan(['r1', 'z1'], state),
      plan(['r1'], state),
      plan(['r1', 'y1'], state),
      plan(['r1', 'z1'], withPort(['198.18.5.0/31'], { operUp: false })),
      plan(['r1', 'z1'], withPort(['192.0.2.1/24'])),
      plan(['r1', 'z1'], state, { has: (node) => node === 'r1' }),
    ],
    [1, 0, 0, 0, 0, 0],
  );
});

test('the far end of a subnet of two is its other address; larger subnets have none', () => {
  assert.deepEqual(farAddresses(withPort(['198.18.5.1/31', '198.18.6.2/30', '198.18.7.1/29']), 'eth9'), [
    '198.18.5.0',
    '198.18.6.1',
  ]);
  assert.deepEqual(farAddresses(withPort(['198.18.5.1/31']), 'eth8'), []);
});
