// Zebra's answer against the kernel's, as FRR 8.4 and iproute2 print them; what cannot be compared is no difference.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { isMismatch, parseRib } from '#router/drivers/linux-frr/routing-table/rib.ts';
import { parseRoute, withPrefix } from '#router/drivers/linux-frr/routing-table/route.ts';

const hop = (ip: string, interfaceName: string, more: JsonObject = {}): JsonObject => ({
  ...{ flags: 3, fib: true, ip, afi: 'ipv4', interfaceIndex: 4, interfaceName, active: true, weight: 1 },
  ...more,
});
const entry = (nexthops: readonly JsonObject[], more: JsonObject = {}): string =>
  JSON.stringify({
    '198.19.2.0/24': [
      { prefix: '198.19.2.0/24', protocol: 'connected', selected: false, nexthops: [] },
      {
        ...{ prefix: '198.19.2.0/24', protocol: 'isis', vrfName: 'default', selected: true, installed: true },
        ...{ table: 254, uptime: '00:43:54', nexthops },
        ...more,
      },
    ],
  });
const ONE = [hop('198.18.0.1', 'eth1')];
const TWO = [...ONE, hop('198.18.0.6', 'eth2')];
const DISCARD = [{ fib: true, unreachable: true, blackhole: true, active: true }];

const fib = (row: JsonObject, destination = '198.19.2.1') => ({ answer: parseRoute(destination, row, row), row });
const refused = (kind: RouteAnswer['kind']) => ({ answer: { destination: '198.19.2.1', kind } });
const differs = (nexthops: readonly JsonObject[], seen: Parameters<typeof isMismatch>[1]) =>
  isMismatch(parseRib(entry(nexthops))!, seen);

const VIA_1 = { dst: '198.19.2.0/24', gateway: '198.18.0.1', dev: 'eth1', protocol: 'isis', flags: [] };
const VIA_2 = { ...VIA_1, gateway: '198.18.0.6', dev: 'eth2' };
const BOTH = {
  ...{ dst: '198.19.2.0/24', protocol: 'isis', flags: [] },
  nexthops: [
    { gateway: '198.18.0.6', dev: 'eth2', weight: 1, flags: [] },
    { gateway: '198.18.0.1', dev: 'eth1', weight: 1, flags: [] },
  ],
};

test('the selected, installed route is read with the next hops that are in the kernel', () => {
  assert.deepEqual(parseRib(entry(TWO)), {
    ...{ prefix: '198.19.2.0/24', protocol: 'isis' },
    nextHops: [
      { address: '198.18.0.1', ifname: 'eth1' },
      { address: '198.18.0.6', ifname: 'eth2' },
    ],
  });
  assert.deepEqual(parseRib(entry(DISCARD))?.nextHops, [{ discard: true }]);
});

test('a recursive next hop counts by those that resolve it', () => {
  const recursive = hop('198.19.255.9', 'eth1', { recursive: true });
  const resolved = parseRib(entry([recursive, hop('198.18.0.1', 'eth1', { resolver: true })]));
  assert.deepEqual(resolved?.nextHops, [{ address: '198.18.0.1', ifname: 'eth1' }]);
  const inactive = parseRib(entry([...ONE, hop('198.18.0.6', 'eth2', { active: false })]));
  assert.equal(inactive?.nextHops.length, 1);
});

const INCOMPARABLE: readonly (readonly [string, string])[] = [
  ['queued', entry(ONE, { queued: true })],
  ['not installed', entry(ONE, { installed: false })],
  ['younger than the kernel may need', entry(ONE, { uptime: '00:00:02' })],
  ['without an age', entry(ONE, { uptime: null })],
  ['of another table', entry(ONE, { table: 100 })],
  ['of a VRF', entry(ONE, { vrfName: 'red' })],
  ['of the kernel', entry(ONE, { protocol: 'kernel' })],
  ['connected', entry(ONE, { protocol: 'connected' })],
  ['with SRv6 encapsulation', entry([hop('fd00::1', 'sr0', { seg6: { segs: 'fd00:5a:2::d6' } })])],
  ['with labels', entry([hop('198.18.0.1', 'eth1', { labels: [16] })])],
  ['without next hops', entry([])],
  ['absent', '{"0.0.0.0/0":[]}'],
  ['no JSON', '% Unknown command'],
];
for (const [what, text] of INCOMPARABLE)
  test(`a route that is ${what} is not compared`, () => assert.equal(parseRib(text), undefined));

test('a route of days is old enough', () => {
  for (const uptime of ['3d04h12m', '02w1d03h', '00:00:03'])
    assert.ok(parseRib(entry(ONE, { uptime })) !== undefined, uptime);
});

test('the same next hops in any order are the same route', () => {
  assert.equal(differs(ONE, fib(VIA_1)), false);
  assert.equal(differs(TWO, fib(BOTH)), false);
  assert.equal(differs(DISCARD, refused('blackhole')), false);
  assert.equal(differs(DISCARD, refused('unreachable')), false);
});

