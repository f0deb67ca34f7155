// A report around others: what it says follows from them, and a verifier does the same again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPORT_URN, type Report, type ReportedOutcome, type SealedReport } from '#model/report.ts';
import { reportDigest } from '#report/countersign.ts';
import { conclude, type Inner } from '#report/enclosing/conclude.ts';
import { sealReport } from '#report/seal.ts';
import { verifySealedReport } from '#report/verify.ts';
import { type FakeParty, fakeParty, fakeVerifyChain } from '../fakes/signed-exchange.ts';
import { fileOf, pe1, smallReport } from './fixture.ts';

const edge = fakeParty('edge');
const root = fakeParty('root');
const CREATED = '2026-01-01T00:00:01.000Z';

type Part = { readonly segment: string; readonly report: Report; readonly sealed: SealedReport };

function partOf(segment: string, report: Report, by: FakeParty = pe1): Part {
  return { segment, report, sealed: sealReport(report, by.signer) };
}

function around(by: FakeParty, parts: readonly Part[], over: Partial<Report> = {}, failed: ReportedOutcome[] = []) {
  const id = by === root ? '00000000000000aa' : '00000000000000bb';
  const { intent } = parts[0]!.report;
  const report: Report = {
    ...smallReport(),
    ...{ id, uri: `${REPORT_URN}${id}`, creator: by.party.name, created: CREATED },
    ...conclude(intent, parts as readonly Inner[], failed),
    ...{ evidence: [], items: [], envelopes: [], signatures: {}, peerNotes: [] },
    chains: { [by.party.name]: by.chain },
    enclosed: parts.map(({ segment, report: each, sealed }) => ({
      ...{ segment, from: each.creator, id: each.id },
      sha256: reportDigest(sealed)!,
    })),
    ...over,
  };
  const beside = parts.flatMap(({ sealed: { enclosed = [], ...own } }) => [own, ...enclosed]);
  return { report, sealed: sealReport(report, by.signer, beside) };
}

async function failures(sealed: SealedReport): Promise<readonly string[]> {
  const { checks } = await verifySealedReport(fileOf(sealed), { verifyChain: fakeVerifyChain });
  return checks.filter((each) => !each.ok).map(({ part, detail }) => `${part}: ${detail}`);
}

const inRegion = () => around(edge, [partOf('pe1', smallReport())]);
const whole = () => around(root, [{ segment: 'edge', ...inRegion() }]);

test('a report with a report with a report inside verifies as a whole, down to the signed call [CARD-6]', async () => {
  const verification = await verifySealedReport(fileOf(whole().sealed), { verifyChain: fakeVerifyChain });
  assert.deepEqual(verification.ok, true, JSON.stringify(verification.checks.filter(({ ok }) => !ok)));
  const parts = verification.checks.map(({ part }) => part);
  for (const part of ['report of edge', 'edge: report of pe1', 'edge: pe1: call before/p2/state', 'what it says'])
    assert.ok(parts.includes(part), `${part} in ${parts.join(', ')}`);
  assert.deepEqual(verification.gaps, []);
});

test('a finding that no report inside has does not verify', async () => {
  const parts = [{ segment: 'edge', ...inRegion() }];
  const [finding] = smallReport().findings;
  const evidence = ['edge/pe1/before/p2/state'];
  const invented = { ...finding!, resource: 'interface/pe9/eth9' as const, evidence };
  assert.deepEqual(await failures(around(root, parts, { findings: [invented] }).sealed), [
    'what it says: findings does not follow from the reports inside it',
  ]);
});

test('a fault that is told as healthy does not verify', async () => {
  const parts = [{ segment: 'edge', ...inRegion() }];
  const said = { verdict: { kind: 'healthy' as const, reasons: [] }, findings: [] };
  assert.deepEqual(await failures(around(root, parts, said).sealed), [
    'what it says: verdict does not follow from the reports inside it',
  ]);
});

