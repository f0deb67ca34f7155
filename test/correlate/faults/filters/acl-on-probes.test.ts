// acl_misconfig by lost probes: which filter of their way, how much of what it dropped, and what else may explain the loss.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile, Fact, FilterHits, ProbeLoss, Wire } from '#correlate/engine/facts.ts';
import { lossSymptomsOf } from '#correlate/engine/loss-symptom.ts';
import { explainedByAcl } from '#correlate/faults/filters/acl-on-probes.ts';
import { is } from '../../service-scene.ts';

const PATH = ['r1', 'r2', 'r3'];
const fact = (predicate: string, value: object) =>
  ({ subject: 'node/r2', predicate, value, source: [predicate] }) as unknown as Fact;
const link = (from: string, to: string) =>
  fact('link', { from: { node: from, ifname: `to-${to}` }, to: { node: to, ifname: `to-${from}` } });
const loss = (change: Partial<ProbeLoss> = {}) =>
  fact('probe-loss', {
    ...{ scope: 'path', from: 'r1', to: 'r3', measuredBy: 'r1', sent: 1_000, lost: 100, refused: 0, unanswered: 0 },
    ...{
      refusedByFilter: true,
      directionKnown: true,
      probe: { source: 'fd00::1', destination: 'fd00::3', segments: [] },
    },
    ...change,
  });
const SAMPLE = [is('protocol', 'udp'), is('sample', '1/10')];
const hits = (change: Partial<FilterHits> = {}) =>
  fact('filter-hits', {
    ...{ node: 'r2', acl: 'acl', hook: 'egress', inInterfaces: [], outInterfaces: [], packets: 100, family: 'netdev' },
    ...{ matches: SAMPLE, matchesRest: false },
    ...change,
  });
const wire = (from: string, to: string, change: Partial<Wire> = {}) =>
  fact('wire', {
    from: { node: from, ifname: `to-${to}` },
    to: { node: to, ifname: `to-${from}` },
    comparable: true,
    txPackets: 1_000,
    rxPackets: 1_000,
    estimate: 0,
    lostAtLeast: 0,
    lostAtMost: 0,
    ...change,
  });

function found(facts: readonly Fact[], path: readonly string[] = PATH) {
  const world = { views: new Map() };
  const all = [link('r1', 'r2'), link('r2', 'r3'), ...facts];
  const file = { path, facts: all, symptoms: [], world } as unknown as CaseFile;
  return explainedByAcl(file, lossSymptomsOf(file)).map(
    ({ detail, confidence, score, withheld, explains, resource, evidence }) => ({
      ...{ at: `${detail.interface} ${detail.direction}`, lost: detail.probesLost, dropped: detail.droppedPackets },
      ...{
        confidence,
        score,
        withheld,
        explains: explains.map((share) => [share.symptom, share.lost]),
        resource,
        evidence,
      },
    }),
  );
}
const one = (change: Partial<FilterHits>, mine: Partial<ProbeLoss> = {}, more: readonly Fact[] = []) =>
  found([loss(mine), hits(change), ...more])[0];

/** Counters of the way that show no loss. */
const QUIET = [wire('r1', 'r2'), wire('r2', 'r3')];

test('a filter whose counter moved by what was lost is named with the port by which the probes leave or enter', () => {
  assert.deepEqual(found([loss(), hits()]), [
    {
      ...{ at: 'to-r3 egress', lost: 100, dropped: 100, confidence: 'certain', score: 2, withheld: undefined },
      ...{ explains: [['path r1>r3', 100]], resource: 'node/r2', evidence: ['probe-loss', 'filter-hits'] },
    },
  ]);
  assert.equal(one({ hook: 'ingress' })?.at, 'to-r1 ingress');
  assert.equal(one({ hook: 'prerouting' })?.at, 'to-r1 ingress');
  assert.equal(one({ hook: 'postrouting' })?.at, 'to-r3 egress');
  assert.equal(one({ hook: 'forward', inInterfaces: ['to-r1'] })?.at, 'to-r1 ingress');
  assert.equal(one({ hook: 'forward', outInterfaces: ['to-r3'] })?.at, 'to-r3 egress');
  assert.equal(one({ hook: 'input', node: 'r3' })?.at, 'to-r2 ingress');
  assert.equal(one({ hook: 'output', node: 'r1' })?.at, 'to-r2 egress');
  assert.equal(one({}, { from: 'r3', to: 'r1' })?.at, 'to-r1 egress', 'on the way back');
});