test('another next hop, one of several that is missing or too many, and none at all are differences', () => {
  assert.equal(differs(ONE, fib(VIA_2)), true);
  assert.equal(differs(TWO, fib(VIA_1)), true);
  assert.equal(differs(ONE, fib(BOTH)), true);
  assert.equal(differs(DISCARD, fib(VIA_1)), true);
  for (const kind of ['none', 'blackhole', 'unreachable'] as const)
    assert.equal(differs(ONE, refused(kind)), true, kind);
});

test('link-local next hops are compared with their interface, and IPv6 lookups name one of several', () => {
  const shared = [hop('fe80::1', 'eth1'), hop('fe80::1', 'eth2')];
  const lookup = (dev: string) => fib({ dst: 'fd00::9', gateway: 'fe80::1', dev, protocol: 'isis' }, 'fd00::9');
  assert.equal(differs(shared, lookup('eth2')), false);
  assert.equal(differs(shared, lookup('eth3')), true);
});

test('what the kernel answers from elsewhere is no difference', () => {
  assert.equal(differs(ONE, fib({ ...VIA_2, table: '100' })), false);
  assert.equal(differs(ONE, fib({ ...VIA_2, encap: 'seg6', segs: ['fd00:5a:2::e'] })), false);
  assert.equal(differs(ONE, fib({ type: 'local', dst: '198.19.2.1', dev: 'lo' })), false);
  assert.equal(differs(ONE, fib({ dst: '198.19.2.0/24', nhid: 45 })), false);
  assert.equal(differs(ONE, { answer: { destination: '198.19.2.1', kind: 'unicast' } }), false);
});

test('a next hop over a link that is down does not count, and a route over an interface alone has no address', () => {
  const down = {
    ...BOTH,
    nexthops: [
      { gateway: '198.18.0.1', dev: 'eth1', flags: [] },
      { gateway: '198.18.0.6', dev: 'eth2', flags: ['dead', 'linkdown'] },
    ],
  };
  assert.equal(differs(ONE, fib(down)), false);
  assert.equal(
    differs([{ fib: true, interfaceName: 'eth1', active: true }], fib({ dst: '198.19.2.0/24', dev: 'eth1' })),
    false,
  );
});

test('over an unnumbered link the kernel may hold an IPv4 stand-in for the IPv6 next hop', () => {
  const standIn = (dev: string) =>
    fib({ dst: '198.19.2.0/24', gateway: ['169', '254.0.1'].join('.'), dev, flags: ['onlink'] });
  assert.equal(differs([hop('fe80::1', 'eth1', { afi: 'ipv6' })], standIn('eth1')), false);
  assert.equal(differs([hop('fe80::1', 'eth1', { afi: 'ipv6' })], standIn('eth2')), true);
});

test('one of several next hops whose link is down is left out on both sides, and a part of the prefix is another route', () => {
  const oneDown = {
    ...BOTH,
    nexthops: [
      { gateway: '198.18.0.1', dev: 'eth1', flags: [] },
      { gateway: '198.18.0.6', dev: 'eth2', flags: ['linkdown'] },
    ],
  };
  assert.equal(differs(TWO, fib(oneDown)), false);
  const part = fib({ ...VIA_2, dst: '198.19.2.0/25' });
  assert.equal(differs(ONE, { ...part, answer: { ...part.answer, matched: '198.19.2.0/25' } }), false);
});

test('an IPv4 route over an IPv6 next hop is compared by that (RFC 8950)', () => {
  const via = fib({ dst: '198.19.2.0/24', via: { family: 'inet6', host: 'fe80::1' }, dev: 'eth1' });
  assert.equal(differs([hop('fe80::1', 'eth1', { afi: 'ipv6' })], via), false);
  assert.equal(differs([hop('fe80::2', 'eth1', { afi: 'ipv6' })], via), true);
});

test('of IPv6 zebra says which route matched, where the lookup ended in the table that it speaks of', () => {
  const six = '2001:db8:2::10';
  const rib = (destination: string) => new Map([[destination, { prefix: '2001:db8:2::/64', nextHops: [] }]]);
  const prefixOf = (row: JsonObject, destination = six, of = rib(destination)) =>
    withPrefix(fib(row, destination), of as unknown as Parameters<typeof withPrefix>[1]).answer.ribPrefix;
  const row = { dst: six, gateway: 'fe80::1', dev: 'eth1' };
  for (const more of [{}, { table: 'main' }]) assert.equal(prefixOf({ ...row, ...more }), '2001:db8:2::/64');
  assert.equal(prefixOf({ ...row, table: '100' }), undefined, 'a table of an operator');
  assert.equal(prefixOf({ ...row, type: 'blackhole' }), undefined);
  assert.equal(prefixOf(row, six, new Map()), undefined, 'zebra says nothing of it');
  assert.equal(prefixOf({ ...row, dst: '198.19.2.1' }, '198.19.2.1'), undefined, 'of IPv4 the kernel says it');
});
