// The local language model as a second opinion and the voice, never the judge (CARD-5, TS-17). A wrong, slow, absent or
// hostile model changes nothing but the prose: verdict, findings and their order are not in its hands.
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Candidate, Diagnosis } from '#model/finding.ts';
import type { Narrator } from '#model/ports.ts';
import { type Brief, briefOf } from './brief.ts';
import { groundedSentence } from './grounding.ts';
import { modelCandidate } from './model-candidate.ts';
import { askModel, type ChatInit } from './ollama-chat.ts';

export type NarratorInit = {
  /** Base URL of an Ollama server; without it every sentence is the template's. */
  readonly host?: string;
  readonly model?: string;
  /** Longest wait for both questions together. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
};

const DEFAULT_MODEL = 'qwen3:4b';

const VOICE =
  'You phrase the result of a network measurement as one plain English sentence. The findings are final: do not judge, add or ' +
  'leave out any. Write {F1} where finding F1 belongs, {F2} for F2, and so on; each stands for a phrase like "router port packet ' +
  'loss 3 %". Use no other names or numbers. Example: "Probes and counters at both ends point to {F1}".';
const OPINION =
  'You compare loss per direction of a network path. Each segment gives probes sent and lost, and bounds of packets sent at one ' +
  'end but not received at the other. Loss on the wire belongs to the sending interface (packet_loss); loss without a difference ' +
  'between the two ends belongs to a node (acl_misconfig). Name the one most likely resource and fault.';

/** Resolves always, within the time limit, also when the signal aborts. */
export function createNarrator(init: NarratorInit): Narrator {
  const { host } = init;
  if (host === undefined)
    return { phrase: async (diagnosis) => ({ sentence: diagnosis.sentence, source: 'template' }) };
  const chat: ChatInit = {
    host,
    model: init.model ?? DEFAULT_MODEL,
    ...(init.fetch === undefined ? {} : { fetch: init.fetch }),
  };
  return {
    phrase: async (diagnosis, signal) => {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(init.timeoutMs ?? LIMITS.modelMs)]);
      const brief = briefOf(diagnosis);
      const [sentence, candidate] = await Promise.all([
        voice(chat, brief, diagnosis, deadline),
        opinion(chat, brief, diagnosis, deadline),
      ]);
      return {
        sentence: sentence ?? diagnosis.sentence,
        source: sentence === undefined ? 'template' : 'model',
        ...(candidate === undefined ? {} : { candidate }),
      };
    },
  };
}

/** Only findings are phrased: a proof of health and what was missing are facts that a template states better. */
async function voice(
  chat: ChatInit,
  brief: Brief,
  diagnosis: Diagnosis,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (diagnosis.verdict.kind !== 'fault') return undefined;
  const schema = objectSchema({ sentence: { type: 'string', maxLength: LIMITS.modelSentenceChars } });
  const answer = await askModel(chat, { system: VOICE, user: brief.verdict, schema }, signal);
  return groundedSentence((answer as { readonly sentence?: unknown } | undefined | null)?.sentence, diagnosis);
}

/** Asked on the measurements alone, without the rules' verdict; a healthy network needs no second opinion. */
async function opinion(
  chat: ChatInit,
  brief: Brief,
  diagnosis: Diagnosis,
  signal: AbortSignal,
): Promise<Candidate | undefined> {
  if (diagnosis.verdict.kind === 'healthy' || brief.resources.size === 0) return undefined;
  const schema = objectSchema({
    resource: { type: 'string', enum: [...brief.resources.keys()] },
    fault: { type: 'string', enum: brief.faults },
  });
  return modelCandidate(
    await askModel(chat, { system: OPINION, user: brief.measurements, schema }, signal),
    brief,
    diagnosis,
  );
}

function objectSchema(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
