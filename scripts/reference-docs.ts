// Makes docs/limits.md from src/base/limits.ts and its parts, and docs/errors.md from the error codes found in src. What a code means
// is written by hand in docs/errors.md and kept; a code without a meaning stays visibly empty until someone writes it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '#base/limits.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { listFiles, ROOT, readSource, type SourceFile } from './source-files.ts';

export const BLAMES = {
  caller: 'The caller asked for something that cannot be.',
  peer: 'Another agent did something wrong, or nothing.',
  node: 'The router behind the agent did not do its part.',
  us: 'A defect or a lack on our side.',
} as const;

/** The files in which bounds have their names. */
export function limitSources(root: string): string {
  return ['limits', 'scope-limits', 'netconf-limits', 'access-limits', 'commit-limits']
    .map((name) => readFileSync(join(root, `src/base/${name}.ts`), 'utf8'))
    .join('');
}

export function renderLimits(limitsText: string): string {
  const lines = [
    '# Limits',
    '',
    'Every bound has a name in `src/base/limits.ts` or in one of the `*-limits.ts` beside it; `npm run docs` writes this page and a test fails when it is stale.',
    'The unit is the last word of a name: `Ms` milliseconds, `Bytes` octets, `Chars` characters, `Count` things.',
    '',
    '| name | value | what it bounds |',
    '|---|---|---|',
  ];
  const meanings = meaningsOf(limitsText);
  for (const [name, value] of Object.entries(LIMITS)) {
    lines.push(`| \`${name}\` | ${value.toLocaleString('en-US')} | ${meanings.get(name) ?? ''} |`);
  }
  return `${lines.join('\n')}\n`;
}

/** The doc comment above each entry, in one line. */
function meaningsOf(limitsText: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const match of limitsText.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(\w+):/g)) {
    found.set(match[2] ?? '', (match[1] ?? '').replace(/\s*\n\s*\*?\s*/g, ' ').trim());
  }
  return found;
}

const CODE = /(['"`])((?:caller|peer|node|us)\/[a-z0-9]+(?:-[a-z0-9]+)*)\1/g;
/** Where a code is only looked for: `=== 'x'`, and the members of a set. */
const COMPARED = /[!=]==\s*['"`][a-z]+\/[a-z0-9-]+['"`]|new Set\(\[[^\]]*\]\)/g;

/** Codes that the code of src makes, sorted. Resource ids (`node/pe1`) never stand there as plain literals. */
export function errorCodes(files: readonly SourceFile[] = srcFiles()): string[] {
  return codesIn(files.map(({ code }) => code.replace(COMPARED, '')));
}

/** Codes that src looks for, sorted: each of them has to be made somewhere. */
export function comparedCodes(files: readonly SourceFile[] = srcFiles()): string[] {
  return codesIn(files.flatMap(({ code }) => code.match(COMPARED) ?? []));
}

function codesIn(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(CODE)].map((match) => match[2] ?? ''));
  return [...new Set(found)].sort();
}

function srcFiles(): SourceFile[] {
  return listFiles(ROOT, ['src'], '.ts').map((path) => readSource(ROOT, path));
}

/** Code → meaning, from the tables of an existing docs/errors.md. */
export function meaningsIn(errorsText: string): Map<string, string> {
  const rows = errorsText.matchAll(/^\| `([^`]+)` \| (.*?) ?\|$/gm);
  return new Map(Array.from(rows, (row) => [row[1] ?? '', row[2] ?? '']));
}

export function renderErrors(codes: readonly string[], meanings: ReadonlyMap<string, string>): string {
  const lines = [
    '# Errors',
    '',
    'Codes are stable and never reused; the first word says whose fault it was. `npm run docs` keeps the list of codes in',
    'step with `src/`, the meanings are written by hand. A code that travels to a peer travels as a wire code (below).',
  ];
  for (const [blame, whose] of Object.entries(BLAMES)) {
    lines.push('', `## ${blame}`, '', whose, '', '| code | what it means, what to do |', '|---|---|');
    for (const code of codes.filter((entry) => entry.startsWith(`${blame}/`))) {
      lines.push(`| \`${code}\` | ${meanings.get(code) ?? ''} |`);
    }
  }
  lines.push(
    '',
    '## On the wire',
    '',
    'JSON-RPC codes of answers to peers (`WIRE_CODES` in `src/model/definition.ts`).',
  );
  lines.push('', '| code | name |', '|---|---|');
  for (const [name, code] of Object.entries(WIRE_CODES)) lines.push(`| ${code} | ${name} |`);
  return `${lines.join('\n')}\n`;
}
