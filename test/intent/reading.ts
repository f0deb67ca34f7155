// What the reader made of a question, as one line, for tables of questions and readings.
import assert from 'node:assert/strict';
import { parseIntent } from '#intent/parse.ts';

export function readingsIn(known: Parameters<typeof parseIntent>[1]) {
  /** `packet loss on p2; not used: udp`, or the reason of the refusal. */
  const readOf = (question: string): string => {
    const parsed = parseIntent(question, known);
    if (!parsed.ok) return parsed.reason;
    const { understoodAs = '', notUsed = [] } = parsed.intent;
    return notUsed.length === 0 ? understoodAs : `${understoodAs}; not used: ${notUsed.join(', ')}`;
  };
  const allRead = (table: readonly (readonly [question: string, read: string])[]): void =>
    assert.deepEqual(
      table.map(([question]) => [question, readOf(question)]),
      table,
    );
  return { readOf, allRead };
}
