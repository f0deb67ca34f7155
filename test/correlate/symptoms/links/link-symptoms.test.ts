// Symptoms of links over facts made by hand: what two ends contradict each other about, silent routers, slow links, sizes, trains.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, ProbeLoss, Wire } from '#correlate/engine/facts.ts';
import {
  bottleneckSymptom,
  doubtfulTrains,
  heldUpRates,
  narrowLinks,
  unjudgedRates,
} from '#correlate/symptoms/links/bottleneck.ts';
import { contradictionSymptoms } from '#correlate/symptoms/links/contradiction.ts';
import { mtuSymptoms, smallerLinks } from '#correlate/symptoms/links/mtu.ts';
import { nonReportingSymptoms } from '#correlate/symptoms/links/non-reporting.ts';
import { longLinks, slowLinks } from '#correlate/symptoms/links/slow-link.ts';
import { pairWorld } from '../../pair-scene.ts';

const fact = (predicate: string, value: object) =>
  ({ subject: 'node/a', predicate, value, source: [`${predicate} source`] }) as unknown as Fact;
const empty = (...nodes: readonly string[]) => Object.fromEntries(nodes.map((node) => [node, { now: {} }]));
const LINK = 'link/a:to-b--b:to-a';
const ends = { from: { node: 'a', ifname: 'to-b' }, to: { node: 'b', ifname: 'to-a' } };
const wire = (change: Partial<Wire>) =>
  fact('wire', {
    ...ends,
    comparable: true,
    txPackets: 1_000,
    rxPackets: 900,
    estimate: 100,
    lostAtLeast: 100,
    lostAtMost: 100,
    ...change,
  });
const loss = (change: Partial<ProbeLoss>) =>
  fact('probe-loss', {
    ...{
      scope: 'segment',
      from: 'a',
      to: 'b',
      measuredBy: 'a',
      sent: 500,
      lost: 0,
      refused: 0,
      unanswered: 0,
      directionKnown: true,
      link: LINK,
    },
    ...change,
  });
const again = (lost: number, sent = 500) => ({ again: { sent, lost } });

test('probes of one end that were lost with its counters, while the other end’s were not, contradict each other', () => {
  const found = (facts: readonly Fact[]) =>
    contradictionSymptoms(pairWorld(['a-b'], empty('a', 'b')), facts).map(({ detail, link }) => [detail, link?.key]);
  const one = loss({ lost: 50, ...again(50) });
  const other = (change: Partial<ProbeLoss>) => loss({ measuredBy: 'b', lost: 50, ...again(0), ...change });
  const yes = [[{ what: 'packets' }, LINK]];
  assert.deepEqual(found([wire({}), one, other({})]), yes);
  assert.deepEqual(found([wire({}), one, other(again(13))]), [], 'a third of what was to be expected');
  assert.deepEqual(found([wire({ lostAtLeast: 0 }), one, other({})]), []);
  assert.deepEqual(found([wire({ comparable: false }), one, other({})]), []);
  assert.deepEqual(found([wire({}), one, other({ from: 'b', to: 'a' })]), []);
  assert.deepEqual(found([wire({}), one, other({ directionKnown: false })]), []);
  assert.deepEqual(found([wire({}), one, other({ link: 'link/a:x--b:y' as never })]), []);
  assert.deepEqual(found([wire({}), one, loss({ lost: 50, ...again(0) })]), [], 'its own');
  assert.deepEqual(found([wire({ to: { node: 'b', ifname: 'to-z' } }), one, other({})]), [], 'another link');
});

