// Probes between the networks of hosts behind the two ends of a path, from the ends' own addresses there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkReach, planNetworkReach } from '#measure/path/network-reach.ts';
import type { States } from '#measure/states.ts';
import { stateOf } from '../../correlate/scope-scene.ts';
import { scopeOf } from '../scope.ts';

const STATES: States = new Map(([1, 2, 3] as const).map((number) => [`r${number}`, stateOf(number)]));

test('each end of a path probes the networks of the other from its own, in each IP version', () => {
  const rows = planNetworkReach(scopeOf(STATES)).map(({ node, purpose, arguments: args }) => [
    node,
    'sender' in purpose && purpose.sender,
    ...[args['sources'], args['destinations'], args['count']],
  ]);
  assert.deepEqual(rows, [
    ['r1', '198.19.1.1', ['198.19.1.1'], ['198.19.3.1'], 5],
    ['r1', 'fd00:c:1::1', ['fd00:c:1::1'], ['fd00:c:3::1'], 5],
    ['r3', '198.19.3.1', ['198.19.3.1'], ['198.19.1.1'], 5],
    ['r3', 'fd00:c:3::1', ['fd00:c:3::1'], ['fd00:c:1::1'], 5],
  ]);
});

test('of more networks than are probed, those of the ports over which most came are the first', () => {
  const state = stateOf(1);
  const { interfaces } = state.inventory;
  const last = interfaces.at(-1)!;
  const more = [5, 6, 7, 8].map((at) => ({
    ...last,
    ...{ name: `vlan${at}`, addresses: [`198.19.1${at}.1/24`] },
    counters: { ...last.counters, rxPackets: '9'.repeat(at) },
  }));
  const wide = { ...state, inventory: { ...state.inventory, interfaces: [...interfaces, ...more] } };
  const calls = planNetworkReach(scopeOf(new Map([...STATES, ['r1', wide]])));
  const senders = calls.map(({ node, purpose }) => (node === 'r1' && 'sender' in purpose ? purpose.sender : ''));
  assert.deepEqual(
    senders.filter((each) => each?.includes('.')),
    ['198.19.18.1', '198.19.17.1', '198.19.16.1', '198.19.15.1'],
  );
});

test('nothing is sent where an end has no network of hosts, or gave no state', () => {
  const short: States = new Map([...STATES].filter(([node]) => node !== 'r3'));
  assert.deepEqual(planNetworkReach(scopeOf(short)), []);
  assert.deepEqual(planNetworkReach(scopeOf(short, { nodes: ['r1', 'r2', 'r3'] })), []);
  assert.deepEqual(planNetworkReach(scopeOf(STATES, { nodes: ['r1'] })), []);
});

test('what lost some is probed again from the same address, with many more', () => {
  const networks = [
    { from: 'r1', sender: '198.19.1.1', destination: '198.19.3.1' },
    { from: 'r1', sender: '198.19.1.1', destination: '198.19.4.1' },
    ...[5, 6, 7, 8].map((each) => ({ from: 'r1', sender: `198.19.${each}.1`, destination: '198.19.3.1' })),
  ];
  const doubts = { networks } as unknown as Parameters<NonNullable<typeof networkReach.rounds.followUp>>[1];
  const calls = networkReach.rounds.followUp?.(scopeOf(STATES), doubts) ?? [];
  assert.deepEqual(
    calls.map(({ purpose, arguments: args }) => ['round' in purpose && purpose.round, args['sources'], args['count']]),
    ['198.19.1.1', '198.19.5.1', '198.19.6.1', '198.19.7.1'].map((sender) => ['confirmation', [sender], 100]),
  );
  assert.deepEqual(calls[0]?.arguments['destinations'], ['198.19.3.1', '198.19.4.1']);
});

test('as many addresses of each family are looked at again as were looked at first', () => {
  const networks = Array.from({ length: 10 }, (_, at) =>
    at < 5
      ? { from: 'r1', sender: `198.19.${at}.1`, destination: '198.19.9.1' }
      : { from: 'r1', sender: `fd00::${at}`, destination: 'fd00::99' },
  );
  const again = networkReach.rounds.followUp?.({} as never, { networks } as never) ?? [];
  assert.equal(again.length, 8);
});
