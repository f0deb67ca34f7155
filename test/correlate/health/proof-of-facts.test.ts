// The proof of health from facts, the verdict over them, and what a time that is over must have been watched for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CaseFile, type Fact, NOTHING_PLANNED, type ProbeLoss, type Wire } from '#correlate/engine/facts.ts';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import type { LossSymptom } from '#correlate/engine/loss-symptom.ts';
import type { Ranked } from '#correlate/engine/rank.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';
import { proofOfHealth, remarksOf } from '#correlate/health/health.ts';
import { provenPast } from '#correlate/health/history-proof.ts';
import { unsettledIn } from '#correlate/unsettled.ts';
import { verdictOf } from '#correlate/verdict.ts';
import { pairWorld } from '../pair-scene.ts';

const ends = { from: { node: 'a', ifname: 'to-b' }, to: { node: 'b', ifname: 'to-a' } };
const fact = (predicate: string, value: object, source: readonly string[] = ['s']) =>
  ({ subject: 'node/a', predicate, value, source }) as unknown as Fact;
const linkFact = (change: object = {}) =>
  fact('link', {
    ...ends,
    confirmed: true,
    signs: [],
    claims: [],
    confidence: 'confirmed',
    symptoms: [],
    remarks: [],
    ...change,
  });
const wire = (change: Partial<Wire> = {}) =>
  fact('wire', {
    ...ends,
    comparable: true,
    txPackets: 5_000,
    rxPackets: 5_000,
    estimate: 0,
    lostAtLeast: 0,
    lostAtMost: 0,
    ...change,
  });
const loss = (change: Partial<ProbeLoss> = {}) =>
  fact('probe-loss', {
    ...{ scope: 'segment', from: 'a', to: 'b', measuredBy: 'a', sent: 1_000, lost: 0, refused: 0, unanswered: 0 },
    ...{ refusedByFilter: true, directionKnown: true },
    ...change,
  });
const worldOf = (more: object = {}) => pairWorld(['a-b'], { a: { now: {} }, b: { now: {} } }, more);
const fileOf = (facts: readonly Fact[], change: object = {}) =>
  ({
    path: [],
    facts,
    world: worldOf(),
    expected: [],
    symptoms: [],
    planned: NOTHING_PLANNED,
    ...change,
  }) as unknown as CaseFile;
const proof = (facts: readonly Fact[], change: object = {}, excused: readonly LossSymptom[] = []) =>
  proofOfHealth(fileOf(facts, change), excused);
const isProven = (facts: readonly Fact[], change: object = {}) => {
  const { proven, lacking } = proof(facts, change);
  return [proven.length > 0, lacking.length === 0];
};
const PATH = { path: ['a', 'b', 'c'] };

