// Remembers what the model answered to exactly the same question: it is asked without chance, so it would say the same again.
// Silence and failure are not remembered.
import { NARRATE_LIMITS } from './limits.ts';
import type { ChatQuestion } from './ollama-chat.ts';

/** The parsed answer, or undefined when there is none; never rejects. */
export type AskModel = (question: ChatQuestion, signal: AbortSignal) => Promise<unknown>;

export function rememberingModel(ask: AskModel): AskModel {
  const answers = new Map<string, unknown>();
  return async (question, signal) => {
    const key = JSON.stringify(question);
    if (answers.has(key)) return answers.get(key);
    const answer = await ask(question, signal);
    if (answer === undefined) return undefined;
    if (answers.size >= NARRATE_LIMITS.modelCacheEntries) answers.delete(answers.keys().next().value!);
    answers.set(key, answer);
    return answer;
  };
}
