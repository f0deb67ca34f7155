// FRR's own programs: vtysh reads and checks, frr-reload.py applies the difference. Argument lists are literals plus paths of
// our own folder; nothing that a caller says is ever an argument. frr-reload.py (8.4) saves to the start-up configuration
// unless the file it is given is `<confdir>/frr.conf`, so it is given a private confdir: an unconfirmed change stays out.
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { run } from '#base/process.ts';
import { ROUTER_LIMITS } from '../limits.ts';
import { createStaging } from './staged-text.ts';
import { formatBlocks, parseBlocks } from './text.ts';

/** Carried in the environment of everything that applies, so that recovery finds and ends what a dead process left. */
export const APPLY_MARK = 'PARLEY_APPLY';

const VTYSH = '/usr/bin/vtysh';
const RELOAD = '/usr/lib/frr/frr-reload.py';

export type FrrPrograms = {
  /** The running configuration of all daemons. Rejects with `node/frr-unavailable`. */
  readRunning(signal?: AbortSignal): Promise<string>;
  /** What is wrong with `text`, as vtysh says it; undefined when its syntax is right. */
  checkSyntax(text: string): Promise<string | undefined>;
  /** The commands that would be sent, as frr-reload.py lists them. */
  trial(text: string): Promise<string>;
  /** Applies the difference between what runs and `text`; `onLine` hears of each line that the program prints. */
  apply(text: string, hooks?: ApplyHooks): Promise<void>;
  /** Ends whatever an earlier process left applying. */
  endLeftovers(): Promise<number>;
};

export type ApplyHooks = {
  /** Ends the program in the middle: the caller that aborts restores the old configuration. */
  readonly signal?: AbortSignal;
  readonly onStarted?: (pid: number) => Promise<void> | void;
  readonly onLine?: (index: number) => Promise<void> | void;
};

/** `state` is our own folder, mode 0700, the same for all who may change this node; `work` is this process's place in it. */
export function createFrrPrograms(state: string, work: string): FrrPrograms {
  const confdir = (name: string) => join(state, work, name);
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', PYTHONDONTWRITEBYTECODE: '1', [APPLY_MARK]: state };
  const vtysh = (args: readonly string[]) =>
    run(VTYSH, args, { timeoutMs: ROUTER_LIMITS.configProgramMs, maxOutputBytes: LIMITS.configBytes, env });
  const [check, applied] = [createStaging(confdir('check')), createStaging(confdir('apply'))];
  return {
    async readRunning() {
      const finished = await vtysh(['-c', 'show running-config']);
      if (finished.exitCode !== 0 || !/^frr version/m.test(finished.stdout)) throw unavailable('vtysh', finished);
      return formatBlocks(parseBlocks(finished.stdout));
    },
    checkSyntax: (text) =>
      check(text, async (file) => {
        const finished = await vtysh(['--config_dir', confdir('check'), '-C', '-f', file]);
        return finished.exitCode === 0 ? undefined : wrongLines(finished.stdout + finished.stderr);
      }),
    trial: (text) =>
      check(text, async (file) => {
        const args = ['--test', ...reloadArguments(confdir('check')), file];
        const finished = await run(RELOAD, args, { timeoutMs: ROUTER_LIMITS.configProgramMs, env });
        if (finished.exitCode !== 0) throw unavailable('frr-reload.py --test', finished);
        return finished.stdout;
      }),
    apply: (text, hooks = {}) =>
      applied(text, (file) => reload(['--reload', ...reloadArguments(confdir('apply')), file], env, hooks)),
    endLeftovers: () => endMarked(`${APPLY_MARK}=${state}`),
  };
}

function reloadArguments(confdir: string): readonly string[] {
  return ['--stdout', '--bindir', '/usr/bin', '--confdir', confdir, '--rundir', confdir];
}

function reload(args: readonly string[], env: Record<string, string>, hooks: ApplyHooks): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(RELOAD, [...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env,
    });
    let lines = 0;
    let last = '';
    let hearing: Promise<unknown> = Promise.resolve(hooks.onStarted?.(child.pid ?? 0));
    const timer = setTimeout(() => endGroup(child.pid), LIMITS.configApplyMs);
    const onAbort = () => endGroup(child.pid);
    hooks.signal?.addEventListener('abort', onAbort, { once: true });
    if (hooks.signal?.aborted) onAbort();
    const hear = (chunk: Buffer) => {
      for (const line of chunk.toString('utf8').split('\n').filter(isProgress)) {
        if (/ERROR|WARNING/.test(line)) last = stripVTControlCharacters(line).trim().slice(0, 200);
        const index = lines++;
        hearing = hearing.then(() => hooks.onLine?.(index));
      }
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', (error) => reject(new ParleyError('node/frr-unavailable', error.message, { cause: error })));
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      hooks.signal?.removeEventListener('abort', onAbort);
      hearing.then(() => (exitCode === 0 ? resolve() : reject(notApplied(exitCode, last))), reject);
    });
  });
}

/** Lines that stand for something that was sent to a daemon. */
function isProgress(line: string): boolean {
  return /Executed|content$|Failed to execute|ERROR|WARNING/.test(line);
}

/** `exitCode` is null when the program was ended. */
function notApplied(exitCode: number | null, last: string): ParleyError {
  return new ParleyError(
    'node/config-not-applied',
    `expected frr-reload.py to apply, got exit code ${exitCode}: ${last}`,
  );
}

function unavailable(program: string, finished: { readonly exitCode: number; readonly stderr: string }): ParleyError {
  const said = stripVTControlCharacters(finished.stderr).trim().split('\n')[0] ?? '';
  return new ParleyError(
    'node/frr-unavailable',
    `expected ${program} to answer, got exit code ${finished.exitCode}: ${said.slice(0, 200)}`,
  );
}

/** vtysh repeats the line that it refuses, which may hold a secret: only its number is kept. */
function wrongLines(said: string): string {
  const numbers = [...said.matchAll(/line (\d+)/g)].map((match) => match[1]);
  return numbers.length === 0
    ? 'expected configuration that FRR knows'
    : `unknown command in line ${numbers.join(', ')}`;
}

async function endMarked(mark: string): Promise<number> {
  let ended = 0;
  for (let round = 0; round < 50; round++) {
    const pids = (await markedProcesses(mark)).filter((pid) => pid !== process.pid);
    if (pids.length === 0) return ended;
    for (const pid of pids) endProcess(pid);
    ended += pids.length;
  }
  throw new ParleyError('node/config-busy', 'expected an earlier change to end, it goes on');
}

async function markedProcesses(mark: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const marked = await Promise.all(pids.map(async (pid) => ((await environmentOf(pid)).includes(mark) ? [pid] : [])));
  return marked.flat();
}

async function environmentOf(pid: number): Promise<readonly string[]> {
  try {
    return (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');
  } catch {
    // Another user's process, or one that has ended: neither can be ours.
    return [];
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function endGroup(pid: number | undefined): void {
  if (pid !== undefined && pid > 1) endProcess(-pid);
}
