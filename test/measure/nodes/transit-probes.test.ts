// Probes that meet what a node's rules do to packets, and only where such rules are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planCrossings } from '#measure/nodes/transit-probes.ts';
import { dscpOf, remarkOf } from '#model/router/filter-rewrites.ts';
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
  assert.deepEqual(planCrossings(statesWith(rule('forward', []), rule('egress', ['ip dscp = cs0'], ['eth2']))), []);
});

test('a rule that changes a mark is met by probes with that mark over its interface', () => {
  const [call, ...rest] = planCrossings(statesWith(rule('egress', ['ip6 dscp ef = af11'], ['eth2', 'eth9'])));
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [call?.id, call?.node, call?.arguments['destination'], call?.arguments['trafficClass']],
    ['probe/r2:eth2/r3:eth1/marked/46', 'r2', 'fd00:1:2::1', 184],
  );
});

test('a rule that overwrites checksums is met by probes from one neighbour to another', () => {
  const [call, ...rest] = planCrossings(statesWith(rule('forward', ['udp checksum = 57005'])));
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [call?.id, call?.node, call?.arguments['source'], call?.arguments['destination']],
    ['probe/r1/cross/r2/r3:eth1', 'r1', 'fd00:1:1::', 'fd00:1:2::1'],
  );
  assert.deepEqual(planCrossings(statesWith(rule('output', ['udp checksum = 0']))), []);
});

test('marks by their names', () => {
  assert.deepEqual(['ef', 'af11', 'af43', 'cs0', 'cs6', '46', 'le', 'xy'].map(dscpOf), [
    ...[46, 10, 38, 0, 48, 46, 1],
    undefined,
  ]);
  assert.deepEqual(remarkOf('ip6 dscp ef = cs0'), { was: 'ef', becomes: 'cs0' });
  assert.equal(remarkOf('ip dscp = cs0'), undefined);
  assert.equal(remarkOf('ip6 dscp ef = 46'), undefined);
});
