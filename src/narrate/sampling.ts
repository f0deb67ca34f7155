// One sentence from the model of the client that asks (TS-5): about the findings, which stand, and checked word by word like any model's.
// It is for that client alone; a signed report never has it. Nothing is asked of clients that offer no sampling, and none has to answer.
import { messageOf } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { FaultForm } from '#model/clue.ts';
import type { ClientSide } from '#model/definition.ts';
import type { Diagnosis } from '#model/finding.ts';
import { briefOf } from './brief.ts';
import { groundedSentence } from './grounding.ts';
import { NARRATE_LIMITS } from './limits.ts';
import { VOICE } from './narrator.ts';

export type Sampled =
  | { readonly kind: 'sentence'; readonly sentence: string }
  /** No model was asked: nothing to phrase, or a client without a model. */
  | { readonly kind: 'not-asked' }
  | { readonly kind: 'no-answer'; readonly reason: string };

/** Resolves always, within LIMITS.samplingMs: declined, late and wrong answers are none. */
export async function sampleSentence(
  client: ClientSide | undefined,
  diagnosis: Diagnosis,
  faults: readonly FaultForm[],
  signal: AbortSignal,
): Promise<Sampled> {
  if (client === undefined || diagnosis.verdict.kind !== 'fault' || !client.offers('sampling'))
    return { kind: 'not-asked' };
  const until = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.samplingMs)]);
  try {
    const text = textIn(await client.request('sampling/createMessage', questionOf(diagnosis, faults), until));
    const sentence = groundedSentence(text, diagnosis);
    if (sentence !== undefined) return { kind: 'sentence', sentence };
    return { kind: 'no-answer', reason: 'its answer says more than the findings, or less' };
  } catch (error) {
    return {
      kind: 'no-answer',
      reason: until.aborted ? 'no answer in time' : messageOf(error).slice(0, LIMITS.declineChars),
    };
  }
}

/** Ids, enumerations and numbers: no text of a device. The client shows it to its user, who may refuse or change it. */
function questionOf(diagnosis: Diagnosis, faults: readonly FaultForm[]): JsonObject {
  const { verdict } = briefOf(diagnosis, faults);
  return {
    systemPrompt: `${VOICE} Answer with the sentence alone.`,
    messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(verdict) } }],
    includeContext: 'none',
    temperature: 0,
    maxTokens: NARRATE_LIMITS.samplingTokens,
  };
}

/** The content is one block, or an array that has one (MCP 2025-11-25). */
function textIn({ content }: JsonObject): JsonValue | undefined {
  const block = Array.isArray(content) && content.length === 1 ? (content[0] as JsonValue) : content;
  return block !== undefined && isJsonObject(block) && block['type'] === 'text' ? block['text'] : undefined;
}
