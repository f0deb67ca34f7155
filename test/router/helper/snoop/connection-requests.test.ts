// Segments of hosts' connections as they come in: which frames the kernel hands over, and what is taken for unanswered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnectionRequests, requestsFilter, segmentIn } from '#router/helper/snoop/connection-requests.ts';

type Wanted = {
  readonly type?: number;
  readonly protocol?: number;
  readonly flags?: number;
  readonly fragment?: number;
  readonly sequence?: number;
  /** When it was sent, as its TCP option says. */
  readonly stamp?: number;
  readonly client?: readonly number[];
  readonly header?: number;
};
const [SYN, SYN_ACK, ACK, FIN, RST] = [0x02, 0x12, 0x10, 0x11, 0x04];

/** Ethernet, IPv4 without options to 198.19.3.10, and TCP from `from` to port 80. */
function frameOf(from: number, given: Wanted = {}): Uint8Array {
  const { type = 0x0800, protocol = 6, flags = SYN, fragment = 0, sequence = from, stamp = 0 } = given;
  const { client = [198, 19, 1, 10], header = 0x45 } = given;
  const frame = Buffer.alloc(74);
  frame.writeUInt16BE(type, 12);
  frame[14] = header;
  frame.writeUInt16BE(fragment, 20);
  frame[23] = protocol;
  frame.set([...client, 198, 19, 3, 10], 26);
  frame.writeUInt16BE(from, 34);
  frame.writeUInt16BE(80, 36);
  frame.writeUInt32BE(sequence, 38);
  frame[47] = flags;
  frame.writeUInt32BE(stamp, 62);
  return Uint8Array.from(frame);
}
const PAIR = { ifname: 'eth3', client: '198.19.1.10', server: '198.19.3.10', port: 80 };
const NOTHING = { ...PAIR, used: 0, once: 0, unanswered: 0, repeats: 0 };
/** Hears what came on ports, and tells what is known since the call before. */
function following() {
  const requests = createConnectionRequests();
  return (ports: readonly { readonly ifname: string; readonly frames: Iterable<Uint8Array> }[], nowMs: number) => {
    for (const { ifname, frames } of ports) requests.heard(ifname, frames, nowMs);
    return requests.known(nowMs);
  };
}
const heard = (...frames: readonly Uint8Array[]) => [{ ifname: 'eth3', frames }];
const ports = (...from: readonly number[]) => heard(...from.map((each) => frameOf(each)));
const again = (from: number, stamp: number) => frameOf(from, { stamp });
const end = (from: number, flags = FIN) => frameOf(from, { flags, sequence: from + 90 });

test('the kernel hands over TCP requests and ends of IPv4 that are no fragment, by this program', () => {
  assert.deepEqual(requestsFilter(4), [
    [0x28, 0, 0, 12],
    [0x15, 0, 10, 0x0800],
    [0x30, 0, 0, 23],
    [0x15, 0, 8, 6],
    [0x28, 0, 0, 20],
    [0x45, 6, 0, 0x1fff],
    [0xb1, 0, 0, 14],
    [0x50, 0, 0, 27],
    [0x45, 2, 0, 0x05],
    [0x54, 0, 0, 0x12],
    [0x15, 0, 1, 0x02],
    [0x06, 0, 0, 78],
    [0x06, 0, 0, 0],
  ]);
});

test('reads who asks whom, from which port for which, and who ends a connection', () => {
  const { mark, ...request } = segmentIn(frameOf(40_001))!;
  const ends = { client: PAIR.client, server: PAIR.server, clientPort: 40_001, port: 80 };
  assert.deepEqual(request, { ...ends, what: 'request', sequence: 40_001 });
  assert.equal(mark, segmentIn(frameOf(40_001))?.mark);
  assert.notEqual(mark, segmentIn(again(40_001, 1))?.mark);
  const what = (flags: number) => segmentIn(frameOf(40_001, { flags }))?.what;
  assert.deepEqual([FIN, RST, RST + ACK, SYN_ACK, ACK].map(what), ['end', 'end', 'end', undefined, undefined]);
  assert.equal(segmentIn(frameOf(40_001, { protocol: 17 })), undefined);
  assert.equal(segmentIn(frameOf(40_001).subarray(0, 53)), undefined);
  assert.equal(segmentIn(frameOf(40_001, { header: 0x44 })), undefined, 'no header is so short');
});

test('a request that comes once is told after three seconds, and not before', () => {
  const requests = following();
  assert.deepEqual(requests(ports(40_001, 40_002), 1_000), []);
  assert.deepEqual(requests(ports(), 3_999), []);
  assert.deepEqual(requests(ports(), 4_000), [{ ...NOTHING, once: 2 }]);
  assert.deepEqual(requests(ports(), 9_000), []);
});