test('a link is proven when nothing is wrong with it; one that nobody uses is told', () => {
  assert.match(proof([linkFact()]).proven[0]!, /^\{a\} to-b – \{b\} to-a: both ends up \(confirmed\)$/);
  assert.match(proof([linkFact({ signs: ['isis'] })]).proven[0]!, /both ends up, IS-IS adjacency up on both \(/);
  assert.deepEqual(proof([linkFact({ symptoms: ['x', 'y'] })]), {
    proven: [],
    lacking: ['x', 'y'].map((each) => `{a} to-b – {b} to-a: ${each}`),
  });
  assert.deepEqual(proof([linkFact({ unused: true, symptoms: ['x'] })]), {
    proven: ['{a} to-b – {b} to-a: shut down at both ends'],
    lacking: [],
  });
});

test('on a network of many the counters of a path’s hop are part of the proof, and of no other question', () => {
  const shared = linkFact({ shared: 'not point-to-point' });
  assert.deepEqual(isProven([shared]), [true, true]);
  assert.match(remarksOf(fileOf([shared]))[0]!, /not point-to-point, judged by probes alone$/);
  assert.deepEqual(remarksOf(fileOf([shared], PATH)), []);
  assert.match(String(proof([shared], PATH).lacking), /: not point-to-point/);
  const bad = wire({ comparable: false, why: 'why' });
  assert.equal(isProven([bad])[1], false);
  assert.equal(isProven([shared, bad])[1], true, 'counters of shared links tell nothing');
  assert.equal(isProven([linkFact({ unused: true }), bad])[1], true);
  assert.equal(isProven([linkFact(), bad])[1], false);
  assert.equal(isProven([linkFact({ shared: 'x', to: { node: 'b', ifname: 'to-c' } }), bad])[1], false, 'another link');
});

test('counters agree up to two packets, or one in a thousand', () => {
  for (const [txPackets, lostAtLeast, agree] of [
    [1_000, 2, true],
    [1_000, 3, false],
    [5_000, 5, true],
    [5_000, 6, false],
  ] as const)
    assert.equal(isProven([wire({ txPackets, lostAtLeast })])[1], agree, `${lostAtLeast} of ${txPackets}`);
  assert.match(proof([wire()]).proven[0]!, /5000 sent, 5000 received, within what two readings can tell apart$/);
  assert.match(
    proof([wire({ lostAtLeast: 9 })]).lacking[0]!,
    /at least 9 of 5000 packets were lost, the probes do not$/,
  );
  assert.match(proof([wire({ comparable: false, why: 'why' })]).lacking[0]!, /counters not comparable: why$/);
});

test('a hundred probes, all but a stray of which arrived, are a proof', () => {
  for (const [sent, lost, isOne] of [
    [100, 0, true],
    [99, 0, false],
    [499, 1, false],
    [500, 2, true],
    [500, 3, false],
  ] as const)
    assert.equal(isProven([loss({ sent, lost })])[1], isOne, `${lost} of ${sent}`);
  assert.match(proof([loss()]).proven[0]!, /^\{a\} → \{b\}: 1000 of 1000 probes arrived$/);
  assert.match(proof([loss({ sent: 99 })]).lacking[0]!, /99 of 99 probes arrived, too few for a proof$/);
  assert.match(
    proof([loss({ sent: 500, lost: 1 })]).proven[0]!,
    /499 of 500 probes arrived; 1 lost is a stray, too few for a verdict$/,
  );
  assert.match(proof([loss({ lost: 100 })]).lacking[0]!, /900 of 1000 probes arrived$/);
  const limited = { unanswered: 7, from: 'b', to: 'a' };
  assert.match(proof([loss(limited)]).proven[0]!, /arrived; 7 more were not answered, \{b\} limits their rate$/);
  assert.match(proof([loss({ unanswered: 7 })]).proven[0]!, /arrived$/);
});

test('a loss that is explained without accusing the network is none', () => {
  const lost = loss({ lost: 100 });
  const excused = [{ id: 'x', fact: lost }] as unknown as readonly LossSymptom[];
  assert.match(proof([lost], {}, excused).proven[0]!, /900 of 1000 probes arrived; \{b\} itself dropped the rest/);
  assert.equal(proof([lost, loss({ lost: 50 })], {}, excused).lacking.length, 1);
});

test('what a node could not send, and what is missing, is lacking; round trips, late probes and filters are told', () => {
  assert.match(
    proof([fact('send-errors', { from: 'a', to: 'b', packets: 4 })]).lacking[0]!,
    /\{a\} could not send 4 probes to \{b\}/,
  );
  assert.deepEqual(proof([fact('missing', { node: 'a', what: 'state', why: 'late' })]).lacking, [
    '{a}: no state (late)',
  ]);
  assert.match(
    proof([fact('round-trip', { from: 'a', to: 'b', min: 1, avg: 1.23456, max: 2.34567 })]).proven[0]!,
    /: 1\.235 ms on average, 2\.346 ms at most/,
  );
  const late = proof([fact('late-probes', { from: 'a', to: 'b', late: 3, sent: 100 })]);
  assert.match(late.proven[0]!, /3 of 100 probes came back late/);
  const hits = (packets?: number) =>
    proof([
      fact('filter-hits', {
        node: 'a',
        acl: 'x',
        hook: 'input',
        inInterfaces: [],
        outInterfaces: [],
        packets,
        matches: [],
      }),
    ]);
  assert.match(hits(5).proven[0]!, /x on \{a\} dropped 5 other packets/);
  assert.deepEqual(hits().proven, []);
  const planned = { planned: { proven: ['p'], lacking: ['l'], unanswered: [] } };
  assert.deepEqual(proof([], planned), { proven: ['p'], lacking: ['l'] });
});

test('every hop of a path has a link that is known, or a node that is said to be missing', () => {
  const missing = (...facts: readonly Fact[]) =>
    proof(facts, PATH).lacking.filter((line) => line.startsWith('no link'));
  assert.deepEqual(missing(), ['no link between {a} and {b} is known', 'no link between {b} and {c} is known']);
  assert.equal(missing(linkFact()).length, 1);
  assert.equal(missing(fact('missing', { node: 'b', what: 'state', why: 'x' })).length, 0);
  assert.equal(missing(fact('missing', { node: 'a', what: 'state', why: 'x' })).length, 1);
});

test('nine tenths of the probes of a hop must have left over the link between its ends', () => {
  const crossed = (txPackets: number, change: Partial<ProbeLoss> = {}, more: Partial<Wire> = {}) =>
    proof([linkFact(), loss(change), wire({ txPackets, rxPackets: txPackets, ...more })], {
      path: ['a', 'b'],
    }).lacking.filter((line) => /went another way/.test(line)).length;
  assert.deepEqual([crossed(900), crossed(899)], [0, 1]);
  assert.deepEqual([crossed(810, { refused: 100 }), crossed(809, { refused: 100 })], [0, 1]);
  assert.equal(crossed(5, { scope: 'path' }), 0);
  assert.equal(crossed(5, { measuredBy: 'b' }), 0);
  assert.equal(crossed(5, {}, { comparable: false, why: 'x' }), 0);
  assert.equal(crossed(5, {}, { from: { node: 'b', ifname: 'x' } }), 0, 'nothing is known of the link');
});

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
    return unsettledIn(fileOf([], { world, ...change }), ranked({ unexplained })).losses.map(({ link, ...rest }) => [
      link.from.node,
      rest,
    ]);
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
    return unsettledIn(fileOf([], { world }), ranked({ open: symptoms as never })).damage.map(({ from }) => from.node);
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
  assert.deepEqual(unsettledIn(fileOf([], { world }), ranked({ open: other })).damage, []);
});

