// How the helper's probes look and count: addresses, packets, messages, pacing, the ledger and the reflector's table. No socket.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '#base/limits.ts';
import { probeRequest } from '#model/router/probe-schema.ts';
import { checked } from '#model/wire/check.ts';
import { HELPER_LIMITS } from '#router/helper/limits.ts';
import { hopSocket } from '#router/helper/probe/link-layer-next-hop.ts';
import { createPacer } from '#router/helper/probe/pacing.ts';
import { linger } from '#router/helper/probe/prober.ts';
import { hearAll, isAwaited, newTally, type Tally } from '#router/helper/probe/reach.ts';
import { createReflectorTable } from '#router/helper/probe/reflector-table.ts';
import { createTrainClock } from '#router/helper/probe/train-times.ts';
import { ipv6Bytes, sameIpv6 } from '#router/native/addresses.ts';
import { refusedSend, type SendResult } from '#router/native/libc.ts';
import { createProbeLedger } from '#router/protocol/probe-ledger.ts';
import {
  decodeProbeMessage,
  encodeProbeMessage,
  type ProbeKind,
  type ProbeMessage,
} from '#router/protocol/probe-message.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { STRANGERS } from '../fakes/reflector-trust.ts';
import { HANG_MS } from '../until-written.ts';

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');
const message = (kind: ProbeKind, sequence: number, counts: Partial<ProbeMessage> = {}): ProbeMessage => ({
  kind,
  session: '00112233445566aa',
  sequence,
  reflectorSequence: 0,
  reflectorReceived: 0,
  reflectorRefused: 0,
  ...counts,
});

test('IPv6 addresses become 16 octets, and everything else is refused', () => {
  assert.equal(hex(ipv6Bytes('fd00:5a:2::e')), 'fd00005a00020000000000000000000e');
  assert.equal(hex(ipv6Bytes('::')), '0'.repeat(32));
  assert.equal(hex(ipv6Bytes('1:2:3:4:5:6:7:8')), '00010002000300040005000600070008');
  assert.equal(hex(ipv6Bytes('::ffff:192.0.2.1')), '00000000000000000000ffffc0000201');
  for (const wrong of ['fe80::1%eth0', '192.0.2.1', 'fd00::/64', '', '-6'])
    assert.equal(ipv6Bytes(wrong), undefined, wrong);
  assert.ok(sameIpv6('fd00::1', 'FD00:0:0::1') && !sameIpv6('fd00::1', 'fd00::2'));
});

test('probe messages come back as they were, and other datagrams are bad', () => {
  const word = fc.nat({ max: 0xffff_ffff });
  fc.assert(
    fc.property(
      fc.constantFrom<ProbeKind>('probe', 'reflection', 'query', 'status'),
      word,
      word,
      word,
      word,
      fc.nat(1400),
      (kind, sequence, a, b, c, size) => {
        const sent = message(kind, sequence, { reflectorSequence: a, reflectorReceived: b, reflectorRefused: c });
        const bytes = encodeProbeMessage(sent, size);
        assert.equal(bytes.length, Math.max(64, size));
        assert.deepEqual(decodeProbeMessage(bytes), { ok: true, value: sent });
      },
    ),
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => !decodeProbeMessage(bytes).ok));
  const wrong = encodeProbeMessage(message('probe', 0));
  wrong[4] = 9;
  assert.deepEqual(decodeProbeMessage(wrong), { ok: false, reason: 'expected version 1, got 9', offset: 4 });
});

