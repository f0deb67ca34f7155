// Filters that hide that packets are too large.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { dropping, named, sceneOf } from '../../scope-scene.ts';
import { is } from '../../service-scene.ts';

test('messages that say that a packet is too large must pass where links differ in size', () => {
  const hiding = dropping([is('protocol', 'ipv6-icmp'), is('icmp-type', 'packet-too-big')], 'output', 0);
  const narrow = (state: NodeState, phase: 'before' | 'after'): NodeState => ({
    ...hiding(state, phase),
    inventory: {
      ...state.inventory,
      interfaces: state.inventory.interfaces.map((entry) => (entry.name === 'eth1' ? { ...entry, mtu: 1_400 } : entry)),
    },
  });
  const filters = (scene: Parameters<typeof named>[0]) => named(scene).filter((each) => each.startsWith('icmp_'));
  assert.deepEqual(filters({ states: { r2: narrow } }), ['icmp_frag_needed_filter_misconfiguration node/r2']);
  assert.deepEqual(filters({ states: { r2: hiding } }), []);
});

test('the sizes of the links, and what is to be let through, are told', () => {
  const hiding = dropping([is('protocol', 'ipv6-icmp'), is('icmp-type', 'packet-too-big')], 'output', 0);
  const narrow = (state: NodeState, phase: 'before' | 'after'): NodeState => ({
    ...hiding(state, phase),
    inventory: {
      ...state.inventory,
      interfaces: state.inventory.interfaces.map((entry) => (entry.name === 'eth1' ? { ...entry, mtu: 1_400 } : entry)),
    },
  });
  const finding = diagnose(sceneOf({ states: { r2: narrow } })).findings.find(({ fault }) => fault.startsWith('icmp_'));
  assert.deepEqual(
    ['rules', 'smallest', 'largest'].map((name) => finding?.details[name]),
    [1, 1_400, 1_500],
  );
  assert.deepEqual(finding?.remedy, {
    node: 'r2',
    summary: 'let "packet too big" and "fragmentation needed" through on r2',
  });
});
