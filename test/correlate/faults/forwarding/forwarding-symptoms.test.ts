// Nodes that spoil, unmark or overflow what they forward, and look-alikes that are everyday work.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '#correlate/engine/facts.ts';
import { insideSymptoms } from '#correlate/faults/forwarding/forwarding-symptoms.ts';
import type { World } from '#correlate/network/world.ts';
import { queueSymptoms } from '#correlate/symptoms/queue-overflow.ts';
import type { FilterRule } from '#model/router/router-port.ts';

const rule = (hook: string, rewrites: readonly string[], outInterfaces: readonly string[] = []): FilterRule => ({
  ...{ family: 'inet', table: 'filter', chain: hook, path: [hook], hook, handle: 2, verdict: 'other' as const },
  ...{ outInterfaces, inInterfaces: [], packets: '9', rewrites },
});

/** `counted` is what every rule had counted before. */
function worldWith(
  filters: readonly FilterRule[],
  drops: readonly [string, string] = ['0', '0'],
  counted = '9',
): World {
  const state = (count: string, rules = filters) => ({
    ...{ filters: rules, qdiscs: [{ ifname: 'eth1', kind: 'tbf', drops: count, overlimits: '900' }] },
    ...{ inventory: { interfaces: [] }, daemons: [{ name: 'zebra', alive: true }] },
  });
  const earlier = filters.map((each) => ({ ...each, packets: counted }));
  const view = {
    node: 'r1',
    state: state(drops[1]),
    before: state(drops[0], earlier),
    after: state(drops[1]),
    sources: ['s1'],
  };
  const other = { ...state('0'), filters: [], qdiscs: [] };
  const far = { node: 'r2', state: other, before: other, after: other, sources: ['s2'] };
  const [from, to] = [
    { node: 'r1', ifname: 'eth1' },
    { node: 'r2', ifname: 'eth1' },
  ];
  const link = { key: 'link/r1:eth1--r2:eth1', from, to, link: { from, to } };
  return {
    views: new Map([
      ['r1', view],
      ['r2', far],
    ]),
    links: [link],
  } as unknown as World;
}

const found = (world: World, facts: readonly Fact[] = []) =>
  [...insideSymptoms(world, facts), ...queueSymptoms(world)].map(({ kind, subject, detail }) => [
    kind,
    subject,
    detail['what'],
  ]);

const source = ['p1'];
const crossing = (lost: number): Fact => ({
  subject: 'path/r0>r1>r2',
  predicate: 'crossing',
  value: { from: 'r0', through: 'r1', to: 'r2', sent: 250, lost },
  source,
});
const wrongChecksums = (node: string, packets: number, counter = 'Udp6InCsumErrors'): Fact => ({
  subject: `node/${node}`,
  predicate: 'node-errors',
  value: { node, counter, packets },
  source,
});
const lossOver = (from: string, to: string, lost: number): Fact => ({
  subject: `path/${from}>${to}`,
  predicate: 'probe-loss',
  value: {
    ...{ scope: 'segment', from, to, measuredBy: from, sent: 200, lost, refused: 0, unanswered: 0 },
    ...{ refusedByFilter: true, directionKnown: true },
  },
  source,
});
const marked = (dscp: number): Fact => ({
  subject: 'interface/r1/eth1',
  predicate: 'marked',
  value: { node: 'r1', ifname: 'eth1', dscp, sent: 40 },
  source,
});
const REMARKS = rule('egress', ['ip6 dscp ef = af11'], ['eth1']);
const SPOILS = rule('forward', ['udp checksum = 57005']);
const THROUGH_R1 = [['rewrite', 'node/r1', 'checksum']];

test('a node through which probes arrive damaged spoils what it forwards, whether or not a rule says so', () => {
  const damage = [crossing(24), wrongChecksums('r2', 15), wrongChecksums('r0', 9)];
  assert.deepEqual(found(worldWith([SPOILS]), damage), THROUGH_R1);
  assert.deepEqual(found(worldWith([]), damage), THROUGH_R1);
});

test('a rule that would overwrite checksums, and does not, is no fault', () => {
  assert.deepEqual(found(worldWith([SPOILS])), []);
  assert.deepEqual(found(worldWith([SPOILS]), [crossing(0)]), []);
  assert.deepEqual(found(worldWith([rule('output', ['udp checksum = 0'])]), [crossing(0)]), []);
});

test('probes through a node that are lost undamaged, or over a link that loses packets, do not accuse it', () => {
  assert.deepEqual(found(worldWith([SPOILS]), [crossing(24)]), []);
  assert.deepEqual(found(worldWith([SPOILS]), [crossing(24), wrongChecksums('r2', 24, 'TcpInCsumErrors')]), []);
  const cable = [crossing(24), wrongChecksums('r2', 24), lossOver('r1', 'r2', 20)];
  assert.deepEqual(found(worldWith([SPOILS]), cable), []);
});

test('a mark that marked probes lose towards another router is a symptom, whatever it becomes', () => {
  const moved = (text: string, packets: string, dscp = 46, hook = 'egress', ifname = 'eth1') =>
    found(worldWith([{ ...rule(hook, [text], [ifname]), packets }], ['0', '0'], '9'), [marked(dscp)]);
  const remarked = [['rewrite', 'interface/r1/eth1', 'dscp']];
  assert.deepEqual(moved('ip6 dscp ef = cs0', '49'), remarked);
  assert.deepEqual(moved('ip6 dscp ef = af11', '49'), remarked);
  assert.deepEqual(moved('ip6 dscp af11 = cs1', '49', 10), remarked);
  assert.deepEqual(moved('ip6 dscp ef = af11', '12'), []);
  assert.deepEqual(moved('ip6 dscp ef = ef', '49'), []);
  assert.deepEqual(moved('ip6 dscp ef = cs0', '49', 10), []);
  assert.deepEqual(moved('ip6 dscp ef = cs0', '49', 46, 'egress', 'eth9'), []);
  assert.deepEqual(found(worldWith([REMARKS])), []);
});

test('a queue that overflows in the window is a symptom; its old drops are not', () => {
  assert.deepEqual(found(worldWith([], ['5000', '5400'])), [['queue', 'interface/r1/eth1', undefined]]);
  assert.deepEqual(found(worldWith([], ['5000', '5003'])), []);
});
