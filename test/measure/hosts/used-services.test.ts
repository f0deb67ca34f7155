// Services that hosts use, tried by their router from the address of their port.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planUsedAgain, planUsedServices } from '#measure/hosts/used-services.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { HOST1, HOST3, stateOf } from '../../correlate/scope-scene.ts';
import { DNS, served } from '../../correlate/service-scene.ts';

const asking = (state: NodeState): NodeState => ({
  ...state,
  history: {
    ...state.history!,
    heard: [{ ifname: 'eth3', what: 'dns-query', from: HOST1.address, to: HOST3.address, agoMs: 4_000 }],
  },
});
const naming = (state: NodeState): NodeState => {
  const row = { ifname: 'eth3', address: HOST3.address, service: 'udp', port: 53 } as const;
  const answered = [{ ...row, record: 'www.lab.example', okAgoMs: 1_000, times: 2 }];
  return { ...state, history: { ...state.history!, watchedHosts: { asks: [], names: [], answered } } };
};
const statesOf = (r1: NodeState, r3: NodeState) =>
  new Map([
    ['r1', r1],
    ['r2', stateOf(2)],
    ['r3', r3],
  ]);
const dns = { destination: HOST3.address, service: 'udp', port: 53 };
const echo = { destination: HOST3.address, service: 'echo' };

test('a name server that hosts were heard to ask is asked by their router, from their port, for a name that it gave', () => {
  const calls = planUsedServices(statesOf(asking(stateOf(1)), naming(served('udp', 53)(stateOf(3)))));
  assert.deepEqual(
    calls.map(({ id, arguments: args }) => [id, args]),
    [
      [
        'probe/r1/parley-service-probe/used/eth3',
        {
          alongDefault: true,
          serviceProbes: [{ ...dns, record: 'www.lab.example' }, echo],
          whole: true,
          source: '198.19.1.1',
        },
      ],
    ],
  );
});

test('a server that was not seen to serve, or that hosts did not ask, is not asked; nor from an address that two nodes have', () => {
  assert.deepEqual(planUsedServices(statesOf(asking(stateOf(1)), stateOf(3))), []);
  assert.deepEqual(planUsedServices(statesOf(stateOf(1), served('udp', 53)(stateOf(3)))), []);
  const twin = new Map([...statesOf(asking(stateOf(1)), served('udp', 53)(stateOf(3))), ['r4', stateOf(1)]]);
  assert.deepEqual(planUsedServices(twin), []);
});

test('pages are asked of web servers of other networks', () => {
  const calls = planUsedServices(statesOf(stateOf(1), served('tcp', 80)(stateOf(3))));
  assert.deepEqual(
    calls.map(({ node, arguments: args }) => [node, args['serviceProbes']]),
    [['r1', [{ destination: HOST3.address, service: 'tcp', port: 80 }, echo]]],
  );
});

test('where a rule sends questions for names elsewhere, a name server is looked for there', () => {
  const rule: FilterRule = {
    ...{ family: 'ip', table: 'nat', chain: 'pre', path: ['pre'], hook: 'prerouting', handle: 2, verdict: 'other' },
    ...{ outInterfaces: [], inInterfaces: [], matches: DNS, rewrites: ['destination = 203.0.113.99'] },
  };
  const r1 = { ...asking(stateOf(1)), filters: [rule] };
  const [call] = planUsedServices(statesOf(r1, served('udp', 53)(stateOf(3))));
  const there = { ...dns, destination: '203.0.113.99' };
  assert.deepEqual(call?.arguments['serviceProbes'], [
    dns,
    echo,
    there,
    { destination: '203.0.113.99', service: 'echo' },
  ]);
  const goalsOf = (destination: string) => {
    const sends = { ...r1, filters: [{ ...rule, rewrites: [`destination = ${destination}`] }] };
    const [call] = planUsedServices(statesOf(sends, served('udp', 53)(stateOf(3))));
    return (call!.arguments['serviceProbes'] as unknown[]).slice(2);
  };
  assert.deepEqual(goalsOf('203.0.113.99:8080')[0], { ...there, port: 8_080 });
  assert.deepEqual(goalsOf('same:8080'), [{ ...dns, port: 8_080 }], 'its echo is among the others');
  assert.deepEqual(goalsOf('203.0.113.99:5353'), [], 'no port of a well-known service');
  assert.deepEqual(goalsOf('own'), []);
});

test('what got no answer from that address is tried once more', () => {
  const states = statesOf(asking(stateOf(1)), served('udp', 53)(stateOf(3)));
  const tried = { ...dns, service: 'udp' as const, from: 'r1', sent: 2, answered: false, open: false };
  const again = planUsedAgain(states, [{ ...tried, sender: '198.19.1.1' }]);
  assert.deepEqual(
    again.map(({ id, arguments: args }) => [id.split('/')[0], args['serviceProbes']]),
    [['deepen', [dns, echo]]],
  );
  assert.deepEqual(planUsedAgain(states, [tried]), []);
  assert.deepEqual(planUsedAgain(states, [{ ...tried, sender: '198.19.1.1', answered: true, open: true }]), []);
});

