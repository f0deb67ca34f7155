// Nodes of one autonomous system that other systems alone join: when no route between them is owed, and when a route is missing all the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isApartInOneAs, isKeptFrom } from '#correlate/network/other-networks.ts';
import { pairWorld } from '../pair-scene.ts';

const ADDRESS = '198.18.255.2';
const external = { peer: '192.0.2.1', state: 'Established', remoteAs: 65_010 };
const bgp = (change: object = {}) => ({ asn: 65_001, sessions: [external], ownPrefixes: [], ...change });

/** a and c are spines, b a leaf between them; a looks up what is c's. */
function apart({
  a = {},
  c = {},
  answer = { kind: 'none' } as object,
  also = [] as readonly (readonly [string, object])[],
}) {
  const states = { a: { now: { bgp: bgp(), ...a } }, b: { now: {} }, c: { now: { bgp: bgp(), ...c } } };
  const lookups = new Map([['a', new Map([[ADDRESS, answer], ...also])]]);
  const owners = new Map([ADDRESS, '198.19.2.1'].map((address) => [address, [{ node: 'c', ifname: 'lo' }]]));
  return isApartInOneAs(pairWorld(['a-b', 'b-c'], states, { lookups, owners }), 'c', 'a', ADDRESS);
}

test('spines without a session or a protocol between them owe each other no route', () => {
  assert.equal(apart({}), true);
  assert.equal(apart({ answer: { kind: 'unicast', matched: 'default' } }), true);
});

test('a route that is there to another address, a session inside, an interior protocol, another AS or no session leave it owed', () => {
  const learned = { kind: 'unicast', matched: '198.19.2.0/24', protocol: 'bgp' };
  assert.equal(apart({ also: [['198.19.2.1', learned]] }), false);
  assert.equal(apart({ a: { bgp: bgp({ sessions: [external, { ...external, remoteAs: 65_001 }] }) } }), false);
  assert.equal(apart({ c: { isis: { circuits: [{ ifname: 'to-b', passive: false }] } } }), false);
  assert.equal(apart({ c: { bgp: bgp({ asn: 65_002 }) } }), false);
  assert.equal(apart({ a: { bgp: bgp({ sessions: [] }) } }), false);
  assert.equal(apart({ answer: { kind: 'blackhole' } }), false);
});

test('which nodes interior protocols join is found once for all addresses of a world', () => {
  const circuits = (...ifnames: readonly string[]) => ({
    isis: { circuits: ifnames.map((ifname) => ({ ifname, passive: false })) },
  });
  const none = { sessions: [], ownPrefixes: [], networks: [], redistribute: [] };
  const world = pairWorld(['a-b', 'b-c'], {
    a: { now: circuits('to-b') },
    b: { now: { ...circuits('to-a'), bgp: { asn: 65_001, ...none } } },
    c: { now: { bgp: { asn: 65_002, ...none } } },
  });
  let looks = 0;
  const counted = Object.defineProperty({ ...world }, 'links', {
    get: () => {
      looks++;
      return world.links;
    },
  });
  const kept = [1, 2, 3].map((host) => isKeptFrom(counted, 'a', 'c', [`198.19.1.${host}`]));
  assert.deepEqual([kept, looks], [[true, true, true], 1]);
});
