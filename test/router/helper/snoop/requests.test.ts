// What hosts ask for as it passes: which frames the kernel hands over, what is read of them, and for how long it is remembered; and what
// the helper may be told to ask DHCP servers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checked } from '#model/wire/check.ts';
import { createHeardMemory } from '#router/drivers/linux-frr/host-monitor/snooped-requests.ts';
import { refuseForeignGateways } from '#router/helper/hosts/dhcp-arguments.ts';
import { dhcpSignIn } from '#router/helper/snoop/dhcp-events.ts';
import { heardFilter, heardIn } from '#router/helper/snoop/requests.ts';
import { READ_REQUESTS } from '#router/protocol/read-operations.ts';

type Wanted = {
  readonly type?: number;
  readonly protocol?: number;
  readonly from?: number;
  readonly to?: number;
  readonly fragment?: number;
  readonly op?: number;
};

/** Ethernet, IPv4 without options from 198.19.1.10 to 198.19.3.10, UDP, and the first octet. */
function frameOf({ type = 0x0800, protocol = 17, from = 68, to = 67, fragment = 0, op = 1 }: Wanted): Uint8Array {
  const frame = Buffer.alloc(60);
  frame.writeUInt16BE(type, 12);
  frame[14] = 0x45;
  frame.writeUInt16BE(fragment, 20);
  frame[23] = protocol;
  frame.set([198, 19, 1, 10, 198, 19, 3, 10], 26);
  frame.writeUInt16BE(from, 34);
  frame.writeUInt16BE(to, 36);
  frame[42] = op;
  return Uint8Array.from(frame);
}

/** Classic BPF as far as the program uses it; the number of octets that are let through. */
function run(frame: Uint8Array): number {
  const program = heardFilter(96);
  let [a, x, at] = [0, 0, 0];
  for (;;) {
    const [code, ifTrue, ifFalse, k] = program[at++]!;
    if (code === 0x06) return k;
    if (code === 0x28) a = frame[k]! * 256 + frame[k + 1]!;
    else if (code === 0x48) a = frame[x + k]! * 256 + frame[x + k + 1]!;
    else if (code === 0x30) a = frame[k]!;
    else if (code === 0x50) a = frame[x + k]!;
    else if (code === 0xb1) x = (frame[k]! & 0x0f) * 4;
    else if (code === 0x15) at += a === k ? ifTrue : ifFalse;
    else if (code === 0x45) at += (a & k) === 0 ? ifFalse : ifTrue;
    else throw new Error(`unknown code ${code}`);
  }
}

test('the kernel hands over questions for addresses and names and answers of DHCP servers, and nothing else', () => {
  const heard = [{}, { from: 67, to: 68 }, { from: 67, to: 67 }, { from: 40_000, to: 53 }];
  for (const wanted of heard) assert.equal(run(frameOf(wanted)), 96, JSON.stringify(wanted));
  const unheard = [
    { from: 53, to: 40_000 },
    { protocol: 6, to: 53 },
    { type: 0x86dd },
    { fragment: 0x0010 },
    { to: 123 },
  ];
  for (const wanted of unheard) assert.equal(run(frameOf(wanted)), 0, JSON.stringify(wanted));
});

test('of a frame nothing but both addresses and what it is is read; a relay is no server', () => {
  const addresses = { from: '198.19.1.10', to: '198.19.3.10' };
  assert.deepEqual(heardIn(frameOf({})), { what: 'dhcp-request', ...addresses });
  assert.deepEqual(heardIn(frameOf({ from: 67, to: 67, op: 2 })), { what: 'dhcp-reply', ...addresses });
  assert.deepEqual(heardIn(frameOf({ from: 40_000, to: 53 })), { what: 'dns-query', ...addresses });
  assert.equal(heardIn(frameOf({ from: 67, to: 67, op: 1 })), undefined);
  assert.equal(heardIn(frameOf({ op: 2 })), undefined);
  assert.equal(heardIn(frameOf({}).slice(0, 40)), undefined);
});

/** A host says of `port` that nobody listens there: an ICMP message with the head of what it was asked. */
function refusalOf(port: number, code = 3): Uint8Array {
  const frame = Buffer.alloc(70);
  frame.writeUInt16BE(0x0800, 12);
  frame[14] = 0x45;
  frame[23] = 1;
  frame.set([198, 19, 3, 10, 198, 19, 1, 1], 26);
  frame.set([3, code], 34);
  frame[42] = 0x45;
  frame[51] = 17;
  frame.set([198, 19, 1, 1, 198, 19, 3, 10], 54);
  frame.writeUInt16BE(port, 64);
  return Uint8Array.from(frame);
}

test('a host that refuses for its DHCP server is handed over and read; other refusals, or in its name, are not', () => {
  assert.deepEqual([run(refusalOf(67)), run(refusalOf(53)), run(refusalOf(67, 1))], [96, 0, 0]);
  assert.deepEqual(dhcpSignIn(refusalOf(67)), { what: 'refused', server: '198.19.3.10' });
  assert.equal(dhcpSignIn(refusalOf(53)), undefined);
  assert.equal(heardIn(refusalOf(67)), undefined);
  const forged = refusalOf(67);
  forged[29] = 11;
  assert.equal(dhcpSignIn(forged), undefined);
  for (let length = 0; length < 66; length++) assert.equal(dhcpSignIn(refusalOf(67).slice(0, length)), undefined);
});

