// The tool `parley-ask` (CARD-7): an operator or a controller injects an intent on this node and watches it being answered.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { ToolOffer } from '#model/offer.ts';
import { WIRE_CODES } from '#model/offer.ts';
import { type InvestigateParts, type Investigation, investigate } from './investigate.ts';

export const ASK_TOOL = 'parley-ask';

export function createAskOffer(parts: InvestigateParts): ToolOffer {
  let running = 0;
  return {
    name: ASK_TOOL,
    title: 'Ask the network',
    description:
      'Answers a question such as "Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2" with a signed report.',
    capability: ASK_TOOL,
    mutability: 'probe',
    inputSchema: {
      type: 'object',
      properties: { intent: { type: 'string', minLength: 1, maxLength: LIMITS.intentChars } },
      required: ['intent'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', required: ['id', 'uri', 'verdict', 'hypothesis', 'sentence', 'findings'] },
    callers: ['operator', 'controller'],
    call: async (args, context) => {
      if (running >= LIMITS.investigations) throw busy();
      running++;
      try {
        let steps = 0;
        const investigation = await investigate(
          {
            text: String(args['intent']),
            signal: context.signal,
            onProgress: ({ step, message, data }) =>
              context.progress(++steps, undefined, `${step}: ${message}`, { step, ...data }),
          },
          parts,
        );
        return answerOf(investigation);
      } finally {
        running--;
      }
    },
  };
}

function answerOf(investigation: Investigation): JsonObject {
  const { diagnosis, phrased, gathered, totalMs, probingMs } = investigation;
  const answer = {
    id: investigation.id,
    uri: investigation.uri,
    ...(investigation.notStored === undefined ? {} : { notStored: investigation.notStored }),
    intent: investigation.intent,
    verdict: diagnosis.verdict,
    hypothesis: diagnosis.hypothesis,
    sentence: phrased.sentence,
    sentenceSource: phrased.source,
    findings: diagnosis.findings,
    candidates: diagnosis.candidates,
    segments: diagnosis.segments,
    outcomes: gathered.outcomes,
    timings: { totalMs: round(totalMs), probingMs: round(probingMs), restMs: round(totalMs - probingMs) },
  };
  return answer as unknown as JsonObject;
}

function round(valueMs: number): number {
  return Math.round(valueMs * 10) / 10;
}

function busy(): ParleyError {
  const message = `expected at most ${LIMITS.investigations} questions at a time, came one more: ask again in a few seconds`;
  return new ParleyError('caller/too-many-questions', message, { data: { wireCode: WIRE_CODES.busy } });
}
