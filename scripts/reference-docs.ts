// Makes docs/limits.md from the limits.ts of every folder of src, and docs/errors.md from the error codes found in src. What a code means
// is written by hand in docs/errors.md and kept; a code without a meaning stays visibly empty until someone writes it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WIRE_CODES } from '#model/definition.ts';
import { listFiles, ROOT, readSource, type SourceFile } from './source-files.ts';

export const BLAMES = {
  caller: 'The caller asked for something that cannot be.',
  peer: 'Another agent did something wrong, or nothing.',
  node: 'The router behind the agent did not do its part.',
  us: 'A defect or a lack on our side.',
} as const;

export type LimitGroup = {
  readonly path: string;
  readonly text: string;
  readonly limits: Readonly<Record<string, number>>;
};

/** The `limits.ts` of every folder, base first: each exports one object of bounds. */
export async function limitGroups(root: string): Promise<readonly LimitGroup[]> {
  const paths = listFiles(root, ['src'], 'limits.ts').filter((path) => path.endsWith('/limits.ts'));
  paths.sort((one, other) => Number(other.startsWith('src/base/')) - Number(one.startsWith('src/base/')));
  return Promise.all(
    paths.map(async (path) => {
      const exported = Object.values((await import(join(root, path))) as Record<string, unknown>);
      if (exported.length !== 1) throw new Error(`expected one object of bounds in ${path}, got ${exported.length}`);
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, limits: exported[0] as Readonly<Record<string, number>> };
    }),
  );
}

export function renderLimits(groups: readonly LimitGroup[]): string {
  const lines = [
    '# Limits',
    '',
    'Every bound has a name in the `limits.ts` of the folder that it bounds; bounds that several folders share are in `src/base/limits.ts`.',
    '`npm run docs` writes this page and a test fails when it is stale.',
    'The unit is the last word of a name: `Ms` milliseconds, `Bytes` octets, `Chars` characters, `Count` things.',
  ];
  for (const { path, text, limits } of groups) {
    const meanings = meaningsOf(text);
    lines.push('', `## \`${path}\``, '', '| name | value | what it bounds |', '|---|---|---|');
    for (const [name, value] of Object.entries(limits))
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
