// Standing probes over links: which links, what a round counts, what is an outage and no loss, and what of it is remembered. No socket.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NeighbourEntry } from '#model/router/control-plane.ts';
import type { WatchCounts } from '#model/router/link-monitor.ts';
import type { InterfaceState } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { startLinkMonitor } from '#router/drivers/linux-frr/link-monitor/link-monitor.ts';
import { createMonitorHistory, damagedPackets } from '#router/drivers/linux-frr/link-monitor/monitor-history.ts';
import { watchTargets } from '#router/drivers/linux-frr/link-monitor/monitored-links.ts';
import {
  createMonitorLedger,
  type MonitorLedger,
  type ProbeFamily,
} from '#router/helper/link-monitor/monitor-ledger.ts';
import type { ProbeMessage } from '#router/protocol/probe-message.ts';
import { READ_REQUESTS } from '#router/protocol/read-operations.ts';
import type { ReadHelper } from '#router/protocol/typed-operations.ts';
import { createFakeClock } from '../../../../fakes/clock.ts';

const reflection = (sequence: number, received: number, refused = 0): ProbeMessage => ({
  ...{ kind: 'reflection', session: '00112233445566aa', sequence, reflectorSequence: received - 1 },
  ...{ reflectorReceived: received, reflectorRefused: refused },
});

/** One round of `count` probes; those of `out` are lost on the way there, those of `back` on the way back. */
function playRound(ledger: MonitorLedger, state: { received: number }, count: number, out: number[], back: number[]) {
  if (ledger.begin()) state.received = 0;
  for (let probe = 0; probe < count; probe++) {
    const sequence = ledger.send(6, probe);
    if (out.includes(probe)) continue;
    state.received += 1;
    if (!back.includes(probe)) ledger.hear(6, reflection(sequence, state.received), probe + 0.5);
  }
}

const countsOf = (ledger: MonitorLedger) => ledger.tell(100).map(({ counts }) => counts);

test('a round counts what was sent, reflected and received, and the least round trip', () => {
  const ledger = createMonitorLedger();
  const state = { received: 0 };
  playRound(ledger, state, 20, [], []);
  playRound(ledger, state, 20, [3, 9], [12]);
  assert.deepEqual(countsOf(ledger), [
    [20, 20, 20, 0, 0, 0, 500, 0],
    [20, 18, 17, 0, 0, 0, 500, 0],
  ]);
  assert.deepEqual(
    ledger.tell(119).map(({ agoMs, forMs }) => [agoMs, forMs]),
    [
      [100, 19],
      [100, 19],
    ],
  );
});

test('a reflection that comes rounds later corrects its round', () => {
  const ledger = createMonitorLedger();
  const state = { received: 0 };
  playRound(ledger, state, 10, [], [9]);
  assert.deepEqual(countsOf(ledger), [[10, 9, 9, 0, 0, 0, 500, 0]]);
  playRound(ledger, state, 10, [], []);
  ledger.hear(6, reflection(9, 10), 300);
  assert.deepEqual(countsOf(ledger), [
    [10, 10, 10, 0, 0, 0, 500, 0],
    [10, 10, 10, 0, 0, 0, 500, 0],
  ]);
});

test('lost probes in a row are an outage, also across two rounds', () => {
  const ledger = createMonitorLedger();
  const state = { received: 0 };
  playRound(ledger, state, 10, [6, 7, 8, 9], []);
  playRound(ledger, state, 10, [0, 1, 2, 3], []);
  assert.deepEqual(
    countsOf(ledger).map((counts) => counts[7]),
    [4, 4],
  );
});

test('a silent round begins a new session; so does a reflector that forgot, or refused', () => {
  const ledger = createMonitorLedger();
  const state = { received: 0 };
  assert.equal(ledger.begin(), true);
  for (let probe = 0; probe < 10; probe++) ledger.send(6, probe);
  assert.deepEqual(countsOf(ledger), [[10, 0, 0, 0, 0, 0, 0, 10]]);
  assert.equal(ledger.begin(), true);
  assert.equal(ledger.silentRounds, 1);
  playRound(ledger, state, 10, [], []);
  playRound(ledger, state, 10, [], []);
  // The reflector counts from zero again.
  assert.equal(ledger.begin(), false);
  ledger.hear(6, reflection(ledger.send(6, 0), 1), 1);
  assert.deepEqual(countsOf(ledger).at(-1), [0, 0, 0, 0, 0, 0, 0, 1]);
  assert.equal(ledger.begin(), true);
  ledger.hear(6, reflection(ledger.send(6, 0), 1, 5), 1);
  assert.equal(countsOf(ledger).at(-1)![7], 1);
  assert.equal(ledger.begin(), true);
});

