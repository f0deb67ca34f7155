// The proof of health from facts: links, counters, probes and what is told beside them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, ProbeLoss, Wire } from '#correlate/engine/facts.ts';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import type { LossSymptom } from '#correlate/engine/loss-symptom.ts';
import { proofOfHealth, remarksOf } from '#correlate/health/health.ts';
import { unsettledIn } from '#correlate/unsettled.ts';
import { fact, fileOf, linkFact, loss, wire } from '../fact-scene.ts';

const proof = (facts: readonly Fact[], change: object = {}, excused: readonly LossSymptom[] = []) =>
  proofOfHealth(fileOf(facts, change), excused, []);
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
    proven: [],
    lacking: [],
  });
  assert.deepEqual(remarksOf(fileOf([linkFact({ unused: true })])), [
    {
      ...{ kind: 'link_down', why: 'policy', resource: 'link/a:to-b--b:to-a', evidence: ['s'] },
      text: '{a} to-b – {b} to-a: shut down at both ends',
    },
  ]);
});

test('a link that a remark says is down need not be proven; any other remark proves nothing of it', () => {
  const settledAs = (kind: string) => {
    const link = { key: 'link/a:to-b--b:to-a' };
    const symptoms = [{ kind, id: 'x', subject: link.key, text: '', source: [], nodes: ['a', 'b'], link, detail: {} }];
    const remark = { remark: 'odd', explains: [{ symptom: 'x', lost: 1, spread: 0 }] } as unknown as Proposal;
    return proofOfHealth(fileOf([linkFact({ symptoms: ['y'] })], { symptoms }), [], [remark]).lacking;
  };
  assert.deepEqual(settledAs('down'), []);
  assert.deepEqual(settledAs('mtu'), ['{a} to-b – {b} to-a: y']);
});

test('on a network of many the counters of a path’s hop are part of the proof, and of no other question', () => {
  const shared = linkFact({ shared: 'not point-to-point' });
  assert.deepEqual(isProven([shared]), [true, true]);
  assert.match(remarksOf(fileOf([shared]))[0]!.text, /not point-to-point, judged by probes alone$/);
  assert.deepEqual(remarksOf(fileOf([shared], PATH)), []);
  assert.match(String(proof([shared], PATH).lacking), /: not point-to-point/);
  const bad = wire({ comparable: false, why: 'why' });
  assert.equal(isProven([bad])[1], false);
  assert.equal(isProven([shared, bad])[1], true, 'counters of shared links tell nothing');
  assert.equal(isProven([linkFact({ unused: true }), bad])[1], true);
  assert.equal(
    proof([linkFact({ unused: true }), bad], PATH).lacking.some((line) => /counters/.test(line)),
    false,
  );
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
  assert.match(proof([wire()]).proven[0]!, /5000 sent, 5000 received$/);
  assert.match(proof([wire({ rxPackets: 4999 })]).proven[0]!, /5000 sent, 4999 received, within measurement error$/);
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
  assert.match(
    proof([loss(limited)]).proven[0]!,
    /arrived; 7 more were not answered, \{b\} limits how many it answers$/,
  );
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
  const late = remarksOf(fileOf([fact('late-probes', { from: 'a', to: 'b', late: 3, sent: 100 })]));
  assert.match(late[0]!.text, /3 of 100 probes came back late/);
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

const GAINED = { comparable: false, gained: true, why: 'more was received than sent', rxPackets: 5_300 } as const;
const again = (change: Partial<Wire> = {}) => {
  const { from, to } = (wire().value as Wire) ?? {};
  return fact('extended-measurement', {
    link: 'l',
    from,
    to,
    counts: [],
    wire: { ...(wire().value as Wire), ...change },
  });
};

test('counters that disagree by a little are settled by a second look between quiet readings, which agrees', () => {
  const { proven, lacking } = proof([wire(GAINED), again()]);
  assert.deepEqual(lacking, []);
  assert.match(proven.join(), /5000 sent, 5000 received, in a second look/);
  assert.deepEqual(isProven([wire({ lostAtLeast: 40 }), again()]), [true, true]);
  assert.deepEqual(isProven([wire(GAINED)]), [false, false], 'no second look');
  assert.deepEqual(isProven([wire(GAINED), again(GAINED)]), [false, false], 'it disagrees again');
  assert.deepEqual(isProven([wire({ lostAtLeast: 60 }), again()]), [false, false], 'more than a burst may have done');
  const other = { comparable: false, why: 'a counter is missing or went backwards' } as const;
  assert.deepEqual(isProven([wire(other), again()]), [false, false]);
});

test('a second look is asked for where counters disagree by a little, of few links or of a path', () => {
  const NONE = { unexplained: [], open: [], chosen: [] } as unknown as Parameters<typeof unsettledIn>[2];
  const looked = (facts: readonly Fact[], change: object = {}, losses: readonly LossSymptom[] = []) =>
    unsettledIn(fileOf(facts, change), losses, NONE).losses.map(({ link: { from, to } }) => `${from.node} ${to.node}`);
  assert.deepEqual(looked([wire(GAINED)]), ['a b']);
  assert.deepEqual(looked([wire(GAINED)], PATH), ['a b']);
  const named = { ...NONE, chosen: [{ details: {}, explains: [] }] } as unknown as typeof NONE;
  assert.deepEqual(unsettledIn(fileOf([wire(GAINED)], PATH), [], named).losses, [], 'the path has its answer');
  assert.equal(unsettledIn(fileOf([wire(GAINED)]), [], named).losses.length, 1);
  assert.deepEqual(looked([wire()]), []);
  assert.deepEqual(looked([wire({ lostAtLeast: 200 })]), []);
});
