// Who tries services: only where a filter could drop them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planServiceProbes } from '#measure/hosts/filtered-services.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { dropping, stateOf } from '../../correlate/scope-scene.ts';

const states = (change: Readonly<Record<string, (state: NodeState) => NodeState>> = {}) =>
  new Map(
    [1, 2, 3].map((number) => {
      const state = stateOf(number as 1 | 2 | 3);
      return [`r${number}`, change[`r${number}`]?.(state) ?? state] as const;
    }),
  );

test('services are tried only where a filter may drop them', () => {
  assert.deepEqual(planServiceProbes(states()), []);
  const telnet = dropping([
    { field: 'protocol', values: ['tcp'] },
    { field: 'destination-port', values: ['23'] },
  ]);
  assert.deepEqual(planServiceProbes(states({ r2: (state) => telnet(state, 'before') })), []);
  const http = dropping([
    { field: 'protocol', values: ['tcp'] },
    { field: 'destination-port', values: ['80'] },
  ]);
  const calls = planServiceProbes(states({ r2: (state) => http(state, 'before') }));
  assert.deepEqual(
    calls.map((call) => call.node),
    ['r1', 'r3'],
  );
  const serviceProbes = calls[0]!.arguments['serviceProbes'] as readonly {
    readonly service: string;
    readonly destination: string;
  }[];
  assert.deepEqual(
    serviceProbes.map(({ service, destination }) => `${service} ${destination}`),
    ['tcp 198.19.3.10', 'tcp 198.19.255.3'],
  );
});

test('hosts of IPv6 are tried by routers around the one that may drop it, and its own router tells whether they are there', () => {
  const http = dropping([
    { field: 'protocol', values: ['tcp'] },
    { field: 'destination-port', values: ['80'] },
  ]);
  const serving = (state: NodeState): NodeState => {
    const [, ...ports] = state.inventory.interfaces;
    const lan = ports.find(({ addresses }) => addresses.some((each) => each.startsWith('198.19.3.')))!;
    const on = { ...lan, addresses: [...lan.addresses, '2001:db8:3::1/64'] };
    const interfaces = state.inventory.interfaces.map((each) => (each === lan ? on : each));
    const services = ['2001:db8:3::10', '2001:db8:9::10'].map((address) => ({
      ...{ address, ifname: lan.name, service: 'tcp' as const, port: 80, agoMs: 1_000 },
    }));
    const history = { ...state.history!, hosts: [], services };
    const neighbourTable = [{ address: '2001:db8:3::20', ifname: lan.name, mac: '02:00:00:00:00:20', state: 'STALE' }];
    return { ...http(state, 'before'), inventory: { ...state.inventory, interfaces }, history, neighbourTable };
  };
  const tried = planServiceProbes(states({ r3: serving })).flatMap(({ node, arguments: { serviceProbes }, purpose }) =>
    (serviceProbes as readonly { readonly destination: string; readonly service: string }[]).flatMap(
      ({ destination, service }) =>
        destination.includes(':') ? [[node, destination, service, 'family' in purpose && purpose.family]] : [],
    ),
  );
  assert.deepEqual(tried, [
    ['r2', '2001:db8:3::10', 'tcp', 6],
    ['r2', '2001:db8:3::20', 'tcp', 6],
    ['r1', '2001:db8:3::10', 'tcp', 6],
    ['r1', '2001:db8:3::20', 'tcp', 6],
    ['r3', '2001:db8:3::10', 'echo', 6],
    ['r3', '2001:db8:3::20', 'echo', 6],
  ]);
});
