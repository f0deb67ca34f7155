// The official MCP conformance suites as programs: the released one, and the coming one, which alone knows the revision 2026-07-28 and has for each
// revision the scenarios that it requires, frozen with it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../source-files.ts';

export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

export type Side = 'server' | 'client';

export type Ended = { readonly exitCode: number; readonly output: string };

/** What is tested: a test build with the fixtures that the suite calls by name, a real agent, or our own clients. */
export type Subject = 'fixture server' | 'agent' | 'clients';

export type ScenarioResult = {
  readonly subject: Subject;
  readonly scenario: string;
  /** Requirement set of the coming suite; absent for the released one. */
  readonly revision?: Revision;
  readonly passed: boolean;
  readonly report: string;
};

const PROGRAMS = {
  released: join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'),
  coming: join(ROOT, 'node_modules/conformance-next/dist/index.js'),
};
/** Of one run, with all its scenarios. */
const SUITE_MS = 300_000;

/** `revision`: run by the coming suite; absent: by the released one. */
export function runSuite(revision: Revision | undefined, args: readonly string[]): Promise<Ended> {
  const program = revision === undefined ? PROGRAMS.released : PROGRAMS.coming;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      {
        cwd: '/tmp',
        timeout: SUITE_MS,
        maxBuffer: 67_108_864,
        env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
      },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ exitCode: code, output: `${stdout}${stderr}` });
      },
    );
  });
}

/** Names of all scenarios that the released suite has, or that the coming one requires for a revision. */
export async function scenariosOf(side: Side, revision?: Revision): Promise<readonly string[]> {
  const wanted = revision === undefined ? [] : ['--requirements', revision];
  const { output } = await runSuite(revision, ['list', `--${side}`, ...wanted]);
  const title = side === 'server' ? 'Server scenarios' : 'Client scenarios';
  const listed = output.slice(output.indexOf(title) + title.length);
  const [own = ''] = listed.split(/^(?:Server scenarios|Client scenarios|Run and reported)/m);
  return [...own.matchAll(/^\s+- (\S+)(?: \[.*)?$/gm)].map((line) => line[1]!);
}

/** One scenario by itself; the suite's exit code says whether it passed. `excused`: checks that cannot be made of this subject. */
export async function runScenario(
  subject: Subject,
  scenario: string,
  revision: Revision | undefined,
  args: readonly string[],
  excused: ReadonlySet<string> = new Set(),
): Promise<ScenarioResult> {
  const at = revision === undefined ? [] : ['--spec-version', revision];
  const { exitCode, output } = await runSuite(revision, [...args, '--scenario', scenario, ...at]);
  // Of what does not exist at a revision the suite says so, and ends with 0.
  const failed = failedChecks(output);
  const isExcused = failed.length > 0 && failed.every((check) => excused.has(check));
  const passed = (exitCode === 0 && !output.includes('SKIPPED: scenario')) || isExcused;
  return { ...resultOf(subject, scenario, revision), passed, report: passed ? '' : output.slice(-4_000) };
}

/** Ids of the checks in the suite's report that failed. */
function failedChecks(output: string): readonly string[] {
  return [...output.matchAll(/\[([\w$-]+) *\] \S*FAILURE/g)].map((line) => line[1]!);
}

export function resultOf(subject: Subject, scenario: string, revision: Revision | undefined) {
  return { subject, scenario, ...(revision === undefined ? {} : { revision }) };
}
