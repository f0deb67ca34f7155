// Interfaces that a configuration text is about and this node does not have. FRR takes them, and makes none: it would keep lines for an interface
// that nobody can use, and some of them it can neither undo nor delete.
import { readFile } from 'node:fs/promises';
import { parseBlocks } from './text.ts';

/** Of this process's network namespace, whatever is mounted as /sys. */
const DEVICES = '/proc/self/net/dev';

export type ReadInterfaces = () => Promise<ReadonlySet<string>>;

export async function readInterfaces(): Promise<ReadonlySet<string>> {
  const text = await readFile(DEVICES, 'utf8');
  return new Set(text.split('\n').flatMap((line) => /^\s*([^\s:]+(?::[^\s:]+)*):\s/.exec(line)?.[1] ?? []));
}

/** The first interface with lines in `after` that had none in `before` and is not among `present`. */
export function missingInterface(before: string, after: string, present: ReadonlySet<string>): string | undefined {
  const known = new Set(configured(before));
  return configured(after).find((name) => !known.has(name) && !present.has(name));
}

function configured(text: string): readonly string[] {
  return parseBlocks(text).flatMap(({ head, lines }) => {
    const name = /^interface (\S+)$/.exec(head)?.[1];
    return name === undefined || lines.length === 0 ? [] : [name];
  });
}
