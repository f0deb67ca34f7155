// Names of a lab: namespaces, ports, prefixes; and which cable a text means.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultPrefix, findCable, namespacesOf, planLab } from '../../simulations/lab/plan.ts';
import { loadTopology } from '../../simulations/lab/topology.ts';

const FILE = join(import.meta.dirname, '../../simulations/topologies/srv6-three.clab.yml');

async function plan() {
  const topology = await loadTopology(FILE);
  assert.ok(topology.ok);
  return planLab(topology.value, {
    name: 'three',
    prefix: 'lb-x-',
    status: 'running',
    owner: { pid: 1, startTicks: '1' },
    timers: 'fast',
    agents: 'real',
    seed: 7,
    folder: '/labs/three.d',
  });
}

test('every namespace carries the prefix, cables are numbered, ports say nothing', async () => {
  const lab = await plan();
  assert.deepEqual(namespacesOf(lab), ['lb-x-pe1', 'lb-x-p2', 'lb-x-pe3', 'lb-x-c1', 'lb-x-c2']);
  assert.deepEqual([lab.cables[0]?.portA, lab.cables[0]?.portB], ['port0', 'port1']);
});

test('a node that is called like a cable keeps its name, and cables get another one', async () => {
  const lab = await plan();
  const topology = await loadTopology(FILE);
  assert.ok(topology.ok);
  const nodes = topology.value.nodes.map((node, index) => ({ ...node, name: ['c1', 'k', 'pe3'][index]! }));
  const named = planLab({ ...topology.value, nodes }, { ...lab, status: 'running', agents: 'real' });
  assert.deepEqual(namespacesOf(named), ['lb-x-c1', 'lb-x-k', 'lb-x-pe3', 'lb-x-k1', 'lb-x-k2']);
});

test('no two nodes of a lab share a user id', async () => {
  assert.deepEqual(
    (await plan()).nodes.map((node) => [node.uid, node.folder]),
    [
      [61_001, '/labs/three.d/pe1'],
      [61_002, '/labs/three.d/p2'],
      [61_003, '/labs/three.d/pe3'],
    ],
  );
});

test('a cable is found under both orders of its ends, with the ports in the order of the text', async () => {
  const lab = await plan();
  const one = findCable(lab, 'pe1:eth1--p2:eth1');
  assert.deepEqual([one?.cable.namespace, one?.portOfFirst, one?.portOfSecond], ['lb-x-c1', 'port0', 'port1']);
  const other = findCable(lab, 'pe3:eth1--p2:eth2');
  assert.deepEqual([other?.cable.namespace, other?.portOfFirst, other?.portOfSecond], ['lb-x-c2', 'port1', 'port0']);
  assert.equal(findCable(lab, 'pe1:eth1--p2:eth2'), undefined);
});

test('a default prefix has at most nine characters', () => {
  assert.equal(defaultPrefix('srv6-three', '1f3a'), 'srv61f3a-');
  assert.equal(defaultPrefix('x', 'abcdef'), 'xabcd-');
});