test('each port whose hosts were heard asking is asked from with its own address', () => {
  const r1 = asking(stateOf(1));
  const lan = r1.inventory.interfaces.find(({ name }) => name === 'eth3')!;
  const second = { ...lan, name: 'eth4', addresses: ['198.19.4.1/24'] };
  const host = { ifname: 'eth4', address: '198.19.4.10', mac: '02:00:00:00:04:10' };
  const twoPorts = (heard: NonNullable<NodeState['history']>['heard'] & {}) => ({
    ...r1,
    inventory: { ...r1.inventory, interfaces: [...r1.inventory.interfaces, second] },
    history: { ...r1.history!, heard, hosts: [...r1.history!.hosts!, host] },
  });
  const [row] = r1.history!.heard!;
  const other = { ...row!, ifname: 'eth4', from: host.address };
  const fromOf = (heard: readonly (typeof other)[]) =>
    planUsedServices(statesOf(twoPorts(heard), served('udp', 53)(stateOf(3)))).map(({ id, arguments: args }) => [
      id.split('/').at(-1),
      args['source'],
    ]);
  assert.deepEqual(fromOf([other]), [['eth4', '198.19.4.1']]);
  assert.deepEqual(fromOf([row!, other]), [
    ['eth3', '198.19.1.1'],
    ['eth4', '198.19.4.1'],
  ]);
});

const six = { ifname: 'eth3', address: 'fd00:c:3::10', agoMs: 4_000 };
const asking6 = { ifname: 'eth3', what: 'dns-query', from: 'fd00:c:1::10', to: 'fd00:c:3::10', agoMs: 4_000 } as const;

test('over IPv6 a router asks from its address on the port, where hosts were heard to ask or stand in its table of neighbours', () => {
  const serving = (service: 'tcp' | 'udp', port: number): NodeState => {
    const state = stateOf(3);
    return { ...state, history: { ...state.history!, hosts: [], services: [{ ...six, service, port }] } };
  };
  const r1 = stateOf(1);
  const heard: NodeState = { ...r1, history: { ...r1.history!, hosts: [], heard: [asking6] } };
  const rowsOf = (one: NodeState, three: NodeState) =>
    planUsedServices(statesOf(one, three)).map(({ node, arguments: args }) => [node, args]);
  const echo6 = { destination: six.address, service: 'echo' };
  const how = { whole: true, source: 'fd00:c:1::1' };
  assert.deepEqual(rowsOf(heard, serving('udp', 53)), [
    [
      'r1',
      { alongDefault: true, serviceProbes: [{ destination: six.address, service: 'udp', port: 53 }, echo6], ...how },
    ],
  ]);
  const near: NodeState = {
    ...{ ...r1, history: { ...r1.history!, hosts: [] } },
    neighbourTable: [
      { ifname: 'eth3', address: 'fd00:c:1::10', state: 'STALE', mac: '02:00:00:00:01:10' },
      { ifname: 'eth3', address: 'fe80::10', state: 'STALE', mac: '02:00:00:00:01:10' },
    ] as unknown as NonNullable<NodeState['neighbourTable']>,
  };
  assert.deepEqual(rowsOf(near, serving('tcp', 80)), [
    [
      'r1',
      { alongDefault: true, serviceProbes: [{ destination: six.address, service: 'tcp', port: 80 }, echo6], ...how },
    ],
  ]);
  assert.deepEqual(rowsOf({ ...r1, history: { ...r1.history!, hosts: [] } }, serving('tcp', 80)), []);
});

test('a neighbour that is a router, by a route or as a BGP peer, is no user; of several ports the busiest asks for pages', () => {
  const three = stateOf(3);
  const serving = {
    ...three,
    history: { ...three.history!, hosts: [], services: [{ ...six, service: 'tcp', port: 80 } as const] },
  };
  const one = stateOf(1);
  const lan = one.inventory.interfaces.find(({ name }) => name === 'eth3')!;
  const counters = (rxPackets: string) => ({ ...lan.counters, rxPackets });
  const up = { ...lan, name: 'eth0', addresses: ['2001:db8:99::2/64'], counters: counters('10') };
  const busy = { ...lan, counters: counters('10000') };
  const near = (ifname: string, address: string, last: string) => ({
    ...{ ifname, address, state: 'REACHABLE', mac: `02:00:00:00:00:${last}` },
  });
  const provider = [near('eth0', '2001:db8:99::1', '99'), near('eth0', 'fe80::99', '99')];
  const users = [near('eth3', 'fd00:c:1::10', '10')];
  const sourcesOf = (neighbourTable: typeof users, more: Partial<NodeState> = {}) => {
    const rest = one.inventory.interfaces.filter(({ name }) => name !== 'eth3');
    const inventory = { ...one.inventory, interfaces: [up, ...rest, busy] };
    const r1 = { ...one, inventory, history: { ...one.history!, hosts: [] }, neighbourTable, ...more };
    return planUsedServices(statesOf(r1, serving)).map(({ arguments: args }) => args['source']);
  };
  assert.deepEqual(sourcesOf([...provider, ...users]), ['fd00:c:1::1'], 'the busiest');
  assert.deepEqual(sourcesOf(provider), ['2001:db8:99::2'], 'nothing says that it is a router');
  for (const nextHop of ['2001:db8:99::1', 'fe80::99'])
    assert.deepEqual(
      sourcesOf(provider, {
        defaultRoutes: [{ prefix: '::/0', protocol: 'static', hops: [{ nextHop, ifname: 'eth0' }] }],
      }),
      [],
    );
  const bgp = { sessions: [{ peer: '2001:db8:99::1' }] } as unknown as NonNullable<NodeState['bgp']>;
  assert.deepEqual(sourcesOf(provider, { bgp }), []);
});