test('a reflection tells when its probe arrived, counted from the first; to whom it was asked alone, and never the time of day (RFC 8762 §4.3.1)', () => {
  const table = createReflectorTable(STRANGERS);
  let asked = 0;
  const told = (kind: ProbeKind, us: number | undefined, timed: Partial<ProbeMessage> = { timed: true }) => {
    const arrived = () => {
      asked += 1;
      return us;
    };
    const decoded = decodeProbeMessage(
      table.reflect('fd00::1', encodeProbeMessage(message(kind, 0, timed)), 0, arrived)!,
    );
    return decoded.ok ? decoded.value.arrivedUs : 'bad';
  };
  const atUs = 1_790_000_000_123_456;
  assert.deepEqual([told('probe', atUs), told('probe', atUs + 250), told('probe', undefined)], [1, 251, undefined]);
  assert.equal(asked, 3);
  // A clock that was set back in between tells nothing.
  assert.equal(told('probe', atUs - 5_000_000), undefined);
  asked = 0;
  assert.deepEqual([told('query', atUs), told('probe', atUs, {})], [undefined, undefined]);
  assert.equal(asked, 0);
});

test('a train is timed by arrivals in their order, at either end by its own clock, and by how long it took to send', () => {
  const train = createTrainClock();
  train.noteSent(10, 10.125);
  train.noteSent(10.25, 10.5);
  train.noteArrival(5_000, 900);
  assert.equal(train.times(), undefined);
  train.noteArrival(5_700, 1_900);
  train.noteArrival(5_400, undefined);
  assert.deepEqual(train.times(), { sentUs: [250, 250], reachedUs: [400, 300], returnedUs: [1_000] });
});

test('pacing keeps the interval, catches up gently and never goes beyond the rate', () => {
  const steady = createPacer({ startMs: 0, count: 5, intervalMs: 1 });
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((atMs, sent) => steady.due(atMs, Math.min(sent, 5))),
    [1, 1, 1, 1, 1, 0],
  );
  const late = createPacer({ startMs: 0, count: 1000, intervalMs: 1 });
  assert.equal(late.due(500, 0), 8);
  assert.equal(late.due(501, 8), 2);
  const slow = createPacer({ startMs: 0, count: 5, intervalMs: 8 });
  const waits = [slow.waitMs(0, 1), slow.waitMs(5.5, 1), slow.waitMs(7.9, 1), slow.waitMs(30, 1)];
  assert.deepEqual(waits, [8, 2, 1, 1], 'until the next one is due, and no timer for what is late');
  const fast = createPacer({ startMs: 0, count: 10_000, intervalMs: 0.2 });
  let sent = 0;
  for (let atMs = 0; atMs <= 1000; atMs++) sent += fast.due(atMs * 1, sent);
  assert.ok(sent <= LIMITS.probesPerSecond + 8 && sent > 4_900, `expected about 5000, got ${sent}`);
});

test('the ledger tells forward from reverse loss, duplicates, refusals and round-trip times', () => {
  const ledger = createProbeLedger(4);
  ledger.recordSent(0);
  ledger.recordSent(1);
  ledger.recordRefused('EPERM');
  ledger.recordSent(3);
  ledger.recordReflection(message('reflection', 0, { reflectorReceived: 1 }), 2);
  ledger.recordReflection(message('reflection', 0, { reflectorReceived: 1 }), 3);
  ledger.recordReflection(message('reflection', 9, { reflectorReceived: 90 }), 3);
  assert.deepEqual([ledger.complete, ledger.settled], [false, false]);
  ledger.recordReflection(message('status', 0, { reflectorReceived: 2, reflectorRefused: 1 }), 4);
  assert.deepEqual([ledger.complete, ledger.settled], [false, true]);
  assert.deepEqual(ledger.result(), {
    sent: 4,
    reflected: 2,
    received: 1,
    duplicates: 1,
    rttMs: { min: 2, avg: 2, max: 2 },
    reflectorRefused: 1,
    sendErrors: 1,
    sendErrorReason: 'EPERM',
  });
  assert.deepEqual(createProbeLedger(1).result(), { sent: 0, received: 0, duplicates: 0, rttMs: null, sendErrors: 0 });
});

