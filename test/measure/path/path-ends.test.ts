// Between which addresses a plain path is probed as a whole: what its two ends have routes to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathEndsOf, planPathEnds } from '#measure/path/path-ends.ts';
import type { States } from '#measure/states.ts';
import type { Evidence } from '#model/evidence.ts';
import type { NodeState } from '#model/router/router-port.ts';

function stateOf(loopback: string, network: string, sids: readonly object[] = []): NodeState {
  const port = { kind: 'physical', adminUp: true, operUp: true };
  const interfaces = [
    { ...port, name: 'lo', kind: 'loopback', addresses: [`${loopback}/32`] },
    { ...port, name: 'eth9', addresses: [`${network}/25`] },
  ];
  return {
    inventory: { interfaces, loopbacks: [loopback], sids },
    neighbours: [],
    adjacencies: [],
  } as unknown as NodeState;
}

const STATES: States = new Map([
  ['r1', stateOf('192.0.2.1', '203.0.113.1')],
  ['r2', stateOf('192.0.2.2', '198.51.100.1')],
  ['r3', stateOf('192.0.2.3', '203.0.113.129')],
]);
const NODES = [...STATES.keys()];

const told = (node: string, routes: Readonly<Record<string, object>>): Evidence => {
  const answers = Object.entries(routes).map(([destination, how]) => ({ destination, kind: 'unicast', ...how }));
  const request = { method: 'tools/call', params: { name: 'parley-lookups', arguments: {} } };
  const purpose = { kind: 'path-lookup', destination: answers[0]!.destination };
  return {
    id: node,
    node,
    kind: 'lookups',
    phase: 'before',
    purpose,
    request,
    body: { answers },
  } as unknown as Evidence;
};
const none = { kind: 'none' };

test('each end looks up what the other has', () => {
  assert.deepEqual(
    planPathEnds(NODES, STATES).map(({ node, arguments: args }) => [node, args['destinations']]),
    [
      ['r1', ['192.0.2.3', '203.0.113.129']],
      ['r3', ['192.0.2.1', '203.0.113.1']],
    ],
  );
});

test('nothing is looked up for two neighbours, where a node gave no state, and where SIDs lead along the path', () => {
  assert.deepEqual(planPathEnds(['r1', 'r2'], STATES), []);
  assert.deepEqual(planPathEnds(['r1', 'r2', 'r9'], STATES), []);
  const steered: States = new Map([
    ['r1', stateOf('192.0.2.1', '203.0.113.1')],
    ['r2', stateOf('192.0.2.2', '198.51.100.1', [{ sid: 'fd00:5a:2::e', behavior: 'End' }])],
    ['r3', stateOf('192.0.2.3', '203.0.113.129', [{ sid: 'fd00:5a:3::d6', behavior: 'End.DT6' }])],
  ]);
  assert.deepEqual(planPathEnds(NODES, steered), []);
});

test('loopbacks that both have routes to come first, then networks of hosts, then what default routes lead to', () => {
  const ends = (atHead: Readonly<Record<string, object>>, atTail: Readonly<Record<string, object>>) =>
    pathEndsOf(NODES, STATES, [told('r1', atHead), told('r3', atTail)]);
  const all = { '192.0.2.3': {}, '203.0.113.129': {} };
  assert.deepEqual(ends(all, { '192.0.2.1': {}, '203.0.113.1': {} }), ['192.0.2.1', '192.0.2.3']);
  assert.deepEqual(ends({ ...all, '192.0.2.3': none }, { '192.0.2.1': none, '203.0.113.1': {} }), [
    '203.0.113.1',
    '203.0.113.129',
  ]);
  const byDefault = { matched: 'default' };
  assert.deepEqual(ends({ '192.0.2.3': byDefault }, { '192.0.2.1': {} }), ['192.0.2.1', '192.0.2.3']);
  assert.equal(ends({ '192.0.2.3': none }, { '192.0.2.1': {} }), undefined);
});
