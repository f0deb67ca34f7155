// route_leak: b has sessions with a, c and d of other networks; a sends packets for c's prefix to b.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '#correlate/engine/facts.ts';
import { routeLeak } from '#correlate/faults/bgp/route-leak.ts';
import type { World } from '#correlate/network/world.ts';
import { caseOf, explained, lossOf } from '../proposing.ts';
import { addressOn, bgpWorld, type Row } from './bgp-scene.ts';

const TARGET = '203.0.113.10';
const PREFIX = '203.0.113.0/25';
const BY_POLICY = { kind: 'session', setting: 'policies', agoMs: 60_000 } as const;

const up = (from: string, to: string, more: object = {}): Row => ({ from, to, state: 'Established', ...more });

type Options = {
  readonly towards?: object;
  readonly source?: object;
  readonly farRoles?: readonly [towards: object, source: object];
  readonly settings?: readonly object[];
  readonly protocol?: string;
  readonly queue?: number;
  /** What b has for the destination. */
  readonly own?: string;
};

/** `towards`: what b has set for a; `source`: for c. */
function scene({
  towards = {},
  source = {},
  farRoles = [{}, {}],
  settings = [],
  protocol = 'bgp',
  queue = 0,
  own = PREFIX,
}: Options): World {
  const via = (nextHop: string, matched = PREFIX) =>
    new Map([[TARGET, { destination: TARGET, kind: 'unicast', protocol, matched, nextHop }]]);
  const lookups = new Map([
    ['a', via(addressOn('b', 'a'))],
    ['b', via(addressOn('c', 'b'), own)],
  ]);
  const qdiscs = (drops: number) => [
    { ifname: 'ethc', kind: 'tbf', drops: `${drops}`, overlimits: '0', packets: '100' },
  ];
  const world = bgpWorld(
    [up('a', 'b', farRoles[0]), up('b', 'a', towards), up('b', 'c', source), up('c', 'b', farRoles[1])],
    { b: { history: { settings }, qdiscs: qdiscs(queue) } },
    { lookups },
  );
  const b = world.views.get('b')!;
  const ends = world.links.flatMap(({ from, to }) => [from, to]).filter(({ node }) => node === 'b');
  const named = (drops: number) => qdiscs(drops).map((each) => ({ ...each, ifname: ends[0]!.ifname }));
  const view = { ...b, before: { ...b.state, qdiscs: named(0) }, after: { ...b.state, qdiscs: named(queue) } };
  return { ...world, views: new Map([...world.views, ['b', view]]) };
}

const GONE = [{ ...BY_POLICY, subject: addressOn('a', 'b'), was: 'route-map OWN out', is: 'none' }];
const told = (options: Options, facts: readonly Fact[] = []) =>
  routeLeak.detect!({ world: scene(options), facts }).map(({ subject, confidence, remark, text }) => [
    subject,
    remark === undefined ? confidence : 'remark',
    text,
  ]);
const LOSS = [lossOf('a', 'b').fact];

test('a node that is customer of both hands on from one to the other: certain, by its own roles or those of the others', () => {
  const expected = [
    [
      'node/b',
      'certain',
      '{b} hands on 203.0.113.0/25 from {c} to {a}, which sends through it: it is customer to the one and customer to the other',
    ],
  ];
  assert.deepEqual(told({ towards: { role: 'customer' }, source: { role: 'customer' } }), expected);
  assert.deepEqual(told({ farRoles: [{ role: 'provider' }, { role: 'provider' }] }), expected);
  assert.equal(told({ towards: { role: 'peer' }, source: { role: 'peer' } })[0]?.[1], 'certain');
});

test('a provider carries routes from and to its customers', () => {
  assert.deepEqual(told({ towards: { role: 'provider' }, source: { role: 'customer' }, settings: GONE }, LOSS), []);
  assert.deepEqual(told({ towards: { role: 'customer' }, source: { role: 'provider' }, settings: GONE }, LOSS), []);
  assert.deepEqual(told({ farRoles: [{ role: 'customer' }, {}], settings: GONE }, LOSS), []);
});

test('without roles it is likely where the policy towards the neighbour is gone and packets die at the node', () => {
  const [found] = told({ settings: GONE }, LOSS);
  assert.deepEqual(found?.slice(0, 2), ['node/b', 'likely']);
  assert.match(String(found?.[2]), /: route-map OWN out towards \{a\} is gone or changed$/);
  assert.equal(told({ settings: GONE, queue: 500 })[0]?.[1], 'likely', 'its queue overflows');
});