type History = Readonly<Record<string, unknown>>;
const SINCE = 60_000;
/** Both nodes remember and watch for longer than is asked about; a probes its link every two seconds. */
const round = (agoMs: number, lost = 0, dark = 0) => [agoMs, 20, 20 - lost, 20 - lost, 20, 20, 20, 500, dark];
const ROUNDS = Array.from({ length: 40 }, (_, index) => round(80_000 - index * 2_000));
const watched = (change: History = {}) => ({
  now: { history: { spanMs: SINCE, watched: [{ what: 'links', forMs: SINCE }], events: [], ...change } },
});
const far = new Map([['fd00::b', [{ node: 'b', ifname: 'to-a' }]]]);
const watch = (rounds: readonly unknown[] = ROUNDS) => ({ watch: [{ ifname: 'to-b', far: ['fd00::b'], rounds }] });
const past = (a: History = {}, b: History = {}, more: object = {}, kind: 'healthy' | 'fault' = 'healthy') =>
  provenPast(
    { kind, reasons: ['r'] },
    pairWorld(['a-b'], { a: watched({ ...watch(), ...a }), b: watched(b) }, { sinceMs: SINCE, owners: far, ...more }),
  );
const lacks = (...given: Parameters<typeof past>) => {
  const { kind, reasons } = past(...given);
  return kind === 'healthy' ? [] : reasons.map((line) => line.replace(/^.*not known: /, ''));
};

test('a time that every node and link was watched for is proven; other verdicts and questions stay', () => {
  const { kind, reasons } = past();
  assert.deepEqual([kind, reasons.length], ['healthy', 2]);
  assert.match(reasons[0]!, /for all of the 60 s and noticed nothing; not watched: /);
  assert.deepEqual(past({}, {}, {}, 'fault'), { kind: 'fault', reasons: ['r'] });
  assert.deepEqual(past({}, {}, { sinceMs: undefined }), { kind: 'healthy', reasons: ['r'] });
});

