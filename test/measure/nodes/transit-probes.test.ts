// Probes that meet what a node's rules do to packets, and only where such rules are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planTransitProbes } from '#measure/nodes/transit-probes.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const rule = (hook: string, rewrites: readonly string[], outInterfaces: readonly string[] = []): FilterRule => ({
  ...{ family: 'inet', table: 'filter', chain: hook, path: [hook], hook, handle: 2, verdict: 'other' as const },
  ...{ outInterfaces, inInterfaces: [], packets: '9', rewrites },
});

const statesWith = (...filters: readonly FilterRule[]): ReadonlyMap<string, NodeState> =>
  new Map([
    ['r1', stateOf(1)],
    ['r2', { ...stateOf(2), filters }],
    ['r3', stateOf(3)],
  ]);

test('without such rules nothing is sent', () => {
  const others = statesWith(rule('forward', []), rule('egress', ['ip dscp = cs0'], ['eth2']));
  assert.deepEqual(planTransitProbes(others), []);
});

test('a rule that overwrites checksums is met by probes from one neighbour to another', () => {
  const [call, ...rest] = planTransitProbes(statesWith(rule('forward', ['udp checksum = 57005'])));
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [call?.id, call?.node, call?.arguments['source'], call?.arguments['destination']],
    ['probe/r1/cross/r2/r3:eth1', 'r1', 'fd00:1:1::', 'fd00:1:2::1'],
  );
  assert.deepEqual(planTransitProbes(statesWith(rule('output', ['udp checksum = 0']))), []);
});
