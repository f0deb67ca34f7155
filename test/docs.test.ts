// Documents say what is there: the pages of limits and errors match the source both ways, and every path, npm script,
// command and error code that a document names in backticks exists. Links between documents resolve.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import {
  comparedCodes,
  errorCodes,
  limitGroups,
  meaningsIn,
  renderErrors,
  renderLimits,
} from '../scripts/reference-docs.ts';
import { listFiles, missingLines, ROOT, sourceOf } from '../scripts/source-files.ts';

const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', ...listFiles(ROOT, ['docs'], '.md')];
const TOP = /^(?:src|test|scripts|docs|simulations|bench|certs|packaging|\.ci)\//;
const FOLDERS_OF_SRC =
  /^(?:agent|audit|base|cli|codec|config|consent|controller|correlate|discovery|evidence|fanout|intent|mcp|measure|model|mtls|narrate|network|report|router|sign)\/[\w/-]*(?:\.ts|\/)$/;

type Named = {
  readonly paths: string[];
  readonly scripts: string[];
  readonly codes: string[];
  readonly commands: string[];
};

/** What a document names in backticks or in code blocks. */
function namedIn(text: string): Named {
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '');
  const spans = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
  const shell = [...blocks, ...spans].join('\n');
  return {
    paths: spans.flatMap((span) => pathIn(span) ?? []),
    scripts: [...shell.matchAll(/\bnpm run ([\w:-]+)/g)].map((match) => match[1] ?? ''),
    codes: spans.filter((span) => /^(?:caller|peer|node|us)\/[a-z0-9-]+$/.test(span)),
    commands: [...shell.matchAll(/(?:^|\s)parley ([a-z]+(?: [a-z]+)?)(?![\w-])/gm)].map((match) => match[1] ?? ''),
  };
}

/** The path that a span of code names, from the root of the repository; undefined when it names none. */
function pathIn(span: string): string | undefined {
  if (TOP.test(span) && !/[\s<>*{]/.test(span)) return span;
  if (FOLDERS_OF_SRC.test(span)) return `src/${span}`;
  return /^[\w-]+\.(?:json|md)$/.test(span) ? span : undefined;
}

function faultsOf(check: (text: string, path: string) => readonly string[]): string[] {
  return DOCUMENTS.flatMap((path) =>
    check(readFileSync(join(ROOT, path), 'utf8'), path).map((fault) => `${path}: ${fault}`),
  );
}

test('docs/limits.md lists every limit with its value and meaning, and nothing else', async () => {
  const written = readFileSync(join(ROOT, 'docs/limits.md'), 'utf8');
  assert.equal(written, renderLimits(await limitGroups(ROOT)), 'stale: run npm run docs');
  assert.doesNotMatch(written, /\| +\|$/m, 'a limit without a doc comment');
});

test('docs/errors.md lists every error code of src with its meaning, and nothing else', () => {
  const written = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');
  const meanings = meaningsIn(written);
  const stale = missingLines(written, renderErrors(errorCodes(), meanings));
  assert.deepEqual(stale, [], 'stale, run npm run docs');
  assert.deepEqual(
    errorCodes().filter((code) => !meanings.get(code)?.trim()),
    [],
    'codes without a meaning',
  );
});

test('every error code that src looks for is made somewhere', () => {
  const made = new Set(errorCodes());
  assert.deepEqual(
    comparedCodes().filter((code) => !made.has(code)),
    [],
  );
});

test('error codes are found as literals, and those that are only looked for apart', () => {
  const text =
    `// 'us/comment'
throw new ParleyError('peer/timeout', 'x');
const a = \`node/$` +
    `{name}\` + 'node/pe-1/x';
if (error.code === 'peer/gone') f(new Set(['us/one', 'us/two']));`;
  const files = [sourceOf('src/mcp/a.ts', text)];
  assert.deepEqual(errorCodes(files), ['peer/timeout']);
  assert.deepEqual(comparedCodes(files), ['peer/gone', 'us/one', 'us/two']);
});

test('every path that a document names exists', () => {
  assert.deepEqual(
    faultsOf((text) => namedIn(text).paths.filter((path) => !existsSync(join(ROOT, path)))),
    [],
  );
});

test('every npm script that a document names is in package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.deepEqual(
    faultsOf((text) => namedIn(text).scripts.filter((name) => !(name in scripts))),
    [],
  );
});

test('every npm script runs a file that exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const files = Object.values(scripts).flatMap((script) => script.match(/[\w./-]+\.(?:ts|json)\b/g) ?? []);
  assert.deepEqual(
    files.filter((path) => !existsSync(join(ROOT, path))),
    [],
  );
});

test('every command that a document names is one that an operator can type', () => {
  const files = readdirSync(join(ROOT, 'src/cli')).filter((name) => name.endsWith('.ts'));
  const program = files.map((file) => readFileSync(join(ROOT, 'src/cli', file), 'utf8')).join('\n');
  const known = new Set([...program.matchAll(/\bcommand\('([a-z]+)'\)/g)].map((match) => match[1] ?? ''));
  const groups = ['report', 'ca', 'audit', 'registrar', 'operator'];
  const unknown = (command: string) => {
    const [first = '', second = ''] = command.split(' ');
    return !known.has(first) || (groups.includes(first) && second !== '' && !known.has(second));
  };
  assert.deepEqual(
    faultsOf((text) => namedIn(text).commands.filter(unknown)),
    [],
  );
});

test('every error code that a document names is thrown somewhere', () => {
  const known = new Set(errorCodes());
  assert.deepEqual(
    faultsOf((text) => namedIn(text).codes.filter((code) => !known.has(code))),
    [],
  );
});

test('every relative link between documents leads to a file', () => {
  const faults = faultsOf((text, path) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map((match) => (match[1] ?? '').replace(/#.*$/, ''))
      .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
      .filter((target) => !existsSync(join(ROOT, normalize(join(dirname(path), target))))),
  );
  assert.deepEqual(faults, []);
});

test('what a document names is read from code spans and code blocks', () => {
  const text =
    'see `src/no/such.ts`, `agent/none.ts` and `peer/x-y`\n```\nnpm run nope && parley ask "x"\n```\n`parley ca init`';
  assert.deepEqual(namedIn(text), {
    paths: ['src/no/such.ts', 'src/agent/none.ts'],
    scripts: ['nope'],
    codes: ['peer/x-y'],
    commands: ['ask', 'ca init'],
  });
});
