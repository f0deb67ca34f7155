// One question to a local Ollama server, structured answer, bounded in time and bytes. Never throws: no answer is undefined.
import type { JsonObject } from '#base/json.ts';
import { NARRATE_LIMITS } from './limits.ts';

export type ChatInit = {
  readonly host: string;
  readonly model: string;
  /** Replaces the global fetch: tests, proxies. */
  readonly fetch?: typeof fetch;
};

export type ChatQuestion = { readonly system: string; readonly user: JsonObject; readonly schema: JsonObject };

/** The parsed JSON of the model's answer; undefined when it is absent, slow, too long, or no JSON. */
export async function askModel(init: ChatInit, question: ChatQuestion, signal: AbortSignal): Promise<unknown> {
  try {
    const { Ollama } = await import('ollama');
    const client = new Ollama({ host: init.host, fetch: boundedFetch(init.fetch ?? fetch, signal) });
    const answer = client.chat({
      model: init.model,
      messages: [
        { role: 'system', content: question.system },
        { role: 'user', content: JSON.stringify(question.user) },
      ],
      format: question.schema,
      think: false,
      stream: false,
      options: { temperature: 0, seed: 1, num_predict: 256 },
    });
    const { message } = await Promise.race([answer, rejectOnAbort(signal)]);
    return JSON.parse(message.content);
  } catch {
    // The model is a voice, not a witness: without it the template speaks, and nothing else changes.
    return undefined;
  }
}

/** Adds the deadline, which the client passes on for streams only, and refuses answers beyond the limit. */
function boundedFetch(send: typeof fetch, signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const response = await send(input, { ...init, signal, redirect: 'error' });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > NARRATE_LIMITS.modelAnswerBytes) throw new RangeError('the answer is too long');
      chunks.push(chunk);
    }
    return new Response(Buffer.concat(chunks), {
      status: response.status,
      headers: { 'content-type': 'application/json' },
    });
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