/** From port `from`, of a type of option 53, from relay `gateway`, with more options. */
function messageOf(
  from: number,
  type: number,
  gateway: readonly number[],
  options: readonly number[] = [],
): Uint8Array {
  const frame = Buffer.alloc(42 + 300);
  frame.set(frameOf({ from, to: 67, op: type === 2 || type === 5 ? 2 : 1 }).slice(0, 43));
  frame.writeUInt32BE(77, 42 + 4);
  frame.set([198, 19, 1, 100], 42 + 16);
  frame.set(gateway, 42 + 24);
  frame.set([99, 130, 83, 99, 53, 1, type, ...options, 255], 42 + 236);
  return Uint8Array.from(frame);
}

const RELAY = [198, 19, 1, 1];
const SERVER = [54, 4, 198, 19, 3, 10];

test('of DHCP it is read what is offered and for which network, that a client asks, and whom it takes', () => {
  const options = [...SERVER, 1, 4, 255, 255, 255, 0, 3, 4, ...RELAY];
  const offer = {
    ...{ what: 'offered', from: '198.19.1.10', server: '198.19.3.10', address: '198.19.1.100' },
    ...{ mask: '255.255.255.0', routers: ['198.19.1.1'], names: [] },
  };
  assert.equal(dhcpSignIn(messageOf(67, 5, [0, 0, 0, 0], options)), undefined, 'a lease renewed from afar');
  const broadcast = messageOf(67, 5, [0, 0, 0, 0], options);
  broadcast.set([255, 255, 255, 255], 30);
  assert.deepEqual(dhcpSignIn(broadcast), offer);
  for (const type of [2, 5])
    assert.deepEqual(dhcpSignIn(messageOf(67, type, RELAY, options)), { ...offer, gateway: '198.19.1.1' });
  assert.deepEqual(dhcpSignIn(messageOf(67, 2, [0, 0, 0, 0], options)), offer);
  const elsewhere = [...options, 82, 6, 5, 4, 198, 19, 3, 10];
  assert.deepEqual(dhcpSignIn(messageOf(67, 2, RELAY, elsewhere)), { ...offer, gateway: '198.19.3.10' });
  assert.deepEqual(dhcpSignIn(messageOf(68, 1, [0, 0, 0, 0])), { what: 'asked', transaction: 77 });
  assert.deepEqual(dhcpSignIn(messageOf(68, 3, [0, 0, 0, 0], SERVER)), {
    ...{ what: 'chosen', transaction: 77, server: '198.19.3.10' },
  });
  assert.equal(dhcpSignIn(messageOf(68, 3, [0, 0, 0, 0])), undefined);
  assert.equal(dhcpSignIn(messageOf(67, 1, RELAY)), undefined);
});

const row = { ifname: 'eth3', what: 'dhcp-request', from: '0.0.0.0', to: '255.255.255.255' } as const;

test('what was heard is remembered with the age of its last time, and forgotten after a quarter of an hour', () => {
  const memory = createHeardMemory();
  memory.add([row], 0);
  memory.add([row, { ...row, ifname: 'eth4' }], 4_000);
  assert.deepEqual(memory.heard(5_000), [
    { ...row, agoMs: 1_000 },
    { ...row, ifname: 'eth4', agoMs: 1_000 },
  ]);
  memory.add([{ ...row, ifname: 'eth5' }], 904_001);
  assert.deepEqual(
    memory.heard(904_001).map(({ ifname }) => ifname),
    ['eth5'],
  );
});

test('when the memory is full, what has been silent longest goes', () => {
  const memory = createHeardMemory();
  for (let turn = 0; turn < 300; turn++) memory.add([{ ...row, from: `198.19.${turn >> 8}.${turn & 255}` }], turn);
  const kept = memory.heard(300);
  assert.deepEqual([kept.length, kept[0]?.from, kept.at(-1)?.from], [256, '198.19.0.44', '198.19.1.43']);
});

test('no server is asked in another’s name, and not too many are', () => {
  const dhcpArguments = (args: unknown) => {
    const request = checked(READ_REQUESTS.dhcp, args);
    refuseForeignGateways(request.asks);
    return request;
  };
  const ask = { ifname: 'lo', gateway: '127.0.0.1', server: '198.19.3.10' };
  assert.deepEqual(dhcpArguments({ asks: [ask], patient: false }), { asks: [ask], patient: false });
  const bad = [
    { ...ask, gateway: '198.19.1.1' },
    { ...ask, server: 'fd00::1' },
    { ...ask, ifname: '-i' },
    { ...ask, x: 1 },
    { ...ask, link: 'x' },
    'lo',
  ];
  assert.deepEqual(
    dhcpArguments({ asks: [{ ...ask, link: '198.19.3.10' }], patient: true }).asks[0]?.link,
    '198.19.3.10',
  );
  for (const entry of bad) assert.throws(() => dhcpArguments({ asks: [entry], patient: false }), /expected/);
  assert.throws(() => dhcpArguments({ asks: Array.from({ length: 65 }, () => ask), patient: false }), /expected/);
  assert.throws(() => dhcpArguments({ asks: [ask], patient: 'yes' }), /expected/);
});
