// Access rules by path hold however the value of a key is written: prefixes, addresses, MAC addresses and identities have one spelling,
// in the rule and in what it is held against; names, and the addresses of an interface, stay apart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccess, DEFAULT_ACCESS, touchRefusal } from '#model/access.ts';
import { sameKey } from '#model/router/key-spelling.ts';
import { parsePath } from '#model/router/yang-path.ts';
import { touchesOfChanges, touchesOfLines } from '#network/configuration/config-paths.ts';

const PROTOCOLS = '/ietf-routing:routing/control-plane-protocols/control-plane-protocol';
const STATIC = `${PROTOCOLS}[type='ietf-routing:static']/static-routes/ietf-ipv4-unicast-routing:ipv4/route`;
const STATIC6 = `${PROTOCOLS}[type='static']/static-routes/ietf-ipv6-unicast-routing:ipv6/route`;
const FRR =
  "/frr-routing:routing/control-plane-protocols/control-plane-protocol[type='frr-staticd:staticd']/frr-staticd:staticd/route-list";
const NEIGHBOR = '/openconfig-bgp:bgp/neighbors/neighbor';

function denying(path: string) {
  const steps = parsePath(path);
  assert.ok(steps.ok, path);
  const operations = ['create', 'update', 'delete'] as const;
  return createAccess({
    ...DEFAULT_ACCESS,
    defaults: { read: 'permit', write: 'permit', exec: 'permit' },
    lists: [{ name: 'l', groups: ['*'], rules: [{ name: 'kept', action: 'deny', operations, path: steps.value }] }],
  });
}

/** Whether a line is refused when it is typed, and when the change is known. */
function refused(path: string, context: string, line: string): readonly boolean[] {
  const access = denying(path);
  const party = { kind: 'operator', domain: 'lab', name: 'bob' } as const;
  const typed = touchesOfLines(context === '' ? [line] : [context, ` ${line}`]);
  const changed = touchesOfChanges([{ sign: '+', context, line }]);
  return [typed, changed].map((touches) => touches.some((touch) => touchRefusal(access, party, touch) !== undefined));
}

test('a denied prefix or neighbour is denied in every spelling, on both sides [NET-16]', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    [`${STATIC}[destination-prefix='198.18.0.0/15']`, '', 'ip route 198.18.0.0/15 blackhole'],
    [`${STATIC}[destination-prefix='198.18.0.0/15']`, '', 'ip route 198.18.2.3/15 blackhole'],
    [`${STATIC6}[destination-prefix='2001:db8::/32']`, '', 'ipv6 route 2001:db8::/032 blackhole'],
    [`${STATIC}[destination-prefix='198.19.9.9/15']`, '', 'ip route 198.18.0.0/15 blackhole'],
    [`${STATIC}=198.18.7.0%2F15`, '', 'ip route 198.18.0.0/15 blackhole'],
    [`${STATIC6}[destination-prefix='2001:DB8:0::/32']`, '', 'ipv6 route 2001:db8::1/32 blackhole'],
    [`${FRR}[prefix='198.18.0.0/15']`, '', 'ip route 198.18.2.3/15 blackhole'],
    [`${NEIGHBOR}[neighbor-address='2001:db8::1']`, 'router bgp 65000', 'neighbor 2001:DB8::1 shutdown'],
    [`${NEIGHBOR}[neighbor-address='2001:db8::1']`, 'router bgp 65000', 'neighbor 2001:db8:0::1 shutdown'],
    [`${NEIGHBOR}[neighbor-address='2001:DB8:0::0001']`, 'router bgp 65000', 'neighbor 2001:db8::1 shutdown'],
  ];
  for (const [path, context, line] of cases) assert.deepEqual(refused(path, context, line), [true, true], line);
});

test('what is another entry stays free [NET-16]', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    [`${STATIC}[destination-prefix='198.18.0.0/15']`, '', 'ip route 198.18.0.0/16 blackhole'],
    [`${STATIC}[destination-prefix='198.18.0.0/15']`, '', 'ip route 198.51.100.0/24 blackhole'],
    [`${NEIGHBOR}[neighbor-address='2001:db8::1']`, 'router bgp 65000', 'neighbor 2001:db8::11 shutdown'],
    ["/ietf-interfaces:interfaces/interface[name='eth0']", 'interface Eth0', 'shutdown'],
  ];
  for (const [path, context, line] of cases) assert.deepEqual(refused(path, context, line), [false, false], line);
});

test('one spelling for each kind of key, and none for names [NET-16]', () => {
  const same: readonly (readonly [string, string, string])[] = [
    ['neighbor-address', 'FE80::1%eth0', 'fe80:0::1%eth0'],
    ['ip', '::ffff:192.0.2.1', '::ffff:c000:201'],
    ['phys-address', '02:00:5E:00:53:0A', '02-00-5e-00-53-0a'],
    ['ip-prefix', '2001:DB8::1/64', '2001:db8:0::1/64'],
    ['type', 'ietf-routing:static', 'static'],
    ['type', 'static', 'ietf-routing:static'],
  ];
  for (const [key, one, other] of same) assert.equal(sameKey(key, one, other), true, `${one} ${other}`);
  const apart: readonly (readonly [string, string, string])[] = [
    ['ip-prefix', '192.0.2.1/24', '192.0.2.2/24'],
    ['neighbor-address', '2001:db8::1', '1'],
    ['neighbor-address', 'fe80::1%eth0', 'fe80::1%Eth0'],
    ['prefix', '192.0.2.0/24', '192.0.2.0/25'],
    ['type', 'ietf-routing:static', 'frr-staticd:static'],
    ['name', 'Core', 'core'],
  ];
  for (const [key, one, other] of apart) assert.equal(sameKey(key, one, other), false, `${one} ${other}`);
});
