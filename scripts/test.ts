// `npm test`: every test, on a fresh machine. Unit tests run in parallel; lab tests, which need root and network
// namespaces, two files at a time, after the Debian packages they need were installed. Never skips in silence:
// says why the lab part cannot run, lists skipped tests (a failure under CI) and fails when no test ran.
// Options: --unit, --lab (only that part), --yes (install packages although routing daemons run on this machine).
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { dot, spec } from 'node:test/reporters';
import { HANG_MS } from '../test/until-written.ts';
import { listFiles, ROOT } from './source-files.ts';
import { inSharedProcesses } from './test-groups.ts';

type Tally = { passed: number; failed: number; readonly skipped: string[]; readonly complaints: string[] };

/** Longest silence of all tests together: a file that leaves something open never ends by itself. */
const UNIT_SILENCE_MS = 2 * HANG_MS;
const LAB_SILENCE_MS = 600_000;
/** Lab files that run at the same time, each with namespaces of its own: most of their time they wait for routing protocols. */
const LABS_AT_ONCE = 2;
/** Characters of a failed test's reason in the summary. */
const REASON_LENGTH = 300;
/** Files whose durations the summary shows. */
const SLOWEST_SHOWN = 15;

const only = process.argv.includes('--unit') ? 'unit' : process.argv.includes('--lab') ? 'lab' : undefined;
const interrupted = new AbortController();
const tally: Tally = { passed: 0, failed: 0, skipped: [], complaints: [] };

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    console.error(`\n${name}: ending the tests`);
    interrupted.abort();
  });
}

const files = listFiles(ROOT, ['test'], '.test.ts');
const labFiles = files.filter((path) => path.startsWith('test/lab/'));
const unitFiles = files.filter((path) => !labFiles.includes(path));

if (only !== 'lab') {
  await ensureUnitPackages();
  console.log(`unit tests: ${unitFiles.length} files`);
  // Every file is a process that loads half the sources, and some start agents that do: what one has compiled, the others need not.
  process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules', '.cache', 'compiled');
  await runFiles(unitFiles, 'unit');
}
if (only !== 'unit' && labFiles.length > 0 && !interrupted.signal.aborted) await runLab();
process.exitCode = close();

/** Before the unit tests, whose watchdog would take an installation for a hang; the tests themselves say what they do without. */
async function ensureUnitPackages(): Promise<void> {
  const install = await import('./install-packages.ts');
  const { BROWSER_PACKAGES, COLLECTOR_PACKAGES, COMPILER_PACKAGES, ensurePackages } = install;
  const yes = process.argv.includes('--yes') || process.env['CI'] === 'true';
  const others = [...install.STORE_PACKAGES, ...install.SIGNING_PACKAGES];
  const packages = [...BROWSER_PACKAGES, ...COLLECTOR_PACKAGES, ...COMPILER_PACKAGES, ...others];
  const ensured = await ensurePackages({ yes, packages, say: (line) => console.log(line) });
  if (!ensured.ok) console.log(`browser, collector and compiler for tests: NOT INSTALLED: ${ensured.reason}`);
}

async function runLab(): Promise<void> {
  const obstacle = labObstacle();
  if (obstacle !== undefined) {
    console.log(`\nlab tests: NOT RUN (${labFiles.length} files): ${obstacle}`);
    return;
  }
  const { ensurePackages, LAB_PACKAGES, NETCONF_PACKAGES } = await import('./install-packages.ts');
  const yes = process.argv.includes('--yes') || process.env['CI'] === 'true';
  const packages = [...LAB_PACKAGES, ...NETCONF_PACKAGES];
  const ensured = await ensurePackages({ yes, packages, say: (line) => console.log(line) });
  if (!ensured.ok) {
    tally.failed++;
    tally.complaints.push(`lab tests: NOT RUN (${labFiles.length} files): ${ensured.reason}`);
    return;
  }
  console.log(`\nlab tests: ${labFiles.length} files, ${LABS_AT_ONCE} at a time`);
  const { removeStaleLabs } = await import('./stale-labs.ts');
  const sweep = async () => {
    const names = await removeStaleLabs(tmpdir(), (line) => console.error(line));
    if (names.length > 0) console.log(`labs of interrupted tests removed: ${names.join(' ')}`);
  };
  await sweep();
  await runFiles(labFiles, 'lab');
  await sweep();
}

