// The verdict over facts and ranked findings, and what is left for a longer look.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fact, NOTHING_PLANNED, type ProbeLoss } from '#correlate/engine/facts.ts';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import type { LossSymptom } from '#correlate/engine/loss-symptom.ts';
import type { Ranked } from '#correlate/engine/rank.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';
import { unsettledIn } from '#correlate/unsettled.ts';
import { verdictOf } from '#correlate/verdict.ts';
import { fact, fileOf, linkFact, loss, wire, worldOf } from './fact-scene.ts';
import { pairWorld } from './pair-scene.ts';

const proposal = (change: Partial<Proposal> = {}): Proposal => ({
  ...{
    fault: 'packet_loss',
    resource: 'interface/a/to-b',
    confidence: 'certain',
    score: 3,
    evidence: [],
    against: [],
    details: {},
  },
  explains: [{ symptom: 'x', lost: 1, spread: 0 }],
  ...change,
});
const ranked = (change: Partial<Ranked> = {}): Ranked => ({
  chosen: [],
  lost: [],
  unexplained: [],
  open: [],
  ambiguous: [],
  ...change,
});
const open = [{ id: 'x', text: 'r is odd' }] as unknown as readonly Symptom[];

test('a finding that accuses makes a fault; with what stays open, and what is not known', () => {
  const verdict = (change: Partial<Ranked>, facts: readonly Fact[] = [], more: object = {}) =>
    verdictOf(fileOf(facts, more), [], ranked(change));
  assert.equal(verdict({ chosen: [proposal()] }).kind, 'fault');
  assert.equal(verdict({ chosen: [proposal({ accuses: false })] }).kind, 'healthy');
  assert.equal(verdict({}).kind, 'healthy');
  assert.deepEqual(verdict({ open }), { kind: 'inconclusive', reasons: ['r is odd'] });
  const both = verdict({ chosen: [proposal()], open }, [fact('missing', { node: 'a', what: 'state', why: 'late' })], {
    planned: { ...NOTHING_PLANNED, unanswered: ['u'] },
  });
  assert.deepEqual(both.reasons.slice(1), ['r is odd', 'not known: {a}: no state (late)', 'not known: u']);
  assert.equal(verdict({}, [], { planned: { proven: [], lacking: ['l'], unanswered: [] } }).kind, 'inconclusive');
  const same = verdict({ open }, [], { planned: { proven: [], lacking: ['r is odd', 'l'], unanswered: [] } });
  assert.deepEqual(same.reasons, ['r is odd', 'l']);
});

test('an open symptom is told with its equally good explanations, or with why none was chosen', () => {
  const reason = (change: Partial<Ranked>) => verdictOf(fileOf([]), [], ranked({ open, ...change })).reasons[0]!;
  assert.match(
    reason({ ambiguous: [proposal(), proposal({ resource: 'node/c' })] }),
    /^r is odd; .* and .* explain it equally well$/,
  );
  assert.equal(reason({ ambiguous: [proposal({ explains: [] })] }), 'r is odd');
  const lost = (change: Partial<Proposal>, why = 'w') => ({ proposal: proposal(change), why });
  assert.equal(reason({ lost: [lost({ withheld: 'w' }), lost({ withheld: 'w' })] }), 'r is odd; w');
  assert.equal(reason({ lost: [lost({})] }), 'r is odd');
  assert.equal(
    reason({ lost: [lost({ withheld: 'w', explains: [{ symptom: 'y', lost: 1, spread: 0 }] })] }),
    'r is odd',
  );
});

test('a loss without a cause names both ends, and what stood in the way', () => {
  const line = (
    facts: readonly Fact[],
    change: Partial<ProbeLoss> = {},
    more: Partial<Ranked> = {},
    world: object = {},
  ) => {
    const mine = loss({ lost: 100, ...change });
    const symptom = { id: 'x', fact: mine } as unknown as LossSymptom;
    return verdictOf(fileOf([...facts], world), [symptom], ranked({ unexplained: [symptom], ...more })).reasons[0]!;
  };
  assert.equal(line([]), '{a} → {b}: 100 of 1000 probes lost, at {a}, at {b} or between them');
  assert.equal(
    line([], { directionKnown: false }),
    '{a} ↔ {b}: 100 of 1000 probes lost, at {a}, at {b} or between them',
  );
  assert.match(line([linkFact()]), /at \{a\} to-b, at \{b\} to-a or between them$/);
  assert.match(line([linkFact()], { from: 'b', to: 'a' }), /at \{a\} to-b, at \{b\} to-a or between them$/);
  assert.match(line([linkFact({ to: { node: 'c', ifname: 'y' } })]), /at \{a\}, at \{b\} or between them$/);
  assert.match(line([], { scope: 'path' }), /probes lost, though no single segment explains it$/);
  assert.match(
    line([], {}, { ambiguous: [proposal(), proposal({ resource: 'node/b' })] }),
    /probes lost; .* explain it equally well$/,
  );
  assert.match(line([], {}, { lost: [{ proposal: proposal({ withheld: 'w' }), why: 'w' }] }), /between them; w$/);
  const notes = [
    fact('send-errors', { from: 'a', to: 'b', packets: 3 }),
    wire({ comparable: false, why: 'why' }),
    fact('node-errors', { node: 'b', counter: 'Ip6InDiscards', packets: 9 }),
    fact('filter-hits', {
      node: 'a',
      acl: 'acl',
      hook: 'input',
      inInterfaces: [],
      outInterfaces: [],
      packets: undefined,
    }),
  ];
  assert.match(
    line(notes),
    /between them; \{a\} itself refused to send 3 of them; counters not comparable: why; Ip6InDiscards of \{b\} rose by 9; acl on \{a\} can drop and has no counter$/,
  );
  assert.match(
    line([fact('node-errors', { node: 'c', counter: 'Ip6InDiscards', packets: 9 }), wire()]),
    /between them$/,
  );
  const noRoutes = fact('node-errors', { node: 'a', counter: 'Ip6OutNoRoutes', packets: 3 });
  const tried = (sent: number, destination = 'fd00::9', from = 'a') => ({
    world: worldOf({ reach: [{ from, destination, sent, received: 0, source: 'r' }] }),
  });
  assert.match(line([noRoutes], {}, {}, tried(3)), /between them$/, 'probes of this very question');
  assert.match(line([noRoutes], {}, {}, tried(2)), /Ip6OutNoRoutes of \{a\} rose by 3$/);
  assert.match(line([noRoutes], {}, {}, tried(3, '198.18.1.1')), /rose by 3$/);
  assert.match(line([noRoutes], {}, {}, tried(3, 'fd00::9', 'b')), /rose by 3$/);
});

