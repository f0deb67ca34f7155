// The two forms in which a routing table leaves the node, both written without an object for each route.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import type { RouteEntry } from '#model/router/device-port.ts';
import { createRouteLines } from '#network/device/route-lines.ts';
import { createTextPieces } from '#network/files/text-pieces.ts';
import { createRouteTexts, routeJson } from '#network/yang/routing.ts';

const hop = fc.record(
  { gateway: fc.constantFrom('192.0.2.1', 'fe80::1'), ifname: fc.constantFrom('eth1', 'a"b,c', 'é') },
  { requiredKeys: [] },
);
const route: fc.Arbitrary<RouteEntry> = fc.record({
  prefix: fc.constantFrom('198.18.0.0/15', '::/0'),
  kind: fc.constantFrom('unicast', 'blackhole', 'throw'),
  protocol: fc.constantFrom('isis', 'boot', '77'),
  metric: fc.constantFrom(undefined, 0, 20),
  nextHops: fc.array(hop, { maxLength: 3 }),
});

test('YANG text that is written directly is the RFC 8785 text of the same routes [NET-4]', () => {
  fc.assert(
    fc.property(
      fc.array(route, { maxLength: 6 }),
      fc.constantFrom('ipv4' as const, 'ipv6' as const),
      (routes, family) => {
        const write = createRouteTexts(family);
        const expected = routes.map((entry) => canonicalJsonText(routeJson(family, entry))).join(',');
        assert.equal(write(routes), expected);
        assert.equal(write(routes), routes.length === 0 ? '' : `,${expected}`);
      },
    ),
  );
});

test('lines hold prefix, kind, protocol, metric and next hops, quoted where RFC 4180 asks for it [NET-6]', () => {
  const nextHops = [{ gateway: 'fe80::1', ifname: 'a"b,c', weight: 2 }, { ifname: 'eth1' }];
  const routes: RouteEntry[] = [
    { prefix: '198.18.0.0/15', kind: 'unicast', protocol: 'bgp', metric: 20, nextHops },
    { prefix: '::/0', kind: 'blackhole', protocol: 'static', metric: undefined, nextHops: [] },
  ];
  assert.equal(
    createRouteLines()(routes),
    '198.18.0.0/15,unicast,bgp,20,"fe80::1%a""b,c*2 %eth1"\r\n::/0,blackhole,static,,\r\n',
  );
});

test('a long text comes out of its pieces as it went in', () => {
  const pieces = createTextPieces();
  for (let index = 0; index < 3_000; index++) pieces.add(`${index} é€😀,`);
  assert.equal(pieces.end(), Array.from({ length: 3_000 }, (_, index) => `${index} é€😀,`).join(''));
  const next = createTextPieces();
  const beside = createTextPieces();
  next.add('one');
  beside.add('other');
  assert.deepEqual([next.end(), beside.end()], ['one', 'other']);
});
