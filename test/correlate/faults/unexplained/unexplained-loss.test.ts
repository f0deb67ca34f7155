// unexplained_loss: a link that both ends' probes and packets of another kind were lost over, a queue that takes all large packets, a port that
// answers no address resolution. What one witness says, what was not confirmed and what a policy may explain names no place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile, Fact, ProbeLoss } from '#correlate/engine/facts.ts';
import type { LossSymptom } from '#correlate/engine/loss-symptom.ts';
import { merged, rank } from '#correlate/engine/rank.ts';
import { packetLoss } from '#correlate/faults/link/packet-loss.ts';
import { differingState } from '#correlate/faults/unexplained/differing-state.ts';
import { unexplainedLoss } from '#correlate/faults/unexplained/unexplained-loss.ts';
import type { World } from '#correlate/network/world.ts';
import { fact, loss, wire } from '../../fact-scene.ts';
import { linkOf, pairWorld } from '../../pair-scene.ts';
import { caseOf, onLink, symptom } from '../proposing.ts';

const AB = linkOf('a-b').key;
const STATES = { a: { now: {} }, b: { now: {} }, c: { now: {} } };

/** b's address on the link; echoes from a to it, and how many of the second look did not come back. */
const ADDRESS = '198.18.1.1';
const echoes = (lostAgain: number | undefined, sent = 200) => ({
  owners: new Map([[ADDRESS, [{ node: 'b', ifname: 'to-a' }]]]),
  reach: [
    {
      ...{ from: 'a', destination: ADDRESS, source: 'reach', rttMs: 1 },
      ...{ sent: sent + 60, received: sent + 60 - (lostAgain ?? 20) },
      ...(lostAgain === undefined ? {} : { again: { sent, received: sent - lostAgain } }),
    },
  ],
});

/** 100 of 1,000 probes from a to b, in both rounds, as one end counted them. */
const lostAs = (measuredBy: string, change: Partial<ProbeLoss> = {}) =>
  loss({ link: AB, flows: 64, measuredBy, lost: 100, again: { sent: 1_000, lost: 100 }, ...change });
const BOTH = [lostAs('a'), lostAs('b')];

const lossesOf = (facts: readonly Fact[]) =>
  facts.flatMap((each, index) =>
    each.predicate === 'probe-loss' && each.value.lost > 2 ? [{ id: `loss ${index}`, fact: each } as LossSymptom] : [],
  );

function places(facts: readonly Fact[], more: object = echoes(20), change: object = {}, states: object = STATES) {
  const world = pairWorld(['a-b', 'b-c'], states as never, more);
  const file = { ...caseOf([], world, facts), ...change } as CaseFile;
  return unexplainedLoss.propose(file, lossesOf(facts));
}
const named = (...given: Parameters<typeof places>) => places(...given).map(({ resource }) => resource);

test('a link over which both ends’ probes and echoes are lost is the place, likely, with who sent and who received', () => {
  const [found, ...rest] = places([...BOTH, wire()]);
  assert.deepEqual([found?.resource, found?.confidence, rest.length], [AB, 'likely', 0]);
  assert.deepEqual(
    found?.explains.map(({ symptom }) => symptom),
    ['loss 0', 'loss 1'],
  );
  assert.deepEqual(found?.details['lost'], [
    '{a} → {b}: 100 of 1000 (10 %), counted by {a}',
    '{a} → {b}: 100 of 1000 (10 %), counted by {b}',
  ]);
  assert.deepEqual(found?.details['counters'], ['{a} to-b sent 5000 packets, {b} to-a received 5000']);
  assert.deepEqual(found?.details['also'], [`{a} → ${ADDRESS}: 20 of 200 echoes lost`]);
  assert.equal(found?.remedy?.node, 'a');
  assert.equal(found?.remedy?.change, undefined);
});

