// header_rewrite on a row of three routers: a rule that writes a TTL, and what shows that packets expire by it; and what is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { HOST3, named, type Scene, sceneOf } from '../../scope-scene.ts';

const written =
  (rewrites: string, change: Partial<FilterRule> = {}) =>
  (state: NodeState, phase: 'before' | 'after') => ({
    ...state,
    filters: [
      {
        ...{
          family: 'ip',
          table: 'm',
          chain: 'fw',
          path: ['fw'],
          hook: 'forward',
          handle: 2,
          verdict: 'accept' as const,
        },
        ...{ outInterfaces: [], inInterfaces: [], matches: [], matchesRest: false, rewrites: [rewrites] },
        ...change,
      },
    ],
    nodeCounters: phase === 'before' ? {} : state.nodeCounters,
  });
const counting =
  (after: string) =>
  (state: NodeState, phase: 'before' | 'after'): NodeState => ({
    ...state,
    nodeCounters: { IpInHdrErrors: phase === 'before' ? '4' : after },
  });
/** As many as echoes are lost. */
const expiring = counting('10');

type More = NonNullable<Scene['more']>;
const echo = (round: 'first' | 'confirmation', answered = false): More[number] => ({
  node: 'r1',
  purpose: { kind: 'service-probe', reason: 'far-echo', round },
  body: { results: [{ destination: HOST3.address, service: 'echo', sent: 3, answered, open: answered }] },
});
/** Every probe of r1 to r3's own address on the hosts' network came back. */
const ROUTER: More[number] = {
  node: 'r1',
  purpose: { kind: 'reach', round: 'first' },
  body: { results: [{ destination: '198.19.3.1', sent: 5, received: 5, rttMs: 0.3 }] },
};
const LOST = [ROUTER, echo('first'), echo('confirmation')];
const scene = (rule: (state: NodeState, phase: 'before' | 'after') => NodeState, more: More = LOST): Scene => ({
  states: { r3: rule as never, r2: expiring },
  more,
});

test('a rule that leaves a TTL of one to what it forwards is named where echoes are lost by it, with who counted that', () => {
  assert.deepEqual(named(scene(written('ip ttl = 1'))), ['header_rewrite node/r3']);
  const [finding] = diagnose(sceneOf(scene(written('ip ttl = 1')))).findings;
  assert.equal(finding?.confidence, 'certain');
  assert.equal(
    finding?.details['what'],
    'r3: a rule of its packet filter changes what it forwards (ip ttl = 1); echoes of r1 to 198.19.3.10 are lost, as that TTL is too small for the way, and r2 counted packets that expired',
  );
  const { states, ...rest } = scene(written('ip ttl = 1'));
  assert.equal(diagnose(sceneOf({ ...rest, states: { r3: states!['r3']! } })).findings[0]?.confidence, 'likely');
});

test('a counter that rose by less than what was lost, or of a node that those packets do not come to, shows nothing', () => {
  const { states, ...rest } = scene(written('ip ttl = 1'));
  const confidenceOf = (others: Scene['states']) =>
    diagnose(sceneOf({ ...rest, states: { r3: states!['r3']!, ...others } })).findings[0]?.confidence;
  assert.equal(confidenceOf({ r2: counting('9') }), 'likely');
  assert.equal(confidenceOf({ r2: (state) => state, r1: counting('9') }), 'likely');
  const beside = (state: NodeState, phase: 'before' | 'after') => expiring(written('ip ttl = 1')(state, phase), phase);
  assert.equal(confidenceOf({ r3: beside }), 'likely', 'the rule acts after its own node looked at the TTL');
});

test('a TTL that lasts for the way, a rule for other packets or of what the node itself sends, and echoes that come back accuse no node', () => {
  const none = (rule: Parameters<typeof scene>[0], more?: More) => assert.deepEqual(named(scene(rule, more)), []);
  none(written('ip ttl = 2'));
  none(written('ip ttl = 64'));
  none(written('ip6 hoplimit = 1'));
  none(written('ip ttl = 1', { matches: [{ field: 'protocol', values: ['udp'] }] }));
  none(written('ip ttl = 1', { hook: 'output' }));
  none(written('ip ttl = 1'), [ROUTER, echo('first', true)]);
  none(written('ip ttl = 1'), [ROUTER, echo('first'), echo('confirmation', true)]);
});

