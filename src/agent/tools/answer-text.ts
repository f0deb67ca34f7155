// How the answer to a question is shown to a person or a language model: the sentence, the verdict, the findings, and a link to the signed
// report. Programs read the structured content beside it.
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { Finding, Verdict } from '#model/finding.ts';

const FINDING: JsonObject = {
  type: 'object',
  properties: {
    fault: { type: 'string', description: 'Id of the fault' },
    resource: { type: 'string', description: 'Where it is' },
    confidence: { type: 'string' },
    hypothesis: { type: 'string' },
    remedy: { type: 'object', properties: { summary: { type: 'string' }, command: { type: 'string' } } },
  },
  required: ['fault', 'resource', 'confidence', 'hypothesis'],
};

export const OUTPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Of the report' },
    uri: { type: 'string', description: 'To read the report' },
    created: { type: 'string', description: 'When it was made, RFC 3339' },
    sentence: { type: 'string', description: 'The answer' },
    verdict: {
      type: 'object',
      properties: {
        kind: { enum: ['fault', 'healthy', 'inconclusive', 'answered'] },
        reasons: { type: 'array', items: { type: 'string' } },
      },
      required: ['kind', 'reasons'],
    },
    hypothesis: { type: 'string' },
    findings: { type: 'array', items: FINDING },
    remarks: { type: 'array', description: 'Odd, and no fault' },
    outcomes: { type: 'array', description: 'What each node answered' },
    warning: { type: 'string' },
  },
  required: ['id', 'uri', 'verdict', 'hypothesis', 'sentence', 'findings'],
};

/** MCP content blocks of an answer of `parley-ask`. */
export function summaryOf(answer: JsonObject): readonly JsonObject[] {
  const { id, uri, sentence } = answer;
  const verdict = answer['verdict'] as unknown as Verdict;
  const findings = answer['findings'] as unknown as readonly Finding[];
  const blocks: JsonObject[] = [text(sentence!), text(`Verdict: ${verdict.kind}. ${verdict.reasons.join(' ')}`.trim())];
  if (findings.length > 0) blocks.push(text(['Findings:', ...findings.map(findingLine)].join('\n')));
  if (answer['notStored'] !== undefined) return [...blocks, text(`The report was not stored: ${answer['notStored']}`)];
  const description = 'The signed report with its evidence';
  return [
    ...blocks,
    { type: 'resource_link', uri: uri!, name: `report ${id}`, description, mimeType: 'application/json' },
  ];
}

function findingLine({ fault, resource, confidence, hypothesis, remedy }: Finding): string {
  const mend = remedy === undefined ? '' : `; remedy: ${remedy.summary}`;
  return `- ${fault} at ${resource} (${confidence}): ${hypothesis}${mend}`;
}

function text(value: JsonValue): JsonObject {
  return { type: 'text', text: String(value) };
}
