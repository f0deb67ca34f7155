// A network as a profile: what it says of each part, and of which parts each node could tell.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, profileOf } from '#correlate/baseline/snapshot.ts';
import { fact, fileOf } from '../fact-scene.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';

const port = (name: string, change: object = {}) => ({
  ...{ name, kind: 'physical', adminUp: true, operUp: true, mtu: 1_500, addresses: [], offloads: [] },
  ...change,
});
type Part = {
  readonly ports?: readonly object[];
  readonly state?: object;
  readonly more?: object;
  readonly facts?: Parameters<typeof fileOf>[0];
};
const BARE = { inventory: { interfaces: [port('to-a')], sids: [] } };
function profile({ ports = [port('to-b')], state = {}, more = {}, facts = [] }: Part = {}) {
  const a = { inventory: { interfaces: ports, sids: [] }, ...state };
  const world = pairWorld(['a-b'], { b: { now: BARE }, a: { now: a } }, more);
  return profileOf(fileOf(facts, { world }));
}
const values = (part: string, given: Part) =>
  profile(given)
    .entries.filter((entry) => entry.part === part && entry.nodes.includes('a'))
    .map(({ subject, value, resource, ends }) => [subject, value, resource, ends?.length ?? 0]);

test('nodes and entries are in the order of their names, whatever order the states came in', () => {
  const { nodes, entries } = profile({ ports: [port('to-b'), port('eth0')] });
  assert.deepEqual(nodes, ['a', 'b']);
  assert.deepEqual(entries.map(keyOf), ['link link/a:to-b--b:to-a', 'mtu a eth0', 'mtu a to-b', 'mtu b to-a']);
});

test('a link is up when both its ports are up and enabled', () => {
  const key = linkOf('a-b').key;
  const state = (change: object) => values('link', { ports: [port('to-b', change)] });
  assert.deepEqual(state({}), [[key, 'up', key, 2]]);
  assert.deepEqual(state({ operUp: false }), [[key, 'down', key, 2]]);
  assert.deepEqual(state({ adminUp: false }), [[key, 'down', key, 2]]);
  assert.deepEqual(values('link', { ports: [port('other')] }), [[key, 'down', key, 2]]);
});

test('an IS-IS adjacency is called by the host name of the neighbour, or by its system id where that is no node', () => {
  const to = (hostname?: string) =>
    values('adjacency', {
      state: { adjacencies: [{ level: 2, ifname: 'to-b', systemId: '0000.0000.0002', hostname, state: 'up' }] },
    });
  const named = (far: string) => [[`isis level 2 a to-b to ${far}`, 'up', 'interface/a/to-b', 1]];
  assert.deepEqual(to('b'), named('b'));
  assert.deepEqual(to(), named('0000.0000.0002'));
  assert.deepEqual(to('b b'), named('0000.0000.0002'));
});

test('OSPF neighbours, BGP and BFD sessions and own prefixes are told with their state', () => {
  const ospf = [{ ifname: 'to-b', neighbours: [{ routerId: '192.0.2.2', state: 'Full' }] }];
  const ospf6 = ospf.map((each) => ({ ...each, version: 3 }));
  assert.deepEqual(values('adjacency', { state: { ospf, ospf6 } }), [
    ['ospf a to-b to 192.0.2.2', 'Full', 'interface/a/to-b', 1],
    ['ospf6 a to-b to 192.0.2.2', 'Full', 'interface/a/to-b', 1],
  ]);
  const bgp = {
    sessions: [{ peer: '198.18.0.1', state: 'Established' }],
    ownPrefixes: [
      { prefix: '198.19.1.0/24', advertisedTo: ['c', 'b'] },
      { prefix: '198.19.2.0/24', advertisedTo: [] },
    ],
  };
  const bfd = [
    { peer: '198.18.0.1', ifname: 'to-b', status: 'up' },
    { peer: '198.18.0.9', status: 'down' },
  ];
  assert.deepEqual(values('session', { state: { bgp, bfd } }), [
    ['bfd a to 198.18.0.9', 'down', 'node/a', 0],
    ['bfd a to-b to 198.18.0.1', 'up', 'interface/a/to-b', 1],
    ['bgp a to 198.18.0.1', 'Established', 'node/a', 0],
  ]);
  assert.deepEqual(values('prefix', { state: { bgp } }), [
    ['a 198.19.1.0/24', 'to b, c', 'node/a', 0],
    ['a 198.19.2.0/24', 'to no peer', 'node/a', 0],
  ]);
});

