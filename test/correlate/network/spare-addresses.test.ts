// Further addresses of one interface that no other node has a route to: when they may be meant for the router, or for the link, alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSpare } from '#correlate/network/spare-addresses.ts';
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
