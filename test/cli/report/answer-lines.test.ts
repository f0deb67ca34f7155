// What stands around the findings of an answer: what was understood, the verdict, what to do next, what it cost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { costWords, nextCommands } from '../../../src/cli/commands/ask.ts';
import { printAnswer } from '../../../src/cli/report/answer-lines.ts';
import { printList } from '../../../src/cli/report/report.ts';
import { complain, type Output } from '../../../src/cli/terminal/output.ts';
import { plain } from '../plain.ts';

function linesOf(work: (output: Output) => void, terminal: Partial<Output['terminal'] & {}> = {}): readonly string[] {
  const lines: string[] = [];
  const line: Output['line'] = (told = '') => void lines.push(...plain(told).split('\n'));
  work({ json: false, line, terminal: { isTty: true, hasColour: false, ...terminal } } as unknown as Output);
  return lines;
}

const answered = (over: object) =>
  linesOf((output) => {
    const empty = {
      intent: {},
      verdict: { kind: 'inconclusive', reasons: [] },
      sentence: '',
      findings: [],
      segments: [],
    };
    printAnswer({ ...empty, ...over } as never, false, output);
  });

test('what was understood is said where it is said in other words, or not all of the question was used', () => {
  const asked = (text: string, rest: object = {}) =>
    answered({ intent: { text, understoodAs: 'what is wrong', ...rest } })
      .join('\n')
      .includes('Understood as:');
  assert.deepEqual([asked('What is wrong?'), asked('anything odd'), asked('')], [false, true, true]);
  assert.deepEqual(
    [asked('What is wrong?', { notUsed: ['now'] }), asked('What is wrong?', { byModel: true })],
    [true, true],
  );
});

test('the verdict is one word, here, in the report and on the page, and stands once', () => {
  const sentence = 'Inconclusive, 2 nodes and 0 links checked: p2: no state.';
  assert.equal(answered({ sentence })[0], 'INCONCLUSIVE  2 nodes and 0 links checked: p2: no state.');
  assert.equal(answered({ sentence: 'Inconclusive on A → B: no way.' })[0], 'INCONCLUSIVE  A → B: no way.');
});

test('what to do next names the nodes that were silent, and nothing where all of them answered', () => {
  const outcomes = [
    { node: 'p2', status: 'unreachable' },
    { node: 'p2', status: 'timed-out' },
    { node: 'pe1', status: 'refused' },
    { node: 'pe3', status: 'answered' },
  ];
  const next = answered({ outcomes }).find((line) => line.startsWith('next'));
  assert.match(next ?? '', /^next {8}see that p2 can be reached and that the agent runs there/);
  assert.equal(
    answered({ outcomes: outcomes.slice(2) }).some((line) => line.startsWith('next')),
    false,
  );
});

test('the cost says what was sent in all, and one call is one call', () => {
  const cost = { calls: 1, probePackets: 2200, probeBytes: 381_000 };
  const timings = { totalMs: 1_000, probingMs: 700, restMs: 300 };
  assert.equal(costWords({ cost, timings }), '1.0 s, of which probing 0.7 s; 1 call, 2200 probe packets, 381 kB');
  assert.equal(
    costWords({ cost: { calls: 4, probePackets: 0, probeBytes: 0 }, timings }),
    '1.0 s, of which probing 0.7 s; 4 calls, no probes',
  );
});

test('after a finding with a remedy the next commands are named; after a table there are none', () => {
  const finding = { remedy: { node: 'r1', summary: 'look' } };
  const next = (kind: string, findings: readonly object[]) =>
    nextCommands({ verdict: { kind, reasons: [] }, findings } as never);
  assert.equal(next('fault', [finding]), '"parley remedy"; "parley report show --explain" for the evidence');
  assert.equal(next('healthy', []), '"parley report show --explain" for the evidence');
  assert.equal(next('answered', []), undefined);
});

const REPORTS = [
  {
    ...{ id: '10e5923bc8549b9d', created: '2026-11-27T03:21:58.169Z', verdict: 'fault' },
    ...{ hypothesis: 'PE-1 eth1 → p2 packet loss 4.1 %', intent: 'Why can PE-1 not reach PE-3?' },
  },
  {
    ...{ id: '9c0422232add65b8', created: '2026-11-27T03:10:42.392Z', verdict: 'healthy' },
    ...{ hypothesis: 'none', intent: 'What is wrong?' },
  },
];

test('a list of reports fits 80 columns, with each question below its report', () => {
  const lines = linesOf((output) => printList(REPORTS, output), { width: 80 });
  assert.equal(
    lines.every((line) => [...line].length <= 80),
    true,
    lines.join('\n'),
  );
  assert.match(lines[1]!, /^10e5923bc8549b9d {2}\w{3} 27 Nov \d\d:\d\d:58 {2}fault/);
  assert.ok(lines.includes('                  Why can PE-1 not reach PE-3?'));
  assert.equal(lines.join('\n').includes('none'), false);
});

test('a program gets one line a report, with the whole time', () => {
  const lines = linesOf((output) => printList(REPORTS, output), { isTty: false });
  assert.equal(lines.length, 3);
  assert.match(
    lines[1]!,
    /^10e5923bc8549b9d {2}2026-11-27T03:21:58\.169Z {2}fault +PE-1 eth1 → p2 packet loss 4\.1 % {2}Why/,
  );
});

test('lists in an error have the name that people read', () => {
  const said: string[] = [];
  const write = process.stderr.write;
  process.stderr.write = ((text: string) => said.push(text) > 0) as typeof write;
  try {
    complain(new ParleyError('caller/unknown-intent', 'no', { data: { forms: ['What is wrong?'] } }), false);
  } finally {
    process.stderr.write = write;
  }
  assert.deepEqual(said, ['parley: no\n  it answers, for example:\n    What is wrong?\n']);
});
