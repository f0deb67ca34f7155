// Connection requests of hosts as they come in: which frames the kernel hands over, and which requests count as answered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnectionRequests, REQUESTS_FILTER, requestIn } from '#router/helper/snoop/connection-requests.ts';

type Wanted = {
  readonly type?: number;
  readonly protocol?: number;
  readonly flags?: number;
  readonly fragment?: number;
};

/** Ethernet, IPv4 without options from 198.19.1.10 to 198.19.3.10, and TCP from `from` to port 80. */
function frameOf(from: number, { type = 0x0800, protocol = 6, flags = 0x02, fragment = 0 }: Wanted = {}): Uint8Array {
  const frame = Buffer.alloc(60);
  frame.writeUInt16BE(type, 12);
  frame[14] = 0x45;
  frame.writeUInt16BE(fragment, 20);
  frame[23] = protocol;
  frame.set([198, 19, 1, 10, 198, 19, 3, 10], 26);
  frame.writeUInt16BE(from, 34);
  frame.writeUInt16BE(80, 36);
  frame[47] = flags;
  return Uint8Array.from(frame);
}
const PAIR = { ifname: 'eth3', client: '198.19.1.10', server: '198.19.3.10', port: 80 };
const ports = (...from: readonly number[]) => [{ ifname: 'eth3', frames: from.map((each) => frameOf(each)) }];

test('the kernel hands over TCP requests of IPv4 that are no fragment, by this program', () => {
  assert.deepEqual(REQUESTS_FILTER, [
    [0x28, 0, 0, 12],
    [0x15, 0, 9, 0x0800],
    [0x30, 0, 0, 23],
    [0x15, 0, 7, 6],
    [0x28, 0, 0, 20],
    [0x45, 5, 0, 0x1fff],
    [0xb1, 0, 0, 14],
    [0x50, 0, 0, 27],
    [0x54, 0, 0, 0x12],
    [0x15, 0, 1, 0x02],
    [0x06, 0, 0, 78],
    [0x06, 0, 0, 0],
  ]);
});

test('reads who asks whom, from which port for which', () => {
  assert.deepEqual(requestIn(frameOf(40_001)), {
    client: PAIR.client,
    server: PAIR.server,
    clientPort: 40_001,
    port: 80,
  });
  assert.equal(requestIn(frameOf(40_001, { protocol: 17 })), undefined);
  assert.equal(requestIn(frameOf(40_001).subarray(0, 37)), undefined);
});

test('a request that comes once counts as answered after three seconds, and not before', () => {
  const requests = createConnectionRequests();
  assert.deepEqual(requests(ports(40_001, 40_002), 1_000), []);
  assert.deepEqual(requests(ports(), 3_999), []);
  assert.deepEqual(requests(ports(), 4_000), [{ ...PAIR, answered: 2, unanswered: 0, repeats: 0 }]);
  assert.deepEqual(requests(ports(), 9_000), []);
});

test('a request that comes again is not answered: a connection counts once, each repetition as well', () => {
  const requests = createConnectionRequests();
  assert.deepEqual(requests(ports(40_001), 0), []);
  assert.deepEqual(requests(ports(40_001), 2_000), [{ ...PAIR, answered: 0, unanswered: 1, repeats: 1 }]);
  assert.deepEqual(requests(ports(40_001), 8_000), [{ ...PAIR, answered: 0, unanswered: 0, repeats: 1 }]);
  assert.deepEqual(requests(ports(), 90_000), [], 'it never counts as answered');
  assert.deepEqual(requests(ports(40_001, 40_001), 91_000), [{ ...PAIR, answered: 0, unanswered: 1, repeats: 1 }]);
});

test('follows so many requests at once: the oldest makes room, and counts for nothing', () => {
  const requests = createConnectionRequests();
  requests(ports(...Array.from({ length: 1_025 }, (_, index) => 1_000 + index)), 0);
  assert.deepEqual(requests(ports(), 3_000), [{ ...PAIR, answered: 1_024, unanswered: 0, repeats: 0 }]);
});