test('both families are counted apart', () => {
  const ledger = createMonitorLedger();
  ledger.begin();
  for (const family of [6, 4, 6, 4] as ProbeFamily[]) {
    const sequence = ledger.send(family, 0);
    if (family === 6 || sequence === 0) ledger.hear(family, reflection(sequence, sequence + 1), 2);
  }
  assert.deepEqual(countsOf(ledger), [[2, 2, 2, 2, 1, 1, 2_000, 0]]);
});

const targetsOf = (interfaces: readonly InterfaceState[], neighbourTable: readonly NeighbourEntry[] = [], more = {}) =>
  watchTargets({ inventory: { interfaces }, neighbourTable, ...more });
const port = (name: string, addresses: readonly string[], change: Partial<InterfaceState> = {}) =>
  ({ name, kind: 'physical', operUp: true, addresses, ...change }) as InterfaceState;

test('the end with the lower address probes a link for two, in both families; nobody probes a wider network', () => {
  assert.deepEqual(targetsOf([port('eth1', ['198.18.0.0/31', 'fd00:1:1::/127', 'fe80::1/64'])]), [
    { ifname: 'eth1', far4: '198.18.0.1', far6: 'fd00:1:1::1' },
  ]);
  assert.deepEqual(targetsOf([port('eth1', ['198.18.0.1/31', 'fd00:1:1::1/127'])]), []);
  assert.deepEqual(targetsOf([port('eth1', ['198.18.0.5/30']), port('eth2', ['198.18.0.10/30'])]), [
    { ifname: 'eth1', far4: '198.18.0.6' },
  ]);
  assert.deepEqual(targetsOf([port('eth1', ['198.19.1.1/24', 'fd00:c:1::1/64'])]), []);
  assert.deepEqual(targetsOf([port('eth1', ['198.18.0.0/31'], { operUp: false })]), []);
});

const BGP = { bgp: { sessions: [{ peer: 'eth1' }] } };

test('a port without a network of its own is probed by link-local addresses, where it has one router for a neighbour', () => {
  const heard = (address: string, mac = '02:00:00:00:00:02', state = 'STALE'): NeighbourEntry => ({
    ...{ address, ifname: 'eth1', mac, state },
  });
  const own = [port('eth1', ['192.0.2.1/32', 'fe80::1/64'])];
  const both = [heard('192.0.2.2'), heard('fe80::2')];
  const row = { ifname: 'eth1', neighbours: [{}] };
  for (const more of [BGP, { neighbours: [row] }, { adjacencies: [row] }, { ospf: [row] }, { ospf6: [row] }])
    assert.deepEqual(targetsOf(own, both, more), [{ ifname: 'eth1', far6: 'fe80::2' }]);
  for (const more of [{}, { ospf: [{ ...row, neighbours: [] }] }, { bgp: { sessions: [{ peer: '192.0.2.2' }] } }])
    assert.deepEqual(targetsOf(own, both, more), [], 'a container or a host may be alone there');
  const cut = [{ part: 'neighbour-entries', read: 512, of: 600 }];
  assert.deepEqual(targetsOf(own, both, { ...BGP, cut }), [], 'a third may be there');
  const pair = port('eth9', ['198.18.0.0/31']);
  assert.deepEqual(
    targetsOf([...own, pair], both, BGP).map(({ ifname }) => ifname),
    ['eth9', 'eth1'],
  );
  for (const [why, interfaces, table] of [
    ['the other end probes', [port('eth1', ['fe80::3/64'])], both],
    ['a third device', own, [...both, heard('fe80::9', '02:00:00:00:00:09')]],
    ['set by hand', own, [heard('fe80::2', '02:00:00:00:00:02', 'PERMANENT')]],
    ['no link-local address', own, [heard('192.0.2.2')]],
    ['another port', own, [{ ...heard('fe80::2'), ifname: 'eth2' }]],
    ['a network of hosts', [port('eth1', ['198.18.7.1/24', 'fe80::1/64'])], both],
  ] as const)
    assert.deepEqual(targetsOf(interfaces, table, BGP), [], why);
});

const CLEAN: WatchCounts = [20, 20, 20, 20, 20, 20, 500, 0];
const LOSSY: WatchCounts = [20, 18, 18, 20, 19, 19, 500, 0];
const TARGET = { ifname: 'eth1', far4: '198.18.0.1' };

