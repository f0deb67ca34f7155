// Help, completion and man pages are made from the command tree: each command has an example that the tree takes, and nothing is named that is
// not there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Command } from 'commander';
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

test('each command has an example, and there are none of other commands', () => {
  assert.deepEqual(exampleKeys().toSorted(), all.map(({ words }) => words.slice(1).join(' ')).toSorted());
});

test('the command tree takes each example, as a shell passes it on, and it is one of its command', async () => {
  for (const { words } of all)
    for (const { line } of examplesOf(words)) {
      const tree = commandTree();
      muted(tree);
      await assert.doesNotReject(tree.parseAsync(typed(line), { from: 'user' }), line);
      assert.ok(line.startsWith(words.join(' ')), line);
    }
});

function muted(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => {} });
  for (const below of command.commands) muted(below);
}

/** The words after `parley`, without redirection and pipe; quotes are taken away. */
function typed(line: string): readonly string[] {
  const [command = ''] = line.split(/ [>|] /);
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].slice(1).map(([, two, one, bare]) => two ?? one ?? bare!);
}

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