test('what one end alone reports, or what was not seen again, names no place', () => {
  assert.deepEqual(named([lostAs('a')]), []);
  assert.deepEqual(named([lostAs('a'), lostAs('b', { lost: 0, again: { sent: 1_000, lost: 0 } })]), []);
  const once = [loss({ link: AB, lost: 100 }), loss({ link: AB, lost: 100, measuredBy: 'b' })];
  assert.deepEqual(named(once), [], 'no second round');
  const few = { again: { sent: 1_000, lost: 19 } };
  assert.deepEqual(named([lostAs('a', few), lostAs('b', few)]), [], 'less than two of a hundred');
  const look = (lost: number) =>
    fact('extended-measurement', {
      ...{ link: AB, from: { node: 'a', ifname: 'to-b' }, to: { node: 'b', ifname: 'to-a' } },
      counts: [
        { measuredBy: 'a', sent: 1_000, lost },
        { measuredBy: 'b', sent: 1_000, lost },
      ],
    });
  assert.deepEqual(named([...BOTH, look(0)]), [], 'a longer look lost none');
  assert.deepEqual(named([...BOTH, look(90)]), [AB]);
});

test('probes alone are no traffic of users: something else must die with them', () => {
  const nothing = { owners: new Map(), reach: [] };
  assert.deepEqual(named(BOTH, nothing), []);
  assert.deepEqual(named(BOTH, echoes(undefined)), [], 'echoes that were not looked at again');
  assert.deepEqual(named(BOTH, echoes(1)), [], 'a stray echo');
  const rose = (node: string, counter: string, packets = 100) => fact('node-errors', { node, counter, packets });
  assert.deepEqual(named([...BOTH, rose('b', 'Ip6InHdrErrors')], nothing), [AB]);
  assert.deepEqual(named([...BOTH, rose('b', 'Ip6InHdrErrors', 49)], nothing), [], 'fewer than half of the lost');
  assert.deepEqual(named([...BOTH, rose('b', 'Ip6OutNoRoutes')], nothing), [], 'no counter of what came in and went');
  assert.deepEqual(named([...BOTH, rose('b', 'Ip6InDiscards'), rose('c', 'Ip6InDiscards', 3)], nothing), []);
  const session = { symptoms: [onLink('bgp', 'a-b')] };
  assert.deepEqual(
    places(BOTH, nothing, session).map(({ resource, explains }) => [resource, explains.at(-1)?.symptom]),
    [[AB, 'bgp']],
  );
  const small = { lost: 40, again: { sent: 1_000, lost: 40 } };
  assert.deepEqual(named([lostAs('a', small), lostAs('b', small)], nothing, session), [], 'too few for a session');
});

test('ordinary reasons: a policer, a filter of what is for the node itself, sockets, a narrow or young link', () => {
  const hits = (change: object) =>
    fact('filter-hits', {
      ...{ node: 'b', acl: 'i', hook: 'input', inInterfaces: [], outInterfaces: [], packets: 900, family: 'inet' },
      ...{ matches: [{ field: 'protocol', values: ['udp'] }], matchesRest: true },
      ...change,
    });
  assert.deepEqual(named([...BOTH, hits({})]), [], 'rate limit of what is for the router');
  assert.deepEqual(named([...BOTH, hits({ packets: undefined })]), [], 'without a counter');
  assert.deepEqual(named([...BOTH, hits({ packets: 0 })]), [AB], 'it took nothing');
  assert.deepEqual(named([...BOTH, hits({ node: 'c' })]), [AB], 'another node');
  assert.deepEqual(
    named([...BOTH, hits({ matches: [{ field: 'protocol', values: ['tcp'] }] })]),
    [AB],
    'other packets',
  );
  const traffic = (comment: string) => {
    const rule = { acl: 'tc filter 1 of to-a ingress', table: 'tc', comment, family: 'netdev', chain: 'to-a ingress' };
    const rules = { ...STATES, b: { now: { filters: [rule] } } };
    return named([...BOTH, hits({ hook: 'ingress', acl: rule.acl, matches: [] })], echoes(20), {}, rules);
  };
  assert.deepEqual(traffic('police'), []);
  assert.deepEqual(traffic('bpf'), [AB]);
  const sockets = fact('node-errors', { node: 'b', counter: 'Udp6RcvbufErrors', packets: 60 });
  assert.deepEqual(named([...BOTH, sockets]), []);
  for (const kind of ['narrow', 'flap', 'contradiction'])
    assert.deepEqual(named(BOTH, echoes(20), { symptoms: [onLink(kind, 'a-b')] }), [], kind);
  assert.deepEqual(named(BOTH, echoes(20), { symptoms: [onLink('narrow', 'b-c')] }), [AB]);
  const history = (settings: readonly object[]) => ({ ...STATES, b: { now: { history: { events: [], settings } } } });
  const reboot = (agoMs: number) => history([{ kind: 'reboot', subject: 'b', agoMs }]);
  assert.deepEqual(named(BOTH, echoes(20), {}, reboot(30_000)), []);
  assert.deepEqual(named(BOTH, echoes(20), {}, reboot(90_000)), [AB]);
});

