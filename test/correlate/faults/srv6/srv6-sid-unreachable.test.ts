// srv6_sid_unreachable: one head sends to a SID that belongs to no node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { named, sceneOf } from '../../scope-scene.ts';

const SID = 'fd00:77::99';
const none = { destination: SID, kind: 'none' as const };

const steering = (state: NodeState): NodeState => ({
  ...state,
  staticRoutes: [
    ...(state.staticRoutes ?? []),
    { prefix: 'fd00:c:9::/64', kind: 'unicast', protocol: 'boot', segments: [SID] },
  ],
});

test('the head that steers there is named', () => {
  const scene = { states: { r1: steering }, lookups: { r1: [none] } };
  assert.deepEqual(named(scene), ['srv6_sid_unreachable node/r1']);
  assert.deepEqual(diagnose(sceneOf(scene)).findings[0]?.remedy, {
    node: 'r1',
    summary: 'steer fd00:c:9::/64 on r1 to a SID that exists',
  });
});

test('a SID that the head has a route to may be that of a node that was not asked', () => {
  assert.deepEqual(named({ states: { r1: steering } }), []);
});

test('where several heads steer there, none of them is accused', () => {
  const scene = { states: { r1: steering, r3: steering }, lookups: { r1: [none], r3: [none] } };
  assert.deepEqual(named(scene), []);
  assert.equal(diagnose(sceneOf(scene)).verdict.kind, 'inconclusive');
});

test('while a node does not answer, the SID may be its own', () => {
  const input = sceneOf({ states: { r1: steering }, lookups: { r1: [none] } });
  const evidence = input.evidence.filter(({ node }) => node !== 'r2');
  const { findings } = diagnose({ ...input, evidence });
  assert.deepEqual(
    findings.filter(({ fault }) => fault === 'srv6_sid_unreachable'),
    [],
  );
});

test('in a question about some nodes, the SID may be that of a node that was not asked', () => {
  const input = sceneOf({ states: { r1: steering }, lookups: { r1: [none] } });
  const { findings, verdict } = diagnose({ ...input, intent: { ...input.intent, path: [{ as: 'r1', key: 'r1' }] } });
  assert.deepEqual([findings, verdict.kind], [[], 'inconclusive']);
  assert.ok(verdict.reasons.some((reason) => /which no node that was asked has/.test(reason)));
});
