// Runs test files in one process of their own, with or without a change, bounded in time; ends at the first failing test.
// Whatever the tests leave running ends with them: they are one process group, which `timeout` ends even when this process is gone.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { Reported } from './reporter.ts';
import { environmentOf, type Served } from './served.ts';

export type TestRun = {
  /** Absolute path of the project's root. */
  readonly root: string;
  /** From the root. */
  readonly files: readonly string[];
  readonly served?: Served | undefined;
  readonly timeoutMs: number;
  /** Where V8 writes what was executed. */
  readonly coverageFolder?: string | undefined;
};

export type TestResult = {
  readonly kind: 'passed' | 'failed' | 'timed-out';
  readonly ms: number;
  /** The test that failed, or ran when the time was up; without a name when a file could not even be loaded. */
  readonly test?: string | undefined;
  /** Its file, as `files` says it; undefined for a test that a shared suite defines. */
  readonly file?: string | undefined;
};

/** Memory of a process of tests, in MiB: a changed loop must not take the machine's. */
const HEAP_MIB = 2_048;

export async function runTests(run: TestRun): Promise<TestResult> {
  const folder = mkdtempSync(join(tmpdir(), 'pm-'));
  const started = performance.now();
  try {
    const entry = join(folder, 'entry.mjs');
    const urls = run.files.map((file) => pathToFileURL(join(run.root, file)).href);
    writeFileSync(entry, urls.map((url) => `import ${JSON.stringify(url)};\n`).join(''));
    const { last, status } = await execute(run, folder, entry);
    const kind =
      last?.kind === 'failed' ? 'failed' : status === 0 ? 'passed' : status === null ? 'timed-out' : 'failed';
    if (kind === 'passed') return { kind, ms: Math.round(performance.now() - started) };
    const file = run.files.find((each) => join(run.root, each) === last?.file);
    return { kind, ms: Math.round(performance.now() - started), test: last?.name, file };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the last test heard of, the failed one if one failed, and the exit status, null after the time was up */
function execute(run: TestRun, folder: string, entry: string): Promise<{ last?: Reported; status: number | null }> {
  const reporter = pathToFileURL(join(import.meta.dirname, 'reporter.ts')).href;
  const args = ['--conditions=parley-source', `--max-old-space-size=${HEAP_MIB}`, `--test-reporter=${reporter}`, entry];
  const seconds = String(Math.ceil(run.timeoutMs / 1_000));
  const child = spawn('timeout', ['--signal=KILL', seconds, process.execPath, ...args], {
    cwd: run.root,
    env: environment(run, folder),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const group = -child.pid!;
  const end = () => {
    try {
      process.kill(group, 'SIGKILL');
    } catch {
      // Gone already: nothing of the group is left.
    }
  };
  process.once('exit', end);
  return new Promise((resolve, reject) => {
    let last: Reported | undefined;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const reported = reportedIn(line);
      if (reported === undefined || last?.kind === 'failed') return;
      last = reported;
      if (last.kind === 'failed') end();
    });
    child.once('error', reject).once('exit', end);
    child.once('close', (status) => {
      process.off('exit', end);
      resolve({ ...(last === undefined ? {} : { last }), status: status === 124 || status === 137 ? null : status });
    });
  });
}

/** Temporary files of the tests lie in a folder that goes with the run. */
function environment(run: TestRun, folder: string): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, NODE_V8_COVERAGE: __, PARLEY_MUTANT: ___, ...others } = process.env;
  return {
    ...others,
    ...environmentOf(run.served),
    TMPDIR: folder,
    ...(run.coverageFolder === undefined
      ? { NODE_COMPILE_CACHE: join(run.root, 'node_modules/.cache/compiled') }
      : { NODE_V8_COVERAGE: run.coverageFolder }),
  };
}

function reportedIn(line: string): Reported | undefined {
  if (!line.startsWith('{"kind":')) return undefined;
  try {
    return JSON.parse(line) as Reported;
  } catch {
    return undefined;
  }
}
