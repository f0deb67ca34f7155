// What hosts did and is over, told from the looks that their routers kept; and what is kept and nobody's fault: a port that had fallen, a
// filter before the host, a host that was switched off, an ask that is older than its mending.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base/json.ts';
import { diagnose } from '#correlate/diagnose.ts';

import { decodeNodeState } from '#measure/decode/decode.ts';

import type { HostLook, LostName, WatchedHosts } from '#model/router/host-history.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { found, look, type Memory, NOTHING, PORT, remembering, SILENT } from '../memory-scene.ts';
import { HOST1, type Scene, sceneOf } from '../scope-scene.ts';

const missing = look(SILENT, { ...SILENT, alive: [HOST1.mac] });

test('hosts that were well all the time are no finding', () => {
  assert.deepEqual(found({}), []);
});

test('a host that had lost its address is named, and said to have it again', () => {
  assert.deepEqual(found({ looks: [missing] }), ['host_missing_ip interface/h1/eth1 over 30']);
});

test('who asks what is wrong now, or about less time, is told nothing of it', () => {
  assert.deepEqual(found({ looks: [missing] }, {}, 20_000), []);
  const { intent, ...rest } = sceneOf({ states: { r1: remembering({ looks: [missing] }) } });
  assert.deepEqual(diagnose({ intent, ...rest }).findings, []);
});

test('a host that is still without its address is named once, and not said to be over', () => {
  const scene = {
    hosts: { r1: [{ ...PORT, ...SILENT }] },
    census: { r1: [{ ...PORT, ...SILENT, alive: [HOST1.mac] }] },
  };
  assert.deepEqual(found({ looks: [missing] }, scene), ['host_missing_ip interface/h1/eth1']);
});

test('a host that was switched off, or taken away, did nothing wrong', () => {
  assert.deepEqual(found({ looks: [look(SILENT, { ...SILENT, alive: [] })] }), []);
});

test('a wrong address is not a missing one as well', () => {
  const wrong = { ...SILENT, alive: [HOST1.mac], answers: [{ address: '198.19.0.10', macs: [HOST1.mac] }] };
  const looks = [look(SILENT, wrong), { ...missing, fromAgoMs: 46_000, untilAgoMs: 42_000 }];
  assert.deepEqual(found({ looks }), ['host_incorrect_ip interface/h1/eth1 over 30']);
});

test('a host that was found elsewhere in the look after its census has a wrong address, not none', () => {
  const elsewhere = { ...SILENT, answers: [{ address: '198.19.2.10', macs: [HOST1.mac] }] };
  const looks = [look(SILENT, { ...SILENT, alive: [HOST1.mac] }, elsewhere)];
  assert.deepEqual(found({ looks }), ['host_incorrect_ip interface/h1/eth1 over 30']);
  // Another host's answer there is nothing of its own.
  const other = { ...SILENT, answers: [{ address: '198.19.2.10', macs: ['02:00:00:00:00:99'] }] };
  assert.deepEqual(found({ looks: [look(SILENT, { ...SILENT, alive: [HOST1.mac] }, other)] }), [
    'host_missing_ip interface/h1/eth1 over 30',
  ]);
});

test('a gateway that nobody was, and a router’s address that was taken, are named', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.254' }];
  const lost = { echoed: [], asks, asked: [...PORT.asked, '198.19.1.254'] };
  assert.deepEqual(found({ looks: [look(lost, lost)] }), ['host_incorrect_gateway node/h1 over 30']);
  const taken = { answers: [...PORT.answers, { address: '198.19.1.1', macs: [HOST1.mac] }] };
  assert.deepEqual(found({ looks: [look(taken)] }), ['host_ip_conflict interface/h1/eth1 over 30']);
});

test('a port that had lost its carrier at the time explains its host', () => {
  const events = [{ kind: 'carrier', subject: 'eth3', up: true, changes: 2, agoMs: 33_000 }] as const;
  assert.deepEqual(found({ looks: [missing], events }), []);
  const earlier = [{ ...events[0], agoMs: 90_000 }];
  assert.deepEqual(found({ looks: [missing], events: earlier }), ['host_missing_ip interface/h1/eth1 over 30']);
});

const RULE: FilterRule = {
  ...{ family: 'inet', table: 'filter', chain: 'output', path: ['output'], hook: 'output', handle: 4 },
  ...{ verdict: 'reject', outInterfaces: [], inInterfaces: [], matchesRest: false },
  matches: [
    { field: 'protocol', values: ['tcp'] },
    { field: 'destination-port', values: ['80'] },
  ],
};

const SERVED = { ifname: 'eth3', address: HOST1.address, service: 'tcp', port: 80, agoMs: 3_000 } as const;

const REFUSED: ServiceProbeResult = {
  ...{ destination: HOST1.address, service: 'tcp', port: 80 },
  ...{ sent: 1, answered: true, open: false },
};

const serving = (memory: Memory) => (state: NodeState) => {
  const known = remembering(memory)(state);
  return { ...known, history: { ...known.history!, services: [SERVED] } };
};

const open = { r1: [{ ...REFUSED, open: true }] };

const down: HostLook = { ...look({}), tries: [REFUSED] };

test('a service that had refused its own router is named; a filter that was there then explains it', () => {
  const scene = { serviceProbes: open, states: { r1: serving({ looks: [down] }) } };
  assert.deepEqual(found({}, scene), ['http_service_down node/h1 over 30']);
  const state = (rules: readonly FilterRule[]) => (now: NodeState) =>
    serving({
      looks: [down],
      past: [{ fromAgoMs: 44_000, untilAgoMs: 26_000, state: { ...now, filters: rules } }],
    })(now);
  const faults = found({}, { serviceProbes: open, states: { r1: state([RULE]) } });
  assert.deepEqual(
    faults.filter((each) => each.startsWith('http_service_down')),
    [],
  );
});