test('the ring tells rounds with their ages, the newest not yet, and corrects what it has', () => {
  const ring = createMonitorHistory();
  const taken = (round: number, counts: WatchCounts) => ({ ifname: 'eth1', round, counts, atMs: round * 2_000 });
  ring.add([TARGET], [taken(0, LOSSY)], 3, 0);
  ring.add([TARGET], [taken(0, CLEAN), taken(1, LOSSY)], 5, 2_000);
  assert.deepEqual(ring.history(3_000), {
    watch: [{ ifname: 'eth1', far: ['198.18.0.1'], rounds: [[3_000, ...CLEAN]] }],
    damage: [
      [3_000, 3],
      [1_000, 5],
    ],
    watched: [{ what: 'links', forMs: 3_000 }],
  });
});

test('rounds over a link that was down, which count from the beginning again, are remembered beside those before', () => {
  const ring = createMonitorHistory();
  const taken = (round: number, counts: WatchCounts, atMs: number) => ({ ifname: 'eth1', round, counts, atMs });
  for (let round = 0; round < 20; round++) ring.add([TARGET], [taken(round, CLEAN, round * 2_000)], 0, round * 2_000);
  for (let round = 0; round < 3; round++) {
    const atMs = 46_000 + round * 2_000;
    const told = Array.from({ length: round + 1 }, (_, each) => taken(each, LOSSY, 46_000 + each * 2_000));
    ring.add([], [], 0, atMs - 2_000);
    ring.add([TARGET], told, 0, atMs);
  }
  const rounds = ring.history(51_000).watch![0]!.rounds;
  assert.equal(rounds.length, 22);
  assert.deepEqual(rounds.slice(-3), [
    [13_000, ...CLEAN],
    [5_000, ...LOSSY],
    [3_000, ...LOSSY],
  ]);
});

test('the ring is bounded, and a pause begins the watch anew', () => {
  const ring = createMonitorHistory();
  for (let round = 0; round < 400; round++)
    ring.add([TARGET], [{ ifname: 'eth1', round, counts: CLEAN, atMs: round * 2_000 }], round, round * 2_000);
  const { watch, damage, watched } = ring.history(800_000);
  assert.deepEqual(
    [watch![0]!.rounds.length, damage!.length, watched],
    [149, 150, [{ what: 'links', forMs: 800_000 }]],
  );
  ring.add([TARGET], [], 0, 820_000);
  assert.deepEqual(ring.history(821_000).watched, [{ what: 'links', forMs: 1_000 }]);
  assert.deepEqual(ring.history(900_000).watched, []);
});

test('damaged packets are those whose checksums did not match, of all protocols', () => {
  const counters = { IpExtInCsumErrors: '1', UdpInCsumErrors: '2', Udp6InCsumErrors: '4', Icmp6InCsumErrors: '8' };
  assert.equal(damagedPackets({ ...counters, TcpInCsumErrors: '16', UdpInErrors: '32', IpInHdrErrors: '64' }), 31);
});

test('the helper probes named links at addresses of nodes, and nothing else', () => {
  const watchArguments = (args: unknown) => checked(READ_REQUESTS['link-watch'], args).links;
  assert.deepEqual(watchArguments({ links: [TARGET] }), [TARGET]);
  for (const links of [
    'eth1',
    [{ ifname: 'eth1' }],
    [{ ifname: '--help', far4: '198.18.0.1' }],
    [{ ifname: 'eth1', far6: 'ff02::1' }],
    [{ ifname: 'eth1', far4: '198.18.0.1', count: 9 }],
    Array.from({ length: 65 }, () => TARGET),
  ])
    assert.throws(() => watchArguments({ links }), /expected/);
});

test('rounds that the helper counted for an earlier agent are not remembered', async () => {
  const answers = [
    [
      { ifname: 'eth1', round: 6, agoMs: 60_000, forMs: 1_800, counts: LOSSY },
      { ifname: 'eth1', round: 7, agoMs: 0, forMs: 1_800, counts: LOSSY },
      { ifname: 'eth1', round: 8, agoMs: 0, forMs: 0, counts: CLEAN },
    ],
    [{ ifname: 'eth1', round: 9, agoMs: 0, forMs: 0, counts: CLEAN }],
  ];
  const { promise: told, resolve: tellAll } = Promise.withResolvers<void>();
  const helper = {
    call: async () => {
      const answer = answers.shift();
      if (answer !== undefined) return answer as never;
      tellAll();
      return new Promise<never>(() => {});
    },
  } as unknown as ReadHelper;
  const watch = startLinkMonitor(
    helper,
    createFakeClock(),
    () => [TARGET],
    async () => ({}),
  );
  await told;
  const { watch: rows } = watch.history(true);
  watch.stop();
  assert.deepEqual(
    rows?.map(({ rounds }) => rounds.map(([, ...counts]) => counts)),
    [[CLEAN]],
  );
});
