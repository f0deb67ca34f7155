// Datagrams that go straight to the kernel.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { createDestinations } from '#router/native/destinations.ts';
import { loadLibc } from '#router/native/libc.ts';

for (const { type, address, own } of [
  { type: 'udp4', address: '127.0.0.1', own: new Uint8Array([127, 0, 0, 1]) },
  { type: 'udp6', address: '::1', own: new Uint8Array(16).fill(1, 15) },
] as const) {
  test(`a datagram to ${address} arrives as it was, from the port that the socket is bound to`, async (t) => {
    const heard = createSocket(type).bind(0, address);
    t.after(() => heard.close());
    await once(heard, 'listening');
    const libc = await loadLibc();
    const opened = libc.openUdp(own, 0);
    assert.ok('fd' in opened);
    const sender = createSocket(type).bind({ fd: opened.fd });
    t.after(() => sender.close());
    const to = createDestinations()(address, heard.address().port);
    assert.ok(to);
    const arrived = once(heard, 'message');
    assert.deepEqual(libc.sendUdp(opened.fd, Buffer.from('probe'), to), { kind: 'sent' });
    const [bytes, from] = await arrived;
    assert.equal(String(bytes), 'probe');
    assert.deepEqual([from.address, from.port], [address, sender.address().port]);
  });
}

test('a peer is translated once, and each port is a peer of its own', () => {
  const destinationOf = createDestinations();
  const first = destinationOf('192.0.2.1', 862);
  assert.equal(destinationOf('192.0.2.1', 862), first);
  assert.notDeepEqual(destinationOf('192.0.2.1', 863), first);
});

test('an address with a zone is left to those who know interfaces', () => {
  assert.equal(createDestinations()('fe80::1%eth1', 862), undefined);
});
