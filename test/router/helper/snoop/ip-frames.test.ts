// IPv6 as it passes on ports to hosts: which frames the kernel hands over, and what is read of them, with one header of options and without.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnectionRequests, requestsFilter, segmentIn } from '#router/helper/snoop/connection-requests.ts';
import { headersIn } from '#router/helper/snoop/ip-frames.ts';
import { heardIn, questionsFilter6 } from '#router/helper/snoop/requests.ts';
import { nameAnswerOf, servedFilter, servedIn } from '#router/helper/snoop/services.ts';
import type { BpfProgram } from '#router/native/bpf.ts';

type Wanted = {
  readonly type?: number;
  readonly protocol?: number;
  readonly from?: number;
  readonly to?: number;
  readonly flags?: number;
  readonly sequence?: number;
  readonly stamp?: number;
  readonly flow?: number;
  /** Next Header of a header that stands between, and how many units of eight octets it has beyond the first. */
  readonly extension?: number;
  readonly units?: number;
  readonly source?: string;
  readonly rest?: string;
};
const HOST = '20010db8000100000000000000000010';
const SERVER = '20010db8000300000000000000000010';
const LINK_LOCAL = 'fe800000000000000000000000000010';
const [SYN, SYN_ACK, ACK, FIN] = [0x02, 0x12, 0x10, 0x11];

/** Ethernet, IPv6 from a host to a server, and the start of TCP or UDP. */
function frameOf(given: Wanted): Uint8Array {
  const { type = 0x86dd, protocol = 6, from = 40_001, to = 80, flags = SYN, sequence = from, stamp = 0 } = given;
  const { flow = 7, extension, units = 0, source = HOST, rest = '' } = given;
  const options = extension === undefined ? 0 : (units + 1) * 8;
  const frame = Buffer.alloc(14 + 40 + options + 44 + rest.length / 2);
  frame.writeUInt16BE(type, 12);
  frame.writeUInt32BE(0x6000_0000 + flow, 14);
  frame[20] = extension ?? protocol;
  frame.set(Buffer.from(source + SERVER, 'hex'), 22);
  if (extension !== undefined) frame.set([protocol, units], 54);
  const at = 54 + options;
  frame.writeUInt16BE(from, at);
  frame.writeUInt16BE(to, at + 2);
  frame.writeUInt32BE(sequence, at + 4);
  frame[at + 13] = flags;
  frame.writeUInt32BE(stamp, at + 28);
  if (rest !== '') return Uint8Array.from([...frame.subarray(0, at + 8), ...Buffer.from(rest, 'hex')]);
  return Uint8Array.from(frame);
}

/** Classic BPF as far as the programs use it; the number of octets that are let through. */
function run(program: BpfProgram, frame: Uint8Array): number {
  let [a, x, at] = [0, 0, 0];
  for (;;) {
    const [code, ifTrue, ifFalse, k] = program[at++]!;
    if (code === 0x06) return k;
    if (code === 0x28) a = frame[k]! * 256 + frame[k + 1]!;
    else if (code === 0x48) a = frame[x + k]! * 256 + frame[x + k + 1]!;
    else if (code === 0x30) a = frame[k]!;
    else if (code === 0x50) a = frame[x + k]!;
    else if (code === 0x01) x = k;
    else if (code === 0x07) x = a;
    else if (code === 0x04) a += k;
    else if (code === 0x64) a <<= k;
    else if (code === 0x54) a &= k;
    else if (code === 0x15) at += a === k ? ifTrue : ifFalse;
    else if (code === 0x45) at += (a & k) === 0 ? ifFalse : ifTrue;
    else throw new Error(`unknown code ${code}`);
  }
}

/** No options, hop by hop, and of two units for the destination. */
const PASSED = [{}, { extension: 0 }, { extension: 60, units: 1 }];
/** A routing header, a fragment, and IPv6 in IPv6. */
const LEFT = [{ extension: 43 }, { extension: 44 }, { extension: 41 }];

test('the kernel hands over requests and ends of TCP over IPv6 by this program', () => {
  assert.deepEqual(requestsFilter(6), [
    [0x28, 0, 0, 12],
    [0x15, 0, 16, 0x86dd],
    [0x01, 0, 0, 40],
    [0x30, 0, 0, 20],
    [0x15, 1, 0, 0],
    [0x15, 0, 6, 60],
    [0x30, 0, 0, 55],
    [0x04, 0, 0, 1],
    [0x64, 0, 0, 3],
    [0x04, 0, 0, 40],
    [0x07, 0, 0, 0],
    [0x30, 0, 0, 54],
    [0x15, 0, 5, 6],
    [0x50, 0, 0, 27],
    [0x45, 2, 0, 0x05],
    [0x54, 0, 0, 0x12],
    [0x15, 0, 1, 0x02],
    [0x06, 0, 0, 106],
    [0x06, 0, 0, 0],
  ]);
});