test('a report that is left out of the file, exchanged, or of another question does not verify', async () => {
  const { sealed } = whole();
  const [first, ...others] = sealed.enclosed!;
  assert.deepEqual(await failures({ ...sealed, enclosed: others }), [
    'findings: a finding stands on edge/pe1/before/p2/state, which is not in the report',
    'report of edge: it is not in the file',
    'enclosed: 1 reports in the file that no report names',
  ]);
  const other = sealReport(smallReport({ sentence: 'All is well.' }), pe1.signer);
  assert.deepEqual(await failures({ ...sealed, enclosed: [first!, other] }), [
    'findings: a finding stands on edge/pe1/before/p2/state, which is not in the report',
    'edge: findings: a finding stands on pe1/before/p2/state, which is not in the report',
    'edge: report of pe1: it is not in the file',
    'enclosed: 1 reports in the file that no report names',
  ]);
  const foreign = around(root, [partOf('pe1', smallReport())], { 'session-id': 'another' });
  assert.deepEqual(await failures(foreign.sealed), [
    'report of pe1: it belongs to another question: its session id is another',
  ]);
});

test('a report in the file that no signed report names does not verify', async () => {
  const { sealed } = inRegion();
  const stray = sealReport(smallReport({ sentence: 'All is well.' }), pe1.signer);
  assert.deepEqual(await failures({ ...sealed, enclosed: [...sealed.enclosed!, stray] }), [
    'enclosed: 1 reports in the file that no report names',
  ]);
});

const healthy = (over: Partial<Report> = {}) =>
  smallReport({ verdict: { kind: 'healthy', reasons: ['all probes arrived'] }, findings: [], ...over });

test('two healthy regions are no healthy path across their border', () => {
  const [here, there] = [
    { as: 'PE-1', key: 'pe1' },
    { as: 'PE-4', key: 'pe4' },
  ] as const;
  const about = (path: Report['intent']['path']): Report['intent'] => ({
    ...{ kind: 'fault', text: 'What is wrong there?', path, encapsulation: 'ip' },
  });
  const inner = [
    { segment: 'west', report: healthy({ intent: about([here]) }) },
    { segment: 'east', report: healthy({ intent: about([there]) }) },
  ];
  const { verdict, intent } = conclude(
    { ...about([here, there]), kind: 'path-loss', text: 'Verify loss from PE-1 to PE-4' },
    inner,
    [],
  );
  assert.equal(verdict.kind, 'inconclusive');
  assert.equal(
    verdict.reasons[0],
    'no node below reaches all of PE-1, PE-4: what lies between west and east was not measured',
  );
  assert.deepEqual(verdict.reasons.slice(1, 3), [
    'west was asked: What is wrong there?',
    'east was asked: What is wrong there?',
  ]);
  assert.equal(intent.kind, 'path-loss');
  assert.deepEqual([intent.text, intent.path.map(({ key }) => key)], ['Verify loss from PE-1 to PE-4', ['pe1', 'pe4']]);
});

test('a region that does not answer makes a healthy one inconclusive, and a fault stays a fault', () => {
  const failed: ReportedOutcome = {
    ...{ callId: 'ask:east', node: 'edge2', phase: 'before', name: 'parley-ask' },
    ...{ status: 'timed-out', reason: 'no answer within 22000 ms', elapsedMs: 22_000 },
  };
  const intent: Report['intent'] = { kind: 'fault', text: 'What is wrong?', path: [], encapsulation: 'ip' };
  const of = (report: Report) => conclude(intent, [{ segment: 'west', report }], [failed]).verdict;
  assert.deepEqual(of(healthy({ intent })), {
    kind: 'inconclusive',
    reasons: ['edge2 brought no report: no answer within 22000 ms', 'all probes arrived'],
  });
  assert.equal(of(smallReport({ intent })).kind, 'fault');
});

test('a fault that two regions see is one finding with the evidence of both', () => {
  const inner = ['west', 'east'].map((segment) => ({ segment, report: smallReport() }));
  const { findings } = conclude(smallReport().intent, inner, []);
  assert.deepEqual(
    findings.map(({ evidence }) => evidence),
    [['west/before/p2/state', 'east/before/p2/state']],
  );
});