/** Why this machine cannot run lab tests at all; undefined when it can. */
function labObstacle(): string | undefined {
  if (process.platform !== 'linux') return `network namespaces need Linux, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const tried = spawnSync('unshare', ['--net', '--mount', 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? undefined : `unshare --net --mount: ${tried.error?.message ?? tried.stderr.trim()}`;
}

function runFiles(paths: readonly string[], part: 'unit' | 'lab'): Promise<void> {
  const grouped =
    part === 'unit' ? inSharedProcesses(paths) : { files: paths.map((path) => join(ROOT, path)), shared: [] };
  const unheard = new Set(grouped.shared);
  const running = new Map<string, number>();
  const durations: { readonly path: string; readonly seconds: number }[] = [];
  const watchdog = createWatchdog(part === 'unit' ? UNIT_SILENCE_MS : LAB_SILENCE_MS, running);
  const stream = run({
    files: [...grouped.files],
    concurrency: part === 'unit' ? availableParallelism() : LABS_AT_ONCE,
    execArgv: ['--conditions=parley-source'],
    signal: AbortSignal.any([interrupted.signal, watchdog.signal]),
    cwd: ROOT,
  });
  stream.on('data', watchdog.reset);
  stream.on('data', ({ data }) => unheard.delete((data as { readonly file?: string }).file ?? ''));
  stream.on('test:dequeue', (event) => {
    if (isFile(event.name)) running.set(event.name, performance.now());
  });
  stream.on('test:complete', ({ name }) => {
    const startedAt = running.get(name);
    if (startedAt === undefined) return;
    running.delete(name);
    durations.push({ path: relative(ROOT, name), seconds: Math.round((performance.now() - startedAt) / 1000) });
  });
  stream.on('test:pass', (event) => {
    if (event.details.type === 'suite') return;
    if (event.skip !== undefined || event.todo !== undefined) {
      const reason = typeof event.skip === 'string' ? event.skip : 'no reason given';
      tally.skipped.push(`${event.file ?? ''}: ${event.name} (${reason})`);
    } else if (isFile(event.name)) {
      tally.failed++;
      tally.complaints.push(`${event.name}: holds no test`);
    } else tally.passed++;
  });
  stream.on('test:fail', (event) => {
    if (event.details.type === 'suite') return;
    tally.failed++;
    tally.complaints.push(`failed: ${event.file ?? ''}: ${event.name}\n  ${reasonOf(event.details.error)}`);
  });
  const report = part === 'unit' ? stream.compose(dot) : stream.compose(new spec());
  return new Promise<void>((resolve, reject) => {
    report.on('error', reject).on('end', resolve).pipe(process.stdout, { end: false });
  }).finally(() => {
    watchdog.stop();
    const slowest = durations.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST_SHOWN);
    console.log(`\nslowest files: ${slowest.map(({ path, seconds }) => `${path} ${seconds} s`).join(', ')}`);
    tally.failed += unheard.size;
    tally.complaints.push(...[...unheard].map((file) => `${file}: no test of it was heard of`));
  });
}

/** Ends everything when nothing was heard for so long, and says which files were still running. */
function createWatchdog(silenceMs: number, running: ReadonlyMap<string, number>) {
  const controller = new AbortController();
  const bark = () => {
    tally.complaints.push(`nothing heard for ${silenceMs / 1000} s, ended: ${[...running.keys()].join(', ')}`);
    controller.abort();
  };
  let timer = setTimeout(bark, silenceMs);
  const reset = () => {
    clearTimeout(timer);
    timer = setTimeout(bark, silenceMs);
  };
  return { signal: controller.signal, reset, stop: () => clearTimeout(timer) };
}

/** First line of what a test threw, without the runner's own wrapping: the output of a failed test may stand thousands of lines above the summary. */
function reasonOf(error: Error): string {
  const thrown: unknown = error.cause ?? error;
  const [line = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split('\n');
  return line.slice(0, REASON_LENGTH);
}

/** A test file without tests is reported as one passed test that bears the file's name. */
function isFile(name: string): boolean {
  return name.endsWith('.test.ts') && existsSync(name);
}

/** Sums up and says the exit code. */
function close(): number {
  if (tally.skipped.length > 0) console.log(`\nskipped tests:\n${tally.skipped.join('\n')}`);
  if (process.env['CI'] === 'true' && tally.skipped.length > 0) {
    tally.failed += tally.skipped.length;
    tally.complaints.push('skipped tests count as failed under CI');
  }
  if (interrupted.signal.aborted) tally.complaints.push('interrupted');
  if (tally.passed + tally.failed === 0) tally.complaints.push('no test ran');
  if (tally.complaints.length > 0) console.log(`\n${tally.complaints.join('\n')}`);
  console.log(`\n${tally.passed} passed, ${tally.failed} failed`);
  if (interrupted.signal.aborted) return 130;
  return tally.complaints.length === 0 ? 0 : 1;
}
