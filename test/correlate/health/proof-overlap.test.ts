// A port whose network is a part of another port's, and hosts that are behind that one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overlapLines } from '#correlate/health/proof-overlap.ts';
import { pairWorld } from '../pair-scene.ts';

const port = (name: string, address: string, operUp = true) => ({
  ...{ name, kind: 'physical', addresses: [address], adminUp: true, operUp, mtu: 1_500, offloads: [] },
});
const node = (address: string, hosts: readonly string[], operUp = true) => ({
  now: {
    inventory: { interfaces: [port('eth4', address, operUp)], loopbacks: [] },
    history: { hosts: hosts.map((host) => ({ ifname: 'eth4', address: host, mac: '02:00:00:00:00:01' })) },
  },
});
const lines = (narrow: object, wide: object, answer: object = { kind: 'unicast', matched: '198.19.1.128/25' }) => {
  const led = { ifname: 'to-d2', nextHop: '198.18.0.2', ...answer };
  const lookups = new Map([['c1', new Map([['198.19.1.129', led]])]]);
  const owners = new Map([
    ['198.19.1.129', [{ node: 'd2', ifname: 'eth4' }]],
    ['198.18.0.2', [{ node: 'd2', ifname: 'to-c1' }]],
  ]);
  return overlapLines(pairWorld(['c1-d2'], { c1: { now: {} }, d1: wide, d2: narrow } as never, { lookups, owners }));
};
const WIDE = node('198.19.1.1/24', ['198.19.1.10', '198.19.1.200']);

test('hosts behind the shorter prefix that the longer one of another node takes are told, with both places', () => {
  assert.deepEqual(lines(node('198.19.1.129/25', []), WIDE), [
    '{d2} eth4 has 198.19.1.129/25, a part of the network 198.19.1.1/24 of {d1} eth4: what other nodes send to 198.19.1.200, heard at {d1} eth4, goes to {d2}',
  ]);
});

test('equal or other networks, a part without hosts, hosts that are heard behind it, and a port that is down say nothing', () => {
  assert.deepEqual(lines(node('198.19.1.129/24', []), WIDE), []);
  assert.deepEqual(lines(node('198.19.11.129/25', []), WIDE), []);
  assert.deepEqual(lines(node('198.19.1.65/26', []), WIDE), []);
  assert.deepEqual(lines(node('198.19.1.129/25', ['198.19.1.200']), WIDE), []);
  assert.deepEqual(lines(node('198.19.1.129/25', [], false), WIDE), []);
});

test('a longer prefix that no other node is led by, as in a VRF or behind a router that does not announce it, takes nothing', () => {
  const narrow = node('198.19.1.129/25', []);
  assert.deepEqual(lines(narrow, WIDE, { kind: 'unicast', matched: '198.19.1.0/24' }), []);
  assert.deepEqual(lines(narrow, WIDE, { kind: 'none' }), []);
  const [entry] = narrow.now.inventory.interfaces;
  const inVrf = {
    now: {
      ...narrow.now,
      inventory: { loopbacks: [], interfaces: [{ ...entry, master: { name: 'red', kind: 'vrf' } }] },
    },
  };
  assert.deepEqual(lines(inVrf, WIDE), []);
});
