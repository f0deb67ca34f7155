// What hosts of a router use and do not get: rules that were not there before and take their questions for names, or send them elsewhere;
// and tries from the address of their port. Rules that were always there, that took nothing, or that are not all understood, are left alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { FilterMatch, FilterRule, NodeState } from '#model/router/router-port.ts';
import { HOST1, HOST3, type Scene, sceneOf, stateOf } from '../scope-scene.ts';
import { DNS, is, served } from '../service-scene.ts';

const ruleOf = (matches: readonly FilterMatch[], change: Partial<FilterRule> = {}): FilterRule => ({
  ...{ family: 'ip', table: 'f', chain: 'fw', path: ['fw'], hook: 'forward', handle: 7, verdict: 'drop' },
  ...{ outInterfaces: [], inInterfaces: [], matches, matchesRest: false },
  ...change,
});

/** h1 was heard to ask h3 for names, and r1 has the rule; `always`: as long as it remembers. */
const asking =
  (rule: FilterRule | undefined, always = false, number: 1 | 2 = 1) =>
  (state: NodeState): NodeState => {
    const then = stateOf(number);
    const filters = rule === undefined ? [] : [rule];
    return {
      ...state,
      filters,
      past: [{ fromAgoMs: 90_000, untilAgoMs: 60_000, state: { ...then, filters: always ? filters : [] } }],
      history: {
        ...state.history!,
        ...(number === 1
          ? {
              heard: [
                { ifname: 'eth3', what: 'dns-query' as const, from: HOST1.address, to: HOST3.address, agoMs: 4_000 },
              ],
            }
          : {}),
      },
    };
  };
const r3 = served('udp', 53);
const told = (scene: Scene) => {
  const { findings, verdict } = diagnose(sceneOf(scene));
  const open = verdict.reasons.filter((reason) => /name server/.test(reason));
  return [...findings.map(({ fault, resource, confidence }) => `${fault} ${resource} ${confidence}`), ...open];
};
const ofRule = (rule: FilterRule, always = false) => told({ states: { r1: asking(rule, always), r3 } });
const OF_HOST = [is('source', HOST1.address), ...DNS];

test('a new rule that drops the questions of one host is dns_port_blocked, certain where its counter says so', () => {
  assert.deepEqual(ofRule(ruleOf(OF_HOST, { packets: '4' })), ['dns_port_blocked node/r1 certain']);
  assert.deepEqual(ofRule(ruleOf(OF_HOST)), ['dns_port_blocked node/r1 likely']);
  assert.deepEqual(ofRule(ruleOf(DNS, { verdict: 'reject' })), ['dns_port_blocked node/r1 likely']);
  const on2 = asking(ruleOf(OF_HOST, { packets: '4' }), false, 2);
  assert.deepEqual(told({ states: { r1: asking(undefined), r2: on2, r3 } }), ['dns_port_blocked node/r2 certain']);
});

test('a rule that was always there, took nothing, is for others, or says more than is understood, is left alone', () => {
  assert.deepEqual(ofRule(ruleOf(OF_HOST, { packets: '4' }), true), []);
  assert.deepEqual(ofRule(ruleOf(OF_HOST, { packets: '0' })), []);
  assert.deepEqual(ofRule(ruleOf([is('source', '198.19.1.11'), ...DNS], { packets: '4' })), []);
  assert.deepEqual(ofRule(ruleOf(OF_HOST, { packets: '4', matchesRest: true })), []);
  assert.deepEqual(ofRule(ruleOf(OF_HOST, { packets: '4', inInterfaces: ['eth2'] })), []);
  assert.deepEqual(ofRule(ruleOf(OF_HOST, { packets: '4', hook: 'input', chain: 'in' })), []);
  const lets = ruleOf(DNS, { verdict: 'accept', handle: 6 });
  const r1 = (state: NodeState) => ({ ...asking(ruleOf(OF_HOST, { packets: '4' }))(state) });
  const both = (state: NodeState) => ({ ...r1(state), filters: [lets, ...r1(state).filters] });
  assert.deepEqual(told({ states: { r1: both, r3 } }), []);
  // No server is known there, or no host asks.
  assert.deepEqual(told({ states: { r1: asking(ruleOf(OF_HOST, { packets: '4' })) } }), []);
});

const sending = (to: string) =>
  ruleOf(DNS, { verdict: 'other', hook: 'prerouting', chain: 'pre', rewrites: [`destination = ${to}`] });

test('a new rule that sends questions where no name server is keeps its place open, and names it', () => {
  assert.deepEqual(ofRule(sending('203.0.113.99')), [
    'a packet filter of r1 (protocol udp, destination-port 53) sends elsewhere (to 203.0.113.99, where no name server answers) what host 198.19.1.10 sends to the name server 198.19.3.10, and was not there before',
  ]);
  assert.deepEqual(ofRule(sending('203.0.113.99'), true), []);
  assert.deepEqual(ofRule(sending(HOST3.address)), []);
  const answer = {
    destination: '203.0.113.99',
    service: 'udp',
    port: 53,
    sent: 1,
    answered: true,
    open: true,
  } as const;
  assert.deepEqual(told({ states: { r1: asking(sending('203.0.113.99')), r3 }, used: { r1: [answer] } }), []);
});

const question = { destination: HOST3.address, service: 'udp', port: 53, sent: 2 } as const;
const silent = { ...question, answered: false, open: false };
const there = { r3: [{ ...question, answered: true, open: true }] };
const echo = { destination: HOST3.address, service: 'echo', sent: 3, answered: true, open: true } as const;

test('a name server that does not answer the port of its users, and answers its own router, keeps the verdict from being healthy', () => {
  const states = { r1: asking(undefined), r3 };
  assert.deepEqual(told({ states, used: { r1: [silent, silent, echo] }, whole: there }), [
    'r1 asked the name server 198.19.3.10 behind r3 from 198.19.1.1, as its hosts do: nothing came back, though it answers its own router, and echoes come back',
  ]);
  assert.deepEqual(told({ states, used: { r1: [silent, echo] }, whole: there }), []);
  assert.deepEqual(told({ states, used: { r1: [silent, silent] }, whole: there }), []);
  assert.deepEqual(told({ states, used: { r1: [silent, silent, echo] } }), []);
});

test('a rule without a counter that takes such tries is the difference, and one that was always there is a policy', () => {
  const reject = (always: boolean) => asking(ruleOf(DNS, { verdict: 'reject' }), always, 2);
  const used = { r1: [silent, silent, echo] };
  const states = (always: boolean) => ({ r1: asking(undefined), r2: reject(always), r3 });
  assert.deepEqual(told({ states: states(false), used, whole: there }), ['dns_port_blocked node/r2 likely']);
  const edge = asking(ruleOf([is('destination', HOST3.address), ...DNS], { verdict: 'reject' }), true, 2);
  assert.deepEqual(told({ states: { ...states(false), r2: edge }, used, whole: there }), []);
});
