// Full-size probes: as large as the smallest MTU that the ends of a path's links say, and over each hop where some were lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hopFullSize, mtusAlong, packetBytes, pathClasses } from '#measure/path/full-size.ts';
import { fullSizeAgain, planStretches } from '#measure/path/path-measurement.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import type { States } from '#measure/states.ts';
import type { Intent } from '#model/intent.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { stateOf } from '../../correlate/scope-scene.ts';
import { scopeOf } from '../scope.ts';

type Change = (state: NodeState) => NodeState;
const withoutSids = (state: NodeState): NodeState => ({ ...state, inventory: { ...state.inventory, sids: [] } });
const ofFamily =
  (family: 4 | 6) =>
  (state: NodeState): NodeState => {
    const isOf = (address: string) => address.includes(':') === (family === 6);
    const { interfaces, loopbacks } = state.inventory;
    const kept = interfaces.map((entry) => ({ ...entry, addresses: entry.addresses.filter(isOf) }));
    return { ...state, inventory: { ...state.inventory, interfaces: kept, loopbacks: loopbacks.filter(isOf) } };
  };
const withMtu =
  (node: string, ifname: string, mtu: number) =>
  (state: NodeState): NodeState => {
    const interfaces = state.inventory.interfaces.map((entry) =>
      state.inventory.node === node && entry.name === ifname ? { ...entry, mtu } : entry,
    );
    return { ...state, inventory: { ...state.inventory, interfaces } };
  };
const statesWith = (...changes: readonly Change[]): States =>
  new Map(
    ([1, 2, 3] as const).map((number) => [
      `r${number}`,
      changes.reduce((state, change) => change(state), stateOf(number) as NodeState),
    ]),
  );
const INTENT: Intent = {
  ...{ kind: 'path-loss', text: '', encapsulation: 'ip' },
  path: ['r1', 'r2', 'r3'].map((as) => ({ as, key: as })),
};
const fullIn = (states: States) =>
  planStretches(scopeOf(states, { intent: INTENT })).filter(({ purpose }) => purpose.kind === 'path-full');

test('full-size probes along a path are as large as the smallest MTU of its links, headers included', () => {
  const sizes = (...changes: readonly Change[]) =>
    fullIn(statesWith(...changes)).map(({ arguments: args }) => [args['payloadBytes'], packetBytes(args)]);
  assert.deepEqual(sizes(ofFamily(4), withoutSids), [[1_472, 1_500]]);
  assert.deepEqual(sizes(ofFamily(6), withoutSids), [[1_452, 1_500]]);
  // Two SIDs: an outer IPv6 header and a routing header of 40 octets.
  assert.deepEqual(sizes(ofFamily(6)), [[1_372, 1_500]]);
  const tunnel = [withMtu('r2', 'eth2', 1_400), withMtu('r3', 'eth1', 1_400)] as const;
  assert.deepEqual(sizes(ofFamily(4), withoutSids, ...tunnel), [[1_372, 1_400]]);
  assert.deepEqual(sizes(ofFamily(4), withoutSids, tunnel[1]), [[1_372, 1_400]], 'one end alone says so');
  assert.deepEqual(sizes(ofFamily(4), withoutSids, withMtu('r2', 'eth2', 0)), []);
});

test('they are few and slow, and go the way that the small ones go', () => {
  const states = statesWith();
  const calls = planStretches(scopeOf(states, { intent: INTENT }));
  const [whole, full] = [calls[0]!, fullIn(states)[0]!];
  const { Count: count, intervalMs, payloadBytes, ...way } = full.arguments;
  assert.deepEqual([count, intervalMs], [48, 20]);
  assert.equal(Number(payloadBytes) > Number(whole.arguments['payloadBytes']), true);
  const { Count: _count, intervalMs: _interval, payloadBytes: _payload, ...same } = whole.arguments;
  assert.deepEqual(way, same);
  assert.deepEqual([full.node, full.phase, full.timeoutMs], ['r1', 'probe', whole.timeoutMs]);
});

