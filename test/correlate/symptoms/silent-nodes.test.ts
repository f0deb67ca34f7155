// Nodes that gave no state, and whether every neighbour that had heard them lost them; and checksum counters, node by node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '#correlate/engine/facts.ts';
import { silentNodes } from '#correlate/symptoms/silent-nodes.ts';
import { wrongChecksums } from '#correlate/symptoms/wrong-checksums.ts';
import { fact } from '../fact-scene.ts';
import { pairWorld } from '../pair-scene.ts';

const OUTCOME = { node: 'z-1', status: 'timed-out', reason: 'no answer in time' };
const echoed = (near: string, ifname: string, received: number, sent = 3) =>
  fact('silent-echoes', { near: { node: near, ifname }, address: '198.18.0.1', sent, received }, [`echoes of ${near}`]);
const UNANSWERED = [echoed('a', 'e1', 0), echoed('b', 'e2', 0)];
const hearing = (ifname: string, operUp: boolean, name = 'z-1') => ({
  now: {
    history: { lastHeard: [{ ifname, name }] },
    inventory: {
      interfaces: [
        { name: ifname, operUp },
        { name: 'other', operUp: true },
      ],
    },
  },
});
function silent(
  states: Parameters<typeof pairWorld>[1],
  outcomes: readonly object[] = [OUTCOME],
  node = 'z-1',
  facts: readonly Fact[] = UNANSWERED,
) {
  const world = pairWorld([], states, { nodes: [...Object.keys(states), node] });
  return silentNodes(world, facts, outcomes as never).map(({ id, text, nodes, source, detail }) => ({
    ...{ id, text, nodes, source, detail },
  }));
}

test('a node that every neighbour lost is silent, with what each of them reports', () => {
  assert.deepEqual(silent({ a: hearing('e1', false), b: hearing('e2', false, 'Z1') }), [
    {
      ...{ id: 'silent:z-1', text: '{z-1} does not answer (no answer in time), and {a} e1, {b} e2 lost it' },
      ...{ nodes: ['z-1', 'a', 'b'], source: ['state of a', 'state of b'] },
      detail: { witnesses: ['interface/a/e1', 'interface/b/e2'] },
    },
  ]);
});

test('one neighbour that still hears it, or none that ever did, is no symptom; nor is a node that was not asked', () => {
  assert.deepEqual(silent({ a: hearing('e1', false), b: hearing('e2', true) }), []);
  assert.deepEqual(silent({ a: hearing('e1', true) }), []);
  assert.deepEqual(silent({ a: hearing('e1', false, 'y-1') }), []);
  assert.deepEqual(silent({ a: hearing('e1', false) }, []), []);
  assert.deepEqual(silent({ a: hearing('e1', false) }, [{ ...OUTCOME, node: 'a' }]), []);
  assert.deepEqual(silent({ 'z-1': hearing('e1', false) }), [], 'it gave its state');
});

/** A port whose carrier is up and whose adjacency ended. */
const quiet = (ifname: string, change: object = {}) => ({
  now: {
    ...hearing(ifname, true).now,
    history: {
      lastHeard: [{ ifname, name: 'z-1' }],
      events: [{ kind: 'adjacency', subject: `${ifname} 0000.0000.0003`, up: false, agoMs: 9 }],
    },
    ...change,
  },
});

test('a neighbour lost it with a session as well, where the carrier is up and no echo is answered', () => {
  const [found, ...rest] = silent({ a: quiet('e1'), b: hearing('e2', false) });
  assert.deepEqual([found?.detail['carriers'], rest], [[{ node: 'a', ifname: 'e1' }], []]);
  assert.deepEqual(found?.source, ['state of a', 'state of b', 'echoes of a']);
  assert.match(found!.text, /\{a\} e1, \{b\} e2 lost it, 1 of them with a carrier$/);
  assert.match(silent({ a: quiet('e1'), b: quiet('e2') })[0]!.text, /lost it, all of them with a carrier$/);
});

test('with a carrier a neighbour still hears it: an echo is answered or none was sent, a session stands, none ended', () => {
  const events = (event: object) => ({
    history: { lastHeard: [{ ifname: 'e1', name: 'z-1' }], events: [{ agoMs: 9, ...event }] },
  });
  for (const change of [
    { adjacencies: [{ ifname: 'e1', state: 'up' }] },
    { ospf: [{ ifname: 'e1', neighbours: [{ state: 'Init' }] }] },
    events({ kind: 'carrier', subject: 'e1', up: false }),
    events({ kind: 'adjacency', subject: 'other 0000.0000.0003', up: false }),
    events({ kind: 'adjacency', subject: 'e1 0000.0000.0003', up: true }),
  ])
    assert.deepEqual(silent({ a: quiet('e1', change) }), [], JSON.stringify(change));
  const told = (...facts: readonly Fact[]) => silent({ a: quiet('e1') }, undefined, undefined, facts).length;
  assert.deepEqual([told(...UNANSWERED), told(), told(echoed('a', 'e2', 0)), told(echoed('b', 'e1', 0))], [1, 0, 0, 0]);
  assert.deepEqual([told(echoed('a', 'e1', 0), echoed('a', 'e1', 1)), told(echoed('a', 'e1', 0, 0))], [0, 0]);
});