test('counters that lost many where no probe did, or gained more than the exchange itself, contradict the probes', () => {
  const found = (change: Partial<Wire>, ...probes: readonly Partial<ProbeLoss>[]) =>
    contradictionSymptoms(pairWorld(['a-b'], empty('a', 'b')), [wire(change), ...probes.map(loss)]).length;
  assert.equal(found({}, {}), 1);
  assert.equal(found({}), 0, 'no probe was sent');
  assert.equal(found({}, { lost: 16 }), 0, 'the probes were lost as well');
  assert.deepEqual([found({ lostAtLeast: 10 }, {}), found({ lostAtLeast: 9 }, {})], [1, 0], 'five were to be expected');
  assert.equal(found({ lostAtLeast: 5 }, {}, { measuredBy: 'b' }), 1, 'of both ends together');
  const gained = (received: number, more: Partial<Wire> = {}) =>
    found({ comparable: false, gained: true, rxPackets: received, ...more }, {});
  assert.deepEqual([gained(1_085), gained(1_084)], [1, 0]);
  assert.equal(gained(5_000, { gained: false }), 0);
  const size = (mtu: number, operUp = true) => ({
    now: { inventory: { interfaces: [{ name: 'to-b', operUp, mtu, carrierChanges: 0 }] } },
  });
  const steady = (a: object) =>
    contradictionSymptoms(pairWorld(['a-b'], { a: a as never, b: { now: {} } }), [wire({}), loss({})]).length;
  assert.deepEqual([steady(size(1_500)), steady(size(9_000)), steady(size(1_500, false))], [1, 0, 0]);
});

test('a carrier that one end alone saw fall is a contradiction', () => {
  const events = Array.from({ length: 4 }, (_, index) => ({
    kind: 'carrier',
    subject: 'to-b',
    agoMs: 1_000 * index,
    changes: 1,
  }));
  const [found] = contradictionSymptoms(
    pairWorld(['a-b'], { a: { now: { history: { events } } }, b: { now: {} } }),
    [],
  );
  assert.deepEqual(found?.detail, { what: 'carrier' });
  assert.match(found?.text ?? '', /\{a\} says that the carrier changed 4 times lately, \{b\} saw no change/);
});

const silentEnd = (node: string, port?: string) => ({
  router: 'z',
  near: { node, ifname: 'eth1' },
  address: `fd00::${node}`,
  ...(port && { port }),
});
const run = (from: string, to: string, lost: number, change: object = {}) =>
  fact('non-reporting-transit', {
    from: silentEnd(from, `to-${from}`),
    to: silentEnd(to, `to-${to}`),
    sent: 200,
    lost,
    again: false,
    ...change,
  });
const twice = (...runs: readonly (readonly [string, string, number])[]) =>
  runs.flatMap(([from, to, lost]) => [run(from, to, lost), run(from, to, lost, { again: true })]);
const silent = (facts: readonly Fact[], a: object = {}) =>
  nonReportingSymptoms(pairWorld([], { a: { now: a }, b: { now: {} }, c: { now: {} } }), facts).map(({ id, detail }) =>
    'towards' in detail ? [id.replace('silent-link:', ''), (detail as { lost: number }).lost] : ['nobody'],
  );

test('the one direction that is in all lossy runs, and in none that lost nothing, loses the packets', () => {
  const well = [
    ['b', 'c', 0],
    ['c', 'b', 0],
  ] as const;
  assert.deepEqual(silent(twice(['a', 'b', 20], ['a', 'c', 20], ...well)), [['a:eth1 true', 80]]);
  assert.deepEqual(silent(twice(['b', 'a', 20], ['c', 'a', 20], ...well)), [['a:eth1 false', 80]]);
  assert.deepEqual(silent(twice(['a', 'b', 20], ...well)), [['nobody']], 'one run alone');
  assert.deepEqual(silent(twice(['a', 'b', 0], ...well)), []);
  assert.deepEqual(
    silent(twice(['a', 'b', 20], ['a', 'c', 20], ['b', 'a', 20], ['c', 'a', 20], ...well)).map(([name]) => name),
    ['a:eth1 true', 'a:eth1 false'],
  );
  assert.deepEqual(silent(twice(['a', 'b', 20], ['b', 'c', 20], ['c', 'a', 20])), [['nobody']]);
});

test('the second look must say the same, and nothing that was lost once only counts', () => {
  const lossy = [run('a', 'b', 20), run('a', 'c', 20), run('b', 'c', 0), run('c', 'b', 0)];
  assert.deepEqual(silent(lossy), [['nobody']], 'without a second look');
  const clean = [run('a', 'b', 0, { again: true }), run('a', 'c', 0, { again: true })];
  assert.deepEqual(silent([...lossy, ...clean]), []);
  const other = [run('b', 'a', 20, { again: true }), run('b', 'c', 20, { again: true })];
  assert.deepEqual(silent([...lossy, ...other]), [['nobody']]);
  assert.deepEqual(silent(twice(['a', 'b', 0], ['b', 'c', 0]).concat(run('a', 'b', 50, { again: true }))), []);
});