test('those that a limiter of an end may have taken are sent again, half as fast', () => {
  const scope = scopeOf(statesWith(), { intent: INTENT });
  const again = (limited: readonly { readonly from: string; readonly to: string }[]) =>
    fullSizeAgain.rounds.followUp!(scope, { limited } as unknown as Parameters<
      NonNullable<typeof fullSizeAgain.rounds.followUp>
    >[1]);
  const [first] = fullIn(scope.states);
  const purpose = { kind: 'path-full-again', from: 'r1', to: 'r3' };
  const [call, ...others] = again([{ from: 'r1', to: 'r3' }]);
  assert.deepEqual([call?.purpose, others], [purpose, []]);
  assert.deepEqual(call?.arguments, { ...first!.arguments, intervalMs: 40 });
  assert.deepEqual(again([]), []);
  assert.deepEqual(again([{ from: 'r1', to: 'r2' }]), [], 'of another stretch');
});

test('a hop in doubt is sent probes of full size from both ends in both IP versions, and echoes of both sizes', () => {
  const states = statesWith();
  const [link] = scopeLinks(states);
  const classes = (['icmp', 'large-icmp'] as const).map((traffic) => ({ link: link!, traffic }));
  const scope = scopeOf(states, { intent: INTENT });
  const doubts = { classes } as unknown as Parameters<NonNullable<typeof hopFullSize.rounds.confirmation>>[1];
  const probes = hopFullSize.rounds.confirmation?.(scope, doubts) ?? [];
  assert.deepEqual(
    probes.map(({ id, arguments: args, phase }) => [id, args['source'], args['destination'], packetBytes(args), phase]),
    [
      ['deepen/r1:eth2/r2:eth1/full/ipv4', '198.18.1.0', '198.18.1.1', 1_500, 'deepen'],
      ['deepen/r1:eth2/r2:eth1/full/ipv6', 'fd00:1:1::', 'fd00:1:1::1', 1_500, 'deepen'],
      ['deepen/r2:eth1/r1:eth2/full/ipv4', '198.18.1.1', '198.18.1.0', 1_500, 'deepen'],
      ['deepen/r2:eth1/r1:eth2/full/ipv6', 'fd00:1:1::1', 'fd00:1:1::', 1_500, 'deepen'],
    ],
  );
  const echoes = pathClasses.rounds.confirmation?.(scope, doubts) ?? [];
  assert.deepEqual(
    echoes.map(({ node, arguments: args }) => [node, args['traffic'], args['packetBytes']]),
    [
      ['r1', 'icmp', undefined],
      ['r2', 'icmp', undefined],
      ['r1', 'large-icmp', 1_500],
      ['r2', 'large-icmp', 1_500],
    ],
  );
});

test('of parallel links of a hop the smallest MTU is tested, and the largest is what the hop may carry', () => {
  const states = [1, 2].map((number) => ({ node: `r${number}`, state: stateOf(number as 1 | 2) as NodeState }));
  assert.deepEqual(mtusAlong(states), { least: 1_500, most: 1_500 });
  const both = states.map(({ node, state }) => {
    const own = node === 'r1' ? 'eth2' : 'eth1';
    const interfaces = state.inventory.interfaces.flatMap((entry) =>
      entry.name === own
        ? [entry, { ...entry, name: 'eth8', mtu: 1_400, addresses: [`198.18.8.${node === 'r1' ? 0 : 1}/31`] }]
        : [entry],
    );
    const neighbours = state.neighbours.flatMap((row) =>
      row.ifname === own ? [row, { ...row, ifname: 'eth8', portId: 'eth8' }] : [row],
    );
    return { node, state: { ...state, neighbours, inventory: { ...state.inventory, interfaces } } };
  });
  assert.deepEqual(mtusAlong(both), { least: 1_400, most: 1_500 });
  assert.deepEqual(mtusAlong([states[0]!, { node: 'r3', state: stateOf(3) as NodeState }]), { least: 0, most: 0 });
});
