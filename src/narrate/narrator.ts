// The local language model as a second opinion and the voice, never the judge (CARD-5, TS-17). A wrong, slow, absent or
// hostile model changes nothing but the prose: verdict, findings and their order are not in its hands. It answers, nothing
// more: no question offers it a tool, and nothing but its answer's text is read (TS-30).
import type { JsonObject } from '#base/json.ts';
import type { FaultForm } from '#model/clue.ts';
import type { Candidate, Diagnosis } from '#model/finding.ts';
import type { Narrator } from '#model/ports.ts';
import { type AskModel, rememberingModel } from './answer-cache.ts';
import { type Brief, briefOf } from './brief.ts';
import { groundedSentence } from './grounding.ts';
import { interpret } from './interpreter.ts';
import { NARRATE_LIMITS } from './limits.ts';
import { modelCandidate } from './model-candidate.ts';
import { askModel } from './ollama-chat.ts';

export type NarratorInit = {
  /** Base URL of an Ollama server; without it every sentence is the template's. */
  readonly host?: string;
  readonly model?: string;
  /** Longest wait for one use of the model, however many questions it takes. */
  readonly timeoutMs?: number;
  /** Faults that it may name; without any it has no opinion. */
  readonly faults?: readonly FaultForm[];
  readonly fetch?: typeof fetch;
};

const DEFAULT_MODEL = 'qwen3:4b';

export const VOICE =
  'You phrase the result of a network measurement as one plain English sentence. The findings are final: do not judge, add or ' +
  'leave out any. Write {F1} where finding F1 belongs, {F2} for F2, and so on; each stands for a phrase like "router port packet ' +
  'loss 3 %". Write no name, number or reason of your own, and nothing but "and" between findings. Examples: "The measurements ' +
  'point to {F1}", "The problems found are {F1} and {F2}".';
const OPINION =
  'You find the cause of trouble in a network from measurements. Nodes are N1, N2, …, interfaces I1, I2, …, links L1, L2, …. Each ' +
  'segment gives probes sent and lost, and bounds of packets sent at one end but not received at the other. Each clue names what is ' +
  'not as it should be, where it was seen, and values at both ends. Consequences are not causes. Name the one most likely ' +
  'resource and fault; a fault belongs to the form of resource that is listed for it.';

/** Resolves always, within the time limit, also when the signal aborts. */
export function createNarrator(init: NarratorInit): Narrator {
  const { host, faults = [] } = init;
  if (host === undefined) {
    return {
      phrase: async (diagnosis) => ({ sentence: diagnosis.sentence, source: 'template' }),
      interpret: async () => undefined,
    };
  }
  const chat = {
    host,
    model: init.model ?? DEFAULT_MODEL,
    ...(init.fetch === undefined ? {} : { fetch: init.fetch }),
  };
  const ask = rememberingModel((question, signal) => askModel(chat, question, signal));
  const deadline = (signal: AbortSignal) =>
    AbortSignal.any([signal, AbortSignal.timeout(init.timeoutMs ?? NARRATE_LIMITS.modelMs)]);
  return {
    phrase: async (diagnosis, signal) => {
      const until = deadline(signal);
      const brief = briefOf(diagnosis, faults);
      const [sentence, candidate] = await Promise.all([
        voice(ask, brief, diagnosis, until),
        opinion(ask, brief, diagnosis, until),
      ]);
      return {
        sentence: sentence ?? diagnosis.sentence,
        source: sentence === undefined ? 'template' : 'model',
        ...(candidate === undefined ? {} : { candidate }),
      };
    },
    interpret: (sentence, known, signal) => interpret(ask, sentence, known, deadline(signal)),
  };
}

/** Only findings are phrased: a proof of health and what was missing are facts that a template states better. */
async function voice(
  ask: AskModel,
  brief: Brief,
  diagnosis: Diagnosis,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (diagnosis.verdict.kind !== 'fault') return undefined;
  const schema = objectSchema({ sentence: { type: 'string', maxLength: NARRATE_LIMITS.modelSentenceChars } });
  const answer = await ask({ system: VOICE, user: brief.verdict, schema }, signal);
  return groundedSentence((answer as { readonly sentence?: unknown } | undefined | null)?.sentence, diagnosis);
}

/** Asked on the measurements alone, without anything that the rules think; a healthy network needs no second opinion. */
async function opinion(
  ask: AskModel,
  brief: Brief,
  diagnosis: Diagnosis,
  signal: AbortSignal,
): Promise<Candidate | undefined> {
  if (diagnosis.verdict.kind === 'healthy' || brief.resources.size === 0 || brief.faults.length === 0) return undefined;
  const schema = objectSchema({
    resource: { type: 'string', enum: [...brief.resources.keys()] },
    fault: { type: 'string', enum: brief.faults.map(({ fault }) => fault) },
  });
  const user = { ...brief.measurements, faults: brief.faults.map(({ fault, form }) => ({ fault, on: form })) };
  return modelCandidate(await ask({ system: OPINION, user, schema }, signal), brief, diagnosis);
}

function objectSchema(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