test('too few clean probes clear nothing; a port that changed lately, or an overrun receiver, places nothing', () => {
  const few = { sent: 99 };
  const cleared = [
    run('b', 'c', 0),
    run('c', 'b', 0),
    run('b', 'c', 0, { again: true }),
    run('c', 'b', 0, { again: true }),
  ];
  const lossy = twice(['a', 'b', 20], ['a', 'c', 20]);
  assert.deepEqual(silent([...lossy, ...cleared])[0], ['a:eth1 true', 80]);
  const uncleared = twice(['a', 'b', 20], ['a', 'b', 20]);
  assert.deepEqual(
    silent([...uncleared, run('c', 'b', 0), run('c', 'b', 0, { again: true })]).map(([name]) => name),
    ['a:eth1 true'],
  );
  assert.deepEqual(silent([...uncleared, run('c', 'b', 0, few), run('c', 'b', 0, { ...few, again: true })]), [
    ['nobody'],
  ]);
  const event = (agoMs: number, subject = 'eth1', kind = 'carrier') => ({
    history: { events: [{ kind, subject, agoMs }] },
  });
  const quiet = (a: object) => silent([...lossy, ...cleared], a)[0]![0];
  assert.deepEqual([quiet(event(60_000)), quiet(event(60_001))], ['nobody', 'a:eth1 true']);
  assert.deepEqual([quiet(event(5, 'eth2')), quiet(event(5, 'eth1', 'session'))], ['a:eth1 true', 'a:eth1 true']);
  const overrun = (node: string, counter: string) =>
    silent([...lossy, ...cleared, fact('node-errors', { node, counter, packets: 5 })])[0]![0];
  assert.deepEqual(
    [overrun('b', 'Udp6RcvbufErrors'), overrun('a', 'Udp6RcvbufErrors'), overrun('b', 'Udp6InErrors')],
    ['nobody', 'a:eth1 true', 'a:eth1 true'],
  );
});

const trip = (from: string, to: string, min: number, avg = min) => fact('round-trip', { from, to, min, avg, max: avg });
const loop = (min: number, ...visits: readonly string[]) => fact('loop', { visits, min });
/** a – b, b – c and c – d; b – c has the round trip. */
const slow = (
  min: number,
  change: { readonly avg?: number; readonly others?: readonly [number, number]; readonly loops?: readonly Fact[] } = {},
) => {
  const [one, other] = change.others ?? [1, 1];
  const world = pairWorld(['a-b', 'b-c', 'c-d'], empty('a', 'b', 'c', 'd'));
  const facts = [trip('a', 'b', one), trip('b', 'c', min, change.avg), trip('c', 'd', other), ...(change.loops ?? [])];
  return {
    found: slowLinks(world, facts).map(({ link, detail }) => [link?.key, detail['slowFrom']]),
    long: longLinks(world, facts).length,
  };
};
const BC = 'link/b:to-c--c:to-b';

test('a round trip five ms beyond the others’ is slow; steady, or shown by loops', () => {
  assert.deepEqual(slow(50).found, [[BC, []]]);
  assert.deepEqual(slow(1.5).found, []);
  assert.deepEqual(slow(50, { avg: 98.9 }).found, [[BC, []]]);
  assert.deepEqual(slow(50, { avg: 99.1 }).found, [], 'it differs by more than its delay');
  const byLoops = (there: number, back: number, min = 41) =>
    slow(min, { loops: [loop(there, 'd', 'b', 'c'), loop(back, 'd', 'c', 'b')] });
  assert.deepEqual(byLoops(40, 1).found, [[BC, ['b']]]);
  assert.deepEqual(byLoops(1, 40).found, [[BC, ['c']]]);
  assert.deepEqual(byLoops(20, 20), { found: [], long: 1 }, 'as long one way as the other');
  assert.deepEqual(byLoops(15, 14), { found: [], long: 0 }, 'they do not show the delay');
  assert.deepEqual(byLoops(30, 10), { found: [[BC, ['b']]], long: 0 }, 'three times as long');
  assert.deepEqual(byLoops(29, 10), { found: [], long: 1 });
  assert.deepEqual(byLoops(1, 9).found, []);
});

