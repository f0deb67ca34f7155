// What the proof of health says of how nodes forward, on the row r1 – r2 – r3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { forwardingProof } from '#correlate/health/proof-forwarding.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { forwardingOf, withForwarding } from '../faults/forwarding/forwarding-scope.ts';
import { pairWorld } from '../pair-scene.ts';
import { changed, recorded } from '../recording.ts';
import { sceneOf } from '../scope-scene.ts';

const reasons = (...args: Parameters<typeof withForwarding>) => {
  const { verdict } = diagnose(sceneOf(withForwarding(...args)));
  return verdict.reasons.filter((reason) => /forwards/.test(reason));
};
const unread = (state: NodeState): NodeState => ({
  ...state,
  missing: [{ part: 'forwarding', reason: 'expected to read net.ipv4.ip_forward, got no value' }],
});
const alone = (state: NodeState): NodeState => ({
  ...unread(state),
  history: { ...state.history!, hosts: [] },
  staticRoutes: [],
});

test('a node through which others send packets must say whether it forwards', () => {
  assert.deepEqual(reasons({ r2: () => undefined }, { states: { r2: unread } }), [
    'r2: whether it forwards could not be read (expected to read net.ipv4.ip_forward, got no value), and others send packets through it',
  ]);
});

test('of a node that forwards for no other, and of one that never tells, it does not matter', () => {
  const without = { r1: (state: NodeState) => ({ ...state, staticRoutes: [] }) };
  assert.deepEqual(reasons({ r3: () => undefined }, { states: { ...without, r3: alone } }), []);
  assert.deepEqual(reasons({ r2: () => undefined }), []);
});

test('the proof names the nodes of which it was read, counts those of which it was not, and says nothing where it was of none', () => {
  const forwarding = { ipv4: true, ipv6: true, interfaces: [], policyRules: [] };
  const proof = (...read: readonly string[]) => {
    const states = ['a', 'b', 'c'].map((node) => [
      node,
      { now: read.includes(node) ? { forwarding, missing: [] } : { missing: [] } },
    ]);
    return forwardingProof(pairWorld(['a-b', 'b-c'], Object.fromEntries(states))).proven.map((line) =>
      line.replace(/[{}]/g, ''),
    );
  };
  const WHAT = 'its settings, policy rules, packet filters, traffic control and table of connections';
  assert.deepEqual(proof('a', 'b', 'c'), [`how the kernel forwards was read of a, b, c: ${WHAT}`]);
  assert.deepEqual(proof('b'), [`how the kernel forwards was read of b: ${WHAT}; not of 2 other nodes`]);
  assert.deepEqual(proof(), []);
});

test('what was not read of a node is said of that node', () => {
  const forwarding = { ipv4: true, ipv6: true, interfaces: [] };
  const missing = [{ part: 'xtables', reason: 'names for root alone' }];
  const world = pairWorld(['a-b'], {
    a: { now: { forwarding: { ...forwarding, policyRules: [] }, missing } },
    b: { now: { forwarding, missing: [], inventory: { interfaces: [], sids: [] }, staticRoutes: [] } },
  });
  assert.match(
    forwardingProof(world).proven[0]!.replace(/[{}]/g, ''),
    / of a, b: .*; of a without filters of iptables-legacy; of b without policy rules$/,
  );
  const ruleless = (state: NodeState) => {
    const { policyRules: _, ...rest } = forwardingOf(state);
    return rest;
  };
  assert.deepEqual(
    diagnose(sceneOf(withForwarding({ r2: ruleless }))).verdict.reasons.filter((reason) => /policy rules/.test(reason)),
    ['r2: its policy rules were not read (too many, or the kernel did not answer), and others send packets through it'],
  );
});

test('a list that a state has no room for is not tested, and no reason to doubt the rest', () => {
  const cut = (state: NodeState): NodeState => ({
    ...state,
    cut: [{ part: 'static-routes', read: 256, of: 301 }],
  });
  const { verdict } = diagnose(
    changed(recorded('healthy'), { state: (state, node) => (node === 'r2' ? cut(state) : state) }),
  );
  assert.equal(verdict.kind, 'healthy', verdict.reasons.join('\n'));
  assert.ok(verdict.reasons.includes('not tested: all static routes of r2: 256 of 301 were read'));
});

test('routes of which a node did not learn where they come from are said to be not tested', () => {
  const answer = (destination: string, more = {}) => [destination, { destination, kind: 'unicast', ...more }] as const;
  const world = {
    ...pairWorld(['a-b'], {}),
    lookups: new Map([
      [
        'a',
        new Map([
          answer('192.0.2.1'),
          answer('192.0.2.2', { originUnread: true }),
          answer('192.0.2.3', { originUnread: true }),
        ]),
      ],
      ['b', new Map([answer('192.0.2.1')])],
    ]),
  };
  assert.deepEqual(forwardingProof(world as never).proven, [
    'not tested: whether the RPKI allows the routes that {a} has to 192.0.2.2 and 1 more: one call asks bgpd of a few alone, and an answer may be late or too long',
  ]);
});

test('a router that forgets silent TCP connections sooner than a NAT must, and than it did before, is told', () => {
  const lacking = (idleSeconds: number, was?: string, change: object = {}) => {
    const forwarding = {
      ...{ ipv4: true, ipv6: false, interfaces: [], policyRules: [], tcpTracking: { idleSeconds, picksUp: false } },
      ...{ conntrack: { tracked: 1, most: 9, dropped: '0' }, ...change },
    };
    const row = { kind: 'forwarding', subject: 'node', setting: 'tcp-idle', is: `${idleSeconds} s`, agoMs: 9_000 };
    const history = { settingsSpanMs: 900_000, settings: was === undefined ? [] : [{ ...row, was }] };
    return forwardingProof(pairWorld(['a-b'], { a: { now: { forwarding, missing: [], history } } })).lacking;
  };
  assert.deepEqual(lacking(4, '432000 s'), [
    '{a}: forgets a TCP connection after 4 s without a packet, and kept it for 432000 s before; connections of hosts that pause may end there',
  ]);
  assert.deepEqual(lacking(4), [], 'it always did, as far as is remembered');
  assert.deepEqual(lacking(7_440, '432000 s'), [], 'as long as RFC 5382 asks for');
  assert.deepEqual(lacking(4, '2 s'), [], 'longer than before');
  assert.deepEqual(lacking(4, '432000 s', { ipv4: false }), [], 'no router');
});
