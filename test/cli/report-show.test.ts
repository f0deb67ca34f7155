// `parley report show` as an operator runs it: what `ask` showed, from the node, from a file, and of reports that are larger than a message.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { printAnswer } from '../../src/cli/report/answer-lines.ts';
import type { Output } from '../../src/cli/terminal/output.ts';
import { type AgentBed, runParley, upAgents } from '../agent/agent-bed.ts';
import { plain } from './plain.ts';

const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
let bed: AgentBed;
let file: string;
let asked: string;
const local = (...words: readonly string[]) => runParley([...words, '--socket', bed.socketOf('pe1')]);
before(async () => {
  bed = await upAgents(['pe1', 'p2', 'pe3'], { p2: { access: { roles: { local: 'admin' } } } });
  file = join(bed.dir, 'report.json');
});
after(() => bed.down());

test('a node without a report says what to do first', async () => {
  const said = await local('report', 'show', '--json');
  assert.equal(said.exitCode, 2);
  assert.deepEqual(JSON.parse(said.stdout).error.code, 'caller/no-report');
});

test('the newest report is shown as its answer was, with question, verdict, finding and segments', async () => {
  bed.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 10 });
  asked = (await local('ask', INTENT, '--save', file)).stdout;
  const shown = await local('report', 'show');
  assert.equal(shown.exitCode, 0, shown.stderr);
  const between = (text: string) => text.slice(text.indexOf('FAULT '), text.indexOf('segment ')).trim();
  assert.equal(between(shown.stdout), between(asked));
  assert.match(shown.stdout, /^question {4}Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2$/m);
  assert.match(shown.stdout, /^finding {5}interface\/p2\/eth2 {2}packet_loss {2}\(certain\)$/m);
  assert.match(shown.stdout, /not verified here: "parley report verify FILE --ca CA\.pem" does it$/m);
});