test('where the others’ round trips differ by more than the delay, nodes are busy', () => {
  const world = pairWorld(['a-b', 'b-c', 'c-d'], empty('a', 'b', 'c', 'd'));
  const busy = (avg: number) =>
    slowLinks(world, [trip('a', 'b', 1, avg), trip('b', 'c', 41), trip('c', 'd', 1, avg)]).length;
  assert.deepEqual([busy(41), busy(41.1)], [1, 0]);
  assert.equal(
    slowLinks(world, [trip('b', 'c', 41), trip('a', 'b', 1)]).length,
    0,
    'one other link alone is no measure',
  );
});

const sizes = (all: Readonly<Record<string, number>>, daemons: readonly object[] = [{ name: 'zebra' }]) => {
  const nodes = ['a', 'b', 'c', 'd'];
  const states = nodes.map((node) => {
    const ports = Object.entries(all)
      .filter(([end]) => end.startsWith(`${node}:`))
      .map(([end, mtu]) => ({ name: end.slice(2), mtu, operUp: true, adminUp: true }));
    return [node, { now: { daemons, inventory: { interfaces: ports } } }] as const;
  });
  const pairs = ['a-b', 'b-c', 'c-d', 'd-a'];
  return pairWorld(pairs, Object.fromEntries(states));
};
const MTUS = {
  'a:to-b': 9_000,
  'b:to-a': 9_000,
  'b:to-c': 9_000,
  'c:to-b': 9_000,
  'c:to-d': 9_000,
  'd:to-c': 9_000,
  'd:to-a': 9_000,
  'a:to-d': 9_000,
};

test('ends of different sizes, and links too small for what hosts send, are symptoms; smaller ones that carry it a remark', () => {
  const found = (change: object, facts: readonly Fact[] = [], daemons?: readonly object[]) => {
    const world = sizes({ ...MTUS, ...change }, daemons);
    return [mtuSymptoms(world, facts).map(({ detail }) => detail), smallerLinks(world).length];
  };
  assert.deepEqual(found({}), [[], 0]);
  assert.deepEqual(found({ 'a:to-b': 1_500 }), [[{ from: 1_500, to: 9_000 }], 0]);
  assert.deepEqual(found({ 'a:to-b': 1_500, 'b:to-a': 1_500 }), [[], 1]);
  assert.deepEqual(found({ 'a:to-b': 1_499, 'b:to-a': 1_499 }), [[{ from: 1_499, to: 1_499, others: 9_000 }], 0]);
  assert.deepEqual(found({ 'a:to-b': 1_400, 'b:to-a': 1_400 }, [], []), [[], 0], 'not between routers');
  assert.deepEqual(
    found({ 'a:to-b': 1_400, 'b:to-a': 1_400, 'c:to-d': 1_500, 'd:to-c': 1_500 }),
    [[], 0],
    'the others do not agree',
  );
  assert.deepEqual(found({ 'a:to-b': 9_216, 'b:to-a': 9_216 }), [[], 0]);
  const large = (received: number) =>
    fact('large-probes', { link: LINK, from: 'a', to: 'b', sent: 10, received, bytes: 90_000 });
  const small = (lost: number) => loss({ sent: 100, lost });
  assert.deepEqual(found({}, [large(0), small(49)])[0], [{ from: 9_000, to: 9_000, large: true }]);
  assert.deepEqual(found({}, [large(0), small(50)])[0], [], 'small ones are lost as well');
  assert.deepEqual(found({}, [large(1), small(0)])[0], []);
  assert.deepEqual(found({}, [large(0), large(1), small(0)])[0], []);
});

const held = (heldMs: number, mostMegabits = 20, change: object = {}) => ({
  heldMs,
  megabits: mostMegabits,
  mostMegabits,
  loose: false,
  ...change,
});
const train = (link: string, from: string, to: string, there?: object, back?: object) =>
  fact('large-probes', {
    link,
    from,
    to,
    sent: 45,
    received: 45,
    bytes: 67_500,
    ...(there && { there }),
    ...(back && { back }),
  });
