// Tries one recorded model on one recorded diagnosis, through the real narrator and the real `ollama` client, and tells what of
// its answers was shown. What becomes of a whole report is whole.ts's.
import { FAULT_FORMS } from '#correlate/text/clues.ts';
import type { Diagnosis } from '#model/finding.ts';
import type { Phrasing } from '#model/ports.ts';
import { briefOf } from '#narrate/brief.ts';
import { createNarrator } from '#narrate/narrator.ts';
import { listenFakeOllama } from '../fake-ollama.ts';
import type { Case } from './cases.ts';
import type { RecordedModel } from './models.ts';

export type Trial = {
  readonly phrasing: Phrasing;
  readonly asked: readonly string[];
  readonly elapsedMs: number;
};

export async function tryModel(model: RecordedModel, each: Case, timeoutMs: number): Promise<Trial> {
  await using server = await listenFakeOllama(model.reply(standInsOf(each)));
  const narrator = createNarrator({ host: server.host, model: 'recorded', timeoutMs, faults: FAULT_FORMS });
  const started = performance.now();
  const phrasing = await narrator.phrase(each.diagnosis, new AbortController().signal);
  const elapsedMs = performance.now() - started;
  return { phrasing, asked: server.asked, elapsedMs };
}

/** The right answer in the stand-ins of this diagnosis' prompt. */
function standInsOf({ good, diagnosis }: Case) {
  if (good === undefined) return undefined;
  const standIn = [...briefOf(diagnosis as Diagnosis, FAULT_FORMS).resources].find(([, id]) => id === good.resource);
  return { resource: standIn?.[0] ?? 'none', fault: good.fault };
}
