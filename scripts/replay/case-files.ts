// Files of cases: reports as `parley report export` writes them, and the compressed cases that `--select` writes. A recorded diagnosis,
// `NAME.expected.json`, may stand beside either. Reads folders with all folders below them.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { messageOf } from '#base/error.ts';
import { caseOfReport, reportIn } from './rebuild.ts';
import type { ExpectedDiagnosis, ReplayCase } from './replay-case.ts';

const REPORT = '.json';
export const CASE = '.json.br';
const EXPECTED = '.expected.json';
const CASE_SCHEMA_VERSION = 1;

export type FoundCase = {
  readonly path: string;
  readonly case: ReplayCase;
  /** What the case is compared with: the diagnosis in the report, or one recorded by an earlier program. */
  readonly from: 'sealed' | 'recorded';
};

/** Where diagnoses are recorded: beside each file, or all in one folder. */
export type Recorded = { readonly folder?: string };

/** Paths of all reports and cases, sorted. Throws where a path does not exist. */
export function caseFiles(paths: readonly string[]): readonly string[] {
  const isCase = (name: string) => (name.endsWith(REPORT) || name.endsWith(CASE)) && !name.endsWith(EXPECTED);
  const within = (folder: string): readonly string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? within(path) : entry.isFile() && isCase(entry.name) ? [path] : [];
    });
  return paths.flatMap((path) => (statSync(path).isDirectory() ? within(path) : [path])).sort();
}

export function loadCase(path: string, recorded: Recorded = {}): FoundCase {
  const read = path.endsWith(CASE)
    ? decodeCase(readFileSync(path))
    : caseOfReport(reportIn(JSON.parse(readFileSync(path, 'utf8'))));
  const file = recordedFile(path, recorded);
  if (existsSync(file)) return { path, case: { ...read, expected: recordedIn(file, read.id) }, from: 'recorded' };
  return { path, case: read, from: path.endsWith(CASE) ? 'recorded' : 'sealed' };
}

/** Every case of the files, and a line for each file that holds none. */
export function loadCases(files: readonly string[], recorded: Recorded = {}) {
  const problems: string[] = [];
  const found = files.flatMap((file): readonly FoundCase[] => {
    try {
      return [loadCase(file, recorded)];
    } catch (error) {
      problems.push(`${file}: left out: ${messageOf(error)}`);
      return [];
    }
  });
  return { found, problems };
}

export function storeRecorded(path: string, recorded: Recorded, id: string, expected: ExpectedDiagnosis): void {
  const file = recordedFile(path, recorded);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ schemaVersion: CASE_SCHEMA_VERSION, id, expected })}\n`);
}

export function encodeCase(each: ReplayCase): Uint8Array {
  const text = JSON.stringify({ schemaVersion: CASE_SCHEMA_VERSION, ...each });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  return brotliCompressSync(text, { params });
}

export function decodeCase(bytes: Uint8Array): ReplayCase {
  const { schemaVersion, ...each } = JSON.parse(brotliDecompressSync(bytes).toString('utf8'));
  if (schemaVersion !== CASE_SCHEMA_VERSION)
    throw new Error(`expected a case of schemaVersion ${CASE_SCHEMA_VERSION}, got ${schemaVersion}`);
  return each;
}

function recordedIn(file: string, id: string): ExpectedDiagnosis {
  const read = JSON.parse(readFileSync(file, 'utf8'));
  if (read.schemaVersion !== CASE_SCHEMA_VERSION || read.id !== id)
    throw new Error(`expected ${file} to be of report ${id}, got one of ${read.id}`);
  return read.expected;
}

function recordedFile(path: string, { folder }: Recorded): string {
  const name = basename(path).replace(/\.json(?:\.br)?$/, EXPECTED);
  return join(folder ?? dirname(path), name);
}
