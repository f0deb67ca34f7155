// Costs and neighbours of OSPFv3 among the settings of a node, beside those of OSPFv2.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '#model/router/router-port.ts';
import { changesBetween } from '#model/settings/changes.ts';

const UP_MS = 3_600_000;
const row = (cost: number, ...neighbours: readonly string[]) => ({
  ...{ ifname: 'eth1', area: '0.0.0.0', network: 'POINTOPOINT', passive: false, cost },
  neighbours: neighbours.map((routerId) => ({ routerId, address: 'fe80::2', state: 'Full' })),
});
const stateOf = (ospf6: readonly object[] | undefined, change: object = {}): NodeState =>
  ({
    inventory: {
      ...{ node: 'r1', system: { kernel: '', routing: '' } },
      interfaces: [{ name: 'eth1', mtu: 1_500, adminUp: true, operUp: true, addresses: [], kind: 'physical' }],
    },
    ...{ neighbours: [], adjacencies: [], filters: [], missing: [], ospf: [row(10, '192.0.2.2')] },
    daemons: ['zebra', 'ospfd', 'ospf6d'].map((name) => ({ name, alive: true, upMs: UP_MS })),
    ...(ospf6 === undefined ? {} : { ospf6 }),
    ...change,
  }) as unknown as NodeState;

test('a cost and a neighbour of OSPFv3 that change are told as its own', () => {
  const before = stateOf([row(10, '192.0.2.2')]);
  assert.deepEqual(changesBetween(before, stateOf([row(7, '192.0.2.2')])), [
    { kind: 'metric', subject: 'eth1', setting: 'ospf6', was: '10', is: '7' },
  ]);
  assert.deepEqual(changesBetween(before, stateOf([row(10)])), [
    { kind: 'neighbour', subject: 'eth1', setting: 'ospf6', was: '192.0.2.2' },
  ]);
});

test('what could not be read has not changed', () => {
  const unread = stateOf(undefined, { missing: [{ part: 'ospf6', reason: 'silent' }] });
  assert.deepEqual(changesBetween(stateOf([row(10, '192.0.2.2')]), unread), []);
});
