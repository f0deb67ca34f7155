// Every recorded model on every recorded diagnosis: whatever a model answers, the diagnosis that it was told of stays as it was, and what it
// says is shown only when it says nothing else than the rules. Whole reports with and without it: whole-question.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLUE_KINDS } from '#model/clue.ts';
import type { Phrasing } from '#model/ports.ts';
import { type Case, evaluationCases } from './evaluation/cases.ts';
import { tryModel } from './evaluation/evaluate.ts';
import { MODELS } from './evaluation/models.ts';

/** Long enough for any answer from this machine, short enough for models that never answer. */
const ANSWERS_MS = 20_000;
const NO_ANSWER_MS = 40;
const CASES = evaluationCases();

test('the recorded diagnoses are what they are recorded as', () => {
  assert.equal(CASES.length, 15);
  for (const { name, diagnosis, verdict } of CASES) assert.equal(diagnosis.verdict.kind, verdict, name);
});

for (const model of MODELS) {
  // Of the others one is shown: it names only the finding. What it thinks of the cause is a candidate.
  const shown = model.kind === 'good' || model.name === 'wrong-cause' ? 'model' : 'template';
  test(`with the model "${model.name}" the diagnosis stays as it was, and only what it says is said [TS-17] [CARD-5]`, async () => {
    for (const each of CASES) {
      const before = JSON.stringify(each.diagnosis);
      const trial = await tryModel(model, each, model.kind === 'slow' ? NO_ANSWER_MS : ANSWERS_MS);
      assert.equal(JSON.stringify(each.diagnosis), before, each.name);
      assertNoOtherWord(each, trial.phrasing, model.kind === 'good', shown);
    }
  });
}

/** A sentence that is not the template's names findings only; a candidate is marked, and unverified unless the rules say the same. */
function assertNoOtherWord(each: Case, phrasing: Phrasing, isGood: boolean, shown: Phrasing['source']): void {
  const places = each.diagnosis.findings.length;
  const heard = each.verdict === 'fault' && (isGood || places === 1) ? shown : 'template';
  assert.equal(phrasing.source, heard, each.name);
  if (phrasing.source === 'template') assert.equal(phrasing.sentence, each.diagnosis.sentence, each.name);
  const { candidate } = phrasing;
  if (candidate === undefined) return;
  assert.deepEqual([candidate.source, candidate.chosen], ['model', false], each.name);
  if (!isGood) assert.match(candidate.why, /unverified$/, each.name);
}

test('good models are heard: their sentence is shown, and their reading agrees with the rules', async () => {
  for (const model of MODELS.filter(({ kind }) => kind === 'good')) {
    for (const each of CASES.filter(({ verdict }) => verdict === 'fault')) {
      const { phrasing } = await tryModel(model, each, ANSWERS_MS);
      assert.equal(phrasing.source, 'model', each.name);
      for (const { hypothesis } of each.diagnosis.findings)
        assert.ok(phrasing.sentence.includes(hypothesis), each.name);
      assert.equal(phrasing.candidate?.resource, each.good?.resource, each.name);
      assert.equal(phrasing.candidate?.why, 'agrees with the rules', each.name);
    }
  }
});

test('where the rules are inconclusive a model’s reading is offered, marked unverified', async () => {
  const each = CASES.find(({ name }) => name === 'path-silent-node')!;
  const { phrasing } = await tryModel(MODELS[0]!, each, ANSWERS_MS);
  assert.deepEqual(phrasing.candidate, {
    resource: 'node/p2',
    fault: 'acl_misconfig',
    source: 'model',
    chosen: false,
    why: 'the rules are inconclusive; unverified',
  });
  assert.deepEqual([phrasing.source, phrasing.sentence], ['template', each.diagnosis.sentence]);
});

test('a healthy network is put to no model: none can turn it into a fault [TS-17]', async () => {
  for (const each of CASES.filter(({ verdict }) => verdict === 'healthy')) {
    for (const model of MODELS.filter(({ kind }) => kind === 'wrong' || kind === 'hostile')) {
      const { asked, phrasing } = await tryModel(model, each, ANSWERS_MS);
      assert.deepEqual([asked.length, phrasing.candidate], [0, undefined], `${each.name} ${model.name}`);
    }
  }
});

test('what the rules see of queues, rewrites, narrow links and contradictions reaches the second opinion', () => {
  for (const kind of ['queue', 'rewrite', 'narrow', 'contradiction', 'dhcp', 'names'] as const)
    assert.ok(CLUE_KINDS.includes(kind), kind);
});
