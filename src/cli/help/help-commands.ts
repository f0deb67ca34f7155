// `parley completion SHELL` and `parley man`: made from the command tree, printed or written. They ask no agent.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, writeOut } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';
import type { Described } from './command-tree.ts';
import { completionFor, type Shell } from './completion.ts';
import { manPages } from './man-pages.ts';

export async function printCompletion(root: Described, shell: string): Promise<number> {
  await writeOut(completionFor(shell as Shell, root));
  return EXIT.ok;
}

/** Prints the page of one command, or writes all of them into a folder. */
export async function writeManPages(
  root: Described,
  { out, json = false }: { readonly out?: string; readonly json?: boolean },
  words: readonly string[],
): Promise<number> {
  const pages = manPages(root);
  const output = createOutput(json);
  if (out === undefined) {
    const file = `${['parley', ...words.filter((word) => word !== 'parley')].join('-')}.1`;
    const page = pages.find((each) => each.file === file);
    if (page === undefined) throw usage('a command, such as report show', words.join(' '));
    await writeOut(page.text);
    return EXIT.ok;
  }
  await mkdir(out, { recursive: true });
  for (const { file, text } of pages) await writeFile(join(out, file), text);
  output.result({ dir: out, pages: pages.map(({ file }) => file) });
  output.line(`${pages.length} pages in ${out}`);
  return EXIT.ok;
}
