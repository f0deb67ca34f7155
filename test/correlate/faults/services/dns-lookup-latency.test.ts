// Name servers that are late although their hosts are quick, now and as their routers remember; and those of which it is not known. The
// host behind r1 serves names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { dnsLookupLatency } from '#correlate/faults/services/dns-lookup-latency.ts';
import type { HostLook } from '#model/router/host-history.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { found, look } from '../../memory-scene.ts';
import { HOST1, named, type Scene, sceneOf } from '../../scope-scene.ts';

const answer = (tookMs: readonly number[], echoMs: readonly number[]): ServiceProbeResult => ({
  ...{ destination: HOST1.address, service: 'udp', port: 53, sent: 3, answered: true, open: true, timed: true },
  ...{ tookMs, echoMs },
});

const timed = (tookMs: readonly number[], echoMs: readonly number[], from: 'r1' | 'r3' = 'r1'): Scene => ({
  serviceProbes: { [from]: [answer(tookMs, echoMs)] },
});

test('a name server that takes a second each time, and whose host is quick, is late', () => {
  assert.deepEqual(named(timed([1_003, 1_001, 1_002], [0.4, 0.5, 3])), ['dns_lookup_latency interface/h1/eth1']);
});

test('the finding says how late, on what it stands and where to look', () => {
  const [finding] = diagnose(sceneOf(timed([1_003, 1_001, 1_002], [0.4, 0.5, 3]))).findings;
  const what = 'name server h1 on r1 eth3 takes 1001 ms or more to answer, and at most 3 ms to answer an echo';
  assert.deepEqual(finding?.details, {
    ...{ what, host: 'node/h1', port: 'interface/h1/eth1', router: 'r1', ifname: 'eth3' },
    ...{ address: HOST1.address, tookMs: 1_001, echoMs: 3 },
  });
  assert.equal(finding?.confidence, 'certain');
  assert.ok(finding?.evidence.includes('probe/r1/parley-service-probe'));
  assert.deepEqual(finding?.remedy, { node: 'r1', summary: `find out what the name server waits for: ${what}` });
});

test('one quick answer, a slow path, a lost echo, or a router from afar, say nothing of it', () => {
  assert.deepEqual(named(timed([1_003, 12, 1_002], [0.4, 0.5, 3])), []);
  assert.deepEqual(named(timed([1_003, 1_001, 1_002], [0.4, 250, 3])), []);
  assert.deepEqual(named(timed([1_003, 1_001, 1_002], [0.4, 0.5])), []);
  assert.deepEqual(named(timed([1_003, 1_001], [0.4, 0.5, 3])), []);
  assert.deepEqual(named(timed([1_003, 1_001, 1_002], [0.4, 0.5, 3], 'r3')), []);
  assert.deepEqual(named(timed([250, 260, 255], [0.4, 0.5, 3])), []);
});

const times = (tookMs: readonly number[], echoMs: readonly number[]): HostLook => ({
  ...look({}),
  tries: [answer(tookMs, echoMs)],
});

test('a name server that had been late while its host was quick is named; one whose host was slow as well is not', () => {
  assert.deepEqual(found({ looks: [times([900, 910, 920], [1, 1, 2])] }), [
    'dns_lookup_latency interface/h1/eth1 over 30',
  ]);
  assert.deepEqual(found({ looks: [times([900, 910, 920], [1, 1, 400])] }), []);
  assert.deepEqual(found({ looks: [times([20, 910, 920], [1, 1, 2])] }), []);
  const events = [{ kind: 'carrier', subject: 'eth3', up: true, changes: 2, agoMs: 33_000 }] as const;
  assert.deepEqual(found({ looks: [times([900, 910, 920], [1, 1, 2])], events }), []);
});

test('it is read from the scans of hosts that routers keep', () => {
  assert.deepEqual(dnsLookupLatency.memories, ['host-scans']);
});
