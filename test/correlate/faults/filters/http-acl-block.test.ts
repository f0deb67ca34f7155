// Filters that drop connections to web servers for everybody; and filters that do their job.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { dropping, HOST1, named, sceneOf } from '../../scope-scene.ts';
import { HTTP, ICMP, is, SILENT_ECHO, SILENT_HTTP, served, tried } from '../../service-scene.ts';

test('a router that drops HTTP for everybody is named, when connections die there to who was seen to serve it', () => {
  const states = { r2: dropping(HTTP), r3: served('tcp', 80) };
  assert.deepEqual(named({ states, serviceProbes: SILENT_HTTP }), ['http_acl_block node/r2']);
});

test('pages that are served somewhere are missed by hosts behind a filter against pages', () => {
  const at1 = { destination: HOST1.address, service: 'tcp', port: 80, sent: 3, answered: false, open: false } as const;
  const states = { r1: dropping(HTTP), r3: served('tcp', 80) };
  assert.deepEqual(named({ states, serviceProbes: { r2: [at1] } }), ['http_acl_block node/r1']);
  assert.deepEqual(named({ states: { r1: dropping(HTTP) }, serviceProbes: { r2: [at1] } }), []);
});

test('a rule for what an earlier one of its chain lets not through is meant', () => {
  const but =
    (first: Partial<FilterRule>) =>
    (state: NodeState, phase: 'before' | 'after'): NodeState => {
      const filtered = dropping(HTTP)(state, phase);
      const [drop] = filtered.filters;
      return { ...filtered, filters: [{ ...drop!, handle: 3, verdict: 'accept', ...first }, drop!] };
    };
  const scene = (first: Partial<FilterRule>) => ({
    states: { r2: but(first), r3: served('tcp', 80) },
    serviceProbes: SILENT_HTTP,
  });
  assert.deepEqual(named(scene({ matches: [...HTTP, is('destination', '198.51.100.80')] })), []);
  assert.deepEqual(named(scene({ matches: [is('protocol', 'ospf')] })), ['http_acl_block node/r2']);
  assert.deepEqual(named(scene({ matches: [], matchesRest: true })), ['http_acl_block node/r2']);
  assert.deepEqual(named(scene({ chain: 'input' })), ['http_acl_block node/r2']);
});

test('a filter off the way, for another service, or for some addresses only does its job', () => {
  assert.deepEqual(named({ states: { r2: dropping(HTTP) }, serviceProbes: SILENT_ECHO }), []);
  assert.deepEqual(named({ states: { r1: dropping(ICMP) }, serviceProbes: SILENT_ECHO }), []);
  const some = [...ICMP, is('destination', '198.51.100.0/24')];
  assert.deepEqual(named({ states: { r2: dropping(some) }, serviceProbes: SILENT_ECHO }), []);
});

test('what met nothing speaks against a finding, and is told beside what speaks for it', () => {
  const states = { r2: dropping(HTTP), r3: served('tcp', 80) };
  const open = tried('tcp', true, 80);
  const told = (serviceProbes: Readonly<Record<string, readonly ServiceProbeResult[]>>) =>
    diagnose(sceneOf({ states, serviceProbes })).findings.map(({ fault, against }) => [fault, against]);
  // Behind the filter it is answered, as it is to be; through it, some tries were.
  assert.deepEqual(told({ ...SILENT_HTTP, r3: [open] }), [['http_acl_block', []]]);
  assert.deepEqual(told({ r1: [tried('tcp', false, 80)], r2: [open] }), [
    ['http_acl_block', ['probe/r2/parley-service-probe']],
  ]);
});
