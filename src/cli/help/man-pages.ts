// Man pages from the command tree: `parley(1)` and one for each command, with its options, examples and exit codes. Troff with the man macros.
import { VERSION } from '#base/version.ts';
import { allOf, type Described } from './command-tree.ts';
import { examplesOf } from './examples.ts';

export type ManPage = { readonly file: string; readonly text: string };

const EXIT_CODES = [
  ['0', 'fine, or healthy'],
  ['1', 'findings'],
  ['2', 'usage: something that was typed'],
  ['3', 'evidence incomplete, or something is not as it should be'],
  ['4', 'denied, or waiting for an approval'],
  ['5', 'a signature does not verify'],
] as const;

export function manPages(root: Described): readonly ManPage[] {
  return allOf(root).map((command) => ({ file: `${command.words.join('-')}.1`, text: pageOf(command) }));
}

function pageOf(command: Described): string {
  const name = command.words.join('-');
  const examples = examplesOf(command.words);
  const lines = [
    `.TH ${name.toUpperCase()} 1 "" "parley ${VERSION}" "Parley"`,
    '.SH NAME',
    `${plain(name)} \\- ${plain(command.description)}`,
    '.SH SYNOPSIS',
    `.B ${plain(command.usage)}`,
    ...listed(
      'ARGUMENTS',
      command.args.map(({ name: arg, description }) => [arg, description]),
    ),
    ...listed(
      'COMMANDS',
      command.below.map(({ words, description }) => [words.at(-1)!, description]),
    ),
    ...listed(
      'OPTIONS',
      command.options.map(({ flags, description }) => [flags, description]),
    ),
    ...(examples.length === 0 ? [] : ['.SH EXAMPLES']),
    ...examples.flatMap(({ line, does }) => ['.TP', `.B ${plain(line)}`, plain(does)]),
    ...listed('EXIT STATUS', EXIT_CODES),
    '.SH SEE ALSO',
    seeAlso(command),
  ];
  return `${lines.join('\n')}\n`;
}

function listed(title: string, rows: readonly (readonly [string, string])[]): readonly string[] {
  if (rows.length === 0) return [];
  return [`.SH ${title}`, ...rows.flatMap(([name, text]) => ['.TP', `.B ${plain(name)}`, plain(text || 'see above')])];
}

function seeAlso({ words, below }: Described): string {
  const above = words.length > 1 ? [words.slice(0, -1).join('-')] : [];
  const names = [...above, ...below.map((each) => each.words.join('-'))];
  return names.map((name) => `.BR ${plain(name)} (1)`).join(',\n') || '.BR parley (1)';
}

/** A dash is a minus, a backslash is one, and no line begins as a request. */
function plain(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