const PATH = [
  { as: 'PE-1', key: 'pe1' },
  { as: 'PE-4', key: 'pe4' },
] as const;
const CHANGED: Report['intent'] = {
  ...{ kind: 'changes', topic: 'changes', text: 'what changed on PE-1 and PE-4 since yesterday' },
  ...{ path: PATH, encapsulation: 'ip', when: 'since-yesterday' },
};

function changedOn(at: 0 | 1, over: Partial<Report['intent']> = {}): Inner {
  const { as, key } = PATH[at];
  const [outcome] = smallReport().outcomes;
  const change = { ...{ at: '2026-01-01T00:00:00.000Z', agoMs: 2_000 - at, node: key } };
  const report = smallReport({
    intent: { ...CHANGED, text: `changes on ${as} since yesterday`, path: [PATH[at]], ...over },
    verdict: { kind: 'answered', reasons: [`${as}: every change is remembered`] },
    findings: [],
    outcomes: [{ ...outcome!, node: key, status: 'answered' }],
    changes: { sinceMs: 90_000, untilMs: 0, changes: [change as never], left: 0, notKnown: [] },
  });
  return { segment: at === 0 ? 'west' : 'east', report };
}

test('what changed is one answer of two regions, keeps topic and time, and says what was asked of whom', () => {
  const { verdict, intent, changes } = conclude(CHANGED, [changedOn(0), changedOn(1)], []);
  assert.deepEqual(intent, CHANGED);
  assert.deepEqual(verdict, {
    kind: 'answered',
    reasons: [
      'west was asked: changes on PE-1 since yesterday',
      'east was asked: changes on PE-4 since yesterday',
      'west: PE-1: every change is remembered',
      'east: PE-4: every change is remembered',
    ],
  });
  assert.deepEqual(
    changes?.changes.map(({ node }) => node),
    ['pe4', 'pe1'],
  );
});

test('a part that asked for another time, or a node of which no part has an answer, leaves the question open', () => {
  const other = conclude(CHANGED, [changedOn(0), changedOn(1, { when: 'today' })], []);
  assert.equal(other.verdict.kind, 'inconclusive');
  const { verdict } = conclude(CHANGED, [changedOn(0)], []);
  assert.equal(verdict.kind, 'inconclusive');
  assert.equal(verdict.reasons[0], 'PE-4 did not answer');
});

test('nodes that read the question as one about themselves do not cover it for a region that is silent', () => {
  const here = (at: 0 | 1): Inner => {
    const { report, segment } = changedOn(at, { text: 'what is wrong here?' });
    return { segment, report: { ...report, verdict: { kind: 'healthy', reasons: [] } } };
  };
  const asked: Report['intent'] = { kind: 'fault', text: 'what is wrong here?', path: [], encapsulation: 'ip' };
  const failed: ReportedOutcome = {
    ...{ callId: 'ask:north', node: 'pe9', phase: 'before', name: 'parley-ask' },
    ...{ status: 'unreachable', reason: 'pe9 has no session now', elapsedMs: 0 },
  };
  const { verdict } = conclude(asked, [here(0), here(1)], [failed]);
  assert.deepEqual(verdict, { kind: 'inconclusive', reasons: ['pe9 brought no report: pe9 has no session now'] });
});

test('tables of two regions are one with the rows of both, each row once; of different things there is none', () => {
  const table = (...nodes: string[]) => ({
    ...{ title: 'uptime', columns: ['node', 'up'], rows: nodes.map((node) => [node, '3 d']), left: 1, notKnown: [] },
  });
  const of = (segment: string, told: Report['table']): Inner => ({
    segment,
    report: healthy(told === undefined ? {} : { table: told }),
  });
  const asked = smallReport().intent;
  const two = conclude(asked, [of('west', table('pe1', 'p2')), of('east', table('p2', 'pe4'))], []);
  assert.deepEqual(two.table?.rows, [
    ['pe1', '3 d'],
    ['p2', '3 d'],
    ['pe4', '3 d'],
  ]);
  assert.equal(two.table?.left, 2);
  const other = { ...table('pe4'), title: 'counters' };
  assert.equal(conclude(asked, [of('west', table('pe1')), of('east', other)], []).table, undefined);
});
