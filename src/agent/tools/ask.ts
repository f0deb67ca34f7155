// The tool `parley-ask` (CARD-7): an operator or a controller puts an intent to this node and gets progress and the answer.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { type CallContext, type ToolDefinition, WIRE_CODES } from '#model/definition.ts';
import type { Diagnosis } from '#model/finding.ts';
import type { AppliedRemedy } from '#model/intent.ts';
import type { Sampled } from '#narrate/sampling.ts';
import type { InvestigateParts, Investigation, Question } from '../investigate.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { askerIn } from '../serving/asker.ts';
import { OUTPUT_SCHEMA, summaryOf } from './answer-text.ts';

const ASK_TOOL = 'parley-ask';

const NAMED = { type: 'string', minLength: 1, maxLength: 256 };
/** Recorded in the sealed report as the caller's statement. */
const APPLIED_REMEDY: JsonObject = {
  type: 'object',
  description: 'A remedy that was applied: the answer says whether it helped',
  properties: {
    report: { ...NAMED, description: 'Id of the report with the finding' },
    finding: { ...NAMED, description: 'Fault and resource' },
    node: { ...NAMED, description: 'Where it was applied' },
    commit: { ...NAMED, description: 'Its commit-id' },
  },
  required: ['report', 'finding', 'node', 'commit'],
  additionalProperties: false,
};

export function createAskTool(parts: InvestigateParts): ToolDefinition {
  let running = 0;
  return {
    name: ASK_TOOL,
    title: 'Ask the network',
    description:
      'Answers a question about the network from measurements of the routers, such as "Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2" or "What is wrong?", with a verdict, findings and a signed report. Takes seconds; changes nothing.',
    capability: ASK_TOOL,
    mutability: 'probe',
    inputSchema: {
      type: 'object',
      properties: {
        intent: {
          type: 'string',
          minLength: 1,
          maxLength: LIMITS.intentChars,
          description:
            'The question in plain English; names of nodes and interfaces as the operator writes them, hosts by address. Or YAML or JSON, such as { kind: reachability, from: 198.19.17.10, destination: 198.19.33.10 }',
        },
        remedy: APPLIED_REMEDY,
      },
      required: ['intent'],
      additionalProperties: false,
    },
    outputSchema: OUTPUT_SCHEMA,
    summary: summaryOf,
    callers: ['operator', 'controller'],
    call: async (args, context) => {
      if (running >= AGENT_LIMITS.investigations) throw busy();
      running++;
      let steps = 0;
      const tell = (step: string, message: string, data?: JsonObject) =>
        context.progress(++steps, undefined, `${step}: ${message}`, { step, ...data });
      const onProgress: Question['onProgress'] = ({ step, message, data }) => tell(step, message, data);
      const remedy = args['remedy'] as unknown as AppliedRemedy | undefined;
      const question = {
        text: String(args['intent']),
        ...askerIn(context),
        ...(remedy === undefined ? {} : { remedy }),
        ...partOf(context),
        signal: context.signal,
        onProgress,
      };
      const investigation = await asked(question, parts).finally(() => {
        running--;
      });
      // After the report is sealed: the sentence of a client's model is for that client and never signed.
      const { diagnosis, phrased } = investigation;
      // A model of this node's operator takes precedence over the client's.
      const client = phrased.source === 'template' ? context.client : undefined;
      const sampled = await sampledBy(client, diagnosis, context.signal);
      if (sampled.kind === 'no-answer') tell('finding', `your client's model was not heard: ${sampled.reason}`);
      return answerOf(investigation, sampled);
    },
  };
}

/** What answers questions is a third of the program: it is loaded with the first of them. */
async function asked(question: Question, parts: InvestigateParts): Promise<Investigation> {
  const { investigate } = await import('../investigate.ts');
  return investigate(question, parts);
}

async function sampledBy(client: CallContext['client'], diagnosis: Diagnosis, signal: AbortSignal): Promise<Sampled> {
  const { FAULT_FORMS } = await import('#correlate/text/clues.ts');
  const { sampleSentence } = await import('#narrate/sampling.ts');
  return sampleSentence(client, diagnosis, FAULT_FORMS, signal);
}

const SESSION_ID = /^[0-9a-f]{32}$/;

/** An aggregator asks this as part of a question of its own: one session id stands in the trail of every hop. */
function partOf({ caller, sessionId }: CallContext): Pick<Question, 'sessionId'> {
  return caller.kind === 'controller' && sessionId !== undefined && SESSION_ID.test(sessionId) ? { sessionId } : {};
}

function answerOf(investigation: Investigation, sampled: Sampled): JsonObject {
  const { diagnosis, phrased, gathered, totalMs, probingMs, warning } = investigation;
  const answer = {
    id: investigation.id,
    uri: investigation.uri,
    created: investigation.created,
    ...(investigation.notStored === undefined ? {} : { notStored: investigation.notStored }),
    ...(investigation.storeFull === undefined ? {} : { storeFull: investigation.storeFull }),
    ...(warning === undefined ? {} : { warning }),
    ...(investigation.intent.understoodAs === undefined ? {} : { understoodAs: investigation.intent.understoodAs }),
    intent: investigation.intent,
    verdict: diagnosis.verdict,
    hypothesis: diagnosis.hypothesis,
    ...(sampled.kind === 'sentence'
      ? { sentence: [warning, sampled.sentence].filter(Boolean).join(' '), sentenceSource: 'client-model' }
      : { sentence: phrased.sentence, sentenceSource: phrased.source }),
    findings: diagnosis.findings,
    ...(diagnosis.changes === undefined ? {} : { changes: diagnosis.changes }),
    ...(diagnosis.table === undefined ? {} : { table: diagnosis.table }),
    ...(diagnosis.remarks === undefined ? {} : { remarks: diagnosis.remarks }),
    ...(diagnosis.silenced === undefined ? {} : { silenced: diagnosis.silenced }),
    candidates: diagnosis.candidates,
    segments: diagnosis.segments,
    links: diagnosis.links,
    outcomes: gathered.outcomes,
    cost: { calls: gathered.outcomes.length, probePackets: gathered.probes.packets, probeBytes: gathered.probes.bytes },
    timings: { totalMs: round(totalMs), probingMs: round(probingMs), restMs: round(totalMs - probingMs) },
  };
  return answer as unknown as JsonObject;
}

function round(valueMs: number): number {
  return Math.round(valueMs * 10) / 10;
}

/** Further questions are refused as busy. */
export function busy(): ParleyError {
  const message = `expected at most ${AGENT_LIMITS.investigations} questions at a time, got one more: ask again in a few seconds`;
  return new ParleyError('caller/too-many-questions', message, { data: { wireCode: WIRE_CODES.busy } });
}
