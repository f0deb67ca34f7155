// `npm run help-files -- [DIR]`: man pages and completions of every command, laid out as under /usr/share, for a package to take. Default: dist/share.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe } from '../src/cli/help/command-tree.ts';
import { completionFor } from '../src/cli/help/completion.ts';
import { manPages } from '../src/cli/help/man-pages.ts';
import { commandTree } from '../src/cli/program.ts';

const dir = process.argv[2] ?? join(import.meta.dirname, '..', 'dist', 'share');
const root = describe(commandTree());
const files: readonly (readonly [path: string, text: string])[] = [
  ...manPages(root).map(({ file, text }) => [`man/man1/${file}`, text] as const),
  ['bash-completion/completions/parley', completionFor('bash', root)],
  ['zsh/site-functions/_parley', completionFor('zsh', root)],
  ['fish/vendor_completions.d/parley.fish', completionFor('fish', root)],
];
for (const [path, text] of files) {
  const file = join(dir, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
process.stdout.write(`${files.length} files in ${dir}\n`);
