// The order of the kernel's dumps, and the cursors made of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compareRoutes,
  formatCursor,
  keyOf,
  parseCursor,
} from '#router/drivers/linux-frr/routing-table/route-order.ts';

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
