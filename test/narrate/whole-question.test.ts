// Whole questions with every recorded model and without: the sealed reports are the same, byte for byte, but for the words of the sentence and
// candidates that are marked as a model's; a narrator that does more is caught.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Narrator } from '#model/ports.ts';
import { createNarrator } from '#narrate/narrator.ts';
import { MODELS } from './evaluation/models.ts';
import { type Told, WHOLE, type WholeCase, wholeQuestion, wholeWithModel } from './evaluation/whole.ts';

const ANSWERS_MS = 20_000;
const NO_ANSWER_MS = 40;
/** Questions that every model is asked; a healthy network is put to none, whichever it is. */
const EVERY_MODEL = new Set(['loss', 'silent node']);

const alone = new Map<WholeCase, Omit<Told, 'asked'>>();
async function withoutModel(each: WholeCase) {
  const told = alone.get(each) ?? (await wholeQuestion(each, createNarrator({})));
  alone.set(each, told);
  return told;
}
const caseNamed = (name: string) => WHOLE.find((each) => each.name === name)!;

test('the same question twice gives the same bytes, and the verdicts are what they are said to be', async () => {
  for (const each of WHOLE) {
    const first = await withoutModel(each);
    const again = await wholeQuestion(each, createNarrator({}));
    assert.equal(first.report.verdict.kind, each.verdict, each.name);
    assert.equal(again.rulesPart, first.rulesPart, each.name);
    assert.ok(first.rulesPart.length > 10_000);
  }
});

for (const model of MODELS) {
  test(`a sealed report with the model "${model.name}" is that of the rules, byte for byte [TS-17] [CARD-5]`, async () => {
    for (const each of WHOLE.filter(({ name }) => model.kind === 'good' || EVERY_MODEL.has(name))) {
      const { rulesPart, report, asked } = await wholeWithModel(
        each,
        model,
        model.kind === 'slow' ? NO_ANSWER_MS : ANSWERS_MS,
      );
      assert.ok(rulesPart === (await withoutModel(each)).rulesPart, `${each.name}: the rules' part has changed`);
      assert.equal(report.verdict.kind, each.verdict);
      // A healthy network is put to no model; of an undecided one it is asked its opinion only.
      if (each.verdict === 'healthy') assert.equal(asked, 0);
      else if (model.kind !== 'slow') assert.ok(asked > 0, each.name);
      const good = model.kind === 'good' && each.verdict === 'fault';
      const onlyPlace = model.name === 'wrong-cause' && each.name === 'loss';
      assert.equal(report.sentenceSource, good || onlyPlace ? 'model' : 'template', each.name);
    }
  });
}

/** Narrators that overstep: each changes what it was only to phrase. */
const OVERSTEPPING: readonly (readonly [string, (diagnosis: Parameters<Narrator['phrase']>[0]) => void])[] = [
  ['a finding’s fault', ({ findings }) => Object.assign(findings[0]!, { fault: 'device_down' })],
  ['the findings', ({ findings }) => (findings as unknown[]).pop()],
  ['the verdict', ({ verdict }) => Object.assign(verdict, { kind: 'healthy' })],
  ['a segment', ({ segments }) => Object.assign(segments[0]!, { lossPercent: 0 })],
  ['what lost', ({ candidates }) => (candidates as unknown[]).pop()],
];

for (const [what, change] of OVERSTEPPING)
  test(`a narrator that changes ${what} is caught by these bytes`, async () => {
    const each = caseNamed('loss');
    const narrator: Narrator = {
      phrase: async (diagnosis) => {
        change(diagnosis);
        return { sentence: diagnosis.sentence, source: 'template' };
      },
      interpret: async () => undefined,
    };
    const { rulesPart } = await wholeQuestion(each, narrator);
    assert.notEqual(rulesPart, (await withoutModel(each)).rulesPart);
  });
