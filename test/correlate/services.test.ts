// Filters that drop a service for everybody, and their look-alikes that do their job.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { dropping, HOST1, HOST3, named, sceneOf, wellOn } from './scope-scene.ts';
import { DNS, HTTP, ICMP, is, SILENT_ECHO, served, tried } from './service-scene.ts';

const SILENT_HTTP = { r1: [tried('echo', true), tried('tcp', false, 80)] };

test('a router that drops ICMP for everybody is named, when echoes die there', () => {
  assert.deepEqual(named({ states: { r2: dropping(ICMP) }, serviceProbes: SILENT_ECHO }), ['icmp_acl_block node/r2']);
  assert.deepEqual(named({ states: { r3: dropping(ICMP) }, serviceProbes: SILENT_ECHO }), ['icmp_acl_block node/r3']);
});

test('a router that drops HTTP for everybody is named, when connections die there to who was seen to serve it', () => {
  const states = { r2: dropping(HTTP), r3: served('tcp', 80) };
  assert.deepEqual(named({ states, serviceProbes: SILENT_HTTP }), ['http_acl_block node/r2']);
});

const SILENT_DNS = { r1: [tried('echo', true), tried('udp', false, 53)] };
const verdictOf = (scene: Parameters<typeof sceneOf>[0]) => {
  const { verdict, findings } = diagnose(sceneOf(scene));
  const known = new Set(diagnose(sceneOf()).verdict.reasons);
  return {
    findings: findings.map(({ fault, resource }) => `${fault} ${resource}`),
    remarks: verdict.reasons.filter((reason) => !known.has(reason) && /meant/.test(reason)),
    open: verdict.reasons.filter((reason) => /nothing came back/.test(reason)),
  };
};

test('a filter of an edge against a service that nobody is known to use is a remark, whatever our own tries met', () => {
  assert.deepEqual(verdictOf({ states: { r2: dropping(DNS) }, serviceProbes: SILENT_DNS }), {
    findings: [],
    remarks: [
      'r2: a packet filter dropped 12 packets (protocol udp, destination-port 53); nobody is known to miss them, so it may be meant',
    ],
    open: [],
  });
  assert.deepEqual(verdictOf({ states: { r2: dropping(HTTP) }, serviceProbes: SILENT_HTTP }).findings, []);
  const echoes = dropping([...ICMP, is('icmp-type', 'echo-request')]);
  assert.deepEqual(verdictOf({ states: { r2: echoes }, serviceProbes: SILENT_ECHO }).findings, []);
});

test('what a host was seen to serve is missed, by name servers whom a host behind the filter was heard to ask too', () => {
  const told = (scene: Parameters<typeof sceneOf>[0]) => {
    const { findings, remarks } = verdictOf(scene);
    return [...findings, ...remarks.map(() => 'remark')];
  };
  const named = ['dns_port_blocked node/r2'];
  assert.deepEqual(told({ states: { r2: dropping(DNS), r3: served('udp', 53) }, serviceProbes: SILENT_DNS }), named);

  // The filter is at h1's router; h3 serves names and h1 itself does not: what was tried there shows only what the filter takes.
  const at1 = { destination: HOST1.address, service: 'udp', port: 53, sent: 3, answered: false, open: false } as const;
  const serviceProbes = { r2: [at1] };
  const asking = (to: string) => (state: NodeState, phase: 'before' | 'after') => ({
    ...dropping(DNS)(state, phase),
    history: {
      ...state.history!,
      heard: [{ ifname: 'eth3', what: 'dns-query' as const, from: HOST1.address, to, agoMs: 4_000 }],
    },
  });
  const r3 = served('udp', 53);
  assert.deepEqual(told({ states: { r1: asking(HOST3.address), r3 }, serviceProbes }), ['dns_port_blocked node/r1']);
  assert.deepEqual(told({ states: { r1: asking('203.0.113.53'), r3 }, serviceProbes }), ['remark']);
  assert.deepEqual(told({ states: { r1: asking(HOST3.address) }, serviceProbes }), ['remark']);
});