test('links in great number are a suspicion against the measurement', () => {
  const pairs = ['a-b', 'b-c', 'c-d', 'd-a'];
  const nodes = ['a', 'b', 'c', 'd'];
  const states = Object.fromEntries(nodes.map((node) => [node, { now: {} }]));
  const found = (count: number) => {
    const used = pairs.slice(0, count).map(linkOf);
    const facts = used.flatMap(({ key, from, to }) =>
      [from.node, to.node].map((measuredBy) => lostAs(measuredBy, { link: key, from: from.node, to: to.node })),
    );
    const world = pairWorld(pairs, states);
    const symptoms = pairs.slice(0, count).map((pair) => onLink('isis', pair, { id: `isis ${pair}` }));
    return unexplainedLoss.propose(caseOf(symptoms, world, facts), lossesOf(facts)).length;
  };
  assert.deepEqual([found(1), found(3), found(4)], [1, 3, 0]);
});

test('a fault with a name is stronger, whatever the place would explain', () => {
  const file = caseOf([onLink('bgp', 'a-b')], pairWorld(['a-b'], STATES, echoes(20)), [
    ...BOTH,
    wire({ rxPackets: 4_500, estimate: 500, lostAtLeast: 450, lostAtMost: 550 }),
  ]);
  const losses = lossesOf(file.facts);
  const proposals = [packetLoss, unexplainedLoss].flatMap((fault) => fault.propose(file, losses));
  assert.ok(proposals.some(({ fault }) => fault === 'unexplained_loss'));
  const { chosen, open } = rank(merged(proposals), losses, file.symptoms);
  assert.deepEqual(
    chosen.map(({ fault, resource }) => `${fault} ${resource}`),
    ['packet_loss interface/a/to-b'],
  );
  assert.deepEqual(
    open.map(({ id }) => id),
    ['bgp'],
  );
});

/** The queue of a's port, with what it had dropped before and after. */
const queue = (kind: string, drops: readonly [number, number]) => {
  const at = (count: number) => ({ qdiscs: [{ ifname: 'to-b', kind, handle: '1:', drops: `${count}`, packets: '9' }] });
  return { ...STATES, a: { now: at(drops[1]), before: at(drops[0]), after: at(drops[1]) } };
};
const LARGE = fact('large-probes', { link: AB, from: 'a', to: 'b', sent: 8, received: 0, bytes: 66_032 });
const large = (states: object, change: object = { large: true }) =>
  named([LARGE], {}, { symptoms: [onLink('mtu', 'a-b', { detail: { from: 9_000, to: 9_000, ...change } })] }, states);