test('requests, answers and questions over IPv6 are handed over behind one header of options, and nothing behind another', () => {
  for (const each of PASSED) {
    assert.equal(run(requestsFilter(6), frameOf(each)), 106, JSON.stringify(each));
    assert.equal(run(requestsFilter(6), frameOf({ ...each, flags: FIN })), 106);
    assert.equal(run(requestsFilter(6), frameOf({ ...each, flags: ACK })), 0);
    assert.equal(run(servedFilter(6), frameOf({ ...each, from: 80, flags: SYN_ACK })), 412);
    assert.equal(run(servedFilter(6), frameOf({ ...each, from: 53, protocol: 17 })), 412);
    assert.equal(run(servedFilter(6), frameOf({ ...each, from: 25, flags: SYN_ACK })), 0);
    assert.equal(run(questionsFilter6(124), frameOf({ ...each, to: 53, protocol: 17 })), 124);
    assert.equal(run(questionsFilter6(124), frameOf({ ...each, to: 547, protocol: 17 })), 0);
  }
  for (const each of [...LEFT, { type: 0x0800 }, { protocol: 58 }])
    for (const program of [requestsFilter(6), servedFilter(6), questionsFilter6(124)])
      assert.equal(run(program, frameOf({ from: 80, to: 53, ...each })), 0, JSON.stringify(each));
});

test('who asks whom over IPv6 is read, and who answers; addresses of one link say nothing', () => {
  for (const each of PASSED) {
    const { mark: _, ...request } = segmentIn(frameOf(each))!;
    assert.deepEqual(request, {
      ...{ client: '2001:db8:1::10', server: '2001:db8:3::10', clientPort: 40_001, port: 80 },
      ...{ what: 'request', sequence: 40_001 },
    });
    const answer = { address: '2001:db8:1::10', service: 'tcp', port: 443 };
    assert.deepEqual(servedIn(frameOf({ ...each, from: 443, flags: SYN_ACK })), answer);
    const question = { what: 'dns-query', from: '2001:db8:1::10', to: '2001:db8:3::10' };
    assert.deepEqual(heardIn(frameOf({ ...each, protocol: 17, to: 53 })), question);
  }
  assert.equal(headersIn(frameOf({ source: LINK_LOCAL })), undefined);
  // The ports of DHCP over IPv4 mean nothing here.
  assert.equal(heardIn(frameOf({ protocol: 17, from: 68, to: 67 })), undefined);
  const whole = frameOf({ extension: 60, units: 255 });
  for (let length = 0; length < whole.length; length++) headersIn(whole.subarray(0, length));
  assert.equal(headersIn(frameOf({ extension: 60, units: 255 }).subarray(0, 80)), undefined);
});

test('of a name server’s answer over IPv6 its own name is read, and to whom it is given', () => {
  const rest =
    '123485800001000100000000037777770361626307657861' + '6d706c650000010001c00c00010001000000000004c0000250';
  const frame = frameOf({ protocol: 17, from: 53, to: 40_001, rest });
  assert.deepEqual(nameAnswerOf(frame), { name: 'www.abc.example', given: true, asker: '2001:db8:3::10' });
});

test('a request over IPv6 that is sent again is told from a copy by its time stamp, or by its flow label', () => {
  const requests = createConnectionRequests();
  requests.heard('eth3', [frameOf({}), frameOf({}), frameOf({ from: 40_002 })], 0);
  requests.heard('eth3', [frameOf({ stamp: 1_000 }), frameOf({ from: 40_002, flow: 8 })], 1_000);
  assert.deepEqual(requests.known(4_000), [
    {
      ...{ ifname: 'eth3', client: '2001:db8:1::10', server: '2001:db8:3::10', port: 80 },
      ...{ used: 0, once: 0, unanswered: 2, repeats: 2 },
    },
  ]);
});

test('a copy over IPv6 with another traffic class is a copy; each of the 20 bits of the flow label makes another packet', () => {
  const repeats = (flow: number) => {
    const requests = createConnectionRequests();
    requests.heard('eth3', [frameOf({ flow: 0x12345 })], 0);
    requests.heard('br0', [frameOf({ flow })], 0);
    return requests.known(4_000).map((row) => row.repeats);
  };
  assert.deepEqual(repeats(0x0b812345), repeats(0x12345));
  for (const flow of [0x02345, 0x12344, 0x13345]) assert.notDeepEqual(repeats(flow), repeats(0x12345));
});
