// What the first round leaves in doubt is measured again, the worst first; what is well is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { doubtsOf } from '#correlate/doubts.ts';
import { planConfirmation, planFirst } from '#measure/registry.ts';
import type { Evidence } from '#model/evidence.ts';
import { scopeOf } from '../measure/scope.ts';
import { HOST3, sceneOf, stateOf } from './scope-scene.ts';

/** Trains of r1 – r2 and r2 – r3 whose packets came out of the link so many microseconds apart. */
function doubtsWith(apartUs: Readonly<Record<string, number>>) {
  const states = new Map(([1, 2, 3] as const).map((number) => [`r${number}`, stateOf(number)] as const));
  const trains = planFirst(scopeOf(states))
    .filter(({ purpose }) => purpose.kind === 'link-train')
    .map((call) => {
      const [, apart = 10] = Object.entries(apartUs).find(([pair]) =>
        pair.split(' ').every((node) => call.id.includes(`/${node}:`)),
      )!;
      const gapsUs = Array.from({ length: 44 }, () => apart);
      const train = { sentUs: gapsUs.map(() => 10), reachedUs: gapsUs, returnedUs: gapsUs };
      const body = { sent: 45, reflected: 45, received: 45, duplicates: 0, rttMs: null, sendErrors: 0, train };
      const request = { method: 'tools/call', params: { name: call.name, arguments: call.arguments } };
      return {
        id: call.id,
        purpose: call.purpose,
        node: call.node,
        kind: 'probe',
        phase: 'probe',
        request,
        body,
      } as unknown as Evidence;
    });
  const { intent, nodeNames, evidence, outcomes } = sceneOf();
  const file = caseFileOf(intent, nodeNames, [...evidence, ...trains], outcomes);
  const calls = planConfirmation(scopeOf(states), doubtsOf(file, states, trains));
  return calls
    .filter(({ id }) => id.includes('/large/'))
    .map(({ id, afterMs = 0 }) => [id.replace(/^probe/, '').replaceAll(/:eth\d/g, ''), afterMs]);
}

test('trains are repeated over the link first that held one up for longest, and over what it is compared with', () => {
  assert.deepEqual(doubtsWith({ 'r1 r2': 10, 'r2 r3': 10 }), []);
  const twice = doubtsWith({ 'r1 r2': 2_000, 'r2 r3': 20_000 });
  assert.deepEqual(twice, [
    ['/r2/r3/large/2', 0],
    ['/r3/r2/large/3', 1_720],
    ['/r2/r1/large/2', 30],
    ['/r1/r2/large/3', 202],
    ['/r2/r1/large/4', 374],
    ['/r1/r2/large/5', 546],
    ['/r2/r1/large/6', 718],
    ['/r1/r2/large/7', 890],
  ]);
  const compared = doubtsWith({ 'r1 r2': 10, 'r2 r3': 2_000 }).filter(([, afterMs]) => Number(afterMs) <= 30);
  assert.deepEqual(compared, [
    ['/r2/r3/large/2', 0],
    ['/r2/r1/large/2', 30],
  ]);
});

test('probes are tried again from an address that answers find back to, and not at all where there is none', () => {
  const states = new Map(([1, 2, 3] as const).map((number) => [`r${number}`, stateOf(number)] as const));
  const { intent, nodeNames, evidence, outcomes } = sceneOf();
  const destination = '198.19.3.1';
  /** Of r3, which is asked for ways to two addresses of r1: `198.19.255.1` on its loopback, `198.19.1.1` in its network of hosts. */
  const agains = (loopback: object, network: object) => {
    const answers = [
      { destination: '198.19.255.1', ...loopback },
      { destination: '198.19.1.1', ...network },
    ];
    const told = (id: string, node: string, kind: string, body: object, args: object) =>
      ({
        ...{
          id,
          node,
          kind,
          phase: 'probe',
          purpose: { kind, round: 'first', ...(kind === 'lookups' ? { part: 1 } : {}) },
        },
        ...{ body, request: { method: 'tools/call', params: { name: kind, arguments: args } } },
      }) as unknown as Evidence;
    const lost = { results: [{ destination, sent: 5, received: 0, rttMs: null }] };
    const more = [
      ...['r2', 'r3'].map((node) => told(`probe/${node}/parley-lookups`, node, 'lookups', { answers }, {})),
      told('probe/r1/parley-reach', 'r1', 'reach', lost, { destinations: [destination] }),
    ];
    const without = evidence.filter(({ kind }) => kind !== 'lookups' && kind !== 'reach');
    const file = caseFileOf(intent, nodeNames, [...without, ...more], outcomes);
    return doubtsOf(file, states, []).reaches.filter(({ from }) => from === 'r1');
  };
  const none = { kind: 'none' };
  const back = { kind: 'unicast', ifname: 'eth1', ifnames: ['eth1'], matched: '198.19.1.0/24' };
  const row = { from: 'r1', destination };
  assert.deepEqual(agains(none, back), [{ ...row, sender: '198.19.1.1' }]);
  assert.deepEqual(agains(none, none), []);
  assert.deepEqual(agains(back, none), [row], 'answers find back: what is lost is lost');
});

test('a host that answers no echo is tried again, from an address that its router has a route to where it has none to the first', () => {
  const states = new Map(([1, 2, 3] as const).map((number) => [`r${number}`, stateOf(number)] as const));
  const mute = (loopback: object, answered = false, lan: object = { kind: 'unicast', ifname: 'eth1' }) => {
    const lookups = ['r2', 'r3'].map((node) => [
      node,
      [
        { destination: '198.19.255.1', ...loopback },
        { destination: '198.19.1.1', ...lan },
      ] as never,
    ]);
    const results = [{ destination: HOST3.address, service: 'echo', sent: 3, answered, open: answered }];
    const more = [
      { node: 'r1', purpose: { kind: 'service-probe', reason: 'asked-echo', round: 'first' }, body: { results } },
    ] as const;
    const { nodeNames, evidence, outcomes } = sceneOf({ more, lookups: Object.fromEntries(lookups) });
    const intent = {
      kind: 'reachability',
      text: '',
      path: [],
      encapsulation: 'ip',
      destination: HOST3.address,
    } as const;
    return doubtsOf(caseFileOf(intent, nodeNames, evidence, outcomes), states, []).muteHosts;
  };
  const row = { from: 'r1', destination: HOST3.address };
  assert.deepEqual(mute({ kind: 'none' }), [{ ...row, sender: '198.19.1.1' }]);
  assert.deepEqual(mute({ kind: 'unicast', ifname: 'eth1' }), [row], 'answers find back: what is lost is lost');
  assert.deepEqual(mute({ kind: 'none' }, true), []);
  const beyond = { kind: 'unicast', ifname: 'eth9', nextHop: '198.18.9.9' };
  assert.deepEqual(mute({ kind: 'none' }, false, beyond), [{ ...row, sender: '198.19.1.1' }], 'it may lead back');
  assert.deepEqual(mute({ kind: 'none' }, false, { kind: 'none' }), [row]);
});
