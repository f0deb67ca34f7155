// route_policy_misconfig: a real router whose policy keeps its prefix from its neighbours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { routePolicy } from '#correlate/faults/bgp/route-policy.ts';
import { changed, recorded } from '../../recording.ts';
import { remarksTold } from '../../remarks.ts';
import { at, drawn, named, withheldSince } from '../../ring.ts';
import { caseOf, symptom } from '../proposing.ts';
import { addressOn, bgpWorld, type Row } from './bgp-scene.ts';

test('the node is named with its policy, which an operator must read', () => {
  const input = withheldSince();
  assert.deepEqual(drawn(input), [
    [
      'route_policy_misconfig node/r3',
      undefined,
      'what the policy is there for: it may be wrong in one line, or as a whole',
    ],
  ]);
  const [finding] = diagnose(input).findings;
  assert.match(finding?.remedy?.summary ?? '', /^let r3 announce 198\.19\.3\.0\/24/);
});

test('a prefix that every session carries is kept back by no policy', () => {
  const announced = changed(recorded('policy'), {
    state: at(['r3'], (state) => {
      const peers = state.bgp!.sessions.map(({ peer }) => peer);
      const ownPrefixes = state.bgp!.ownPrefixes.map((own) => ({ ...own, originated: true, advertisedTo: peers }));
      return { ...state, bgp: { ...state.bgp!, ownPrefixes } };
    }),
  });
  assert.deepEqual(named(announced), []);
});

test('what a policy has kept back for as long as its node remembers is a remark, unless it is asked for', () => {
  const input = recorded('policy');
  const told = diagnose(input);
  assert.deepEqual([told.verdict.kind, told.findings], ['healthy', []]);
  assert.ok(
    remarksTold(told).some((line) => /^r3: 198\.19\.3\.0\/24 is in BGP, and route-map .* keeps it from/.test(line)),
  );
  const asked = { ...input, intent: { ...input.intent, destination: '198.19.3.1' } };
  assert.deepEqual(named(asked), ['route_policy_misconfig node/r3']);
});

const FAR = '198.19.3.1';
const PREFIX = '198.19.3.0/24';
const up = (from: string, to: string, change: object = {}): Row => ({ from, to, state: 'Established', ...change });
const policy = (name: string) => ({ policies: [name] });

/** c has the prefix; a lacks a route to it, and b and d have one unless `routes` says otherwise. */
function refusing(
  filtered: Readonly<Record<'b' | 'd', object>>,
  {
    was = 'none',
    out = {},
    routes = {},
    destination,
  }: {
    readonly was?: string | null;
    readonly out?: object;
    readonly routes?: object;
    readonly destination?: string;
  } = {},
) {
  const rows = [
    ...[up('a', 'b', filtered.b), up('b', 'a', out), up('a', 'd', filtered.d), up('d', 'a')],
    ...[up('b', 'c'), up('c', 'b'), up('c', 'd'), up('d', 'c')],
  ];
  const settings = ['b', 'd'].map((peer) => ({
    ...{ kind: 'session', subject: addressOn(peer, 'a'), setting: 'policies', is: 'prefix-list IN in', agoMs: 9_000 },
    ...(was === null ? {} : { was }),
  }));
  const answers = { a: { kind: 'none' }, b: { kind: 'unicast', matched: PREFIX }, d: { kind: 'unicast' }, ...routes };
  const lookups = new Map(
    Object.entries(answers).map(([node, answer]) => [node, new Map([[FAR, { destination: FAR, ...answer }]])]),
  );
  const world = bgpWorld(rows, { a: { history: { settings } } }, { lookups, ...(destination && { destination }) });
  const owners = new Map([...world.owners, [FAR, [{ node: 'c', ifname: 'eth9' }]]]);
  const detail = { destination: FAR, owner: 'c', at: 'a', from: 'a', how: 'none', affected: ['a'] };
  const file = caseOf([symptom('route', { nodes: ['a', 'c'], detail })], { ...world, owners });
  return routePolicy
    .propose(file, [])
    .map(({ resource, confidence, details }) => [resource, confidence, details['prefix'], details['policies']]);
}

const IN = policy('prefix-list IN in');
const NAMED = [['node/a', 'likely', PREFIX, ['prefix-list IN in']]];

test('a node that alone lacks a prefix since its sessions have a policy for what comes in refuses it', () => {
  assert.deepEqual(refusing({ b: IN, d: IN }), NAMED);
  assert.deepEqual(refusing({ b: IN, d: {} }), [], 'over one session it would still come');
  assert.deepEqual(refusing({ b: IN, d: { ...IN, state: 'Active' } }), NAMED, 'of sessions that are up');
  assert.deepEqual(refusing({ b: policy('prefix-list IN out'), d: policy('prefix-list IN out') }), []);
});

test('a policy for what comes in that was always there is meant, unless the prefix is asked for', () => {
  const always = { was: 'prefix-list IN in' };
  assert.deepEqual(refusing({ b: IN, d: IN }, always), []);
  assert.deepEqual(refusing({ b: IN, d: IN }, { was: null }), []);
  assert.deepEqual(refusing({ b: IN, d: IN }, { ...always, destination: '198.19.3.10' }), NAMED);
  assert.deepEqual(refusing({ b: IN, d: IN }, { ...always, destination: '198.19.4.10' }), []);
});

