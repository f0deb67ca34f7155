// Programs as the kernel takes them, octet for octet, and what the assembler refuses to make of a mistake.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMED_ROUTES } from '#router/drivers/linux-frr/memory/route-events.ts';
import { ADVERTISEMENTS, ARP, ECHO_REPLIES } from '#router/helper/port-sockets.ts';
import { heardFilter } from '#router/helper/snoop/requests.ts';
import { ASKS_FILTER, servedFilter } from '#router/helper/snoop/services.ts';
import { accept, assemble, DROP, ifEqual, label, loadByte } from '#router/native/bpf.ts';

test('the filter for DNS questions and DHCP is this program', () => {
  assert.deepEqual(heardFilter(96, 640), [
    [0x28, 0, 0, 12],
    [0x15, 0, 20, 0x0800],
    [0x30, 0, 0, 23],
    [0x15, 0, 8, 17],
    [0x28, 0, 0, 20],
    [0x45, 16, 0, 0x1fff],
    [0xb1, 0, 0, 14],
    [0x48, 0, 0, 14],
    [0x15, 15, 0, 67],
    [0x48, 0, 0, 16],
    [0x15, 12, 0, 53],
    [0x15, 12, 10, 67],
    [0x15, 0, 9, 1],
    [0xb1, 0, 0, 14],
    [0x48, 0, 0, 14],
    [0x15, 0, 6, 0x0303],
    [0x50, 0, 0, 31],
    [0x15, 0, 4, 17],
    [0x50, 0, 0, 22],
    [0x15, 0, 2, 0x45],
    [0x48, 0, 0, 44],
    [0x15, 2, 0, 67],
    [0x06, 0, 0, 0],
    [0x06, 0, 0, 96],
    [0x06, 0, 0, 640],
  ]);
});

test('the filter for answers of web and name servers is this program', () => {
  assert.deepEqual(servedFilter(4), [
    [0x28, 0, 0, 12],
    [0x15, 0, 17, 0x0800],
    [0x30, 0, 0, 23],
    [0x15, 1, 0, 6],
    [0x15, 9, 14, 17],
    [0x28, 0, 0, 20],
    [0x45, 12, 0, 0x1fff],
    [0xb1, 0, 0, 14],
    [0x50, 0, 0, 27],
    [0x54, 0, 0, 0x12],
    [0x15, 0, 8, 0x12],
    [0x48, 0, 0, 14],
    [0x15, 7, 0, 80],
    [0x15, 6, 5, 443],
    [0x28, 0, 0, 20],
    [0x45, 3, 0, 0x1fff],
    [0xb1, 0, 0, 14],
    [0x48, 0, 0, 14],
    [0x15, 1, 0, 53],
    [0x06, 0, 0, 0],
    [0x06, 0, 0, 384],
  ]);
});

test('the filters for ARP, IPv6 echo replies, neighbour advertisements and routes set by hand are these programs', () => {
  assert.deepEqual(ASKS_FILTER, [
    [0x28, 0, 0, 20],
    [0x15, 0, 1, 1],
    [0x06, 0, 0, 64],
    [0x06, 0, 0, 0],
  ]);
  assert.deepEqual(ECHO_REPLIES, [
    [0x30, 0, 0, 20],
    [0x15, 0, 3, 58],
    [0x30, 0, 0, 54],
    [0x15, 0, 1, 129],
    [0x06, 0, 0, 128],
    [0x06, 0, 0, 0],
  ]);
  assert.deepEqual(ADVERTISEMENTS, [
    [0x30, 0, 0, 20],
    [0x15, 0, 3, 58],
    [0x30, 0, 0, 54],
    [0x15, 0, 1, 136],
    [0x06, 0, 0, 128],
    [0x06, 0, 0, 0],
  ]);
  assert.deepEqual(ARP, [
    [0x28, 0, 0, 20],
    [0x15, 1, 0, 1],
    [0x15, 0, 1, 2],
    [0x06, 0, 0, 64],
    [0x06, 0, 0, 0],
  ]);
  assert.deepEqual(NAMED_ROUTES, [
    [0x30, 0, 0, 17],
    [0x15, 8, 0, 0],
    [0x30, 0, 0, 21],
    [0x15, 6, 0, 3],
    [0x15, 5, 0, 4],
    [0x15, 4, 0, 196],
    [0x30, 0, 0, 23],
    [0x35, 0, 1, 6],
    [0x25, 0, 1, 8],
    [0x06, 0, 0, 0],
    [0x06, 0, 0, 0xffff_ffff],
  ]);
});

test('a jump to an unknown label, backwards, past the end or too far is refused', () => {
  const refused = [
    [ifEqual(1, { yes: 'nowhere' }), DROP],
    [label('back'), loadByte(0), ifEqual(1, { no: 'back' }), DROP],
    [ifEqual(1, { yes: 'end' }), DROP, label('end')],
    [ifEqual(1, { yes: 'far' }), ...Array.from({ length: 256 }, () => loadByte(0)), label('far'), DROP],
  ];
  for (const lines of refused) assert.throws(() => assemble(lines), RangeError);
  assert.throws(() => assemble([label('twice'), DROP, label('twice'), DROP]), RangeError);
  const farthest = [ifEqual(1, { yes: 'far' }), ...Array.from({ length: 255 }, () => loadByte(0)), label('far'), DROP];
  assert.deepEqual(assemble(farthest)[0], [0x15, 255, 0, 1]);
  assert.deepEqual(assemble([accept(5)]), [[0x06, 0, 0, 5]]);
});