test('a connection that the client ends was used, also where its request came twice or was told before', () => {
  const requests = following();
  assert.deepEqual(requests(heard(frameOf(40_001), end(40_001), end(40_001)), 0), [{ ...NOTHING, used: 1 }]);
  assert.deepEqual(requests(heard(frameOf(40_002), again(40_002, 1_000), end(40_002, RST)), 2_000), [
    { ...NOTHING, used: 1, repeats: 1 },
  ]);
  requests(heard(frameOf(40_003)), 10_000);
  assert.deepEqual(requests(heard(again(40_003, 1_000)), 12_000), [{ ...NOTHING, repeats: 1 }]);
  assert.deepEqual(requests(ports(), 15_000), [{ ...NOTHING, unanswered: 1 }]);
  assert.deepEqual(requests(heard(end(40_003)), 18_000), [{ ...NOTHING, used: 1 }]);
  assert.deepEqual(requests(heard(end(40_009)), 18_000), [], 'of a connection that is not known');
});

test('a request that is sent again is not answered: a connection counts once, each repetition as well', () => {
  const requests = following();
  assert.deepEqual(requests(ports(40_001), 0), []);
  assert.deepEqual(requests(heard(again(40_001, 1_000)), 2_000), [{ ...NOTHING, repeats: 1 }]);
  assert.deepEqual(requests(heard(again(40_001, 3_000)), 4_000), [{ ...NOTHING, unanswered: 1, repeats: 1 }]);
  assert.deepEqual(requests(heard(again(40_001, 7_000)), 8_000), [{ ...NOTHING, repeats: 1 }]);
  assert.deepEqual(requests(ports(), 90_000), [], 'it never counts as answered');
});

test('of one connection fifteen repetitions are told, and none after that', () => {
  const requests = following();
  const repeats = Array.from({ length: 20 }, (_, index) => again(40_001, 1_000 + index));
  assert.deepEqual(requests(heard(frameOf(40_001), ...repeats), 0), [{ ...NOTHING, unanswered: 1, repeats: 15 }]);
  assert.deepEqual(requests(heard(again(40_001, 9_000)), 2_000), []);
});

test('a connection that makes room is not told as unanswered, although its request was sent again', () => {
  const requests = following();
  const many = Array.from({ length: 128 }, (_, index) => frameOf(1_000 + index));
  assert.deepEqual(requests(heard(frameOf(7), again(7, 1_000), ...many), 0), [{ ...NOTHING, repeats: 1 }]);
  assert.deepEqual(requests(ports(), 3_000), [{ ...NOTHING, once: 128 }]);
});

test('a copy of a request is no second one, on the same port or on one above it', () => {
  const requests = following();
  const frames = [frameOf(40_001), again(40_002, 0), again(40_002, 1_000)];
  const both = ['eth3', 'vrrp4-3-1'].map((ifname) => ({ ifname, frames: [...frames, ...frames] }));
  assert.deepEqual(requests(both, 0), [{ ...NOTHING, repeats: 1 }]);
  assert.deepEqual(requests(heard(...frames), 2_000), []);
  assert.deepEqual(requests(ports(), 4_000), [{ ...NOTHING, once: 1, unanswered: 1 }]);
});

test('another request from the same port is another connection', () => {
  const requests = following();
  const sent = [1, 2, 3].map((sequence) => frameOf(40_001, { sequence }));
  assert.deepEqual(requests(heard(...sent), 0), [{ ...NOTHING, once: 2 }]);
});

test('follows so many requests of a host, and in all: the oldest makes room, and one that was not seen to be sent again was asked for once', () => {
  const requests = following();
  const many = Array.from({ length: 130 }, (_, index) => 1_000 + index);
  assert.deepEqual(requests(ports(...many), 0), [{ ...NOTHING, once: 2 }]);
  assert.deepEqual(requests(ports(), 3_000), [{ ...NOTHING, once: 128 }]);
  const busy = following();
  const other = { client: [198, 19, 1, 20] };
  busy(heard(frameOf(7, other), frameOf(7, { ...other, stamp: 1_000 })), 0);
  const scan = busy(ports(...many), 2_000);
  assert.deepEqual([scan.length, scan[0]?.client], [1, PAIR.client]);
  assert.deepEqual(busy(ports(), 3_000).find(({ client }) => client === '198.19.1.20')?.unanswered, 1);
  const hosts = Array.from({ length: 10 }, (_, index) => ({ client: [198, 19, 1, 100 + index] }));
  const all = busy(heard(...hosts.flatMap((host) => many.map((from) => frameOf(from, host)))), 4_000);
  assert.equal(
    all.reduce((sum, { once }) => sum + once, 0) + busy(ports(), 7_000).reduce((sum, { once }) => sum + once, 0),
    128 + 10 * 130,
  );
});
