// Questions to the person at the terminal. Without a terminal on both sides, or with --json, nothing is asked.
import { createInterface } from 'node:readline/promises';

/** Asks one thing and gives the answer without blanks around it. */
export type Ask = (question: string) => Promise<string>;

/** `ask` is absent where there is no person to ask. */
export async function withTerminal<T>(
  { json }: { readonly json?: boolean },
  work: (ask: Ask | undefined) => Promise<T>,
): Promise<T> {
  if (json === true || process.stdin.isTTY !== true || process.stderr.isTTY !== true) return work(undefined);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ask: Ask = async (question) => (await terminal.question(question)).trim();
  return work(ask).finally(() => terminal.close());
}
