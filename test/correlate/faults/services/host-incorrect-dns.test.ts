// Hosts that ask an address for names that serves none; and what may be asked. The host behind r1 serves names, the one behind r3 asks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { Heard } from '#model/router/dhcp.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { dropping, HOST1, HOST3, named, type Scene, sceneOf } from '../../scope-scene.ts';

type Touch = NonNullable<Scene['states']>[string];

const WRONG = '198.19.1.53';

const query = (to: string, agoMs = 1_000): Heard => ({
  ifname: 'eth3',
  what: 'dns-query',
  from: HOST3.address,
  to,
  agoMs,
});

const served = { ifname: 'eth3', address: HOST1.address, service: 'udp' as const, port: 53, agoMs: 9 };

const states = (...heard: readonly Heard[]): NonNullable<Scene['states']> => ({
  r1: (state) => ({ ...state, history: { ...state.history!, services: [served] } }),
  r3: (state) => ({ ...state, history: { ...state.history!, heard } }),
});

const tried = (destination: string, open = false): ServiceProbeResult => ({
  ...{ destination, service: 'udp', port: 53, sent: 2, answered: open, open },
});

const both = { r1: [tried(WRONG)], r3: [tried(WRONG)] };

test('a host whose last questions went where nobody serves names has a wrong name server', () => {
  const before = query(HOST1.address, 9_000);
  assert.deepEqual(named({ states: states(before, query(WRONG)), serviceProbes: both }), [
    'host_incorrect_dns node/h3',
  ]);
});

test('what it asks, what serves names and what is to be set are told', () => {
  const [finding] = diagnose(sceneOf({ states: states(query(WRONG)), serviceProbes: both })).findings;
  const what =
    'host h3 on r3 eth3 sends its DNS queries to 198.19.1.53, which answers none; a name server that does is 198.19.1.10';
  assert.deepEqual([finding?.details['what'], finding?.confidence], [what, 'certain']);
  assert.deepEqual(finding?.remedy, {
    node: 'r3',
    summary: `set the name server of the host to one that is in use: ${what}`,
  });
});

test('a host that asks a known name server, or came back to it, is well', () => {
  assert.deepEqual(named({ states: states(query(HOST1.address)), serviceProbes: both }), []);
  assert.deepEqual(named({ states: states(query(WRONG, 3_000), query(HOST1.address)), serviceProbes: both }), []);
  assert.deepEqual(named({ states: states(query(WRONG), query(HOST1.address)), serviceProbes: both }), []);
});

test('an address that answers one of both routers serves names; what was not tried by both is not known', () => {
  assert.deepEqual(named({ states: states(query(WRONG)), serviceProbes: { ...both, r1: [tried(WRONG, true)] } }), []);
  assert.deepEqual(named({ states: states(query(WRONG)), serviceProbes: { r3: both.r3 } }), []);
  assert.deepEqual(named({ states: states(query(WRONG)), serviceProbes: { r1: both.r1 } }), []);
  const abroad = '203.0.113.53';
  assert.deepEqual(named({ states: states(query(abroad)), serviceProbes: { r3: [tried(abroad)] } }), []);
});

test('without a name server that is known nobody is accused', () => {
  const { r3 } = states(query(WRONG));
  assert.deepEqual(named({ states: { r3: r3! }, serviceProbes: both }), []);
});

test('a filter where the asked address is speaks for itself, one elsewhere takes nothing of what its own router tried', () => {
  const filter = dropping([{ field: 'protocol', values: ['udp'] }], 'forward', 0);
  const asked = states(query(WRONG));
  const beside = (node: 'r1' | 'r2') => {
    const touch: Touch = (state, phase) => filter(asked[node]?.(state, phase) ?? state, phase);
    return named({ states: { ...asked, [node]: touch }, serviceProbes: both }).filter((line) =>
      line.startsWith('host_'),
    );
  };
  assert.deepEqual(beside('r1'), []);
  assert.deepEqual(beside('r2'), ['host_incorrect_dns node/h3']);
});

test('the last questions of each host count, from a host of that port’s network', () => {
  const of = (...heard: readonly Heard[]) => named({ states: states(...heard), serviceProbes: both });
  const YES = ['host_incorrect_dns node/h3'];
  assert.deepEqual(of(query(WRONG, 1_000), query(HOST1.address, 1_001)), YES);
  assert.deepEqual(of(query(WRONG), { ...query(HOST1.address), from: '198.19.3.11' }), YES, 'another host');
  assert.deepEqual(of(query(WRONG), { ...query(HOST1.address, 500), what: 'dhcp-request' }), YES);
  assert.deepEqual(of({ ...query(WRONG), from: '198.19.7.10' }), []);
  assert.deepEqual(of({ ...query(WRONG), ifname: 'eth9' }), []);
  assert.deepEqual(of({ ...query(WRONG), ifname: 'eth1' }), []);
});
