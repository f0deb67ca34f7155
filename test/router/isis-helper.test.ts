// The helper's side of the IS-IS speaker without a socket: which interfaces it may use, which frames it reads, which
// requests it takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checked } from '#model/wire/check.ts';
import { findSpeakerEnd, parseLinks } from '#router/helper/isis/link.ts';
import { pduOf } from '#router/helper/isis/speak.ts';
import { READ_REQUESTS } from '#router/protocol/read-operations.ts';

/** `ip -j -d link show type veth` of iproute2 6.1, shortened. */
const LINKS = JSON.stringify([
  { ifindex: 3, link: 'agent0', ifname: 'isis0', address: '62:24:9d:de:33:3d', linkinfo: { info_kind: 'veth' } },
  { ifindex: 2, link: 'isis0', ifname: 'agent0', address: '3e:b4:9e:9d:b1:fb', linkinfo: { info_kind: 'veth' } },
  { ifindex: 9, link_index: 4, link_netnsid: 1, ifname: 'eth1', address: '02:00:00:00:00:01' },
  { ifindex: 8, link: 'isis0', ifname: 'odd0', address: '02:00:00:00:00:02' },
  { ifindex: 'x', ifname: 'bad0' },
]);

test('our end is the other end of a pair that is all in this namespace', () => {
  const found = findSpeakerEnd(parseLinks(LINKS), 'isis0');
  assert.deepEqual([found.ifname, found.ifindex], ['agent0', 2]);
  assert.equal(Buffer.from(found.linkLocal).toString('hex'), 'fe800000000000003cb49efffe9db1fb');
});

test('a veth to elsewhere, one that is not mutual, and none at all are refused', () => {
  const cases: readonly [string, string, RegExp][] = [
    [LINKS, 'eth1', /got an end whose other end is elsewhere/],
    [LINKS, 'odd0', /got an end whose other end is elsewhere/],
    [LINKS, 'lo', /got no veth of that name/],
    ['', 'isis0', /got no veth of that name/],
    ['{}', 'isis0', /got no veth of that name/],
  ];
  for (const [text, ifname, message] of cases)
    assert.throws(() => findSpeakerEnd(parseLinks(text), ifname), { code: 'node/isis-interface', message });
});

test('reads 802.3 frames with an ISO header as far as their length says, and no others', () => {
  const frame = (length: number, ...octets: readonly number[]) =>
    Uint8Array.from([...new Uint8Array(12), 0, length, ...octets]);
  assert.deepEqual(pduOf(frame(5, 0xfe, 0xfe, 3, 0x83, 20, 0, 0)), Uint8Array.of(0x83, 20));
  assert.equal(pduOf(frame(5, 0x42, 0x42, 3, 0, 0)), undefined);
  assert.equal(pduOf(frame(2, 0xfe, 0xfe, 3, 0x83)), undefined);
  assert.equal(pduOf(frame(9, 0xfe, 0xfe, 3, 0x83)), undefined);
  assert.equal(pduOf(frame(5, 0xfe)), undefined);
});

test('takes a request in its closed form only', () => {
  const good = { ifname: 'isis0', node: 'pe1', systemId: '02aabbccdd01', information: '01' };
  const speakArguments = (args: unknown) => checked(READ_REQUESTS['isis-speak'], args);
  assert.deepEqual(speakArguments({ ...good, area: '490001' }), { ...good, area: '490001' });
  const refused = [
    { ifname: '-x' },
    { node: 'PE 1' },
    { systemId: '02aabbccdd' },
    { systemId: '02AABBCCDD01' },
    { area: '' },
    { area: '00'.repeat(14) },
    { information: '' },
    { information: '00'.repeat(201) },
    { hostname: 'core-7' },
  ];
  for (const over of refused)
    assert.throws(() => speakArguments({ ...good, ...over }), { code: 'caller/bad-argument' }, JSON.stringify(over));
});