test('a file is shown without any agent, and --explain tells what it stands on', async () => {
  const shown = await runParley(['report', 'show', file, '--explain', '--socket', join(bed.dir, 'none.sock')]);
  assert.equal(shown.exitCode, 0, shown.stderr);
  assert.match(shown.stdout, /^packet_loss at interface\/p2\/eth2: /m);
  assert.match(shown.stdout, /^ {3}[├└]─ probe\//m);
  const whole = JSON.parse((await runParley(['report', 'show', file, '--json'])).stdout);
  assert.equal(whole.report.findings[0].resource, 'interface/p2/eth2');
});

test('an id that the node does not have, and a file that is no report, are refused', async () => {
  const unknown = await local('report', 'show', '0000000000000000', '--json');
  assert.deepEqual([unknown.exitCode, JSON.parse(unknown.stdout).error.code], [2, 'caller/unknown-report']);
  const other = await runParley(['report', 'show', bed.configOf('pe1'), '--json']);
  assert.deepEqual([other.exitCode, JSON.parse(other.stdout).error.code], [2, 'caller/unreadable-file']);
});

test('remarks and changes are shown, with what is not known said once', () => {
  const lines: string[] = [];
  const output: Output = {
    json: false,
    line: (line = '') => lines.push(plain(line)),
    progress: () => {},
    result: () => {},
  };
  const cause = { node: 'r1', kind: 'mtu', subject: 'eth1', was: '1500', is: '1400', agoMs: 180_000 } as const;
  const answer = {
    intent: {},
    verdict: { kind: 'inconclusive', reasons: ['r2: does not remember changes'] },
    ...{ sentence: '', segments: [] },
    findings: [
      {
        ...{ resource: 'interface/r1/eth1', fault: 'mtu_mismatch', confidence: 'certain', details: {}, hypothesis: '' },
        ...{ evidence: [], against: [], causedByChange: cause },
      },
    ],
    remarks: Array.from({ length: 8 }, (_, n) => ({
      ...{ kind: 'link_down', resource: `node/r${n}`, why: 'no-change', text: `r${n} is odd`, evidence: [] },
    })),
    changes: {
      ...{ sinceMs: 3_600_000, untilMs: 0, left: 3, changes: [cause] },
      notKnown: ['r2: does not remember changes', 'r3: silent'],
    },
  } as unknown as Parameters<typeof printAnswer>[0];
  printAnswer(answer, false, output);
  const shown = lines.join('\n');
  assert.match(shown, /^caused by {3}r1 mtu eth1: 1500 → 1400, 3 min ago: the remedy undoes this change$/m);
  assert.match(shown, /^remark {6}r0 is odd \(no change seen\)$/m);
  assert.match(shown, /^ +… and 2 more remarks with --explain$/m);
  assert.match(shown, /^3 min ago +r1 +mtu eth1 +1500 +1400$/m);
  assert.match(shown, /^… and 3 more than an answer holds/m);
  assert.equal(shown.match(/r2: does not remember changes/g)?.length, 1);
  assert.match(shown, /^not known {3}r3: silent$/m);
  lines.length = 0;
  printAnswer(answer, true, output);
  assert.match(lines.join('\n'), /^ {12}node\/r7 {2}link_down$/m);
});

test('long lists are cut and counted; with --explain nothing is', () => {
  const lines: string[] = [];
  const output: Output = {
    json: false,
    line: (line = '') => lines.push(plain(line)),
    progress: () => {},
    result: () => {},
  };
  const segment = (from: number, probesLost: number) => ({
    from: `r${from}`,
    to: 'r99',
    probesSent: 100,
    probesLost,
    lossPercent: probesLost,
  });
  const answer = {
    intent: {},
    verdict: { kind: 'healthy', reasons: Array.from({ length: 20 }, (_, index) => `proof ${index}`) },
    sentence: 'Nothing is wrong.',
    findings: [],
    segments: Array.from({ length: 20 }, (_, index) => segment(index, index === 7 ? 3 : 0)),
  } as const;
  printAnswer(answer, false, output);
  assert.deepEqual(lines.slice(0, 3), ['HEALTHY     Nothing is wrong.', '', 'proof       proof 0']);
  assert.deepEqual(lines.slice(7, 9), ['            proof 5', '            … and 14 more with --explain']);
  assert.equal(
    lines[10],
    'segment   probes  lost  loss  counters of both ends\nr7 → r99  100     3     3 %   not comparable',
  );
  assert.equal(lines[11], 'and 19 segments without a lost probe: --explain shows them');
  lines.length = 0;
  printAnswer(answer, true, output);
  assert.equal(lines.filter((line) => line.includes('proof ')).length, 20);
  assert.equal(lines.find((line) => line.startsWith('segment'))?.split('\n').length, 21);
});

test('a finding is followed by what was changed before it, nearest first; the rest is counted', () => {
  const lines: string[] = [];
  const output: Output = {
    json: false,
    line: (line = '') => lines.push(plain(line)),
    progress: () => {},
    result: () => {},
  };
  const changed = (agoMs: number) =>
    ({ node: 'r1', kind: 'mtu', subject: 'eth1', was: '1500', is: '1400', agoMs }) as const;
  const findings = [
    {
      ...({ resource: 'interface/r1/eth1', fault: 'mtu_mismatch', confidence: 'likely' } as const),
      ...{ evidence: [], against: [] },
      ...{
        details: {},
        hypothesis: '',
        changes: [5_000, 200_000, 9_000_000, 200_000_000].map(changed),
        changesLeft: 12,
      },
    },
  ] as const;
  const answer = { intent: {}, verdict: { kind: 'fault', reasons: [] }, sentence: '', findings, segments: [] } as const;
  printAnswer(answer, false, output);
  const from = lines.findIndex((line) => line.startsWith('changes'));
  assert.deepEqual(lines.slice(from, from + 5), [
    'changes     r1 mtu eth1: 1500 → 1400, 5 s ago',
    '            r1 mtu eth1: 1500 → 1400, 3 min ago',
    '            r1 mtu eth1: 1500 → 1400, 2 h ago',
    '            … and 1 more with --explain',
    '            … and 12 more than a finding holds: ask what changed',
  ]);
  printAnswer(answer, true, output);
  assert.equal(
    lines.at(-3),
    lines.find((line) => line.endsWith(', 2 d ago')),
  );
  assert.doesNotMatch(lines.join(''), /\x1b/);
});

test('no text of a device or of a file commands the terminal', () => {
  const lines: string[] = [];
  const output: Output = {
    json: false,
    line: (line = '') => lines.push(plain(line)),
    progress: () => {},
    result: () => {},
  };
  const resource = 'interface/r1/eth1\x1b[2J' as const;
  const finding = { resource, fault: 'link_down\x1b[2J', confidence: 'likely', evidence: [], against: [] } as const;
  const segment = { from: 'r1\x1b[2J', to: 'r2', probesSent: 1, probesLost: 0, lossPercent: 0 };
  const verdict = { kind: 'fault', reasons: ['r1\x1b[2J'] } as const;
  const intent = { understoodAs: 'symptom\x1b[2J' };
  const changes = [{ node: 'r1', kind: 'mtu', subject: 'eth1\x1b[2J', was: '1500', agoMs: 1 }] as const;
  const findings = [{ ...finding, details: {}, hypothesis: '', changes }];
  printAnswer({ intent, verdict, sentence: 'r1\x1b[2J', findings, segments: [segment] }, true, output);
  assert.doesNotMatch(lines.join(''), /\x1b/);
});

test('an operator exports a copy with pseudonyms, which is shown and not verified; the sealed report is for an admin', async () => {
  const ca = ['--ca', join(bed.dir, 'ca/ca.pem')];
  const copy = join(bed.dir, 'copy.json');
  const { reports } = JSON.parse((await local('report', 'list', '--json')).stdout) as { reports: { id: string }[] };
  const exported = await local('report', 'export', reports[0]!.id, copy, '--json');
  assert.deepEqual([exported.exitCode, JSON.parse(exported.stdout).pseudonymised], [0, true], exported.stderr);
  const verified = await runParley(['report', 'verify', copy, ...ca]);
  assert.equal(verified.exitCode, 5);
  assert.match(verified.stdout, /CANNOT BE VERIFIED: a pseudonymised copy.*The signed original is urn:.* on pe1/);
  const shown = await runParley(['report', 'show', copy]);
  assert.match(shown.stdout, /^finding {5}interface\/p2\/eth2 {2}packet_loss {2}\(certain\)$/m);
  const refused = await local('report', 'export', reports[0]!.id, join(bed.dir, 'none.json'), '--original');
  assert.equal(refused.exitCode, 4);
  assert.match(refused.stderr, /expected an admin.*got operator/);

  const atP2 = (...words: readonly string[]) => runParley([...words, '--socket', bed.socketOf('p2')]);
  await atP2('ask', INTENT);
  const own = JSON.parse((await atP2('report', 'list', '--json')).stdout) as { reports: { id: string }[] };
  const sealed = join(bed.dir, 'sealed.json');
  assert.equal((await atP2('report', 'export', own.reports[0]!.id, sealed, '--original')).exitCode, 0);
  assert.equal((await runParley(['report', 'verify', sealed, ...ca])).exitCode, 0);
  assert.match(
    (await atP2('report', 'export', own.reports[0]!.id, copy, '--pseudonyms')).stdout,
    /hosts have pseudonyms/,
  );
});

test('counters of both ends are shown with what they mean', () => {
  const lines: string[] = [];
  const output: Output = {
    json: false,
    line: (line = '') => lines.push(plain(line)),
    progress: () => {},
    result: () => {},
  };
  const segment = (probesLost: number, counters: object) => ({
    ...{ from: 'r1', to: 'r2', probesSent: 100, probesLost, lossPercent: probesLost, counters },
  });
  const segments = [
    segment(0, { lostAtLeast: 0, lostAtMost: 12, txPackets: 348, rxPackets: 342 }),
    segment(0, { lostAtLeast: 0, lostAtMost: 0, txPackets: 348, rxPackets: 348 }),
    segment(9, { lostAtLeast: 0, lostAtMost: 12, txPackets: 348, rxPackets: 342 }),
    segment(9, { lostAtLeast: 20, lostAtMost: 40, txPackets: 348, rxPackets: 318 }),
    segment(0, { lostAtLeast: 0, lostAtMost: 12, txPackets: 348 }),
  ];
  const answer = { intent: {}, verdict: { kind: 'healthy', reasons: [] }, sentence: 'Fine.', findings: [], segments };
  printAnswer(answer as never, false, output);
  const cells = lines.join('\n').match(/tx 348.*$/gm);
  assert.deepEqual(cells, [
    'tx 348, rx 342: within error',
    'tx 348, rx 348: equal',
    'tx 348, rx 342: 6 missing, within error',
    'tx 348, 20 to 40 lost',
    'tx 348: no loss, ± 12',
  ]);
});