/** Waits in which the network does what `turns` say, in turn; then nothing more. */
async function lingered(ledger: ReturnType<typeof createProbeLedger>, turns: readonly (() => void)[]) {
  const sent: string[] = [];
  const waits: number[] = [];
  const wake = {
    until: async (_done: () => boolean, timeoutMs: number) => {
      waits.push(timeoutMs);
      turns[waits.length - 1]?.();
    },
  };
  const send = (kind: ProbeKind, sequence: number) => {
    sent.push(`${kind} ${sequence}`);
    return { kind: 'sent' } as const;
  };
  await linger({ lingerMs: 200 }, ledger, send, wake, AbortSignal.timeout(HANG_MS));
  return { sent, waits };
}

test('a reflector that has answered and is busy is waited for: what waits in its queue is late and not lost', async () => {
  const ledger = createProbeLedger(3);
  for (const atMs of [0, 1, 2]) ledger.recordSent(atMs);
  ledger.recordReflection(message('reflection', 0, { reflectorReceived: 1 }), 3);
  const nothing = () => {};
  const back = (sequence: number) => () =>
    ledger.recordReflection(message('reflection', sequence, { reflectorReceived: sequence + 1 }), 700);
  const { sent, waits } = await lingered(ledger, [
    ...Array.from({ length: 7 }, () => nothing),
    back(1),
    () => ledger.recordReflection(message('status', 0, { reflectorReceived: 3 }), 710),
    back(2),
  ]);
  assert.deepEqual(waits, [40, 40, 40, 40, 40, 125, 125, 125, 125, 20]);
  assert.equal(sent.length, 8);
  const { reflected, received, late } = ledger.result();
  assert.deepEqual({ reflected, received, late }, { reflected: 3, received: 3, late: 2 });
});

test('nothing is waited for once everything is back, though no query was answered', async () => {
  const ledger = createProbeLedger(2);
  for (const atMs of [0, 1]) ledger.recordSent(atMs);
  const back = (sequence: number) => () =>
    ledger.recordReflection(message('reflection', sequence, { reflectorReceived: sequence + 1 }), 500);
  back(0)();
  const { waits } = await lingered(ledger, [...Array.from({ length: 6 }, () => () => {}), back(1)]);
  assert.deepEqual(waits, [40, 40, 40, 40, 40, 125, 125, 20]);
});

test('a reflector that spares its answers does not keep the run', async () => {
  const ledger = createProbeLedger(1_000);
  for (let atMs = 0; atMs < 1_000; atMs++) ledger.recordSent(atMs);
  const answer = (sequence: number) => () =>
    ledger.recordReflection(message('reflection', sequence, { reflectorReceived: sequence + 1 }), 2_000);
  answer(999)();
  const { waits } = await lingered(
    ledger,
    Array.from({ length: 900 }, (_, sequence) => answer(sequence)),
  );
  assert.equal(waits.length, 5 + 16 + 25);
  assert.equal(
    waits.reduce((sum, waitMs) => sum + waitMs),
    200 + 2_000 + 500,
  );
});

test('what is lost is lost: the reflector that says so, and the one that says nothing at all, are not waited for', async () => {
  const told = createProbeLedger(2);
  for (const atMs of [0, 1]) told.recordSent(atMs);
  told.recordReflection(message('reflection', 0, { reflectorReceived: 2 }), 3);
  const status = () => told.recordReflection(message('status', 0, { reflectorReceived: 2 }), 50);
  assert.deepEqual((await lingered(told, [() => {}, status])).waits, [40, 40, 40, 40, 40, 20]);
  const silent = createProbeLedger(2);
  for (const atMs of [0, 1]) silent.recordSent(atMs);
  assert.deepEqual((await lingered(silent, [])).waits, [40, 40, 40, 40, 40, 20]);
  assert.deepEqual(silent.result(), { sent: 2, received: 0, duplicates: 0, rttMs: null, sendErrors: 0 });
});