test('a filter that the probes do not come to, or cannot match, explains nothing', () => {
  for (const change of [
    ...[
      { node: 'r4' },
      { outInterfaces: ['to-r1'] },
      { hook: 'ingress', inInterfaces: ['to-r3'] },
      { packets: undefined },
    ],
    ...[
      { matches: [is('protocol', 'tcp')] },
      { hook: 'ingress', outInterfaces: ['to-r3'] },
      { inInterfaces: ['to-r1'] },
    ],
    ...[{ matches: [is('protocol', 'udp')] }],
  ])
    assert.equal(one(change), undefined, JSON.stringify(change));
  assert.equal(one({ matches: [is('protocol', 'udp')], packets: 1_000 }, { lost: 1_000 })?.lost, 1_000, 'all or none');
});

test('where nothing came back the filter may stand on either way', () => {
  const lost = { lost: 1_000, directionKnown: false };
  const rule = (source: string) => ({ packets: 1_000, matches: [is('source', source)] });
  assert.equal(one(rule('fd00::1'), lost)?.at, 'to-r3 egress');
  assert.equal(one(rule('fd00::3'), lost)?.at, 'to-r1 egress');
  assert.equal(one(rule('fd00::3'), { lost: 1_000 }), undefined);
});

test('a counter that moved by less than nine tenths of the loss is too little; by three tenths more it dropped other packets', () => {
  const at = (packets: number, change: Partial<FilterHits> = {}) => {
    const { confidence, score, withheld } = one({ packets, ...change }, {}, QUIET)!;
    return [confidence, score, withheld?.replace(/^.*(less than|far more|another share).*$/, '$1')];
  };
  assert.deepEqual(at(90), ['certain', 2, undefined]);
  assert.deepEqual(at(89).slice(2), ['less than']);
  assert.deepEqual(at(130), ['certain', 2, undefined]);
  assert.deepEqual(at(131), ['likely', 1, undefined], 'a tenth is what it takes of such packets');
  assert.deepEqual(at(131, { matchesRest: true }), ['likely', 1, 'far more']);
  assert.deepEqual(at(100, { matchesRest: true }), ['likely', 2, undefined]);
  assert.deepEqual(at(131, { matches: [is('protocol', 'udp'), is('sample', '1/2')] })[2], 'another share');
  const share = (lost: number) => one({ packets: 5_000 }, { lost }, QUIET)?.withheld === undefined;
  assert.deepEqual(
    [share(143), share(144), share(57), share(56)],
    [true, false, true, false],
    'a tenth of 1,000, give or take 3 + 4 times the root',
  );
});

test('of several losses the largest that the counter can account for are explained', () => {
  const two = (packets: number) => {
    const [each] = found([
      loss(),
      loss({ scope: 'segment', from: 'r2', lost: 60, measuredBy: 'r2' }),
      hits({ packets, hook: 'postrouting' }),
    ]);
    return [each?.explains, each?.withheld?.replace(/,.*$/, '')];
  };
  assert.deepEqual(two(160), [
    [
      ['path r1>r3', 100],
      ['segment r2>r3', 60],
    ],
    undefined,
  ]);
  assert.deepEqual(two(120), [[['path r1>r3', 100]], 'its counter moved by 120']);
  assert.deepEqual(two(80), [[['segment r2>r3', 60]], 'its counter moved by 80']);
  assert.deepEqual(two(50)[1], 'its counter moved by 50');
});

