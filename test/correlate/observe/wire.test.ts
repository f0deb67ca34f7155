// tx against rx over one exchange, in literal numbers: bounds, window lengths, and everything that forbids a comparison.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWire, counterDelta, type Reading, type WireInput } from '#correlate/observe/wire.ts';
import type { NodeState } from '#model/router/router-port.ts';

function state(
  ifname: string,
  packets: string,
  countersReadMs: number | undefined,
  offloads: readonly string[],
): NodeState {
  const counters = {
    rxPackets: packets,
    txPackets: packets,
    rxBytes: '0',
    txBytes: '0',
    rxErrors: '0',
    txErrors: '0',
    rxDropped: '0',
    txDropped: '0',
  };
  const entry = {
    name: ifname,
    kind: 'physical' as const,
    adminUp: true,
    operUp: true,
    mtu: 1500,
    addresses: [],
    carrierChanges: 0,
    offloads,
    counters,
  };
  const system = { kernel: '', routing: '', hostname: '' };
  const inventory = { node: 'x', driver: 'embedded' as const, system, interfaces: [entry], sids: [], loopbacks: [] };
  const rest = { neighbours: [], adjacencies: [], filters: [], nodeCounters: {}, missing: [] };
  return { inventory, ...rest, ...(countersReadMs === undefined ? {} : { countersReadMs }) };
}

type End = {
  readonly packets: number;
  readonly windowMs?: number;
  readonly offloads?: readonly string[];
  readonly waitMs?: number;
};

function reading(ifname: string, { packets, windowMs, offloads = [], waitMs = 10 }: End): Reading {
  const start = 2n ** 63n;
  const at = windowMs === undefined ? undefined : 5_000;
  return {
    before: state(ifname, String(start), at, offloads),
    after: state(ifname, String(start + BigInt(packets)), at === undefined ? undefined : at + windowMs!, offloads),
    beforeMs: waitMs,
    afterMs: waitMs,
  };
}

const compare = (sender: End, receiver: End, more: Partial<WireInput> = {}) =>
  compareWire({
    from: { node: 'pe1', ifname: 'eth1' },
    to: { node: 'p2', ifname: 'eth0' },
    sender: reading('eth1', sender),
    receiver: reading('eth0', receiver),
    probesSent: 2_000,
    probesArrived: 1_940,
    probesPerhaps: 0,
    probeMs: 1_000,
    ...more,
  });

test('without other traffic the bounds are exact', () => {
  const wire = compare({ packets: 2_000 }, { packets: 1_940 });
  assert.deepEqual([wire.comparable, wire.estimate, wire.lostAtLeast, wire.lostAtMost], [true, 60, 60, 60]);
});

test('a little other traffic may all lie between two reads', () => {
  const wire = compare({ packets: 2_030 }, { packets: 1_970 });
  assert.deepEqual([wire.estimate, wire.lostAtLeast, wire.lostAtMost], [60, 30, 90]);
});

test('under load the bounds grow with rate and skew: 64 packets of the exchange, and 20 ms of 20 a millisecond', () => {
  const wire = compare({ packets: 22_000 }, { packets: 21_000 });
  assert.deepEqual([wire.estimate, wire.lostAtLeast, wire.lostAtMost], [1_000, 536, 1_464]);
});

test('probes of the whole path that routing sent another way, or all of them of a parallel link, leave room for what lies between two reads', () => {
  const counted = (sent: number, received: number, probesRouted: number) => {
    const { lostAtLeast, lostAtMost } = compare(
      { packets: sent },
      { packets: received },
      { probesSent: 1_000, probesArrived: 1_000, probesRouted },
    );
    return [lostAtLeast, lostAtMost];
  };
  assert.deepEqual(counted(1_073, 1_064, 1_000), [0, 75], 'they went another way');
  assert.deepEqual(counted(2_000, 1_991, 1_000), [9, 9], 'they went this way');
  assert.deepEqual(counted(41, 30, 0), [0, 52], 'a link beside the one that the probes took');
});

test('a longer window at the receiver is taken out of the estimate, not out of the bounds', () => {
  const wire = compare(
    { packets: 22_000, windowMs: 1_000 },
    { packets: 21_880, windowMs: 1_010 },
    { probesArrived: 1_680 },
  );
  assert.deepEqual([wire.estimate, wire.lostAtLeast, wire.lostAtMost], [320, 0, 588]);
});

test('a difference of window lengths that the waiting cannot explain is not believed', () => {
  const wire = compare({ packets: 22_000, windowMs: 1_000 }, { packets: 21_880, windowMs: 1_500 });
  assert.equal(wire.estimate, 120);
  assert.equal(compare({ packets: 22_000, windowMs: 1_000 }, { packets: 21_880, windowMs: -3 }).estimate, 120);
});

test('more received than sent, other units, a counter that went backwards or is missing, and an unconfirmed link forbid it', () => {
  const why = (wire: { readonly comparable: boolean; readonly why?: string }) =>
    wire.comparable ? 'comparable' : wire.why;
  assert.equal(
    why(compare({ packets: 2_000 }, { packets: 2_500 }, { probesArrived: 2_400 })),
    'more was received than sent',
  );
  assert.equal(
    why(compare({ packets: 2_000, offloads: ['tso', 'gso'] }, { packets: 1_940 })),
    'the two ends count different units (tso, gso)',
  );
  assert.equal(why(compare({ packets: -1 }, { packets: 1_940 })), 'a counter is missing or went backwards');
  const gone = reading('eth9', { packets: 1 });
  assert.equal(
    why(compare({ packets: 1 }, { packets: 1 }, { receiver: gone })),
    'a counter is missing or went backwards',
  );
  const deaf = reading('eth0', { packets: 1 });
  const receiver = { ...deaf, after: { ...deaf.after, missing: [{ part: 'offloads', reason: 'not permitted' }] } };
  assert.equal(why(compare({ packets: 1 }, { packets: 1 }, { receiver })), 'the offloads of an end could not be read');
  assert.equal(why(compare({ packets: 1 }, { packets: 1 }, { distrust: 'LLDP names another' })), 'LLDP names another');
});

test('64-bit counters are subtracted exactly, and only forwards', () => {
  assert.equal(counterDelta('18446744073709551000', '18446744073709551615'), 615);
  assert.equal(counterDelta('5', '4'), undefined);
  assert.equal(counterDelta(undefined, '4'), undefined);
  assert.equal(counterDelta('0', '18446744073709551615'), undefined);
});