test('sizes of all but loopbacks, global addresses of all, and SIDs', () => {
  const local = ['fe80::1/64', 'febf::1/64', '::1/128', '127.0.0.1/8'];
  const ports = [
    port('lo', { kind: 'loopback', mtu: 65_536, addresses: ['198.19.255.1/32', ...local] }),
    port('to-b', { mtu: 9_000, addresses: ['fd00::1/127'] }),
  ];
  assert.deepEqual(values('mtu', { ports }), [['a to-b', '9000', 'interface/a/to-b', 1]]);
  assert.deepEqual(values('address', { ports }), [
    ['a lo 198.19.255.1/32', 'set', 'interface/a/lo', 1],
    ['a to-b fd00::1/127', 'set', 'interface/a/to-b', 1],
  ]);
  const state = { inventory: { interfaces: [], sids: [{ sid: 'fd00:5a::e', behavior: 'End' }] } };
  assert.deepEqual(values('sid', { state }), [['a fd00:5a::e', 'End', 'node/a', 0]]);
});

test('a way is told with all its interfaces in order, and needs the owner of its destination', () => {
  const way = (answer: object, owner?: string) => {
    const destination = '198.18.0.1';
    const owners = new Map(owner === undefined ? [] : [[destination, [{ node: owner, ifname: 'x' }]]]);
    const lookups = new Map([['a', new Map([[destination, { destination, kind: 'unicast', ...answer }]])]]);
    return profile({ more: { owners, lookups } })
      .entries.filter(({ part }) => part === 'route')
      .map(({ subject, value, nodes, resource }) => [subject, value, nodes.join(), resource]);
  };
  const told = (value: string, nodes: string) => [['a to 198.18.0.1', value, nodes, 'node/a']];
  assert.deepEqual(way({ ifname: 'to-b' }, 'b'), told('unicast over to-b', 'a,b'));
  assert.deepEqual(way({ ifname: 'to-b' }, 'a'), told('unicast over to-b', 'a'));
  assert.deepEqual(way({ ifname: 'to-b' }), told('unicast over to-b', 'a'));
  assert.deepEqual(way({ ifname: 'x', ifnames: ['z', 'y'] }), told('unicast over y, z', 'a'));
  assert.deepEqual(way({ ifname: 'x', ifnames: [] }), told('unicast over x', 'a'));
  assert.deepEqual(way({ kind: 'blackhole', matched: '198.18.0.0/15' }), told('blackhole by 198.18.0.0/15', 'a'));
});

test('sessions are told of by a state that has any protocol, ways by a node that was asked for some', () => {
  const silent = (given: Part) => {
    const { told } = profile(given);
    return ['link', 'session', 'prefix', 'route'].filter((part) => !told.includes(`a ${part}`));
  };
  assert.deepEqual(silent({}), ['session', 'prefix', 'route']);
  for (const state of [{ daemons: [] }, { bgp: { sessions: [], ownPrefixes: [] } }, { bfd: [] }])
    assert.deepEqual(silent({ state }), ['route'], JSON.stringify(state));
  assert.deepEqual(silent({ more: { lookups: new Map([['a', new Map()]]) } }), ['session', 'prefix']);
  const { told } = profile();
  assert.deepEqual(told, [...told].sort());
});

test('round trips are told to a thousandth of a millisecond', () => {
  const value = { from: 'a', to: 'b', min: 0.12349, avg: 1.9996, max: 7 };
  assert.deepEqual(profile({ facts: [fact('round-trip', value)] }).roundTrips, [
    { from: 'a', to: 'b', minMs: 0.123, avgMs: 2 },
  ]);
});