test('where the wire of a segment lost as much, the filter dropped other packets', () => {
  const lossy = { estimate: 100, rxPackets: 900, lostAtLeast: 100, lostAtMost: 100 };
  const segment = (lost: number) => loss({ scope: 'segment', to: 'r2', lost });
  const why = (lost: number, change: Partial<Wire> = lossy) =>
    found([loss(), segment(lost), wire('r1', 'r2', change), hits()])[0]?.withheld;
  assert.match(why(100)!, /^the wire explains the loss; 100 packets dropped by acl are other traffic$/);
  assert.equal(why(100, {}), undefined);
  assert.match(why(51)!, /^the wire explains/, '100 – 51 is within four times the root of 151');
  assert.doesNotMatch(String(why(50)), /the wire explains/);
});

test('a wire whose counters say that none was lost, and another run over the link, hide no policer of what is for the node itself', () => {
  const policer = hits({ node: 'r3', hook: 'input', acl: 'copp', matches: [is('protocol', 'udp')], packets: 4_000 });
  const rule = { ...policer, value: { ...(policer.value as object), matchesRest: true } } as Fact;
  const run = (change: Partial<ProbeLoss>) =>
    loss({ scope: 'segment', from: 'r2', to: 'r3', link: 'link/r2:to-r3--r3:to-r2', flows: 64, ...change });
  const small = run({ measuredBy: 'r3', sent: 40, lost: 35 });
  const large = run({ measuredBy: 'r2', sent: 1_000, lost: 970 });
  const explained = (change: Partial<Wire>) => {
    const way = wire('r2', 'r3', { txPackets: 2_108, lostAtMost: 1_200, ...change });
    const [only] = found([small, large, rule, way], []);
    return [only?.explains.map(([, lost]) => lost), only?.withheld?.startsWith('the wire explains the loss') === true];
  };
  // What the lengths of the two windows make up.
  assert.deepEqual(explained({ rxPackets: 2_113, estimate: 178 }), [[35, 970], false]);
  assert.deepEqual(
    explained({ rxPackets: 2_068, estimate: 40 }),
    [[970], false],
    'it may have lost what the small run did',
  );
  assert.deepEqual(explained({ rxPackets: 1_138, estimate: 970, lostAtLeast: 900 }), [[35, 970], true]);
});

test('a counter that moved by far more is believed of a sample unless wire or sockets may explain the loss as well', () => {
  const why = (...more: readonly Fact[]) => one({ packets: 5_000 }, {}, more)?.withheld;
  assert.equal(why(...QUIET), undefined);
  assert.match(
    why(wire('r1', 'r2', { comparable: false }), QUIET[1]!)!,
    /the wire or the receiver’s sockets may explain/,
  );
  assert.equal(why(wire('r1', 'r2', { estimate: 49 }), QUIET[1]!), undefined);
  assert.match(why(wire('r1', 'r2', { estimate: 50 }), QUIET[1]!)!, /may explain the loss as well$/);
  const socket = fact('node-errors', { node: 'r3', counter: 'Udp6RcvbufErrors', packets: 90 });
  assert.match(why(...QUIET, socket)!, /may explain the loss as well$/);
  assert.equal(one({}, {}, [socket])?.score, 0.5, 'nobody can tell');
});

test('what the sender’s own filter refused never came to a wire', () => {
  const own = { node: 'r1', hook: 'output', matches: [is('protocol', 'udp')], packets: 5_000 };
  const all = { lost: 1_000, refused: 1_000 };
  assert.deepEqual([one(own, all)?.withheld, one(own, all)?.lost], [undefined, 1_000]);
  assert.equal(one(own, { ...all, refusedByFilter: false }), undefined);
  assert.match(one({ ...own, matchesRest: true }, all)?.withheld ?? '', /what it drops may be other traffic$/);
  assert.equal(one({ ...own, node: 'r2', hook: 'forward' }, all), undefined);
});

test('without a path the filters of one node are one place', () => {
  const file = (path: readonly string[]) => {
    const facts = [
      link('r1', 'r2'),
      loss({ scope: 'segment', to: 'r2' }),
      hits({ node: 'r1' }),
      hits({ node: 'r1', acl: 'other' }),
    ];
    const all = { path, facts, symptoms: [] } as unknown as CaseFile;
    return explainedByAcl(all, lossSymptomsOf(all)).map(({ key }) => key);
  };
  assert.deepEqual(file([]), [undefined, undefined]);
  assert.deepEqual(file(['r1', 'r2']), ['0', '1']);
});
