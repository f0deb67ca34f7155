// Nodes that routing has lost are asked through neighbours that still hear them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callFor } from '#measure/call.ts';
import { planRelays, relaysFor, throughRelays } from '#measure/relays.ts';
import { stateOf } from '../correlate/scope-scene.ts';

const STATES = new Map([
  ['r1', stateOf(1)],
  ['r3', stateOf(3)],
]);

test('every neighbour that hears a node on a port that is up can ask for it, at most two of them', () => {
  assert.deepEqual([...relaysFor(['r2', 'r9'], STATES)], [['r2', ['r1', 'r3']]]);
  const { inventory, ...rest } = stateOf(1);
  const interfaces = inventory.interfaces.map((entry) => ({ ...entry, operUp: entry.name !== 'eth2' }));
  const down = new Map([...STATES, ['r1', { ...rest, inventory: { ...inventory, interfaces } }] as const]);
  assert.deepEqual([...relaysFor(['r2'], down)], [['r2', ['r3']]]);
  assert.deepEqual([...relaysFor(['r2'], STATES, (_, witness) => witness !== 'r1')], [['r2', ['r3']]]);
});

test('each of them is asked for its state', () => {
  assert.deepEqual(
    planRelays('before', new Map([['r2', ['r1', 'r3']]])).map(({ id, node, arguments: args }) => [id, node, args]),
    [
      ['before/r1/parley-relay/r2', 'r1', { node: 'r2' }],
      ['before/r3/parley-relay/r2', 'r3', { node: 'r2' }],
    ],
  );
});

test('of what was planned for such a node only host scans are asked, through each of them', () => {
  const scan = callFor('r2', { kind: 'host-scan', aim: 'search' }, { ports: [] }, 1);
  const lookup = callFor('r2', { kind: 'lookups', part: 1, round: 'first' }, {}, 1);
  const own = callFor('r1', { kind: 'lookups', part: 1, round: 'first' }, {}, 1);
  const asked = throughRelays([scan, lookup, own], new Map([['r2', ['r1', 'r3']]]));
  assert.deepEqual(
    asked.map(({ id, arguments: args }) => [id, args]),
    [
      ['deepen/r1/parley-relay/r2/parley-host-scan/search', { node: 'r2', hosts: { ports: [] } }],
      ['deepen/r3/parley-relay/r2/parley-host-scan/search', { node: 'r2', hosts: { ports: [] } }],
      ['probe/r1/parley-lookups', {}],
    ],
  );
});
