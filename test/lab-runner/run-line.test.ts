// From what `parley ask --json` prints to the line of a run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAnswer } from '../../simulations/lab/ask.ts';
import { lineOf } from '../../simulations/lab/campaign.ts';
import type { Scenario } from '../../simulations/lab/scenario.ts';

const LOSS = { resource: 'interface/pe1/eth1', fault: 'packet_loss' };
const scenario: Scenario = {
  name: 's',
  file: '/s.yml',
  topologyFile: '/t.yml',
  timers: 'fast',
  inject: [],
  settleMs: 0,
  ask: { node: 'pe1', intent: 'x' },
  truth: [LOSS],
};
const printed = JSON.stringify({
  schemaVersion: 1,
  uri: 'urn:x:1',
  verdict: { kind: 'fault', reasons: [] },
  findings: [{ ...LOSS, confidence: 'certain', evidence: [] }],
});

test('reads verdict, findings and the report’s name, also after other lines', () => {
  const answer = readAnswer(`progress\n${printed}\n`);
  assert.deepEqual([answer.verdict, answer.findings, answer.report], ['fault', [LOSS], 'urn:x:1']);
});

test('an answer without verdict is an error, not a guess', () => {
  assert.throws(() => readAnswer('{"schemaVersion": 1}'), { code: 'us/lab-ask' });
  assert.throws(() => readAnswer('no json'), { code: 'us/lab-ask' });
});

test('a right answer scores one and carries its report', () => {
  const line = lineOf(scenario, { answer: { ...readAnswer(printed), seconds: 2.5 } }, []);
  assert.deepEqual(line, {
    scenario: 's',
    seconds: 2.5,
    verdict: 'fault',
    predicted: [LOSS],
    truth: [LOSS],
    detection: 1,
    localizationF1: 1,
    rcaF1: 1,
    report: 'urn:x:1',
  });
});

test('an inconclusive answer scores zero, also about a healthy network', () => {
  const answer = { printed: {}, verdict: 'inconclusive', findings: [], report: undefined, seconds: 1 };
  const line = lineOf({ ...scenario, truth: [] }, { answer }, []);
  assert.deepEqual([line.detection, line.localizationF1, line.rcaF1], [0, 0, 0]);
});

test('a run without an answer counts as wrong and says why', () => {
  const line = lineOf({ ...scenario, truth: [] }, { failed: 'no answer' }, []);
  assert.deepEqual(
    [line.verdict, line.detection, line.rcaF1, line.failed, line.invalid],
    ['none', 0, 0, 'no answer', undefined],
  );
});

test('an injection that is gone makes the run invalid', () => {
  const line = lineOf(scenario, { answer: { ...readAnswer(printed), seconds: 1 } }, ['cable x: filters changed']);
  assert.equal(line.invalid, 'cable x: filters changed');
});
