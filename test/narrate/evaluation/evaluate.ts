// Tries one recorded model on one recorded diagnosis, through the real narrator and the real `ollama` client, and tells what of
// its answers was shown. The rules' part of the report is kept as bytes, to be held against a report without any model.
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { FAULT_FORMS } from '#correlate/clues.ts';
import type { Diagnosis } from '#model/finding.ts';
import type { Phrasing } from '#model/ports.ts';
import type { Report } from '#model/report.ts';
import { briefOf } from '#narrate/brief.ts';
import { createNarrator } from '#narrate/narrator.ts';
import { assembleReport } from '#report/assemble.ts';
import { listenFakeOllama } from '../fake-ollama.ts';
import type { Case } from './cases.ts';
import type { RecordedModel } from './models.ts';

export type Trial = {
  readonly phrasing: Phrasing;
  /** RFC 8785 bytes of everything in the report that the rules answer for. */
  readonly rulesPart: string;
  readonly verdict: string;
  readonly asked: readonly string[];
  readonly elapsedMs: number;
};

export async function tryModel(model: RecordedModel, each: Case, timeoutMs: number): Promise<Trial> {
  await using server = await listenFakeOllama(model.reply(standInsOf(each)));
  const narrator = createNarrator({ host: server.host, model: 'recorded', timeoutMs, faults: FAULT_FORMS });
  const started = performance.now();
  const phrasing = await narrator.phrase(each.diagnosis, new AbortController().signal);
  const elapsedMs = performance.now() - started;
  return { ...reported(each, phrasing), phrasing, asked: server.asked, elapsedMs };
}

/** What a report holds when no model is configured at all. */
export async function withoutModel(each: Case): Promise<Pick<Trial, 'rulesPart' | 'verdict'>> {
  return reported(each, await createNarrator({}).phrase(each.diagnosis, new AbortController().signal));
}

function reported(each: Case, phrasing: Phrasing): Pick<Trial, 'rulesPart' | 'verdict'> {
  const { candidate } = phrasing;
  const candidates = [...each.diagnosis.candidates, ...(candidate === undefined ? [] : [candidate])];
  const report = assembleReport({
    id: '0011223344556677',
    creator: 'r1',
    creatorChain: [],
    createdMs: 1_767_225_600_000,
    sessionId: '00112233445566770011223344556677',
    intent: each.input.intent,
    outcomes: each.input.outcomes,
    evidence: [],
    diagnosis: { ...each.diagnosis, candidates },
    phrased: phrasing,
    peerNotes: [],
    timeline: [],
  });
  return { rulesPart: rulesPartOf(report), verdict: report.verdict.kind };
}

/** All of a report but the words of the sentence and the candidates that are marked as the model's. */
export function rulesPartOf(report: Report): string {
  const { sentence: _sentence, sentenceSource: _source, candidates, ...rest } = report;
  return canonicalJsonText({ ...rest, candidates: candidates.filter(({ source }) => source !== 'model') } as never);
}

/** The right answer in the stand-ins of this diagnosis' prompt. */
function standInsOf({ good, diagnosis }: Case) {
  if (good === undefined) return undefined;
  const standIn = [...briefOf(diagnosis as Diagnosis, FAULT_FORMS).resources].find(([, id]) => id === good.resource);
  return { resource: standIn?.[0] ?? 'none', fault: good.fault };
}