const ask = { ifname: 'eth3', mac: HOST1.mac, sender: HOST1.address, target: '198.19.3.77', count: 2, agoMs: 25_000 };

test('a host that had asked on its link for a host behind another router had a mask that was too short', () => {
  assert.deepEqual(found({ asks: [ask] }), ['host_incorrect_netmask interface/h1/eth1 over 25']);
  assert.deepEqual(found({ asks: [{ ...ask, target: '198.19.255.3' }] }), [
    'host_incorrect_netmask interface/h1/eth1 over 25',
  ]);
});

test('an ask for what nobody is known to have, of somebody unknown, or of long ago, is nothing', () => {
  for (const change of [
    { target: '203.0.113.9' },
    { target: '198.19.1.254' },
    { mac: '02:00:00:00:09:99' },
    { sender: '198.19.1.99' },
    { agoMs: 130_000 },
  ])
    assert.deepEqual(found({ asks: [{ ...ask, ...change }] }), [], JSON.stringify(change));
});

test('an ask from before the question accuses nobody of anything now; one that came during it does', () => {
  const now = (after: WatchedHosts['asks']) =>
    diagnose(
      sceneOf({
        states: { r1: (state, phase) => remembering({ asks: phase === 'before' ? [ask] : after })(state) },
      }),
    ).findings.map(({ fault, resource }) => `${fault} ${resource}`);
  assert.deepEqual(now([{ ...ask, agoMs: 27_000 }]), []);
  assert.deepEqual(now([{ ...ask, count: 3, agoMs: 400 }]), ['host_incorrect_netmask interface/h1/eth1']);
  assert.deepEqual(now([ask, { ...ask, target: '198.19.255.2', count: 1, agoMs: 400 }]), [
    'host_incorrect_netmask interface/h1/eth1',
  ]);
});

const NAME = { ifname: 'eth3', address: HOST1.address, name: 'www.lab.example', okAgoMs: 4_000, lostAgoMs: 20_000 };

const answered = (isFound: boolean): Scene['serviceProbes'] & {} => ({
  r1: [
    {
      ...{ destination: HOST1.address, service: 'udp', port: 53, record: NAME.name },
      ...{ sent: 2, answered: true, open: true, found: isFound },
    },
  ],
});

test('a name that its server had lost is over when it knows it again, and there when it does not', () => {
  assert.deepEqual(found({ names: [NAME] }, { serviceProbes: answered(true) }), ['dns_record_error node/h1 over 20']);
  assert.deepEqual(found({ names: [NAME] }), ['dns_record_error node/h1 over 20']);
  const lost = { ...NAME, okAgoMs: 24_000 };
  assert.deepEqual(found({ names: [lost] }, { serviceProbes: answered(false) }), ['dns_record_error node/h1']);
  assert.deepEqual(found({ names: [lost] }), []);
});

test('a name that others were given and its router never is no fault; while its router is not given it, nobody says that all is well', () => {
  const mine = { ...NAME, okAgoMs: 24_000, othersOnly: true } as const;
  const lacking = (names: readonly LostName[], isFound: boolean, then = names) => {
    const r1 = (state: NodeState, phase: 'before' | 'after') =>
      remembering({ names: phase === 'before' ? names : then })(state);
    return diagnose(sceneOf({ states: { r1 }, serviceProbes: answered(isFound) })).verdict;
  };
  assert.deepEqual(found({ names: [mine] }, { serviceProbes: answered(false) }), []);
  const { kind, reasons } = lacking([mine], false);
  assert.equal(kind, 'inconclusive');
  assert.deepEqual(
    reasons.filter((reason) => reason.startsWith('DNS')),
    [
      'DNS at 198.19.1.10 behind r1: gave others www.lab.example 24 s ago and does not give it to its router; whether it still gives it to others was not seen',
    ],
  );
  const saidOf = (verdict: typeof reasons) => verdict.some((reason) => reason.startsWith('DNS'));
  assert.equal(saidOf(lacking([mine], true).reasons), false);
  assert.equal(saidOf(lacking([mine], false, []).reasons), false);
});

const decodeWatchedHosts = (watchedHosts: JsonValue) =>
  decodeNodeState({ inventory: { node: 'pe1', interfaces: [] }, history: { watchedHosts } })?.history?.watchedHosts;

test('what a node says of its hosts is read row by row; nothing of it throws', () => {
  const told = { ...NOTHING, asks: [ask], names: [NAME, { ...NAME, othersOnly: true }], looks: [missing, down] };
  assert.deepEqual(decodeWatchedHosts(told as unknown as JsonValue), told);
  const odd: readonly JsonValue[] = [
    null,
    7,
    'x',
    [],
    {},
    { ports: 7 },
    { fromAgoMs: -1, untilAgoMs: 0 },
    { name: 'a b' },
  ];
  for (const row of odd) {
    assert.equal(decodeWatchedHosts({ asks: [row], names: [row], looks: [row] })?.asks.length ?? 0, 0);
    assert.doesNotThrow(() => decodeWatchedHosts(row));
  }
  const many = decodeWatchedHosts({
    asks: Array(999).fill(ask),
    names: Array(999).fill(NAME),
    looks: Array(999).fill(missing),
  } as unknown as JsonValue)!;
  assert.deepEqual([many.asks.length, many.names.length, many.looks!.length], [64, 32, 8]);
});
