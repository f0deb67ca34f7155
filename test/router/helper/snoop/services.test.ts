// What passes as a service that is served, as a server's own name, and as a host's question who has an address: frames, and the programs by
// which the kernel picks them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeArpProbe } from '#codec/arp.ts';
import { ASKS_FILTER, askIn, nameAnswerOf, servedFilter, servedIn } from '#router/helper/snoop/services.ts';
import type { BpfProgram } from '#router/native/bpf.ts';

type Wanted = {
  readonly type?: number;
  readonly protocol?: number;
  readonly port?: number;
  readonly flags?: number;
  readonly fragment?: number;
};

/** Ethernet, IPv4 without options from 198.19.1.10, and the start of TCP or UDP. */
function frameOf({ type = 0x0800, protocol = 6, port = 80, flags = 0x12, fragment = 0 }: Wanted): Uint8Array {
  const frame = Buffer.alloc(60);
  frame.writeUInt16BE(type, 12);
  frame[14] = 0x45;
  frame.writeUInt16BE(fragment, 20);
  frame[23] = protocol;
  frame.set([198, 19, 1, 10], 26);
  frame.writeUInt16BE(port, 34);
  frame[47] = flags;
  return Uint8Array.from(frame);
}

/** Classic BPF as far as the program uses it; the number of octets that are let through. */
function run(frame: Uint8Array, program: BpfProgram = servedFilter(4)): number {
  let [a, x, at] = [0, 0, 0];
  for (;;) {
    const [code, ifTrue, ifFalse, k] = program[at++]!;
    if (code === 0x06) return k;
    if (code === 0x28) a = frame[k]! * 256 + frame[k + 1]!;
    else if (code === 0x48) a = frame[x + k]! * 256 + frame[x + k + 1]!;
    else if (code === 0x30) a = frame[k]!;
    else if (code === 0x50) a = frame[x + k]!;
    else if (code === 0xb1) x = (frame[k]! & 0x0f) * 4;
    else if (code === 0x54) a &= k;
    else if (code === 0x15) at += a === k ? ifTrue : ifFalse;
    else if (code === 0x45) at += (a & k) === 0 ? ifFalse : ifTrue;
    else throw new Error(`unknown code ${code}`);
  }
}

test('the kernel hands over SYN-ACKs of web servers and datagrams of name servers, and nothing else', () => {
  const heard = [{}, { port: 443 }, { protocol: 17, port: 53, flags: 0 }];
  for (const wanted of heard) assert.equal(run(frameOf(wanted)), 384, JSON.stringify(wanted));
  const unheard = [
    { port: 8080 },
    { flags: 0x02 },
    { flags: 0x14 },
    { flags: 0x10 },
    { protocol: 17, port: 80 },
    { protocol: 1 },
    { type: 0x86dd },
    { fragment: 0x0010 },
    { protocol: 17, port: 53, fragment: 0x0010 },
  ];
  for (const wanted of unheard) assert.equal(run(frameOf(wanted)), 0, JSON.stringify(wanted));
});

test('of a frame nothing but address, protocol and port is read; a short one says nothing', () => {
  assert.deepEqual(servedIn(frameOf({})), { address: '198.19.1.10', service: 'tcp', port: 80 });
  assert.deepEqual(servedIn(frameOf({ protocol: 17, port: 53 })), { address: '198.19.1.10', service: 'udp', port: 53 });
  assert.equal(servedIn(frameOf({}).slice(0, 30)), undefined);
});

const OWN_ANSWER =
  '123485800001000100000000037777770361626307657861' + '6d706c650000010001c00c00010001000000000004c0000250';

/** From a name server at 198.19.1.10, to anybody. */
function answerOf(hex: string, change: Wanted = {}): Uint8Array {
  return Uint8Array.from([
    ...frameOf({ protocol: 17, port: 53, ...change }).subarray(0, 42),
    ...Buffer.from(hex, 'hex'),
  ]);
}

const nameIn = (frame: Uint8Array) => nameAnswerOf(frame)?.name;

test('of a name server’s answer its own name is read, and to whom it is given or denied', () => {
  const toHost = answerOf(OWN_ANSWER);
  toHost.set([198, 19, 3, 10], 30);
  assert.deepEqual(nameAnswerOf(toHost), { name: 'www.abc.example', given: true, asker: '198.19.3.10' });
  const refused = answerOf(OWN_ANSWER.replace('858000010001', '810500010000'));
  assert.deepEqual(nameAnswerOf(refused), { name: 'www.abc.example', given: false, asker: '0.0.0.0' });
  assert.equal(nameIn(answerOf(OWN_ANSWER)), 'www.abc.example');
  assert.equal(nameIn(answerOf(OWN_ANSWER, { port: 80 })), undefined);
  assert.equal(nameIn(answerOf(OWN_ANSWER, { protocol: 6 })), undefined);
  assert.equal(nameIn(answerOf(OWN_ANSWER.replace('03777777', '03772f77'))), undefined);
  for (let length = 0; length < 75; length++) assert.equal(nameIn(answerOf(OWN_ANSWER).subarray(0, length)), undefined);
});

/** `sender` at 02:00:00:00:01:10 asks for `target`. */
function requestOf(sender: readonly number[], target: string): Uint8Array {
  const frame = encodeArpProbe(Uint8Array.from([2, 0, 0, 0, 1, 0x10]), target);
  frame.set(sender, 28);
  return frame;
}

test('the kernel hands over requests of ARP, no replies', () => {
  const request = requestOf([198, 19, 1, 10], '198.19.255.1');
  assert.equal(run(request, ASKS_FILTER), 64);
  assert.equal(run(request.with(21, 2), ASKS_FILTER), 0);
});

test('who asks for whom is read; probes and announcements ask for nobody', () => {
  const request = requestOf([198, 19, 1, 10], '198.19.255.1');
  assert.deepEqual(askIn(request), { mac: '02:00:00:00:01:10', sender: '198.19.1.10', target: '198.19.255.1' });
  assert.equal(askIn(requestOf([0, 0, 0, 0], '198.19.1.10')), undefined);
  assert.equal(askIn(requestOf([198, 19, 1, 10], '198.19.1.10')), undefined);
  assert.equal(askIn(request.with(21, 2)), undefined);
  for (let length = 0; length < request.length; length++) assert.equal(askIn(request.subarray(0, length)), undefined);
  for (const [at, value] of [
    [12, 9],
    [15, 6],
    [16, 0x86],
    [18, 8],
    [19, 16],
    [21, 9],
  ] as const)
    assert.equal(askIn(request.with(at, value)), undefined, `${at}`);
});
