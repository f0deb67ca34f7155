// What the diagnosis benchmark makes of its lines, and what it adds to a case: liars, questions about cost, octets, Markdown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregate, byFault, labFigures } from '../../bench/diagnosis/aggregate.ts';
import { generateCases } from '../../bench/diagnosis/cases.ts';
import { accusedInnocent, isAtSilentNode } from '../../bench/diagnosis/circumstances.ts';
import { costCases } from '../../bench/diagnosis/cost-questions.ts';
import { type CaseLine, caseLine } from '../../bench/diagnosis/line.ts';
import { reportOf } from '../../bench/diagnosis/report.ts';
import { nodesOf } from '../../bench/diagnosis/resources.ts';
import { grownBy, parseAgentBytes } from '../../bench/diagnosis/wire-bytes.ts';
import type { RunLine } from '../../simulations/lab/campaign.ts';

const INIT = { seed: 7, count: 40, sizes: ['leaf-spine-4x4', 'abilene'], asking: 'mixed' } as const;
const LOSS = { resource: 'interface/a/eth1', fault: 'packet_loss' };
const entry = { ...generateCases(INIT)[0]!, truth: { pairs: [], locations: [] } };
const run = (over: Partial<RunLine>): RunLine => ({
  ...{ scenario: 'x-1', seconds: 2, verdict: 'fault', predicted: [], truth: [] },
  ...{ detection: 0, localizationF1: 0, rcaF1: 0, report: null },
  ...over,
});

test('every fault of a network has its turn before any comes again', () => {
  const cases = generateCases({ ...INIT, sizes: ['abilene'], count: 60 });
  const firsts = cases.filter((each) => each.kind !== 'healthy' && each.kind !== 'over').map((each) => each.what[0]);
  assert.ok(new Set(firsts).size >= firsts.length - 6, `${new Set(firsts).size} of ${firsts.length}`);
});

test('a liar is never the node that is asked nor one of the true fault', () => {
  for (const each of generateCases({ ...INIT, agents: 'lying' })) {
    const liar = each.circumstance!.node;
    assert.notEqual(liar, each.ask.node);
    for (const pair of each.truth.pairs) {
      if (each.truth.pairs.length === 1) assert.ok(!nodesOf(pair.resource).includes(liar), each.id);
    }
  }
});

test('a link to the liar accuses its neighbour as well; the liar alone accuses nobody', () => {
  const link = { resource: 'link/a:eth1--liar:eth2', fault: 'link_packet_corruption' };
  const own = { resource: 'interface/liar/eth1', fault: 'packet_loss' };
  assert.deepEqual(accusedInnocent('liar', [link, own, LOSS], [LOSS]), [link]);
});

test('what is said about the liar alone neither helps nor hurts', () => {
  const circumstance = { kind: 'lying', node: 'a', how: 'sends-more' } as const;
  const line = caseLine({ ...entry, circumstance }, run({ predicted: [LOSS] }), {});
  assert.deepEqual([line.rcaF1, line.detection, line.accused], [1, 1, []]);
  assert.equal(line.nika?.detection, line.detection);
  const other = caseLine({ ...entry, circumstance: { ...circumstance, node: 'b' } }, run({ predicted: [LOSS] }), {});
  assert.deepEqual([other.rcaF1, other.detection, other.accused], [0, 0, [LOSS]]);
});

test('faults at the silent node, and at hosts that have no other router, are told apart by where they were put', () => {
  const at = (resource: string, kind: 'silent' | 'lying' = 'silent') =>
    isAtSilentNode({
      ...{ size: 'leaf-spine-xs', circumstance: { kind, node: 'leaf1', how: 'dead' } },
      truth: [{ resource, fault: 'x' }],
    });
  assert.deepEqual(
    ['node/leaf1', 'interface/leaf1/eth1', 'interface/h1/eth1', 'node/h2', 'interface/spine1/eth1'].map((one) =>
      at(one),
    ),
    [true, true, true, false, false],
  );
  assert.equal(at('link/leaf1:eth1--spine1:eth1'), false);
  assert.equal(at('node/leaf1', 'lying'), false);
});

test('the figure over all faults of silent agents comes first, and no case is left out of it', () => {
  const circumstance = { kind: 'silent', node: 'leaf1', how: 'dead' } as const;
  const line = (resource: string, predicted: boolean): CaseLine => {
    const truth = [{ resource, fault: 'packet_loss' }];
    const told = run({ truth, predicted: predicted ? truth : [] });
    return caseLine({ ...entry, size: 'leaf-spine-xs', kind: 'single', circumstance }, told, {});
  };
  const figures = aggregate([line('interface/leaf1/eth1', false), line('interface/spine1/eth2', true)])['silent'] as {
    readonly [part: string]: { readonly runs: number; readonly localizationF1: { readonly mean: number } };
  };
  const means = ['faults', 'atSilentNode', 'others'].map((part) => [
    figures[part]!.runs,
    figures[part]!.localizationF1.mean,
  ]);
  assert.deepEqual(means, [
    [2, 0.5],
    [1, 0],
    [1, 1],
  ]);
});

