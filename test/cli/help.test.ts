// Help, completion and man pages are made from the command tree: each command has an example that the tree takes, and nothing is named that is
// not there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { allOf, describe } from '../../src/cli/help/command-tree.ts';
import { completionFor } from '../../src/cli/help/completion.ts';
import { exampleKeys, examplesOf } from '../../src/cli/help/examples.ts';
import { manPages } from '../../src/cli/help/man-pages.ts';
import { commandTree } from '../../src/cli/program.ts';
import { runParley } from '../agent/agent-bed.ts';

const root = describe(commandTree());
const all = allOf(root);
let dir: string;
before(() => {
  dir = mkdtempSync(join(tmpdir(), 'parley-help-'));
});
after(() => rmSync(dir, { recursive: true }));

test('examples are of commands that there are, with options that they have', () => {
  const keys = new Set(all.map(({ words }) => words.slice(1).join(' ')));
  assert.deepEqual(
    exampleKeys().filter((key) => !keys.has(key)),
    [],
  );
  for (const command of all)
    for (const { line } of examplesOf(command.words)) {
      assert.ok(line.startsWith('parley'), line);
      const longs = [...line.matchAll(/ (--[a-z-]+)/g)].map((found) => found[1]!);
      const own = all.filter(({ words }) => line.startsWith(words.join(' '))).flatMap(({ options }) => options);
      for (const long of longs)
        assert.ok(
          own.some((option) => option.long === long),
          `${line}: ${long}`,
        );
    }
});

test('help of a command ends with its examples', async () => {
  const { stdout } = await runParley(['history', '--help']);
  assert.match(stdout, /\nExamples:\n {4}parley history\n/);
});

test('bash takes the completion, which offers commands, their options, and the words of an option', () => {
  const file = join(dir, 'parley.bash');
  writeFileSync(file, completionFor('bash', root));
  const offered = (...words: readonly string[]) =>
    execFileSync('bash', [
      '--norc',
      '-c',
      `source ${file}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _parley; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ])
      .toString()
      .trim()
      .split('\n');
  assert.ok(offered('parley', 'hist').includes('history'));
  assert.ok(offered('parley', 'report', 'sh').includes('show'));
  assert.ok(offered('parley', 'report', 'show', '--ex').includes('--explain'));
  assert.deepEqual(offered('parley', 'completion', 'ba').includes('history'), false);
});

test('completions for zsh and fish name every command', () => {
  for (const shell of ['zsh', 'fish'] as const) {
    const text = completionFor(shell, root);
    for (const { words } of all.slice(1)) assert.ok(text.includes(words.at(-1)!), `${shell}: ${words.join(' ')}`);
  }
});

test('each command has a man page with name, synopsis, options and exit status', async () => {
  const said = await runParley(['man', '--out', join(dir, 'man1')]);
  assert.equal(said.exitCode, 0, said.stderr);
  assert.deepEqual(readdirSync(join(dir, 'man1')).sort(), all.map(({ words }) => `${words.join('-')}.1`).sort());
  for (const { text, file } of manPages(root)) {
    for (const section of ['NAME', 'SYNOPSIS', 'EXIT STATUS']) assert.ok(text.includes(`.SH ${section}`), file);
    assert.doesNotMatch(text, /\n\n/, file);
  }
  assert.equal((await runParley(['man', 'nothing'])).exitCode, 2);
});

test('a shell that is not known is refused with 2', async () => {
  assert.equal((await runParley(['completion', 'tcsh'])).exitCode, 2);
});
