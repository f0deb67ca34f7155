// Rules that spoilt or unmarked what a node forwarded, and are gone: named by what they counted; rules that met nothing, stay, or do no
// harm accuse nobody.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { sceneOf } from '../scope-scene.ts';

const rule = (hook: string, rewrite: string, change: Partial<FilterRule> = {}): FilterRule => ({
  ...{ family: 'inet', table: 'z', chain: hook, path: [hook], hook, handle: 2, verdict: 'other' as const },
  ...{ outInterfaces: [], inInterfaces: [], packets: '9', rewrites: [rewrite] },
  ...change,
});

/** r1 had `then` 40 to 20 seconds ago and has `now`. */
function found(then: readonly FilterRule[], now: readonly FilterRule[] = [], sinceMs: number | null = 120_000) {
  const r1 = (state: NodeState): NodeState => ({
    ...state,
    filters: now,
    past: [{ fromAgoMs: 40_000, untilAgoMs: 20_000, state: { ...state, filters: then } }],
  });
  const input = sceneOf({ states: { r1 } });
  const intent = sinceMs === null ? input.intent : { ...input.intent, sinceMs };
  return diagnose({ ...input, intent }).findings.map(({ fault, resource, confidence, details }) => [
    ...[fault, resource, confidence],
    ...[details['over'], details['agoSeconds']],
  ]);
}

const SPOILS = rule('forward', 'udp checksum = 57005');

test('a rule that wrote checksums of its own into packets, and is gone, is named with its node', () => {
  assert.deepEqual(found([SPOILS]), [['device_forwarding_packet_corruption', 'node/r1', 'likely', true, 20]]);
  assert.deepEqual(found([SPOILS], [], 10_000), []);
  assert.deepEqual(found([SPOILS], [], null), []);
});

test('one that met no packet, counts none, is there still, or writes that there is no checksum did no harm that is known', () => {
  assert.deepEqual(found([{ ...SPOILS, packets: '0' }]), []);
  const { packets: _packets, ...uncounted } = SPOILS;
  assert.deepEqual(found([uncounted]), []);
  assert.deepEqual(found([SPOILS], [{ ...SPOILS, handle: 7 }]), []);
  assert.deepEqual(found([rule('forward', 'udp checksum = 0')]), []);
  assert.deepEqual(found([rule('input', 'udp checksum = 57005')]), []);
});

test('a priority mark that was changed between routers is named with its interface; towards hosts it is everyday work', () => {
  const remarks = (ifname: string, text = 'ip6 dscp ef = cs0') => rule('egress', text, { outInterfaces: [ifname] });
  assert.deepEqual(found([remarks('eth2')]), [['dscp_remarking', 'interface/r1/eth2', 'likely', true, 20]]);
  assert.deepEqual(found([remarks('eth3')]), []);
  assert.deepEqual(found([remarks('eth2', 'ip dscp = ef')]), []);
});

test('what was there in several states is over since the last of them', () => {
  const r1 = (state: NodeState): NodeState => ({
    ...state,
    filters: [],
    past: [
      { fromAgoMs: 40_000, untilAgoMs: 20_000, state: { ...state, filters: [{ ...SPOILS, packets: '90' }] } },
      { fromAgoMs: 100_000, untilAgoMs: 60_000, state: { ...state, filters: [SPOILS] } },
    ],
  });
  const input = sceneOf({ states: { r1 } });
  const { findings } = diagnose({ ...input, intent: { ...input.intent, sinceMs: 120_000 } });
  assert.deepEqual(
    findings.map(({ details }) => [details['agoSeconds'], details['packets']]),
    [[20, 90]],
  );
});