test('an address is waited for as long as its reflector is busy, and shortly where nothing can come back or all is told', () => {
  const tally = { ...newTally('fd00::7'), sent: 5 };
  const waits = (changes: Partial<Tally>) => {
    const times = [0, 290, 310, 990, 1_010, 1_990, 2_010];
    return times.filter((waitedMs) => isAwaited({ ...tally, ...changes }, waitedMs));
  };
  const some = new Map([[0, 3]]);
  assert.deepEqual(waits({}), [0, 290, 310, 990]);
  assert.deepEqual(waits({ answered: some }), [0, 290, 310, 990, 1_010, 1_990]);
  assert.deepEqual(waits({ answered: some, told: true }), [0, 290]);
  assert.deepEqual(waits({ refused: true }), [0, 290]);
  assert.deepEqual(waits({ answered: new Map([0, 1, 2, 3, 4].map((sequence) => [sequence, 3])) }), []);
});

test('who is waited for is asked in small bursts, and nobody whom nothing can come back from', async () => {
  const clock = createFakeClock();
  const tallies = new Map(
    Array.from({ length: 10 }, (_, index) => [`s${index}`, { ...newTally('fd00::7'), sent: 5, refused: index === 9 }]),
  );
  const asked = new Map<number, string[]>();
  const note = (_kind: string, session: string) => {
    const atMs = clock.monotonicMs();
    asked.set(atMs, [...(asked.get(atMs) ?? []), session]);
  };
  const done = hearAll(tallies, note, clock, AbortSignal.timeout(HANG_MS));
  await clock.advance(1_200);
  await done;
  const sizes = [...asked].map(([atMs, sessions]) => [atMs, sessions.length]).slice(0, 3);
  assert.deepEqual(sizes, [
    [100, 4],
    [101, 4],
    [102, 2],
  ]);
  assert.equal([...asked].filter(([atMs, sessions]) => atMs > 320 && sessions.includes('s9')).length, 0);
});

test('a frame that the kernel does not take says why, and a full queue is no refusal', () => {
  const outcomes: readonly SendResult[] = ['ENOBUFS', 'EAGAIN', 'ENETDOWN', 'ENXIO'].map(refusedSend);
  const frames: string[] = [];
  const hop = { ifname: 'eth1', mac: '02:00:00:00:02:01' };
  const said = outcomes.map((outcome) => {
    const send = (frame: Uint8Array) => {
      frames.push(hex(frame));
      return outcome;
    };
    const socket = hopSocket({ send, close: () => {} }, hop, Uint8Array.of(2, 0, 0, 0, 1, 1));
    return socket.send(Uint8Array.of(0x60), new Uint8Array(16));
  });
  assert.deepEqual(said, [
    { kind: 'busy' },
    { kind: 'busy' },
    { kind: 'refused', reason: 'eth1: ENETDOWN' },
    { kind: 'refused', reason: 'eth1: ENXIO' },
  ]);
  assert.equal(frames[0], '020000000201 020000000101 86dd 60'.replaceAll(' ', ''));
});

test('the reflector counts each probe once, answers with equal length, and answers nothing else', () => {
  const table = createReflectorTable(STRANGERS);
  const sender = 'fd00::1 40000';
  const reflect = (sent: ProbeMessage, size = 64) => table.reflect(sender, encodeProbeMessage(sent, size), 0);
  const read = (bytes: Uint8Array | undefined) => decodeProbeMessage(bytes ?? new Uint8Array());
  assert.equal(reflect(message('probe', 0), 1400)?.length, 1400);
  const duplicate = read(reflect(message('probe', 0)));
  assert.deepEqual(duplicate.ok && [duplicate.value.reflectorSequence, duplicate.value.reflectorReceived], [1, 1]);
  const status = read(reflect(message('query', 3)));
  assert.deepEqual(status.ok && [status.value.kind, status.value.reflectorReceived], ['status', 1]);
  assert.equal(reflect(message('reflection', 0)), undefined);
  assert.equal(reflect(message('status', 0)), undefined);
  assert.equal(reflect(message('probe', LIMITS.probeCount)), undefined);
  assert.equal(table.reflect(sender, new Uint8Array(64), 0), undefined);
});