const QUICK = held(0.5, 900);
const KEYS = { ab: 'link/a:to-b--b:to-a', bc: BC, cd: 'link/c:to-d--d:to-c' };
const trainsOf = (there: object, back: object = QUICK) => [
  ...[
    train(KEYS.ab, 'a', 'b', QUICK, QUICK),
    train(KEYS.ab, 'b', 'a', QUICK, QUICK),
    train(KEYS.cd, 'c', 'd', QUICK, QUICK),
    train(KEYS.cd, 'd', 'c', QUICK, QUICK),
  ],
  ...[train(KEYS.bc, 'b', 'c', there, back), train(KEYS.bc, 'c', 'b', back, there)],
];
const narrow = (facts: readonly Fact[]) =>
  narrowLinks(pairWorld(['a-b', 'b-c', 'c-d'], empty('a', 'b', 'c', 'd')), facts)
    .filter(bottleneckSymptom.is)
    .map(({ link, detail }) => [link?.key, detail.narrowFrom, detail.heldMs, detail.megabits]);

test('trains of both ends that were held up over one direction make a link narrow', () => {
  assert.deepEqual(narrow(trainsOf(held(25))), [[BC, ['b'], 25, 20]]);
  assert.deepEqual(narrow(trainsOf(held(25), held(25)))[0]?.[1], ['b', 'c']);
  assert.deepEqual([narrow(trainsOf(held(2.5))).length, narrow(trainsOf(held(2.4))).length], [1, 0]);
  assert.deepEqual([narrow(trainsOf(held(25, 75))).length, narrow(trainsOf(held(25, 75.1))).length], [1, 0]);
  assert.deepEqual(narrow(trainsOf(held(25)).slice(0, 5)), [], 'one end’s word');
  assert.deepEqual(narrow(trainsOf(held(25, 20, { loose: true }))), [], 'sent too slowly to tell');
  const usual = (ms: number) =>
    narrow(
      trainsOf(held(10)).map(
        (each) => ({ ...each, value: JSON.parse(JSON.stringify(each.value).replaceAll('0.5', String(ms))) }) as Fact,
      ),
    ).length;
  assert.deepEqual([usual(2.5), usual(2.6)], [1, 0], 'four times as long as over the others');
});

test('what cannot be judged is told: too few other links, or one end’s word', () => {
  const world = pairWorld(['a-b', 'b-c', 'c-d'], empty('a', 'b', 'c', 'd'));
  const lines = (facts: readonly Fact[]) =>
    unjudgedRates(world, facts).map((line) => line.replace(/^.*trains of large probes/, ''));
  assert.deepEqual(lines(trainsOf(held(25))), [], 'it is judged');
  assert.match(
    String(lines(trainsOf(held(25)).slice(4))),
    /come through at about 20 Mbit\/s, and there are too few other links to say/,
  );
  const own = train(KEYS.bc, 'b', 'c', held(25));
  assert.match(
    String(lines([...trainsOf(QUICK).slice(0, 4), own, own])),
    /from \{b\} come through at about 20 Mbit\/s, and none from \{c\} says so as well/,
  );
  assert.deepEqual(lines([...trainsOf(QUICK).slice(0, 4), own]), [], 'a single train');
  assert.deepEqual([...heldUpRates([own])], [[BC, 20]]);
  assert.deepEqual([...heldUpRates([train(KEYS.bc, 'b', 'c', QUICK)])], []);
});

test('of the first trains those held up are looked at again, the worst first, with some others to hold them against', () => {
  const worst = (facts: readonly Fact[]) => {
    const { suspects, others } = doubtfulTrains(facts);
    return [[...suspects].map(([key, { heldMs }]) => [key, heldMs]), others];
  };
  assert.deepEqual(worst([train('x', 'a', 'b', QUICK)]), [[], []], 'no other is needed where none is suspected');
  const four = ['q1', 'q2', 'q3', 'q4'].map((key, index) => train(key, 'a', 'b', held(1 - index / 10, 900)));
  assert.deepEqual(worst([...four, train('x', 'a', 'b', held(5)), train('y', 'a', 'b', QUICK, held(9))]), [
    [
      ['y', 9],
      ['x', 5],
    ],
    ['q2', 'q3', 'q4'],
  ]);
  const many = Array.from({ length: 8 }, (_, index) => train(`n${index}`, 'a', 'b', held(5 + index)));
  assert.deepEqual((worst(many)[0] as unknown[]).length, 6);
  assert.deepEqual(
    worst([train('x', 'a', 'b', held(50, 900), held(5))])[0],
    [['x', 5]],
    'a pause holds up what is fast',
  );
});