test('a queue that dropped what large probes were lost is at its port', () => {
  assert.deepEqual(large(queue('tbf', [3, 15])), ['interface/a/to-b']);
  assert.deepEqual(large(queue('tbf', [3, 9])), [], 'it dropped fewer');
  assert.deepEqual(large(queue('clsact', [3, 15])), [], 'a hook of filters is no queue');
  assert.deepEqual(large(queue('tbf', [3, 15]), {}), [], 'MTUs that differ have a name');
  assert.deepEqual(large(STATES), []);
});

const MACS = { a: '02:00:00:00:00:0a', b: '02:00:00:00:00:0b' };
/** a cannot resolve b's address; b has resolved a's, as the two states say. */
function resolution(
  [was, is]: readonly [string, string],
  more: {
    readonly filters?: readonly object[];
    readonly received?: number;
    readonly lostAgoMs?: number;
    readonly arpOff?: true;
  } = {},
) {
  const port = (name: string, mac: string, address: string) => ({
    ...{ name, mac, kind: 'physical', adminUp: true, operUp: true, mtu: 1_500, offloads: [] },
    addresses: [`${address}/31`],
  });
  const nodes = {
    a: {
      inventory: { interfaces: [port('to-b', MACS.a, '198.18.1.0')] },
      neighbourTable: [{ ifname: 'to-b', address: ADDRESS, state: 'FAILED' }],
    },
    b: {
      inventory: { interfaces: [port('to-a', MACS.b, ADDRESS)] },
      filters: more.filters ?? [],
      forwarding: { ipv4: true, ipv6: true, interfaces: [{ ifname: 'to-a', ...more }] },
      history: {
        settings: [],
        events: [{ kind: 'session', subject: '198.18.1.0', up: false, agoMs: more.lostAgoMs ?? 9_000 }],
      },
    },
  };
  const holding = (state: string) => ({
    ...nodes.b,
    neighbourTable: [{ ifname: 'to-a', address: '198.18.1.0', mac: MACS.a, state }],
  });
  const states = {
    a: { now: nodes.a, before: nodes.a, after: nodes.a },
    b: { now: holding(is), before: holding(was), after: holding(is) },
  };
  const detail = { node: 'a', ifname: 'to-b', address: ADDRESS, owner: 'b', ownerInterface: 'to-a', unresolved: true };
  const symptoms = [onLink('entry', 'a-b', { detail }), onLink('bgp', 'a-b', { detail: { peer: ADDRESS } })];
  const received = more.received ?? 0;
  const reach = [{ from: 'a', destination: ADDRESS, source: 'r', sent: 105, received, again: { sent: 100, received } }];
  return (facts: readonly Fact[]) => {
    const world = pairWorld(['a-b'], states, { reach }) as World;
    return unexplainedLoss
      .propose(caseOf(symptoms, world, facts), [])
      .map(({ resource, explains }) => [resource, explains.map(({ symptom }) => symptom)]);
  };
}

const RENEWED = ['DELAY', 'REACHABLE'] as const;

test('a port that answers no address resolution, while its node resolves the other end', () => {
  const clean = [loss({ link: AB })];
  const kept = ['REACHABLE', 'REACHABLE'] as const;
  assert.deepEqual(resolution(kept)(clean), [], 'it may have been confirmed before the fault');
  assert.deepEqual(resolution(kept, { lostAgoMs: 59_000 })(clean), []);
  assert.equal(resolution(kept, { lostAgoMs: 60_000 })(clean).length, 1, 'no confirmation lasts so long');
  assert.deepEqual(resolution(RENEWED)(clean), [['interface/b/to-a', ['entry', 'bgp']]]);
  assert.deepEqual(resolution(['REACHABLE', 'STALE'])(clean), [], 'it may have resolved it long ago');
  assert.deepEqual(resolution(RENEWED)([]), [], 'nothing was seen to pass the link');
  assert.deepEqual(resolution(RENEWED)([loss({ link: AB, lost: 90 })]), [], 'the link loses packets');
  assert.deepEqual(resolution(RENEWED, { received: 1 })(clean), [], 'something came back');
  assert.equal(resolution(kept, { arpOff: true })(clean).length, 1, 'its kernel says so itself');
  const rule = { family: 'arp', verdict: 'drop' };
  assert.deepEqual(resolution(RENEWED, { filters: [rule] })(clean), [], 'filters of ARP have a name');
});

