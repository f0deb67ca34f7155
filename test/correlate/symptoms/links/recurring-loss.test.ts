// A link that loses packets again and again while a question's own probes all arrive: a symptom by one end's word, measured for longer, and a
// finding only where both ends' probes of that longer look lose some.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile, Fact } from '#correlate/engine/facts.ts';
import type { Ranked } from '#correlate/engine/rank.ts';
import { packetLoss } from '#correlate/faults/link/packet-loss.ts';
import { queueSymptom } from '#correlate/symptoms/links/queue-overflow.ts';
import { recurringLosses } from '#correlate/symptoms/links/recurring-loss.ts';
import { unsettledIn } from '#correlate/unsettled.ts';
import type { RecurringLoss } from '#model/router/link-monitor.ts';
import { fact } from '../../fact-scene.ts';
import { linkOf, PAIRS, pairWorld } from '../../pair-scene.ts';

const LINK = linkOf('a-b');
const LOSS: RecurringLoss = {
  ...{ ifname: 'to-b', far: ['b>a', 'b>a4'], firstAgoMs: 84_000, lastAgoMs: 3_000, lossyRounds: 21 },
  ...{ sent: 1_680, lostOut: 126, lostBack: 4, lost4: 65 },
};
/** Addresses are named after their ports; each port has one of either family. */
const OWNERS = new Map(
  PAIRS.map(linkOf).flatMap(({ from, to }) =>
    [[from, to] as const, [to, from] as const].flatMap(([mine, other]) =>
      ['', '4'].map((family) => [`${mine.node}>${other.node}${family}`, [mine]] as const),
    ),
  ),
);

function worldWith(losses: Readonly<Record<string, readonly RecurringLoss[]>>, more: object = {}) {
  const states = Object.fromEntries(
    ['a', 'b', 'c', 'd'].map((node) => [
      node,
      { now: { history: { spanMs: 300_000, events: [], lastHeard: [], recurringLosses: losses[node] ?? [] } } },
    ]),
  );
  return pairWorld(PAIRS, states, { owners: OWNERS, ...more });
}
const WORLD = worldWith({ a: [LOSS] });

const probeLoss = (
  from: string,
  to: string,
  lost: number,
  more: object = { link: linkOf(`${from}-${to}`).key },
): Fact =>
  ({
    ...{ subject: `path/${from}>${to}`, predicate: 'probe-loss', source: [] },
    value: { scope: 'segment', from, to, measuredBy: from, sent: 200, lost, refused: 0, ...more },
  }) as unknown as Fact;

/** What both ends' probes of the longer look lost in one direction, and the counters. */
function longLook(
  from: 'a' | 'b',
  lost: readonly number[],
  wire: object = { comparable: true, lostAtLeast: 300 },
): Fact {
  const [near, far] = from === 'a' ? [LINK.from, LINK.to] : [LINK.to, LINK.from];
  const counts = lost.map((each, index) => ({ measuredBy: ['a', 'b'][index]!, sent: 3_000, lost: each }));
  const value = { link: LINK.key, from: near, to: far, counts, wire: { from: near, to: far, ...wire } };
  return { subject: 'x', predicate: 'extended-measurement', value, source: ['longer'] } as unknown as Fact;
}

function found(facts: readonly Fact[], more: CaseFile['symptoms'] = []) {
  const symptoms = [...recurringLosses(WORLD, facts), ...more];
  return packetLoss.propose({ world: WORLD, facts, symptoms, path: [], expected: [] } as unknown as CaseFile, []);
}

test('what the standing probes saw is a symptom, accuses no end by itself, and has the link measured for longer', () => {
  const symptoms = recurringLosses(WORLD, []);
  assert.deepEqual(
    symptoms.map(({ subject, text }) => [subject, text.replace(/^.*?: /, '')]),
    [[LINK.key, 'standing probes lost 130 of 1680 (7.7 %) in 21 rounds of the last 84 s, the last 3 s ago']],
  );
  assert.deepEqual(found([]), []);
  const ranked = { unexplained: [], open: symptoms, chosen: [] } as unknown as Ranked;
  const file = { world: WORLD, facts: [], symptoms, path: [] } as unknown as CaseFile;
  assert.deepEqual(
    unsettledIn(file, [], ranked).losses.map(({ link, share }) => [link.from, share]),
    [[LINK.link.from, 0.01]],
  );
});

