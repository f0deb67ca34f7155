// New rules that drop all that hosts of a network send, or all that is sent to them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutOffNetworks } from '#correlate/packet-filter/cut-off-networks.ts';
import { pairWorld } from '../pair-scene.ts';

const HASH = 'be'.repeat(32);
const rule = (change: object = {}) => ({
  ...{ family: 'inet', table: 'edge', chain: 'pre', path: ['pre'], hook: 'prerouting', handle: 2, verdict: 'drop' },
  ...{ inInterfaces: ['eth3'], outInterfaces: [], matches: [from('198.19.3.0/24')], matchesRest: false },
  ...{ ruleSha256: HASH, ...change },
});
const from = (...values: readonly string[]) => ({ field: 'source', values });
const to = (...values: readonly string[]) => ({ field: 'destination', values });

type Told = {
  readonly rules?: readonly object[];
  readonly settings?: readonly object[];
  readonly hosts?: readonly object[];
  readonly tries?: readonly object[];
  readonly more?: object;
  readonly isRouted?: boolean;
};
const CAME = { kind: 'filter', subject: 'inet edge pre', setting: HASH.slice(0, 16), is: 'drop', agoMs: 60_000 };
const HOST = { ifname: 'eth3', address: '198.19.3.10', mac: '02:00:00:00:00:10' };

/** l1 has a route to the network of l3. */
function cutOff({
  rules = [rule()],
  settings = [CAME],
  hosts = [HOST],
  tries = [],
  more = {},
  isRouted = true,
}: Told = {}) {
  const port = { name: 'eth3', kind: 'physical', adminUp: true, operUp: true, addresses: ['198.19.3.1/24'] };
  const state = {
    inventory: { interfaces: [port], loopbacks: [] },
    ...{ filters: rules, filtersInOrder: true, missing: [] },
    history: { settingsSpanMs: 9e6, settings, hosts },
    ...more,
  };
  const owners = new Map([['198.19.3.1', [{ node: 'l3', ifname: 'eth3' }]]]);
  const serviceProbes = tries.map((each) => ({ service: 'echo', source: 's', sent: 3, ...each }));
  const route = { destination: '198.19.3.1', kind: isRouted ? 'unicast' : 'none', matched: '198.19.3.0/24' };
  const lookups = new Map([['l1', new Map([['198.19.3.1', route]])]]);
  const others = { l1: { now: { daemons: [{ name: 'bgpd', alive: true }] } } };
  const world = pairWorld([], { l3: { now: state }, ...others }, { owners, serviceProbes, lookups } as never);
  return cutOffNetworks(world).map(
    ({ view, ifname, network, towards }) => `${view.node} ${ifname} ${towards ? 'for' : 'of'} ${network}`,
  );
}
const FOUND = ['l3 eth3 of 198.19.3.0/24'];

test('a new rule that drops all from a network of hosts, or all that is for it, cuts it off', () => {
  assert.deepEqual(cutOff(), FOUND);
  assert.deepEqual(cutOff({ rules: [rule({ inInterfaces: [] })] }), FOUND);
  const family = { field: 'network', values: ['ip'] };
  assert.deepEqual(cutOff({ rules: [rule({ matches: [family, from('198.18.0.0/15')] })] }), FOUND);
  const towards = { matches: [to('198.19.3.0/24')], hook: 'forward', inInterfaces: [] };
  const for3 = ['l3 eth3 for 198.19.3.0/24'];
  assert.deepEqual(cutOff({ rules: [rule({ ...towards, outInterfaces: ['eth3'] })] }), for3);
  assert.deepEqual(cutOff({ rules: [rule(towards)] }), for3);
});

test('a rule that asks for more, that stands behind one that lets through, or that is of another port or network, does not', () => {
  const port = { field: 'destination-port', values: ['80'] };
  for (const [why, change] of [
    ['a service', { matches: [from('198.19.3.0/24'), port] }],
    ['between two networks', { matches: [from('198.19.3.0/24'), to('198.19.1.0/24')] }],
    ['a part of the network', { matches: [from('198.19.3.128/25')] }],
    ['all others', { matches: [{ ...from('198.19.3.0/24'), negated: true }] }],
    ['a rate', { matchesRest: true }],
    ['another port', { inInterfaces: ['eth9'] }],
    ['towards one port alone', { outInterfaces: ['eth1'] }],
    ['IPv6', { matches: [{ field: 'network', values: ['ip6'] }, from('198.19.3.0/24')] }],
    ['of what is for the router', { hook: 'input' }],
    ['it took nothing', { packets: '0' }],
  ] as const)
    assert.deepEqual(cutOff({ rules: [rule(change)] }), [], why);
  const lets = rule({ handle: 1, verdict: 'accept', matches: [port], ruleSha256: 'aa'.repeat(32) });
  assert.deepEqual(cutOff({ rules: [lets, rule()] }), []);
  const outside = { matches: [], outInterfaces: ['wan'], hook: 'forward', path: ['base'], chain: 'base' };
  const guests = rule({ hook: 'forward', path: ['base', 'pre'] });
  const isWithout = (change: object) =>
    cutOff({ rules: [rule({ ...outside, handle: 1, verdict: 'accept', ...change }), guests] });
  assert.deepEqual(isWithout({}), [], 'an accept of its base chain, before the jump');
  assert.deepEqual(cutOff({ rules: [rule({ family: 'bridge' })] }), [], 'hosts among themselves');
  const { matchesRest: _, ...unknown } = rule();
  assert.deepEqual(cutOff({ rules: [unknown] }), [], 'what else it asks for is not known');
});

test('what a rule dropped before, in other words, is no change', () => {
  const was = [rule({ matches: [from('198.19.3.0/24')] })];
  const edited = rule({ matches: [from('198.19.3.0/24', '198.19.4.0/24')] });
  const gone = { ...CAME, setting: 'aa'.repeat(8), was: 'drop', wasRules: was };
  const { is: _, ...left } = gone;
  assert.deepEqual(cutOff({ rules: [edited], settings: [CAME, left] }), []);
});

test('neither does one that always stood, one without hosts, nor one behind which a host answers others', () => {
  assert.deepEqual(cutOff({ settings: [] }), []);
  assert.deepEqual(cutOff({ hosts: [] }), []);
  assert.deepEqual(cutOff({ isRouted: false }), [], 'no other node has a route there');
  const bgp = { sessions: [{ peer: HOST.address }], ownPrefixes: [] };
  assert.deepEqual(cutOff({ more: { bgp } }), [], 'a network of other routers');
  const answered = { destination: '198.19.3.10', answered: true, open: true };
  assert.deepEqual(cutOff({ tries: [{ ...answered, from: 'l1' }] }), []);
  assert.deepEqual(cutOff({ tries: [{ ...answered, from: 'l3' }] }), FOUND, 'its own router alone');
});
