// Which test file executes which characters of src: each test file is run once by itself, unchanged. Kept under node_modules/.cache by the
// content of every file of the project that the run loaded, so that only what changed is run again. Failing and slow test files are told.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { executedIn, joined, type Range, type V8Script } from './executed.ts';
import { runTests } from './run-tests.ts';

export type Covered = {
  readonly test: string;
  readonly ms: number;
  readonly passed: boolean;
  /** Project file → hash of its content. */
  readonly loaded: Readonly<Record<string, string>>;
  readonly executed: Readonly<Record<string, readonly Range[]>>;
};

/** Part of the cache's file name: another number where its form or its making changes. */
const FORM = 1;
/** A test file that takes longer is too slow to be run for each mutant. */
export const SLOW_MS = 120_000;

const CACHE = 'node_modules/.cache/parley-mutation';

/** @param test from the root, as all paths of the result */
export async function coveredBy(root: string, test: string): Promise<Covered> {
  const file = join(root, CACHE, `${digest(test).slice(0, 16)}-${FORM}.json`);
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Covered) : undefined;
  if (known?.passed && isFresh(root, known)) return known;
  const first = await measured(root, test);
  // A busy machine fails a test now and then; what fails twice is not kept either.
  const fresh = first.passed ? first : await measured(root, test);
  if (!fresh.passed) return fresh;
  mkdirSync(join(root, CACHE), { recursive: true });
  writeFileSync(file, JSON.stringify(fresh));
  return fresh;
}

function isFresh(root: string, { test, loaded }: Covered): boolean {
  return test in loaded && Object.entries(loaded).every(([file, hash]) => hashOf(root, file) === hash);
}

async function measured(root: string, test: string): Promise<Covered> {
  const folder = mkdtempSync(join(tmpdir(), 'pm-coverage-'));
  try {
    const { kind, ms } = await runTests({ root, files: [test], timeoutMs: SLOW_MS, coverageFolder: folder });
    const executed: Record<string, readonly Range[]> = {};
    const loaded: Record<string, string> = { [test]: hashOf(root, test) };
    for (const script of scriptsOf(folder)) {
      const path = projectFile(root, script.url);
      if (path === undefined) continue;
      loaded[path] ??= hashOf(root, path);
      if (path.startsWith('src/')) executed[path] = joined(executed[path] ?? [], executedIn(script));
    }
    return { test, ms, passed: kind === 'passed', loaded, executed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The scripts of every process of the run; one that was killed while it wrote left half a file, which says nothing. */
function scriptsOf(folder: string): V8Script[] {
  return readdirSync(folder).flatMap((name) => {
    try {
      return (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: V8Script[] }).result;
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

function projectFile(root: string, url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const path = relative(root, fileURLToPath(url.split('?')[0]!));
  return path.startsWith('..') || path.startsWith('node_modules') || path.startsWith('dist/') ? undefined : path;
}

function hashOf(root: string, file: string): string {
  const path = join(root, file);
  return existsSync(path) ? digest(readFileSync(path)) : '';
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