test('a policy whose statements changed, or that has another name, is likely where a queue overflows, and does not explain a bad cable', () => {
  const policy = { kind: 'policy', subject: 'route-map OWN', was: 'permit 10', is: 'permit 20', agoMs: 60_000 };
  const same = { towards: { policies: ['route-map OWN out'] }, settings: [policy] };
  assert.equal(told({ ...same, queue: 500 })[0]?.[1], 'likely');
  assert.equal(told(same, LOSS)[0]?.[1], 'remark');
  const renamed = { towards: { policies: ['route-map OWN-2 out'] }, settings: GONE };
  assert.equal(told({ ...renamed, queue: 500 })[0]?.[1], 'likely');
  assert.equal(told(renamed, LOSS)[0]?.[1], 'remark');
  assert.deepEqual(told({ towards: { policies: ['route-map OTHER out'] }, settings: [policy] }, LOSS), []);
  const nightly = { ...same, settings: [{ ...policy, agoMs: 6 * 3_600_000 }] };
  assert.deepEqual(told({ ...nightly, queue: 500 }), [], 'lists that are written anew every night');
});

test('a policy that is gone with no harm is a remark; a network that always carried others is nothing', () => {
  assert.equal(told({ settings: GONE })[0]?.[1], 'remark');
  assert.deepEqual(told({}, LOSS), []);
  const inbound = [{ ...BY_POLICY, subject: addressOn('a', 'b'), was: 'route-map ALL in', is: 'none' }];
  assert.deepEqual(told({ settings: inbound }, LOSS), [], 'a policy for what comes in');
  const towardsSource = [{ ...BY_POLICY, subject: addressOn('c', 'b'), was: 'route-map OWN out', is: 'none' }];
  assert.deepEqual(told({ settings: towardsSource }, LOSS), [], 'towards the node that the routes come from');
});

test('a node whose own aggregate others use hands on nothing of the more specific route that it has', () => {
  const roles = { towards: { role: 'customer' }, source: { role: 'customer' } };
  assert.deepEqual(told({ ...roles, own: '203.0.113.0/26' }), []);
});

test('loss on a link to neither of the two is no harm of it', () => {
  assert.equal(told({ settings: GONE }, [lossOf('b', 'd').fact])[0]?.[1], 'remark');
});

test('what is routed by hand, or is of one network, is no leak', () => {
  assert.deepEqual(told({ settings: GONE, protocol: 'static' }, LOSS), []);
  assert.deepEqual(told({ settings: GONE, source: { remoteAs: 65_001 } }, LOSS), [], 'two routers of one AS');
  assert.deepEqual(told({ settings: GONE, source: { remoteAs: 65_002 } }, LOSS), [], 'learned inside its own AS');
});

test('losses on links of the node follow from it', () => {
  const world = scene({ settings: GONE });
  const [symptom] = routeLeak.detect!({ world, facts: LOSS });
  assert.deepEqual(explained(routeLeak, caseOf([symptom!], world), [lossOf('a', 'b'), lossOf('c', 'd')]), [
    ['node/b', ['loss a>b', symptom!.id].sort()],
  ]);
});

test('of IPv6, where lookups tell no prefix, a leak by roles is likely, and none where the node has a prefix of its own there', () => {
  const roles = { towards: { role: 'customer' }, source: { role: 'customer' } };
  const blind = (state: object) => {
    const world = scene(roles);
    const lookups = new Map(
      [...world.lookups].map(([node, answers]) => [
        node,
        new Map([...answers].map(([key, { matched: _, ...answer }]) => [key, answer])),
      ]),
    );
    const b = world.views.get('b')!;
    const views = new Map([...world.views, ['b', { ...b, state: { ...b.state, ...state } }]]) as World['views'];
    return routeLeak.detect!({ world: { ...world, lookups, views }, facts: [] }).map(({ confidence }) => confidence);
  };
  const bgp = scene(roles).views.get('b')!.state.bgp!;
  assert.deepEqual(blind({}), ['likely']);
  assert.deepEqual(blind({ bgp: { ...bgp, networks: ['203.0.113.0/24'] } }), []);
  assert.deepEqual(blind({ staticRoutes: [{ prefix: '203.0.113.0/24', kind: 'blackhole' }] }), []);
  assert.deepEqual(blind({ staticRoutes: [{ prefix: '198.51.100.0/24', kind: 'blackhole' }] }), ['likely']);
});