/** Probes through m were lost; from a to c, behind m, 30 of 100 did not come back in the second look. */
function inNode({
  others = [],
  facts = [],
  row = {},
  lookups,
}: {
  readonly others?: readonly string[];
  readonly facts?: readonly Fact[];
  readonly row?: object;
  readonly lookups?: ReadonlyMap<string, unknown>;
} = {}) {
  const far = 'fd00:0:0:3::1';
  const transit = (node: string) =>
    symptom('transit', { id: `transit:${node}`, nodes: [node], detail: { node, sent: 200, lost: 40, ways: ['way'] } });
  const answer = (ifname: string) => new Map([[far, { destination: far, kind: 'unicast', ifname }]]);
  const world = pairWorld(['a-m', 'm-c'], Object.fromEntries(['a', 'm', 'c'].map((node) => [node, { now: {} }])), {
    owners: new Map([[far, [{ node: 'c', ifname: 'lo' }]]]),
    lookups:
      lookups ??
      new Map([
        ['a', answer('to-m')],
        ['m', answer('to-c')],
      ]),
    reach: [
      {
        ...{ from: 'a', destination: far, source: 'r', sent: 105, received: 75, again: { sent: 100, received: 70 } },
        ...row,
      },
    ],
  });
  return unexplainedLoss
    .propose(caseOf(['m', ...others].map(transit), world, facts), [])
    .map(({ resource, confidence, details }) => [resource, confidence, details['also']]);
}

test('a node is the place where probes through it and packets from end to end are lost, and it alone is left', () => {
  assert.deepEqual(inNode(), [['node/m', 'likely', ['{a} → fd00:0:0:3::1: 30 of 100 did not come back']]]);
  assert.deepEqual(inNode({ others: ['n'] }), [], 'two places remain');
  assert.deepEqual(inNode({ row: { again: undefined } }), [], 'not looked at again');
  assert.deepEqual(inNode({ row: { again: { sent: 100, received: 100 } } }), [], 'not lost again');
  assert.deepEqual(inNode({ row: { from: 'm' } }), [], 'its own packets it does not forward');
  assert.deepEqual(inNode({ lookups: new Map() }), [], 'the way is not known');
  const rule = (change: object) =>
    fact('filter-hits', {
      ...{ node: 'm', acl: 'f', hook: 'forward', inInterfaces: [], outInterfaces: [], packets: 9, family: 'inet' },
      ...{ matches: [{ field: 'protocol', values: ['udp'] }], matchesRest: false, ...change },
    });
  assert.deepEqual(inNode({ facts: [rule({})] }), [], 'a filter may take probes alone');
  assert.equal(inNode({ facts: [rule({ node: 'c' })] }).length, 1);
  assert.equal(inNode({ facts: [rule({ packets: 0 })] }).length, 1);
});

test('along a path nothing is placed', () => {
  assert.deepEqual(named(BOTH, echoes(20), { path: ['a', 'b'] }), []);
});

test('what differs at the place is counted where it is too much', () => {
  const hits = Array.from({ length: 11 }, (_, index) =>
    fact('filter-hits', { node: 'a', acl: `acl-${index}`, packets: index + 1 } as never),
  );
  const told = differingState(caseOf([], pairWorld(['a-b'], STATES), hits), [{ node: 'a', ifname: 'to-b' }]);
  assert.deepEqual([told.length, told[7], told[8]], [9, 'acl-7 of {a} dropped 8', '3 more']);
});