test('what neighbours may keep back, or lack themselves, is refused by no node', () => {
  assert.deepEqual(refusing({ b: IN, d: IN }, { out: policy('route-map OUT out') }), []);
  assert.deepEqual(refusing({ b: IN, d: IN }, { routes: { d: { kind: 'none' } } }), [], 'two nodes lack it');
  const inside = { remoteAs: 65_001, ...IN };
  assert.deepEqual(refusing({ b: inside, d: inside }), [], 'routers of one AS do not hand it on');
});

const OUT = policy('route-map OUT out');
const TERMS = 'permit 10 (match ip address prefix-list MINE); deny 20';
const OPEN = 'permit 10 (match ip address prefix-list MINE); permit 20';
const policyRow = (subject: string, was: string) => ({ kind: 'policy', subject, was, is: 'deny 5', agoMs: 9_000 });

/** a lacks what b and d have from c; of each of the two, its policy towards a and what it remembers of it. */
function keptBack(
  of: Readonly<Record<'b' | 'd', { readonly session?: object; readonly settings?: readonly object[] }>>,
  { routes = {}, at = {} }: { readonly routes?: object; readonly at?: object } = {},
) {
  const rows = [
    ...[up('a', 'b', at), up('b', 'a', of.b.session), up('a', 'd', at), up('d', 'a', of.d.session)],
    ...[up('b', 'c'), up('c', 'b'), up('c', 'd'), up('d', 'c')],
  ];
  const answers = {
    a: { kind: 'none' },
    b: { kind: 'unicast', matched: PREFIX },
    d: { kind: 'unicast', matched: PREFIX },
    ...routes,
  };
  const lookups = new Map(
    Object.entries(answers).map(([node, answer]) => [node, new Map([[FAR, { destination: FAR, ...answer }]])]),
  );
  const policies = [
    { name: 'route-map OUT', content: TERMS },
    { name: 'prefix-list MINE', content: '5 permit 198.51.100.0/24' },
  ];
  const stateOf = (node: 'b' | 'd') => ({
    bgp: {
      ...{ asn: 1, networks: [], redistribute: [], ownPrefixes: [], policies },
      sessions: rows
        .filter(({ from }) => from === node)
        .map(({ from, to, ...row }) => ({
          ...{ peer: addressOn(to, from), remoteAs: 1, localAs: 2, shutdown: false, policies: [], ...row },
        })),
    },
    history: { settings: of[node].settings ?? [] },
  });
  const world = bgpWorld(rows, { b: stateOf('b'), d: stateOf('d') }, { lookups });
  const owners = new Map([...world.owners, [FAR, [{ node: 'c', ifname: 'eth9' }]]]);
  const detail = { destination: FAR, owner: 'c', at: 'a', from: 'a', how: 'none', affected: ['a'] };
  const file = caseOf([symptom('route', { nodes: ['a', 'c'], detail })], { ...world, owners });
  return routePolicy
    .propose(file, [])
    .map(({ resource, confidence, details }) => [resource, confidence, details['what']]);
}

const since = (subject: string, was: string) => ({ session: OUT, settings: [policyRow(subject, was)] });
const keeps = (node: string) => [
  `node/${node}`,
  'likely',
  `{${node}} hands on ${PREFIX}, but not to {a}, since route-map OUT out changed`,
];

test('routers that have a prefix and keep it from a neighbour since their policy changed are named', () => {
  const reordered = since('route-map OUT', OPEN);
  assert.deepEqual(keptBack({ b: reordered, d: reordered }), [keeps('b'), keeps('d')]);
  const list = since('prefix-list MINE', '5 permit 198.19.3.0/24');
  assert.deepEqual(keptBack({ b: list, d: reordered }), [keeps('b'), keeps('d')], 'a list that the policy names');
  assert.deepEqual(
    keptBack({ b: reordered, d: { session: { state: 'Active' } } }),
    [keeps('b')],
    'of sessions that are up',
  );
});

test('a policy that is as it was, or that changes nothing alone, keeps back nothing by a change', () => {
  const reordered = since('route-map OUT', OPEN);
  assert.deepEqual(keptBack({ b: { session: OUT }, d: { session: OUT } }), [], 'always so');
  assert.deepEqual(keptBack({ b: reordered, d: { session: OUT } }), [], 'from d it does not come either');
  assert.deepEqual(keptBack({ b: since('route-map OTHER', OPEN), d: reordered }), [], 'another policy');
  assert.deepEqual(
    keptBack({ b: since('route-map OUT', `${TERMS} (set metric 10)`), d: reordered }),
    [],
    'no matter of the prefix',
  );
  const undone = {
    session: OUT,
    settings: [policyRow('route-map OUT', 'permit 5 (match community X); deny 20'), policyRow('route-map OUT', TERMS)],
  };
  assert.deepEqual(keptBack({ b: undone, d: reordered }), [], 'what cannot be worked out');
  const byDefault = { routes: { b: { kind: 'unicast', matched: 'default' } } };
  assert.deepEqual(keptBack({ b: reordered, d: reordered }, byDefault), [keeps('d')], 'b has it by default alone');
  assert.deepEqual(keptBack({ b: since('route-map OUT', TERMS), d: reordered }), [], 'changed, and back as it was');
  assert.deepEqual(keptBack({ b: reordered, d: reordered }, { at: { remoteAs: 65_001 } }), [], 'inside one AS');
  const back = { routes: { b: { kind: 'unicast', matched: PREFIX, nextHop: addressOn('a', 'b') } } };
  assert.deepEqual(keptBack({ b: {}, d: reordered }, back), [keeps('d')], 'b has it from a itself');
});