test('NIKA scores precision and recall, and says whether it has the faults', () => {
  const truth = [LOSS, { resource: 'node/b', fault: 'daemon_down' }];
  const line = caseLine({ ...entry, kind: 'several' }, run({ truth, predicted: [LOSS] }), {});
  assert.deepEqual(line.nika, {
    rca: { precision: 1, recall: 0.5, f1: 0.6667 },
    localization: { precision: 1, recall: 0.5, f1: 0.6667 },
    faultType: { precision: 1, recall: 0.5, f1: 0.6667 },
    detection: 1,
    known: false,
  });
  const undecided = caseLine(entry, run({ verdict: 'inconclusive', truth: [LOSS], predicted: [LOSS] }), {});
  assert.deepEqual(undecided.nika?.rca, { precision: 0, recall: 0, f1: 0 });
});

test('questions of cost inject nothing and ask about paths of several lengths', () => {
  const cases = costCases({ seed: 1, count: 32, sizes: ['abilene'] });
  assert.ok(cases.every((each) => each.inject.length === 0));
  assert.deepEqual([...new Set(cases.flatMap((each) => each.hops ?? []))].sort(), [2, 3, 4, 5]);
});

test('octets between agents are those that each connection gained, new connections included', () => {
  const before = parseAgentBytes('0 0 [fd00::1]:9514 [fd00::2]:40000 cubic bytes_sent:100 bytes_received:50\n');
  const after = parseAgentBytes(
    '0 0 [fd00::1]:9514 [fd00::2]:40000 cubic bytes_sent:160 bytes_acked:160 bytes_received:70\n0 0 [fd00::1]:40002 [fd00::3]:9514 cubic bytes_sent:7 bytes_received:3\n',
  );
  assert.equal(grownBy(before, after), 90);
});

const line = (over: Partial<CaseLine>): CaseLine => ({
  ...run({ verdict: 'fault' }),
  ...{ size: 's', kind: 'single', timers: 'fast', what: ['packet_loss'], intent: 'a: What is wrong?' },
  ...{ reasons: ['no probe to b'], calls: 3, bytes: 9 },
  ...over,
});

test('each injection is counted with its exact and its well-placed answers', () => {
  const lines = [line({ rcaF1: 1, detection: 1, localizationF1: 1 }), line({ localizationF1: 1 }), line({})];
  assert.deepEqual(byFault(lines), { packet_loss: { cases: 3, right: 1, place: 2 } });
});

test('the lab’s own time is that of kept labs; rebuilt ones are counted by their reason', () => {
  const figures = labFigures([line({ overhead: { baseline: 2, undo: 1 } }), line({ rebuilt: 'first run' })]);
  assert.deepEqual(figures.overheadSeconds, { median: 3, p95: 3, max: 3 });
  assert.deepEqual(figures.rebuiltBecause, { 'first run': 1 });
});

test('the Markdown names every wrong case with what was said, what was true and what was missing', () => {
  const text = reportOf([
    line({ scenario: 's-1', verdict: 'inconclusive', truth: [LOSS] }),
    line({ scenario: 's-2', rcaF1: 1, detection: 1, predicted: [LOSS], truth: [LOSS] }),
    line({ scenario: 's-3', invalid: 'did not land' }),
  ]);
  assert.match(text, /3 cases, 1 of them invalid and not scored/);
  assert.match(
    text,
    /\*\*s-1\*\* .*inconclusive\. True: `packet_loss` at interface\/a\/eth1\. Said: nothing\.\n {2}Why: not known\.\n {2}- no probe to b/,
  );
  assert.doesNotMatch(text, /\*\*s-2\*\*/);
  assert.match(text, /## Invalid cases \(1\), not scored\n\n- \*\*s-3\*\* \(packet_loss\): did not land/);
});

test('why a case is wrong comes from a file beside the lines, and says whether that was seen', () => {
  const wrong = [line({ scenario: 's-1', truth: [LOSS] }), line({ scenario: 's-2', truth: [LOSS] })];
  const text = reportOf(wrong, {
    's-1': { why: 'nothing remembers it.', sure: true },
    's-2': { why: 'the train came too late.', sure: false },
  });
  assert.match(text, /\*\*s-1\*\*.*\n {2}Why: nothing remembers it\.\n/);
  assert.match(text, /\*\*s-2\*\*.*\n {2}Why: supposed, not seen: the train came too late\.\n/);
});

test('a report over lines of several programs says so', () => {
  const of = (...programs: string[]) => reportOf(programs.map((program) => line({ program })));
  assert.match(of('abc', 'abc'), /The program was at abc \(2 cases\)\. No language model/);
  assert.match(of('abc', 'def'), /abc \(1 cases\), def \(1 cases\): these figures are of several programs/);
});

test('the octets of an answer are octets, not characters', () => {
  const printed = { verdict: { reasons: ['→'] } };
  const answer = { printed, verdict: 'fault', findings: [], seconds: 1 } as never;
  assert.equal(caseLine(entry, run({}), { answer }).bytes, 31);
});

test('the time to the sealed report is the asked node’s own, and stands beside that of the whole command', () => {
  const answer = { printed: { timings: { totalMs: 1_234.5 } }, verdict: 'healthy', findings: [], seconds: 2 } as never;
  assert.equal(caseLine(entry, run({}), { answer }).sealedSeconds, 1.235);
  assert.match(reportOf([line({ sealedSeconds: 1.2345 })]), /\| 2 \/ 2 \/ 2 \| 1\.2 \/ 1\.2 \/ 1\.2 \|/);
  assert.match(reportOf([line({})]), /\| 2 \/ 2 \/ 2 \| — \|/);
});