test('a direction in which both ends’ probes of the longer look lost some is named, for certain where the counters agree', () => {
  const [proposal, ...rest] = found([longLook('a', [280, 250]), longLook('b', [0, 0])]);
  assert.deepEqual(
    [proposal?.resource, proposal?.confidence, proposal?.details['lossPercent'], rest],
    ['interface/a/to-b', 'certain', 8.8, []],
  );
  assert.match(String(proposal!.details['what']), /the last 3 s ago; a longer look lost 530 of 6000$/);
  const apart = { comparable: false, why: 'offloads' };
  assert.equal(found([longLook('b', [280, 250], apart)])[0]?.confidence, 'likely');
  assert.deepEqual(
    found([longLook('a', [280, 250]), longLook('b', [260, 240])]).map(({ resource }) => resource),
    ['interface/a/to-b', 'interface/b/to-a'],
  );
});

test('one end’s probes alone, counters that account for all packets, or a queue that overflows there name no end', () => {
  assert.deepEqual(found([longLook('a', [280])]), []);
  assert.deepEqual(found([longLook('a', [280, 0])]), []);
  assert.deepEqual(found([longLook('a', [280, 250], { comparable: true, lostAtLeast: 0 })]), []);
  const queue = queueSymptom.raise({
    ...{ id: 'queue', subject: 'interface/a/to-b', text: '', source: [], nodes: ['a'] },
    detail: { node: 'a', ifname: 'to-b', queue: 'tbf', drops: 90 },
  });
  assert.deepEqual(found([longLook('a', [280, 250])], [queue]), []);
});

test('no symptom where the question’s own probes were lost, over the link or along a path over it', () => {
  const raised = (...facts: readonly Fact[]) => recurringLosses(WORLD, facts).length;
  assert.equal(raised(probeLoss('a', 'b', 12)), 0);
  assert.equal(raised(probeLoss('b', 'a', 12, {})), 0);
  assert.equal(raised(probeLoss('a', 'b', 0), probeLoss('b', 'c', 12), probeLoss('a', 'c', 12, {})), 1);
});

test('a question about a time span reads the rounds themselves; an address that no known end has says nothing of a link', () => {
  assert.deepEqual(recurringLosses(worldWith({ a: [LOSS] }, { sinceMs: 60_000 }), []), []);
  assert.deepEqual(recurringLosses(worldWith({ a: [{ ...LOSS, far: ['x'] }] }), []), []);
});

test('no symptom where a limiter of what is for the far end itself counted, and the counters of both ends lack no packet', () => {
  const rule = {
    ...{ family: 'inet', table: 'copp', chain: 'input', path: ['input'], hook: 'input', handle: 1, verdict: 'drop' },
    ...{ matches: [{ field: 'protocol', values: ['udp'] }], matchesRest: true, unread: ['limit rate over 100/second'] },
    ...{ inInterfaces: [], outInterfaces: [] },
  };
  const recent = { ...LOSS, firstAgoMs: 15_000, sent: 280, lostOut: 40, lostBack: 0 };
  const world = worldWith({ a: [recent] });
  for (const [node, address] of [
    ['a', 'fd00::a/127'],
    ['b', 'fd00::b/127'],
  ] as const) {
    const { inventory } = world.views.get(node)!.state;
    const interfaces = inventory.interfaces.map((each) => ({ ...each, addresses: [address] }));
    Object.assign(world.views.get(node)!.state, {
      inventory: { ...inventory, interfaces },
      filters: [{ ...rule, packets: '9' }],
    });
  }
  const [view, earlier] = [world.views.get('a')!, worldWith({ a: [LOSS] })];
  Object.assign(view.state, { countersReadMs: 19_000 });
  Object.assign(view, { before: { ...view.state, countersReadMs: 10_000 } });
  const hits = (packets: number): Fact =>
    fact('filter-hits', { node: 'b', acl: 'input', ...rule, packets, matches: rule.matches as never });
  const wires = (lostAtLeast: number) =>
    [
      { from: LINK.from, to: LINK.to },
      { from: LINK.to, to: LINK.from },
    ].map((way) => fact('wire', { ...way, comparable: true, lostAtLeast } as never));
  const raised = (...facts: readonly Fact[]) => recurringLosses(world, facts).length;
  assert.equal(raised(hits(300), ...wires(0)), 0);
  assert.equal(raised(hits(0), ...wires(0)), 1, 'it took none');
  assert.equal(raised(hits(30), ...wires(0)), 1, 'fewer than were lost');
  for (const node of ['a', 'b'] as const) Object.assign(earlier.views.get(node)!, { ...world.views.get(node)! });
  Object.assign(earlier.views.get('a')!, {
    state: { ...view.state, history: { ...view.state.history!, recurringLosses: [LOSS] } },
  });
  assert.equal(recurringLosses(earlier, [hits(300), ...wires(0)]).length, 1, 'it lost some long before');
  assert.equal(raised(hits(300), ...wires(4)), 1, 'the link lost some');
  assert.equal(raised(hits(300)), 1, 'nothing is known of the counters');
});
