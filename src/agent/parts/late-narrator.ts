// The narrator of an agent, made with its first sentence: the faults that a model may name stand behind all fault definitions, which an idle
// node does without.
import { late } from '#base/in-turn.ts';
import type { Config } from '#config/schema.ts';
import type { Narrator } from '#model/ports.ts';

/** OLLAMA_HOST is honoured as everywhere (config/ reads it); without a server the sentences come from templates. */
export function createLateNarrator({ narrate }: Pick<Config, 'narrate'>): Narrator {
  const narrator = late(() => make(narrate));
  return {
    phrase: async (diagnosis, signal) => (await narrator()).phrase(diagnosis, signal),
    interpret: async (...question) => (await narrator()).interpret(...question),
  };
}

async function make({ ollama, model, timeoutMs }: Config['narrate']): Promise<Narrator> {
  const { createNarrator } = await import('#narrate/narrator.ts');
  const { FAULT_FORMS } = await import('#correlate/text/clues.ts');
  return createNarrator({ model, timeoutMs, faults: FAULT_FORMS, ...(ollama === undefined ? {} : { host: ollama }) });
}
