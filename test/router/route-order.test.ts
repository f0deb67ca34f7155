// The order of the kernel's dumps and the cursors made of it, and rows taken out of a long array piece by piece.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRowSplitter } from '#router/drivers/linux-frr/json-rows.ts';
import { compareRoutes, formatCursor, keyOf, parseCursor, routeOf } from '#router/drivers/linux-frr/route-order.ts';

/** As `ip -4 route show` printed them on Linux 6.18, and `ip -6 route show`. */
const IPV4 = ['0.0.0.0/0', '198.18.0.0/24', '198.18.0.0/16', '198.18.12.0/31', '198.18.255.2/32', '198.19.0.0/16'];
const IPV6 = [
  'fd00:0:0:1::1/128',
  'fd00:c:1::/64',
  'fd00:12::/127',
  'fd00:5a:1::e/128',
  'fd00:5a:1::d6/128',
  'fd00:5a:1::/48',
  'fe80::/64',
  '::/0',
];

for (const [family, prefixes] of [
  ['ipv4', IPV4],
  ['ipv6', IPV6],
] as const) {
  test(`${family} routes compare in the order of the kernel's dump [NET-6]`, () => {
    const sorted = prefixes
      .toReversed()
      .toSorted((one, other) => compareRoutes(family, keyOf(one, 0)!, keyOf(other, 0)!));
    assert.deepEqual(sorted, prefixes);
  });
}

test('a cursor is read back as it was made, and no other text is one [NET-6]', () => {
  const after = keyOf('198.18.12.0/31', 20)!;
  const cursor = formatCursor('ipv4', '1f', after, 2);
  assert.deepEqual(parseCursor('ipv4', cursor), { ok: true, value: { dump: '1f', after, same: 2 } });
  for (const text of ['', 'x', cursor.slice(0, -3), `${cursor}${cursor}`, 'A'.repeat(300)])
    assert.equal(parseCursor('ipv4', text).ok, false);
  assert.equal(parseCursor('ipv6', cursor).ok, false);
});

test('rows of ip become routes: defaults, hosts, several next hops, blackholes', () => {
  assert.deepEqual(routeOf('ipv4', { dst: 'default', gateway: '192.0.2.1', dev: 'eth1', protocol: 'static' }), {
    prefix: '0.0.0.0/0',
    kind: 'unicast',
    protocol: 'static',
    metric: undefined,
    nextHops: [{ gateway: '192.0.2.1', ifname: 'eth1' }],
  });
  assert.equal(routeOf('ipv6', { dst: 'fd00::1' })?.prefix, 'fd00::1/128');
  assert.deepEqual(
    routeOf('ipv4', {
      dst: '192.0.2.0/24',
      nexthops: [
        { via: { family: 'inet6', host: 'fe80::1' }, dev: 'a', weight: 1 },
        { gateway: '192.0.2.9', dev: 'b' },
      ],
    })?.nextHops,
    [
      { gateway: 'fe80::1', ifname: 'a', weight: 1 },
      { gateway: '192.0.2.9', ifname: 'b' },
    ],
  );
  assert.equal(routeOf('ipv4', { flags: [] }), undefined);
});

test('rows come out whole however the array is cut into pieces', () => {
  const rows = [
    { dst: 'a},{"dst":' },
    { dst: 'b', nexthops: [{ dev: '}{' }, { dev: '\\' }] },
    { type: 'blackhole', dst: 'ü' },
  ];
  const bytes = Buffer.from(`[${rows.map((row) => JSON.stringify(row)).join(',')}]\n`);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 }), (cuts) => {
      const splitter = createRowSplitter();
      const ends = [...cuts.toSorted((one, other) => one - other), bytes.length];
      let start = 0;
      const out = ends.flatMap((end) => {
        const piece = bytes.subarray(start, end);
        start = end;
        return splitter.push(piece);
      });
      assert.deepEqual([...out, ...splitter.finish()], rows);
    }),
  );
});

test('an empty table has no rows', () => {
  const splitter = createRowSplitter();
  assert.deepEqual([...splitter.push(Buffer.from('[ ]\n')), ...splitter.finish()], []);
});
