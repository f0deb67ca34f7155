// Who misses what a filter drops, where that is hard to tell: hosts behind it that ask for nothing it takes, a name server that is silent
// itself, and a router that cannot hear its own hosts. Hosts are behind r1 and r3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { dropping, HOST1, HOST3, named, wellOn } from '../scope-scene.ts';
import { DNS, HTTP, ICMP, SILENT_ECHO, served, tried } from '../service-scene.ts';

test('a filter for what goes to a network of hosts takes nothing of what they ask for', () => {
  const at1 = { destination: HOST1.address, service: 'tcp', port: 80, sent: 3, answered: false, open: false } as const;
  const bound =
    (change: Partial<FilterRule>) =>
    (state: NodeState, phase: 'before' | 'after'): NodeState => {
      const filtered = dropping(HTTP)(state, phase);
      return { ...filtered, filters: filtered.filters.map((rule) => ({ ...rule, ...change })) };
    };
  const scene = (change: Partial<FilterRule>) => ({
    states: { r1: bound(change), r3: served('tcp', 80) },
    serviceProbes: { r2: [at1] },
  });
  assert.deepEqual(named(scene({ outInterfaces: ['eth3'] })), []);
  assert.deepEqual(named(scene({ inInterfaces: ['eth2'] })), []);
  assert.deepEqual(named(scene({ outInterfaces: ['eth2', 'eth3'] })), ['http_acl_block node/r1']);
  assert.deepEqual(named(scene({ hook: 'input' })), []);
});

/** A host behind r1 was heard to ask h3, which served names lately, and does not answer even ARP now. */
const asks = (to: string) => (state: NodeState) => ({
  ...state,
  history: {
    ...state.history!,
    heard: [{ ifname: 'eth3', what: 'dns-query' as const, from: HOST1.address, to, agoMs: 4_000 }],
  },
});
const GONE = { r3: [wellOn('r3', { answers: [], echoed: [] })] };

test('a filter before a name server that is silent itself is missed by hosts that were heard to ask it', () => {
  const both = (state: NodeState, phase: 'before' | 'after') => dropping(DNS)(served('udp', 53)(state), phase);
  const serviceProbes = { r1: [{ ...tried('udp', false, 53) }], r3: [tried('udp', false, 53)] };
  const scene = (r1: (state: NodeState) => NodeState, r3 = both) => ({
    states: { r1, r3 },
    hosts: GONE,
    serviceProbes,
  });
  assert.deepEqual(named(scene(asks(HOST3.address))), ['dns_port_blocked node/r3']);
  assert.deepEqual(named(scene(asks('203.0.113.53'))), []);
  assert.deepEqual(named(scene(asks(HOST3.address), dropping(DNS))), []);
  assert.deepEqual(
    named({ states: { r1: asks(HOST3.address), r3: served('udp', 53) }, hosts: GONE, serviceProbes }),
    [],
  );
  const page = { r1: [tried('tcp', false, 80)], r3: [tried('tcp', false, 80)] };
  const pages = (state: NodeState, phase: 'before' | 'after') => dropping(HTTP)(served('tcp', 80)(state), phase);
  assert.deepEqual(named({ ...scene(asks(HOST3.address), pages), serviceProbes: page }), []);
});

test('whose own echoes a filter takes cannot hear its hosts, and that speaks for nobody', () => {
  const all = (state: NodeState, phase: 'before' | 'after'): NodeState => ({
    ...state,
    filters: ['input', 'output', 'forward'].flatMap((hook) => dropping(ICMP, hook)(state, phase).filters),
  });
  const unheard = { r3: [wellOn('r3', { echoed: [] })] };
  assert.deepEqual(named({ states: { r3: all }, serviceProbes: SILENT_ECHO, hosts: unheard }), [
    'icmp_acl_block node/r3',
  ]);
  const forward = dropping(ICMP);
  assert.deepEqual(named({ states: { r3: forward }, serviceProbes: SILENT_ECHO, hosts: unheard }), []);
});
