// Hosts that routers remember, without those addresses that a node has itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostsOf, hostsOn, loopback4 } from '#measure/hosts/known-hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { HOST1, stateOf } from '../../correlate/scope-scene.ts';

const STATES: ReadonlyMap<string, NodeState> = new Map(
  [1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const),
);

test('a host is what was heard in a network of the port, and is no node', () => {
  const state = stateOf(1);
  const hosts = [
    ...state.history!.hosts!,
    ...['198.19.1.1', '198.19.255.3', '198.51.100.7'].map((address) => ({ ifname: 'eth3', address, mac: HOST1.mac })),
  ];
  const heard: NodeState = { ...state, history: { ...state.history!, hosts } };
  const entry = heard.inventory.interfaces.find(({ name }) => name === 'eth3')!;
  const states = new Map([...STATES, ['r1', heard] as const]);
  assert.deepEqual(hostsOn(states, heard, entry), [HOST1.address]);
  assert.deepEqual(hostsOf(states, 'r1'), [HOST1.address]);
  assert.deepEqual([hostsOf(states, 'r2'), hostsOf(states, 'r9')], [[], []]);
});

test('few hosts of one router are tried', () => {
  const state = stateOf(1);
  const hosts = Array.from({ length: 9 }, (_, host) => ({
    ...HOST1,
    ifname: 'eth3',
    address: `198.19.1.${host + 20}`,
  }));
  const states = new Map([...STATES, ['r1', { ...state, history: { ...state.history!, hosts } }] as const]);
  assert.equal(hostsOf(states, 'r1').length, 4);
});

test('echoes come from the IPv4 loopback', () => {
  assert.deepEqual([loopback4(STATES, 'r1'), loopback4(STATES, 'r9')], [['198.19.255.1'], []]);
});

test('a server of which the node has a fixed entry, and learns none, is a host where it was seen to serve', () => {
  const state = stateOf(1);
  const served = { service: 'tcp', port: 80, agoMs: 9 } as const;
  const services = [
    { ...served, ifname: 'eth3', address: '198.19.1.20' },
    { ...served, ifname: 'eth2', address: '198.19.1.21' },
    { ...served, ifname: 'eth3', address: '198.19.3.10' },
  ];
  const seen = { ...state, history: { ...state.history!, hosts: [], services } };
  const entry = seen.inventory.interfaces.find(({ name }) => name === 'eth3')!;
  assert.deepEqual(hostsOn(new Map([...STATES, ['r1', seen] as const]), seen, entry), ['198.19.1.20']);
});