test('echoes that the host answers its own router alone are an open symptom without a rule, and none where the way to the router is not sound', () => {
  const reasons = (more: More, states: Scene['states'] = {}) =>
    diagnose(sceneOf({ more, states })).verdict.reasons.filter((reason) =>
      /tried an echo at 198\.19\.3\.10/.test(reason),
    );
  assert.deepEqual(reasons(LOST), ['r1 tried an echo at 198.19.3.10 behind r3: nothing came back, though it is there']);
  assert.deepEqual(reasons([echo('first'), echo('confirmation')]), [], 'the way to the router was not probed');
  assert.deepEqual(reasons([ROUTER, echo('first')]), [], 'one look');
  const denies = (state: NodeState): NodeState => ({
    ...state,
    filters: [
      {
        ...{ family: 'inet', table: 'f', chain: 'fw', path: ['fw'], hook: 'forward', handle: 3, verdict: 'drop' },
        ...{
          outInterfaces: [],
          inInterfaces: [],
          matches: [{ field: 'protocol', values: ['icmp'] }],
          matchesRest: false,
        },
      },
    ],
  });
  assert.deepEqual(reasons(LOST, { r2: denies }), [], 'a filter on the way may be meant');
});

const early = (change: Partial<FilterRule> = {}) =>
  written('ip ttl = 1', { hook: 'prerouting', packets: '40', ...change });
/** The node remembers a time without the rule. */
const lately = (rule: ReturnType<typeof written>) => (state: NodeState, phase: 'before' | 'after') => {
  const now = rule(state, phase);
  return { ...now, past: [{ fromAgoMs: 90_000, untilAgoMs: 60_000, state }] } as unknown as NodeState;
};
/** No node gets answers through r3, which has the rule. */
const verdictAt = (rule: (state: NodeState, phase: 'before' | 'after') => NodeState, more: More = []) =>
  diagnose(sceneOf({ states: { r3: rule as never }, more }));

test('a new rule that leaves nothing of what its node is to forward is named, also where no echo was tried', () => {
  const { findings } = verdictAt(lately(early()));
  assert.deepEqual(
    findings.map(({ resource, fault, confidence, details }) => [resource, fault, confidence, details['what']]),
    [
      [
        ...['node/r3', 'header_rewrite', 'likely'],
        'r3: a rule of its packet filter, which was not there before, writes a TTL that is used up into all that comes in (ip ttl = 1): the node forwards none of it',
      ],
    ],
  );
});

test('one that stood before, is for other packets, took none, is not alone in its chain or stands behind the look at the TTL is not named', () => {
  const none = (rule: Parameters<typeof verdictAt>[0], more?: More) =>
    assert.deepEqual(verdictAt(rule, more).findings, []);
  none(early());
  const changes: readonly Partial<FilterRule>[] = [
    { matches: [{ field: 'source', values: ['198.19.9.0/24'] }] },
    { hook: 'postrouting' },
    { rewrites: ['ip ttl = 2'] },
    { packets: '0' },
    { inInterfaces: ['mgmt0'] },
    { family: 'bridge' },
    { path: ['fw', 'other'] },
    { matchesRest: true },
  ];
  for (const change of changes) none(lately(early(change)));
  const beside = (state: NodeState, phase: 'before' | 'after') => {
    const now = lately(early())(state, phase);
    const [rule] = now.filters;
    return { ...now, filters: [rule!, { ...rule!, handle: 9, rewrites: ['ip ttl = 64'] }] };
  };
  none(beside);
  const behind = (state: NodeState, phase: 'before' | 'after') => {
    const now = beside(state, phase);
    const [rule, other] = now.filters;
    return { ...now, filters: [rule!, { ...other!, table: 'later' }] };
  };
  none(behind);
  none(lately(early()), [ROUTER, echo('first', true)]);
});

test('such a rule is refuted by what is seen to come through its node', () => {
  const through: More[number] = {
    node: 'r1',
    purpose: { kind: 'reach', round: 'first' },
    body: { results: [{ destination: '198.19.255.3', sent: 5, received: 5, rttMs: 0.3 }] },
  };
  const named = (more: More) =>
    diagnose(sceneOf({ states: { r2: lately(early()) as never }, more })).findings.map(({ fault }) => fault);
  assert.deepEqual(named([through]), []);
});