test('a flood of sessions or packets takes nothing from a session that is being counted', () => {
  const table = createReflectorTable(STRANGERS);
  const probe = (sender: number, sequence: number, nowMs: number) =>
    table.reflect(`fd00:${sender}::1`, encodeProbeMessage(message('probe', sequence)), nowMs);
  for (let sender = 0; sender < HELPER_LIMITS.reflectorOtherSessions; sender++) assert.ok(probe(sender, 0, 0));
  const turnedAway = decodeProbeMessage(probe(9_999, 0, 1)!);
  assert.deepEqual(turnedAway.ok && [turnedAway.value.kind, turnedAway.value.sequence], ['refusal', 0]);
  assert.ok(probe(0, 1, 2));
  assert.equal(table.sessionCount, HELPER_LIMITS.reflectorOtherSessions);
  const late = decodeProbeMessage(probe(9_999, 0, HELPER_LIMITS.reflectorIdleMs + 1)!);
  assert.equal(late.ok && late.value.kind, 'reflection', 'an idle session gives way');
  assert.equal(table.sessionCount, HELPER_LIMITS.reflectorOtherSessions);
  const busy = createReflectorTable(STRANGERS);
  let answered = 0;
  for (let count = 0; count < 25_000; count++) {
    if (busy.reflect('fd00::1 1', encodeProbeMessage(message('probe', count % 10_000)), 0)) answered += 1;
  }
  assert.equal(answered, HELPER_LIMITS.reflectorOtherPacketsPerSecond);
});

test('a neighbour is handed loops alone, from and to one own address, and never a group', () => {
  const via = { ifname: 'eth1', mac: '02:00:00:00:02:01' };
  const loop = {
    ...{ destination: 'fd00::1', source: 'fd00::1', segments: ['fd00:5a:2::e', 'fd00:5a:1::d6'] },
    ...{ count: 40, intervalMs: 5, payloadBytes: 64, lingerMs: 500, via },
  };
  assert.deepEqual(checked(probeRequest, loop).via, via);
  for (const change of [
    { destination: 'fd00::2' },
    { segments: [] },
    { via: { ...via, mac: '33:33:00:00:00:01' } },
    { via: { ...via, ifname: '../eth1' } },
    { via: 'eth1' },
  ])
    assert.throws(
      () => checked(probeRequest, { ...loop, ...change }),
      { code: 'caller/bad-argument' },
      JSON.stringify(change),
    );
});

test('a train is bounded by what its probes weigh, however little was asked for', () => {
  const train = { destination: 'fd00::1', segments: [], intervalMs: 1, lingerMs: 0, train: true };
  assert.equal(checked(probeRequest, { ...train, count: 45, payloadBytes: 1_452 }).train, true);
  assert.equal(checked(probeRequest, { ...train, count: 1_024, payloadBytes: 32 }).count, 1_024);
  for (const [count, payloadBytes] of [
    [46, 1_452],
    [1_025, 32],
    [2_048, 32],
  ])
    assert.throws(() => checked(probeRequest, { ...train, count: count!, payloadBytes: payloadBytes! }), {
      code: 'caller/bad-argument',
    });
});

test('the ledger tells which lengths were lost, and which were never tested', () => {
  const ledger = createProbeLedger(6);
  const payloads = [100, 700, 400];
  for (let sequence = 0; sequence < 6; sequence++)
    if (sequence === 4) ledger.recordRefused('EMSGSIZE');
    else ledger.recordSent(sequence);
  ledger.recordReflection(message('reflection', 0, { reflectorReceived: 1 }), 9);
  ledger.recordReflection(message('reflection', 3, { reflectorReceived: 2 }), 9);
  ledger.recordReflection(message('refusal', 5), 9);
  assert.deepEqual(ledger.byLength(payloads), { lostPayloadBytes: [400, 700], untestedPayloadBytes: [400, 700] });
  ledger.recordReflection(message('reflection', 1, { reflectorReceived: 3 }), 9);
  assert.deepEqual(ledger.byLength(payloads).lostPayloadBytes, [400]);
});
