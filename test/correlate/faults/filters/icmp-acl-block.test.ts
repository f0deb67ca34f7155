// Filters that drop ICMP for everybody; and filters that do their job.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { dropping, named, sceneOf } from '../../scope-scene.ts';
import { ICMP, SILENT_ECHO } from '../../service-scene.ts';

test('a router that drops ICMP for everybody is named, when echoes die there', () => {
  assert.deepEqual(named({ states: { r2: dropping(ICMP) }, serviceProbes: SILENT_ECHO }), ['icmp_acl_block node/r2']);
  assert.deepEqual(named({ states: { r3: dropping(ICMP) }, serviceProbes: SILENT_ECHO }), ['icmp_acl_block node/r3']);
});

test('what it dropped, and what is to be let through, are told', () => {
  const [finding] = diagnose(sceneOf({ states: { r2: dropping(ICMP) }, serviceProbes: SILENT_ECHO })).findings;
  assert.deepEqual(
    [finding?.confidence, finding?.details['droppedPackets'], finding?.details['rules']],
    ['certain', 12, ['network ip, protocol icmp']],
  );
  assert.deepEqual(finding?.remedy, { node: 'r2', summary: 'let ICMP through on r2' });
});

test('a host that does not answer is no finding where no filter took anything', () => {
  assert.deepEqual(named({ serviceProbes: SILENT_ECHO }), []);
  assert.deepEqual(named({ states: { r2: dropping(ICMP, 'forward', 0) }, serviceProbes: SILENT_ECHO }), []);
});

test('a filter that is bound to interfaces is met only by what crosses them', () => {
  const bound =
    (...inInterfaces: readonly string[]) =>
    (state: NodeState, phase: 'before' | 'after'): NodeState => {
      const filtered = dropping(ICMP)(state, phase);
      return { ...filtered, filters: filtered.filters.map((rule) => ({ ...rule, inInterfaces })) };
    };
  assert.deepEqual(named({ states: { r2: bound('eth7') }, serviceProbes: SILENT_ECHO }), []);
  assert.deepEqual(named({ states: { r2: bound('eth1') }, serviceProbes: SILENT_ECHO }), ['icmp_acl_block node/r2']);
});

test('a filter that most nodes have is meant', () => {
  const states = { r1: dropping(ICMP), r2: dropping(ICMP), r3: dropping(ICMP) };
  assert.deepEqual(named({ states, serviceProbes: SILENT_ECHO }), []);
});

test('a rule for what is addressed to its own node, which limits or always stood, accuses no node; one that has come does', () => {
  const rule =
    (more: object, stood: boolean) =>
    (state: NodeState, phase: 'before' | 'after'): NodeState => {
      const now = dropping(ICMP, 'input')(state, phase);
      const filters = now.filters.map((each) => ({ ...each, ...more }));
      const { past: _, ...bare } = now;
      const then = { state: { ...bare, filters: stood ? filters : [] }, fromAgoMs: 90_000, untilAgoMs: 30_000 };
      return { ...now, filters, past: [then] };
    };
  const limit = { matchesRest: true, unread: ['limit rate over 20/second'] };
  const accused = (more: object, stood: boolean) =>
    named({ states: { r1: rule(more, stood) }, serviceProbes: SILENT_ECHO });
  assert.deepEqual(accused(limit, true), []);
  assert.deepEqual(accused({}, true), []);
  assert.deepEqual(accused({}, false), ['icmp_acl_block node/r1']);
});
