// What passes as a service that is served: frames of first answers, and the program by which the kernel picks them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVED_FILTER, servedIn } from '#router/helper/served.ts';

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
function run(frame: Uint8Array): number {
  let [a, x, at] = [0, 0, 0];
  for (;;) {
    const [code, ifTrue, ifFalse, k] = SERVED_FILTER[at++]!;
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
  for (const wanted of heard) assert.equal(run(frameOf(wanted)), 96, JSON.stringify(wanted));
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