test('a router through which probes pass is heard, whatever it answers itself', () => {
  const crossed = (lost: number) =>
    fact(
      'non-reporting-transit',
      { from: { near: { node: 'a', ifname: 'e1' } }, to: { near: { node: 'b', ifname: 'e2' } }, sent: 300, lost },
      [],
    );
  const told = (lost: number) =>
    silent({ a: quiet('e1') }, undefined, undefined, [...UNANSWERED, crossed(lost)]).length;
  assert.deepEqual([told(0), told(299), told(300)], [0, 0, 1]);
});

test('a node that LLDP hears by another port since it was lost lives: its cables were moved', () => {
  const heard = (port: string, change: object) => {
    const state = quiet('e1').now;
    const row = { kind: 'neighbour', subject: 'e1', setting: 'lldp', was: 'Z1 e1', is: 'Z1 e2', agoMs: 5, ...change };
    const neighbours = [{ ifname: 'e1', systemName: 'Z1', portId: port }];
    return silent({ a: { now: { ...state, neighbours, history: { ...state.history, settings: [row] } } } }).length;
  };
  assert.equal(heard('e2', {}), 0);
  assert.equal(heard('e2', { agoMs: 200_000 }), 0, 'the session outlived the cable');
  assert.equal(heard('e2', { agoMs: 5 * 86_400_000 }), 1, 'it was moved days before it was lost');
  assert.equal(heard('e1', { was: 'Z1 e2', is: 'Z1 e1', agoMs: 400_000 }), 1);
  assert.equal(heard('e1', {}), 1, 'what a dead node sent last');
  assert.equal(heard('e2', { was: undefined }), 1, 'nothing was heard before');
});

test('a BGP session belongs to the port whose subnet its peer lies in', () => {
  const bgp = (session: string, state: string) => ({
    ...{
      history: {
        lastHeard: [{ ifname: 'e1', name: 'z-1' }],
        events: [{ kind: 'session', subject: session, up: false }],
      },
    },
    inventory: { interfaces: [{ name: 'e1', operUp: true, addresses: ['198.18.0.0/31'] }] },
    bgp: { sessions: [{ peer: '198.18.0.1', state }] },
  });
  assert.equal(silent({ a: quiet('e1', bgp('198.18.0.1', 'Active')) }).length, 1);
  assert.equal(silent({ a: quiet('e1', bgp('198.18.9.9', 'Active')) }).length, 0);
  assert.equal(silent({ a: quiet('e1', bgp('198.18.0.1', 'Established')) }).length, 0);
});

test('the reason is that of a call that failed', () => {
  const why = (...outcomes: readonly object[]) =>
    /\((.*)\)/.exec(silent({ a: hearing('e1', false) }, outcomes)[0]!.text)?.[1];
  assert.equal(why({ ...OUTCOME, status: 'answered', reason: 'x' }, OUTCOME), 'no answer in time');
  assert.equal(why({ ...OUTCOME, node: 'a', reason: 'x' }, OUTCOME), 'no answer in time');
  assert.equal(why({ node: 'z-1', status: 'refused' }), 'no answer');
});

test('checksum counters of one node are one symptom, each counter added up', () => {
  const rose = (node: string, counter: string, packets: number, predicate = 'node-errors') =>
    fact(predicate, { node, counter, packets }, [`${node} ${counter}`]);
  const found = wrongChecksums([
    rose('a', 'Udp6InCsumErrors', 3),
    rose('a', 'Udp6InCsumErrors', 4, 'extended-damage'),
    rose('a', 'TcpInCsumErrors', 1),
    rose('b', 'IpExtInCsumErrors', 2),
    rose('b', 'Ip6InDiscards', 9),
    rose('c', 'UdpInErrors', 9),
    rose('c', 'Icmp6InCsumErrors', 5, 'late-probes'),
  ]);
  assert.deepEqual(
    found.map(({ id, detail, source }) => [id, detail, source.length]),
    [
      ['corrupt:a', { Udp6InCsumErrors: 7, TcpInCsumErrors: 1 }, 3],
      ['corrupt:b', { IpExtInCsumErrors: 2 }, 1],
    ],
  );
  assert.equal(found[0]?.text, '{a}: Udp6InCsumErrors rose by 7, TcpInCsumErrors rose by 1');
  for (const counter of ['UdpInCsumErrors', 'IcmpInCsumErrors', 'Icmp6InCsumErrors', 'UdpLiteInCsumErrors'])
    assert.equal(wrongChecksums([rose('a', counter, 1)]).length, 1, counter);
});
