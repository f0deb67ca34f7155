// Child processes: argument lists only, never a shell; bounded in time and output.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { messageOf } from './error.ts';

export type Finished = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

export type RunOptions = {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly maxOutputBytes?: number;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** Runs `program` and resolves with its exit code; 127 when it is missing, 124 when its time was up. Never rejects. */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<Finished> {
  return new Promise((resolve) => {
    try {
      const child = start(program, args, options, resolve);
      child.stdin?.on('error', () => {});
      child.stdin?.end(options.input ?? '');
    } catch (error) {
      // Some reasons not to make a process are thrown.
      resolve({ exitCode: 1, stdout: '', stderr: messageOf(error) });
    }
  });
}

function start(
  program: string,
  args: readonly string[],
  options: RunOptions,
  onEnd: (finished: Finished) => void,
): ChildProcess {
  return execFile(
    program,
    [...args],
    {
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: options.maxOutputBytes ?? 16 * 1_048_576,
      ...(options.signal ? { signal: options.signal } : {}),
      ...(options.env ? { env: { ...process.env, ...options.env } } : {}),
    },
    (error, stdout, stderr) => onEnd({ exitCode: exitCodeOf(error), stdout, stderr }),
  );
}

/** Gives `text` to a program that shows it on this process's own terminal. Resolves with false where it could not be started. */
export function showThrough(
  program: string,
  args: readonly string[],
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], { stdio: ['pipe', 'inherit', 'inherit'], env: { ...env, ...process.env } });
    child.on('error', () => resolve(false));
    // It may end before it has read all of it.
    child.stdin.on('error', () => {});
    child.on('close', () => resolve(true));
    child.stdin.end(text);
  });
}

/** This process's environment with `more`, for children that are not run by `run`. */
export function childEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...more };
}

function exitCodeOf(error: (Error & { code?: unknown; killed?: boolean }) | null): number {
  if (error === null) return 0;
  if (typeof error.code === 'number') return error.code;
  if (error.code === 'ENOENT') return 127;
  return error.killed ? 124 : 1;
}

/** What a program of others needs of this process's environment, and nothing else: no token and no setting of ours. */
const NEEDED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TERM', 'TMPDIR', 'TZ'] as const;

/** An environment for programs that are not ours, with `more` beside what every program needs. */
export function minimalEnvironment(more: Readonly<Record<string, string>>): Record<string, string> {
  const given = NEEDED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
  return { ...Object.fromEntries(given), ...more };
}
