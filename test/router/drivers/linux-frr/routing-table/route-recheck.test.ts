// The way to an IPv6 address out of the kernel's list of routes, for lookups that answered "no route" and were doubted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestOf } from '#router/drivers/linux-frr/routing-table/route-recheck.ts';

/** As /proc/net/ipv6_route shows them on a router of a fabric. */
const LIST = `fd000000000000030000000000000001 80 00000000000000000000000000000000 00 fe80000000000000f04610fffe597363 00000014 00000003 00000000 00000003     eth1
fd00005a000100000000000000000000 30 00000000000000000000000000000000 00 00000000000000000000000000000000 00000014 00000003 00000000 00200200       lo
fd00005a000400000000000000000000 30 00000000000000000000000000000000 00 fe80000000000000a803defffec109da 00000014 00000001 00000000 00000003     eth2
fd00005a000400000000000000000000 30 00000000000000000000000000000000 00 fe80000000000000f04610fffe597363 00000400 00000001 00000000 00000003     eth1
fd000001000100000000000000000000 7f 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000005 00000000 00000001     eth1
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
`;

test('the longest prefix with the lowest metric is the way', () => {
  const answer = (destination: string) => bestOf(LIST, destination);
  assert.deepEqual(answer('fd00:5a:4::d6'), {
    destination: 'fd00:5a:4::d6',
    kind: 'unicast',
    ifname: 'eth2',
    nextHop: 'fe80:0000:0000:0000:a803:deff:fec1:09da',
  });
  assert.equal(answer('fd00:0:0:3::1')?.ifname, 'eth1');
  assert.deepEqual(answer('fd00:1:1::1'), { destination: 'fd00:1:1::1', kind: 'unicast', ifname: 'eth1' });
});

test('an address that only the unreachable rest covers has no way', () => {
  assert.equal(bestOf(LIST, '2001:db8::1'), undefined);
  assert.equal(bestOf('', 'fd00:5a:4::d6'), undefined);
  assert.equal(bestOf('garbage\n', 'fd00:5a:4::d6'), undefined);
});