test('pages that are served somewhere are missed by hosts behind a filter against pages', () => {
  const at1 = { destination: HOST1.address, service: 'tcp', port: 80, sent: 3, answered: false, open: false } as const;
  const states = { r1: dropping(HTTP), r3: served('tcp', 80) };
  assert.deepEqual(named({ states, serviceProbes: { r2: [at1] } }), ['http_acl_block node/r1']);
  assert.deepEqual(named({ states: { r1: dropping(HTTP) }, serviceProbes: { r2: [at1] } }), []);
});

test('a host that does not answer its own router either is silent by itself', () => {
  const states = { r2: dropping(DNS), r3: served('udp', 53) };
  const serviceProbes = { ...SILENT_DNS, r3: [tried('udp', false, 53)] };
  assert.deepEqual(named({ states, serviceProbes }), []);
  const hosts = { r3: [wellOn('r3', { echoed: [] })] };
  assert.deepEqual(named({ states: { r2: dropping(ICMP) }, serviceProbes: SILENT_ECHO, hosts }), []);
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

test('a host that does not answer is no finding where no filter took anything', () => {
  assert.deepEqual(named({ serviceProbes: SILENT_ECHO }), []);
  assert.deepEqual(named({ states: { r2: dropping(ICMP, 'forward', 0) }, serviceProbes: SILENT_ECHO }), []);
});

test('a filter off the way, for another service, or for some addresses only does its job', () => {
  assert.deepEqual(named({ states: { r2: dropping(HTTP) }, serviceProbes: SILENT_ECHO }), []);
  assert.deepEqual(named({ states: { r1: dropping(ICMP) }, serviceProbes: SILENT_ECHO }), []);
  const some = [...ICMP, is('destination', '198.51.100.0/24')];
  assert.deepEqual(named({ states: { r2: dropping(some) }, serviceProbes: SILENT_ECHO }), []);
});

test('a filter that is bound to interfaces is met only by what crosses them', () => {
  const bound =
    (...inInterfaces: readonly string[]) =>
    (state: NodeState, phase: 'before' | 'after'): NodeState => {
      const filtered = dropping(ICMP)(state, phase);
      return { ...filtered, filters: filtered.filters.map((rule) => ({ ...rule, inInterfaces })) };
    };
  assert.deepEqual(named({ states: { r2: bound('eth7') }, serviceProbes: SILENT_ECHO }), []);
  assert.deepEqual(named({ states: { r2: bound('eth1') }, serviceProbes: SILENT_ECHO }), ['icmp_acl_block node/r2']);
});

test('a filter that most nodes have is meant', () => {
  const states = { r1: dropping(ICMP), r2: dropping(ICMP), r3: dropping(ICMP) };
  assert.deepEqual(named({ states, serviceProbes: SILENT_ECHO }), []);
});

test('a filter against an address drops what goes to its hosts, though its router answers', () => {
  const toHosts = [is('network', 'ip'), is('destination', '198.19.3.0/24')];
  assert.deepEqual(named({ states: { r3: dropping(toHosts) }, serviceProbes: SILENT_ECHO }), ['acl_misconfig node/r3']);
});

test('messages that say that a packet is too large must pass where links differ in size', () => {
  const hiding = dropping([is('protocol', 'ipv6-icmp'), is('icmp-type', 'packet-too-big')], 'output', 0);
  const narrow = (state: NodeState, phase: 'before' | 'after'): NodeState => ({
    ...hiding(state, phase),
    inventory: {
      ...state.inventory,
      interfaces: state.inventory.interfaces.map((entry) => (entry.name === 'eth1' ? { ...entry, mtu: 1_400 } : entry)),
    },
  });
  const filters = (scene: Parameters<typeof named>[0]) => named(scene).filter((each) => each.startsWith('icmp_'));
  assert.deepEqual(filters({ states: { r2: narrow } }), ['icmp_frag_needed_filter_misconfiguration node/r2']);
  assert.deepEqual(filters({ states: { r2: hiding } }), []);
});

test('a filter against an address that most nodes have is meant', () => {
  const toHosts = [is('network', 'ip'), is('destination', '198.19.3.0/24')];
  const states = { r1: dropping(toHosts), r2: dropping(toHosts), r3: dropping(toHosts) };
  assert.deepEqual(named({ states, serviceProbes: SILENT_ECHO }), []);
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