test('losses that nothing explains are looked at again, the worst first; narrow links and both ways lost are not', () => {
  const world = pairWorld(['a-b', 'b-c'], { a: { now: {} }, b: { now: {} }, c: { now: {} } });
  const [ab, bc] = world.links.map(({ key }) => key) as [never, never];
  const left = (losses: readonly Partial<ProbeLoss>[], change: object = {}) => {
    const unexplained = losses.map((each, index) => ({
      id: `${index}`,
      fact: loss(each),
    })) as unknown as readonly LossSymptom[];
    return unsettledIn(fileOf([], { world, ...change }), [], ranked({ unexplained })).losses.map(
      ({ link, ...rest }) => [link.from.node, rest],
    );
  };
  assert.deepEqual(
    left([
      { link: ab, lost: 10 },
      { link: bc, lost: 20 },
      { link: ab, lost: 15 },
    ]),
    [
      ['b', { share: 0.02 }],
      ['a', { share: 0.015 }],
    ],
  );
  assert.deepEqual(left([{ link: ab, lost: 60, refused: 50 }]), [['a', { share: 10 / 950 }]]);
  assert.deepEqual(
    left([{ link: ab, lost: 10, directionKnown: false }, { lost: 10 }, { link: ab, lost: 0, sent: 0 }]),
    [],
  );
  assert.deepEqual(left([{ link: ab, lost: 10 }], { symptoms: [{ kind: 'narrow', link: { key: ab } }] }), []);
  assert.equal(left([{ link: ab, lost: 10 }], { symptoms: [{ kind: 'slow', link: { key: ab } }] }).length, 1);
});

test('a loss that has a place and no name is looked at again, one with a name is not', () => {
  const world = pairWorld(['a-b'], { a: { now: {} }, b: { now: {} } });
  const lost = { id: 'lost', fact: loss({ link: world.links[0]!.key, lost: 10 }) } as unknown as LossSymptom;
  const left = (lastResort: object) => {
    const chosen = [{ ...lastResort, details: {}, explains: [{ symptom: 'lost', lost: 10, spread: 0 }] }] as never;
    return unsettledIn(fileOf([], { world }), [lost], ranked({ chosen })).losses.length;
  };
  assert.deepEqual([left({ lastResort: true }), left({})], [1, 0]);
});

test('links of nodes that counted damage are looked at: where IPv4 was lost, then where most was counted', () => {
  const owners = new Map([['198.18.2.1', [{ node: 'd', ifname: 'to-c' }]]]);
  const states = { a: { now: {} }, b: { now: {} }, c: { now: {} }, d: { now: {} } };
  const damage = (reach: readonly object[], ...counts: readonly (readonly [string, number])[]) => {
    const world = pairWorld(['a-b', 'b-c', 'c-d'], states, { owners, reach });
    const symptoms = counts.map(([node, packets]) => ({
      kind: 'corrupt',
      nodes: [node],
      detail: { x: packets, y: 1 },
    }));
    return unsettledIn(fileOf([], { world }), [], ranked({ open: symptoms as never })).damage.map(
      ({ from }) => from.node,
    );
  };
  assert.deepEqual(damage([], ['a', 5]), ['a']);
  assert.deepEqual(damage([], ['a', 5], ['c', 3]), ['a', 'b', 'c']);
  assert.deepEqual(damage([], ['b', 5], ['c', 3]), ['b', 'a', 'c']);
  assert.deepEqual(damage([{ from: 'c', destination: '198.18.2.1', sent: 10, received: 9 }], ['b', 5], ['c', 3]), [
    'c',
    'b',
    'a',
  ]);
  const world = worldOf();
  const other = [
    { kind: 'slow', nodes: ['a'], detail: { x: 5 } },
    { kind: 'corrupt', nodes: ['a'], detail: { x: 0 } },
  ] as never;
  assert.deepEqual(unsettledIn(fileOf([], { world }), [], ranked({ open: other })).damage, []);
});
