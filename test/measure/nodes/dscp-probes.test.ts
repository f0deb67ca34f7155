// Probes with a DSCP that a rule changes: over links to other nodes, and towards a node that gives no state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planDscpProbes, planDscpProbesOut } from '#measure/nodes/dscp-probes.ts';
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

const ALL = ['r1', 'r2', 'r3'];
const MACS = { r1: '02:00:00:00:02:01', r3: '02:00:00:00:02:02' } as const;

/** r1 and r3 on either side of r2, which is silent. */
function around(change: Partial<NodeState> = {}): ReadonlyMap<string, NodeState> {
  const near = (number: 1 | 3, ifname: string, mac: string): NodeState => ({
    ...stateOf(number),
    neighbourTable: [{ address: 'fe80::2', ifname, mac, state: 'REACHABLE' }],
  });
  return new Map([
    ['r1', { ...near(1, 'eth2', MACS.r1), ...change }],
    ['r3', near(3, 'eth1', MACS.r3)],
  ]);
}

test('without such a rule nothing is sent', () => {
  const others = statesWith(rule('forward', []), rule('egress', ['ip dscp = cs0'], ['eth2']));
  assert.deepEqual(planDscpProbes(others), []);
});

test('a rule that changes a mark is met by probes with that mark over its interface', () => {
  const [call, ...rest] = planDscpProbes(statesWith(rule('egress', ['ip6 dscp ef = af11'], ['eth2', 'eth9'])));
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [call?.id, call?.node, call?.arguments['destination'], call?.arguments['trafficClass']],
    ['probe/r2:eth2/r3:eth1/marked/46', 'r2', 'fd00:1:2::1', 184],
  );
});

test('a rule that changes a mark on the way to it is met by marked probes', () => {
  const one = {
    ...{ family: 'inet', table: 'filter', chain: 'egress', path: ['egress'], hook: 'egress', handle: 2 },
    ...{ verdict: 'other' as const, outInterfaces: ['eth2'], inInterfaces: [], packets: '9' },
    rewrites: ['ip6 dscp ef = cs0'],
  };
  const call = planDscpProbesOut(ALL, around({ filters: [one] }), new Set())[0];
  assert.deepEqual(
    [call?.id, call?.arguments['destination'], call?.arguments['trafficClass'], call?.arguments['Count']],
    ['probe/r1:eth2/r2/marked/46', 'fd00:1:1::1', 184, 40],
  );
  // Two rules for one mark are one question; a node may list as many marks as there are.
  const every = Array.from({ length: 64 }, (_, dscp) => ({
    ...one,
    handle: dscp,
    rewrites: [`ip6 dscp ${dscp} = cs0`],
  }));
  const filters = [one, { ...one, handle: 99 }, ...every];
  const marks = planDscpProbesOut(ALL, around({ filters }), new Set()).map(({ id }) => id);
  assert.deepEqual([marks.length, new Set(marks).size], [8, 8]);
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
