// Further addresses of one interface that no other node has a route to: when they may be meant for the router, or for the link, alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfAreaAlone, isSpare } from '#correlate/network/spare-addresses.ts';
import { pairWorld } from '../pair-scene.ts';

const [FIRST, SECOND] = ['198.18.10.3', '198.18.20.3'];
const PORT = { name: 'eth1', adminUp: true, operUp: true };

function spare({
  kind = 'physical',
  addresses = [`${FIRST}/24`, `${SECOND}/24`],
  history = {} as object,
  routed = [FIRST] as readonly string[],
  bgp = undefined as object | undefined,
} = {}) {
  const inventory = { interfaces: [{ ...PORT, kind, addresses }], loopbacks: [] };
  const state = { inventory, history, ...(bgp === undefined ? {} : { bgp }) };
  const own = addresses.map((each) => [each.split('/')[0]!, [{ node: 'r3', ifname: 'eth1' }]] as const);
  const world = pairWorld(['r1-r3'], { r3: { now: state } }, { owners: new Map(own) });
  return isSpare(world, SECOND, (address) => routed.includes(address));
}

test('a further address beside one that others have a route to may be for the link, or the router, alone', () => {
  assert.equal(spare(), true);
  assert.equal(spare({ kind: 'loopback', addresses: [`${FIRST}/32`, `${SECOND}/32`] }), true);
  const beside = { hosts: [{ ifname: 'eth1', address: '198.18.10.77', mac: '02:00:00:00:00:77' }] };
  assert.equal(spare({ history: beside }), true, 'hosts of the other network alone');
});

test('one in whose network hosts are heard, that a session needs, or that is the only one of its kind, is none', () => {
  const heard = { hosts: [{ ifname: 'eth1', address: '198.18.20.77', mac: '02:00:00:00:00:77' }] };
  assert.equal(spare({ history: heard }), false);
  const answers = [{ address: '198.18.20.78', macs: ['02:00:00:00:00:78'] }];
  const looked = { watchedHosts: { looks: [{ ports: [{ ifname: 'eth1', answers }] }] } };
  assert.equal(spare({ history: looked }), false);
  assert.equal(spare({ bgp: { sessions: [{ peer: '198.18.0.1', localAddress: SECOND }] } }), false);
  assert.equal(spare({ routed: [] }), false);
  assert.equal(spare({ addresses: [`${SECOND}/24`] }), false);
});

/** r3 is a level 1 router, r1 the border of its area, and r2 a router of another area; r3 has two networks on one port. */
function knownInArea({
  level = '1',
  circuit = { ifname: 'eth1', ipv4: true } as object,
  protocol = 'isis',
  lookups = {},
  more = {} as object,
  from = 'r2',
} = {}) {
  const isis = (own: string, area: string) => ({ level: own, areas: [area], systemId: '', circuits: [circuit] });
  const addresses = [`${FIRST}/24`, `${SECOND}/24`];
  const inventory = { interfaces: [{ ...PORT, kind: 'physical', addresses }], loopbacks: [] };
  const daemons = ['isisd'];
  const known: Record<string, object> = {
    r1: { [FIRST]: route(FIRST), [SECOND]: { ...route(SECOND), protocol } },
    r2: { [FIRST]: route(FIRST), [SECOND]: { kind: 'none' } },
    ...lookups,
  };
  const world = pairWorld(
    ['r1-r3', 'r1-r2'],
    {
      r1: { now: { daemons, isis: isis('1-2', '49.0001') } },
      r2: { now: { daemons, isis: isis('2', '49.0002') } },
      r3: { now: { daemons, isis: isis(level, '49.0001'), inventory, ...more } },
    },
    {
      owners: new Map([FIRST, SECOND].map((each) => [each, [{ node: 'r3', ifname: 'eth1' }]] as const)),
      lookups: new Map(Object.entries(known).map(([node, rows]) => [node, new Map(Object.entries(rows))])) as never,
    },
  );
  return isOfAreaAlone(world, from, SECOND);
}
const route = (address: string) => ({ kind: 'unicast', matched: `${address}/24`, protocol: 'isis' });
const DEFAULT = { kind: 'unicast', matched: 'default', protocol: 'isis' };

test('a spare address that an IS-IS area keeps to itself is owed to no node beyond it', () => {
  assert.equal(knownInArea(), true);
  assert.equal(knownInArea({ lookups: { r2: { [FIRST]: route(FIRST), [SECOND]: DEFAULT } } }), true);
});

test('one that level 2 carries, that a node beyond has a route to, or in whose network hosts are, is owed to all', () => {
  assert.equal(knownInArea({ level: '1-2' }), false);
  assert.equal(knownInArea({ from: 'r1' }), false, 'the border of its own area');
  assert.equal(knownInArea({ lookups: { r2: { [FIRST]: route(FIRST), [SECOND]: route(SECOND) } } }), false);
  assert.equal(
    knownInArea({ lookups: { r2: { [FIRST]: DEFAULT, [SECOND]: DEFAULT } } }),
    false,
    'nothing of it is known there',
  );
  const hosts = [{ ifname: 'eth1', address: '198.18.20.77', mac: '02:00:00:00:00:77' }];
  assert.equal(knownInArea({ more: { history: { hosts } } }), false);
});

test('one that IS-IS does not carry on that port, or that BGP announces, is no address of an area', () => {
  assert.equal(knownInArea({ circuit: { ifname: 'eth2', ipv4: true } }), false);
  assert.equal(knownInArea({ circuit: { ifname: 'eth1', ipv4: false, ipv6: true } }), false);
  assert.equal(knownInArea({ protocol: 'bgp' }), false);
  const bgp = { ownPrefixes: [{ prefix: `${SECOND}/24`, originated: true, advertisedTo: [] }], sessions: [] };
  assert.equal(knownInArea({ more: { bgp } }), false);
});
