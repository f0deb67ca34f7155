// Filters against OSPF between two routers that have no adjacency; and filters against something else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { dropping, type Scene, sceneOf } from '../../scope-scene.ts';
import { is } from '../../service-scene.ts';

type Change = (state: NodeState, phase: 'before' | 'after') => NodeState;

/** OSPF on the link of r1 and r2, without a neighbour at either end. */
const alone =
  (ifname: string, then: Change = (state) => state): Change =>
  (state, phase) => ({
    ...then(state, phase),
    ospf: [{ ifname, area: '0.0.0.0', network: 'POINTOPOINT', passive: false, neighbours: [] }],
  });
const accused = (filter: Change) => {
  const states: Scene['states'] = { r1: alone('eth2'), r2: alone('eth1', filter) };
  return diagnose(sceneOf({ states })).findings.filter(({ fault }) => fault.endsWith('_acl_block'));
};

test('a router whose filter drops OSPF explains that an adjacency is missing', () => {
  const [finding, ...rest] = accused(dropping([is('protocol', 'ospf')], 'input'));
  assert.deepEqual([finding?.fault, finding?.resource, rest], ['ospf_acl_block', 'node/r2', []]);
  assert.equal(finding?.details['droppedPackets'], 12);
  assert.deepEqual(finding?.remedy, {
    node: 'r2',
    summary: 'let OSPF through on r2: remove its rule from inet filter input',
    command: 'nft delete rule inet filter input handle 4',
  });
});

test('a filter against something else, or one that dropped nothing, does not', () => {
  assert.deepEqual(accused(dropping([is('protocol', 'tcp'), is('destination-port', '80')], 'input')), []);
  assert.deepEqual(accused(dropping([is('protocol', 'ospf')], 'input', 0)), []);
  assert.deepEqual(accused(dropping([], 'input')), []);
});
