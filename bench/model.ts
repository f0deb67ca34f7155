// `npm run bench -- model`: what language models are worth and what they cost here. No weights can be had on a test machine, so
// recorded answers of good, wrong, hostile, broken, slow and silent models stand in for them, over Ollama's real protocol. Tells how
// many answers were shown or dropped, whether any changed what the rules found, and the time that asking adds.
import { createNarrator } from '#narrate/narrator.ts';
import { evaluationCases } from '../test/narrate/evaluation/cases.ts';
import { type Trial, tryModel } from '../test/narrate/evaluation/evaluate.ts';
import { MODELS, type ModelKind } from '../test/narrate/evaluation/models.ts';
import { WHOLE, wholeQuestion, wholeWithModel } from '../test/narrate/evaluation/whole.ts';
import type { Benchmark } from './main.ts';
import { summary } from './statistics.ts';

/** A model that never answers costs this much, and no more. */
const TIMEOUT_MS = 250;

export const bench: Benchmark = async (_args, say) => {
  const cases = evaluationCases();
  const kinds = new Map<ModelKind, Tried[]>();
  const alone = await Promise.all(WHOLE.map((each) => wholeQuestion(each, createNarrator({}))));
  let changed = 0;
  for (const model of MODELS) {
    for (const each of cases) {
      const trial = await tryModel(model, each, TIMEOUT_MS);
      kinds.set(model.kind, [...(kinds.get(model.kind) ?? []), { ...trial, verdict: each.verdict }]);
    }
    for (const [index, each] of WHOLE.entries()) {
      const { rulesPart } = await wholeWithModel(each, model, TIMEOUT_MS);
      if (rulesPart !== alone[index]!.rulesPart) changed++;
    }
    say(`${model.name}: done`);
  }
  return {
    models: MODELS.length,
    diagnoses: cases.length,
    trials: MODELS.length * cases.length,
    standIn: 'recorded answers behind a real HTTP server that speaks the API of Ollama; no weights were run',
    /** Whole questions, each asked with a model and without; and those whose sealed reports differ in what the rules answer for. */
    wholeQuestions: MODELS.length * WHOLE.length,
    rulesChanged: changed,
    timeoutMs: TIMEOUT_MS,
    kinds: Object.fromEntries([...kinds].map(([kind, trials]) => [kind, figuresOf(trials)])),
  };
};

/** The verdict is the rules'. */
type Tried = Trial & { readonly verdict: string };

function figuresOf(trials: readonly Tried[]) {
  const asked = trials.filter((trial) => trial.asked.length > 0);
  const voiced = asked.filter(({ verdict }) => verdict === 'fault');
  const candidates = asked.flatMap(({ phrasing }) => phrasing.candidate ?? []);
  const shown = voiced.filter(({ phrasing }) => phrasing.source === 'model').length;
  return {
    trials: trials.length,
    notAsked: trials.length - asked.length,
    sentences: { shown, dropped: voiced.length - shown },
    opinions: {
      agree: candidates.filter(({ why }) => why === 'agrees with the rules').length,
      disagree: candidates.filter(({ why }) => why.startsWith('disagrees')).length,
      offered: candidates.filter(({ why }) => why.includes('inconclusive')).length,
      dropped: asked.length - candidates.length,
    },
    promptBytes: summary(asked.flatMap((trial) => trial.asked.map((text) => Buffer.byteLength(text)))),
    addedMs: summary(asked.map(({ elapsedMs }) => elapsedMs)),
  };
}
