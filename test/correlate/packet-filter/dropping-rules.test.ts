// Rules that drop: which of them most nodes have alike, and which may take what goes to servers; ways on which packets are lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDropping, isPolicy, mayDrop, mayFilterServers } from '#correlate/packet-filter/dropping-rules.ts';
import { lossesOnTheWay } from '#correlate/packet-filter/lossy-paths.ts';
import { lossOf, ringWorld } from '../faults/proposing.ts';
import { linkOf } from '../pair-scene.ts';
import { DNS, HTTP, is } from '../service-scene.ts';

const rule = (matches: readonly object[], change: object = {}) =>
  ({
    family: 'inet',
    hook: 'forward',
    verdict: 'drop',
    inInterfaces: [],
    outInterfaces: [],
    matches,
    ...change,
  }) as never;
const TO = [is('network', 'ip'), is('destination', '203.0.113.0/24')];

test('rules drop or reject, and may take a packet that their words allow', () => {
  const verdicts = ['drop', 'reject', 'accept', 'other'].map((verdict) => isDropping(rule([], { verdict })));
  assert.deepEqual(verdicts, [true, true, false, false]);
  const udp = (port: number) => ({ network: 'ip', protocol: 'udp', destinationPort: port }) as const;
  const drops = (...rules: readonly never[]) => mayDrop({ filters: rules }, udp(53), udp(80));
  assert.equal(drops(rule(DNS)), true);
  assert.equal(drops(rule(DNS, { verdict: 'accept' })), false);
  assert.equal(drops(rule(HTTP)), false);
  assert.equal(drops(rule(HTTP), rule(DNS)), true);
  assert.equal(mayDrop({ filters: [rule(DNS)] }), false);
});

/** So many of four nodes have the rule. */
const policy = (
  count: number,
  mine: readonly object[] = DNS,
  theirs: readonly object[] = mine,
  change: object = {},
) => {
  const states = ['a', 'b', 'c', 'd'].slice(0, count).map((node) => [node, { filters: [rule(theirs, change)] }]);
  return isPolicy(ringWorld({}, Object.fromEntries(states)), rule(mine));
};

test('more than half of three nodes or more filter the same service, or in the same words, on purpose', () => {
  assert.deepEqual([policy(2), policy(3), policy(4)], [false, true, true]);
  assert.equal(policy(3, DNS, [is('protocol', 'tcp'), is('destination-port', '53')]), true, 'the same service');
  assert.equal(policy(3, DNS, HTTP), false);
  assert.deepEqual([policy(3, TO), policy(2, TO), policy(3, TO, [TO[0]!])], [true, false, false]);
  assert.equal(policy(3, DNS, DNS, { verdict: 'accept' }), false);
  const world = ringWorld({}, { a: { filters: [rule(DNS)] }, b: { filters: [rule(DNS)] } });
  const two = { ...world, views: new Map([...world.views].slice(0, 2)) };
  assert.equal(isPolicy(two, rule(DNS)), false, 'two nodes are no majority of anything');
});

test('of hosts of its own networks the node’s own filters count, of others those of all nodes', () => {
  const lan = { inventory: { interfaces: [{ name: 'lan', kind: 'physical', addresses: ['198.19.1.1/24'] }] } };
  const filters = (node: string, matches: readonly object[], between?: object) =>
    mayFilterServers(
      ringWorld({}, { a: lan, [node]: { ...(node === 'a' ? lan : {}), filters: [rule(matches)] } }),
      between as never,
    );
  const own = { node: 'a', address: '198.19.1.10' };
  assert.deepEqual([filters('a', DNS, own), filters('b', DNS, own)], [true, false]);
  assert.deepEqual([filters('a', DNS), filters('b', DNS)], [true, true]);
  assert.equal(filters('b', DNS, { node: 'c', address: '198.19.1.10' }), true);
  assert.equal(filters('b', DNS, { node: 'a', address: '203.0.113.1' }), true);
  const udp = (field: 'source-port' | 'destination-port', port: string) => [is('protocol', 'udp'), is(field, port)];
  assert.equal(filters('b', udp('destination-port', '67')), true);
  assert.equal(filters('b', udp('source-port', '53')), true);
  assert.equal(filters('b', udp('destination-port', '68')), false);
  assert.equal(filters('b', HTTP), false);
});

test('links on the way there or back that lose half of what one flow in sixty-four carries, or more', () => {
  const owners = new Map([
    ['198.19.3.1', [{ node: 'c', ifname: 'lo' }]],
    ['198.19.255.1', [{ node: 'a', ifname: 'lo' }]],
  ]);
  const way = (destination: string, ifname: string) =>
    new Map([[destination, { destination, kind: 'unicast', ifname }]]);
  const lookups = new Map([
    ['a', way('198.19.3.1', 'to-b')],
    ['b', way('198.19.3.1', 'to-c')],
    ['c', way('198.19.255.1', 'to-d')],
    ['d', way('198.19.255.1', 'to-a')],
  ]);
  const inventory = { interfaces: [], loopbacks: ['fd00::1', '198.19.255.1/32'] };
  const world = ringWorld({ owners, lookups }, { a: { inventory } });
  const over = (pair: string, lost: number, change: object = {}) => {
    const { from, to, key } = linkOf(pair);
    return lossOf(from.node, to.node, lost, { link: key, ...change }).fact;
  };
  const keys = (...facts: readonly object[]) =>
    lossesOnTheWay(world, facts as never, 'a', '198.19.3.1').map(({ from, to }) => `${from.node}-${to.node}`);
  assert.deepEqual(keys(over('a-b', 100)), ['a-b']);
  assert.deepEqual(keys(over('c-d', 100), over('b-c', 100)), ['b-c', 'c-d']);
  assert.deepEqual(keys(), []);
  assert.deepEqual(keys(over('a-b', 100, { link: undefined })), []);
  assert.deepEqual(keys(over('a-b', 100, { refused: 98 })), []);
  // Half a probe in sixty-four, the flows of one run: 7.8 of a thousand.
  assert.deepEqual([keys(over('a-b', 8)), keys(over('a-b', 7))], [['a-b'], []]);
});