test('who did not answer, remembers less, or watched for less is named', () => {
  assert.deepEqual(lacks({}, {}, { nodes: ['a', 'b', 'z'] }), ['{z} did not answer']);
  assert.deepEqual(lacks({ spanMs: SINCE - 1 }), ['{a} remembers only the last 60 s']);
  assert.deepEqual(lacks({ spanMs: 5_400 }), ['{a} remembers only the last 5 s']);
  assert.deepEqual(lacks({}, { watched: [{ what: 'links', forMs: 9_000 }] }), [
    '{b} has been watching its links for 9 s',
  ]);
  assert.deepEqual(lacks({}, { watched: [] }), ['{b} does not watch its links']);
  assert.deepEqual(lacks({}, { watched: undefined }), ['{b} does not watch its links']);
  const host = { hosts: [{ ifname: 'eth9', address: '198.19.1.10', mac: 'x' }] };
  assert.deepEqual(lacks(host), ['{a} does not watch its hosts']);
  assert.deepEqual(lacks({ hosts: [{ ...host.hosts[0], ifname: 'to-b' }] }), [], 'a neighbour with an agent');
  const looking = (hostsMs: number, servicesMs = 0) => ({
    watchedHosts: { hostsMs, servicesMs, asks: [], names: [], looks: [] },
  });
  assert.deepEqual(lacks({ ...host, ...looking(SINCE) }), []);
  assert.deepEqual(lacks({ ...host, ...looking(SINCE - 1) }), ['{a} has been watching its hosts for 60 s']);
  assert.deepEqual(lacks({ services: [{}], ...looking(0) }), ['{a} does not watch its services']);
  assert.deepEqual(lacks({ services: [{}], ...looking(0, SINCE) }), []);
  const looks = (untilAgoMs: number) => ({
    watchedHosts: { ...looking(0).watchedHosts, looks: [{ fromAgoMs: untilAgoMs, untilAgoMs, ports: [], tries: [] }] },
  });
  assert.match(String(lacks(looks(SINCE))), /saw hosts that were not as usual/);
  assert.deepEqual(lacks(looks(SINCE + 1)), []);
});

test('probes over a link must not pause for more than eight seconds, nor lose more than one', () => {
  const rounds = (keep: (agoMs: number) => boolean, change: (agoMs: number) => unknown = (agoMs) => round(agoMs)) =>
    lacks(
      watch(
        ROUNDS.map(([agoMs]) => agoMs!)
          .filter(keep)
          .map(change),
      ),
    );
  assert.deepEqual(
    rounds(() => true),
    [],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs <= 30_000 || agoMs >= 38_000),
    [],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs <= 30_000 || agoMs >= 40_000),
    ['{a} to-b – {b} to-a: not probed for 10 s'],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs >= 8_000),
    [],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs >= 10_000),
    ['{a} to-b – {b} to-a: not probed for 10 s'],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs <= 52_000),
    [],
  );
  assert.deepEqual(
    rounds((agoMs) => agoMs <= 50_000),
    ['{a} to-b – {b} to-a: not probed for 10 s'],
  );
  const losing = (lost: number, agoMs: number) =>
    rounds(
      () => true,
      (each) => round(each, each === agoMs ? lost : 0),
    );
  assert.deepEqual([losing(1, 20_000), losing(2, 62_000)], [[], []]);
  assert.match(String(losing(2, 20_000)), /: 2 of 1200 probes lost, too few or too many at once to say why/);
  const dark = rounds(
    () => true,
    (each) => round(each, 0, each <= 20_000 && each > 16_000 ? 1 : 0),
  );
  assert.match(String(dark), /the probes tell nothing of 4 s/);
  assert.deepEqual(lacks({ watch: [] }), ['neither end of {a} to-b – {b} to-a probed it all the time']);
});

test('damaged packets whose way is not known keep a time from being proven', () => {
  const samples = (now: number) => ({
    damage: [
      [80_000, 3],
      [SINCE, 3],
      [2_000, now],
    ],
  });
  assert.deepEqual(lacks(samples(3)), []);
  assert.match(String(lacks(samples(5))), /\{a\} noticed 2 packets with a wrong checksum/);
});
