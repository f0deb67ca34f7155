// What hosts of a router use and do not get: rules that were not there before and take their questions for names, or send them to where none answers;
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
  assert.deepEqual(ofRule(ruleOf([...OF_HOST, is('source-port', '1024-2047')], { packets: '4' })), []);
  assert.deepEqual(ofRule(ruleOf(OF_HOST, { packets: '4', inInterfaces: ['eth2'] })), []);
  assert.deepEqual(ofRule(ruleOf(OF_HOST, { packets: '4', hook: 'input', chain: 'in' })), []);
  const lets = ruleOf(DNS, { verdict: 'accept', handle: 6 });
  const r1 = (state: NodeState) => ({ ...asking(ruleOf(OF_HOST, { packets: '4' }))(state) });
  const both = (state: NodeState) => ({ ...r1(state), filters: [lets, ...r1(state).filters] });
  assert.deepEqual(told({ states: { r1: both, r3 } }), []);
  // No server is known there, or no host asks.
  assert.deepEqual(told({ states: { r1: asking(ruleOf(OF_HOST, { packets: '4' })) } }), []);
});

const sending = (to: string, change: Partial<FilterRule> = {}) =>
  ruleOf(DNS, { verdict: 'other', hook: 'prerouting', chain: 'pre', rewrites: [`destination = ${to}`], ...change });
const elsewhere = { destination: '203.0.113.99', service: 'udp', port: 53, sent: 2 } as const;
const unheard = { ...elsewhere, answered: false, open: false };
const noEcho = { ...unheard, service: 'echo', sent: 3 } as const;
type Tries = NonNullable<Scene['used']>['r1'];
const redirected = (to: string, used: Tries, always = false) =>
  told({ states: { r1: asking(sending(to), always), r3 }, used: { r1: used } });
const NOT_KNOWN =
  /^r1: a rule that was not there before .* sends elsewhere \(.*\) what hosts send to the name server 198\.19\.3\.10; whether a name server answers there is not known$/;

test('a new rule that sends questions where nothing answers is destination_rewrite', () => {
  assert.deepEqual(redirected('203.0.113.99', [unheard, unheard, noEcho]), ['destination_rewrite node/r1 likely']);
  const refused = { ...elsewhere, answered: true, open: false };
  assert.match(redirected('203.0.113.99', [refused, refused]).join(), NOT_KNOWN, 'it may serve hosts');
  const counting = { r1: asking(sending('203.0.113.99', { packets: '4' })), r3 };
  assert.deepEqual(told({ states: counting, used: { r1: [refused, refused] } }), [
    'destination_rewrite node/r1 likely',
  ]);
  const states = { r1: asking(sending('203.0.113.99', { packets: '4' })), r3 };
  const [finding] = diagnose(sceneOf({ states, used: { r1: [unheard, unheard, noEcho] } })).findings;
  assert.equal(
    finding?.details['what'],
    'a rule of r1 (protocol udp, destination-port 53) that was not there before sends what hosts send to 198.19.3.10 elsewhere (to 203.0.113.99), where no name server answers',
  );
});

test('where the new place of questions was not tried, or a host there may answer its own hosts, that is left open', () => {
  const open = (to: string, ...used: Tries) => {
    const said = redirected(to, used);
    assert.equal(said.length, 1, said.join());
    assert.match(said[0]!, NOT_KNOWN);
  };
  open('203.0.113.99');
  open('203.0.113.99', unheard, noEcho);
  open('203.0.113.99', unheard, unheard, { ...noEcho, answered: true });
  open('203.0.113.99:8080', unheard, unheard, noEcho);
  open('own', unheard, unheard, noEcho);
  open('another', unheard, unheard, noEcho);
  open('203.0.113.99', { ...unheard, sent: 0 }, { ...unheard, sent: 0 }, { ...noEcho, sent: 0 });
});

test('an address without a route is nowhere for a node that forwards by its main table alone', () => {
  const way = { ipv4: true, ipv6: true, interfaces: [] };
  const r1 = (policyRules: NonNullable<NodeState['forwarding']>['policyRules'] & {}) => (state: NodeState) => ({
    ...asking(sending('203.0.113.99'))(state),
    forwarding: { ...way, policyRules },
  });
  const lost = [
    { ...unheard, sent: 0 },
    { ...unheard, sent: 0 },
    { ...noEcho, sent: 0 },
  ];
  const of = (state: ReturnType<typeof r1>) => told({ states: { r1: state, r3 }, used: { r1: lost } });
  assert.deepEqual(of(r1([])), ['destination_rewrite node/r1 likely']);
  const other = { family: 'ipv4', priority: 100, action: 'table', table: 100 } as const;
  assert.match(of(r1([other])).join(), NOT_KNOWN);
});

test('a rule that leads to a name server, took nothing, or was always there is no fault and leaves nothing open', () => {
  const answer = { ...elsewhere, answered: true, open: true };
  assert.deepEqual(redirected('203.0.113.99', [unheard, unheard, noEcho], true), []);
  assert.deepEqual(redirected(HOST3.address, []), []);
  assert.deepEqual(redirected('same', []), []);
  assert.deepEqual(redirected('203.0.113.99', [answer]), []);
  assert.deepEqual(redirected('203.0.113.99:8080', [{ ...answer, port: 8_080 }]), []);
  const states = { r1: asking(sending('203.0.113.99', { packets: '0' })), r3 };
  assert.deepEqual(told({ states, used: { r1: [unheard, unheard, noEcho] } }), []);
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
