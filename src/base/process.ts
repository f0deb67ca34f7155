// Child processes: argument lists only, never a shell; bounded in time and output.
import { execFile } from 'node:child_process';

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
    const child = execFile(
      program,
      [...args],
      {
        timeout: options.timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: options.maxOutputBytes ?? 16 * 1_048_576,
        ...(options.signal ? { signal: options.signal } : {}),
        ...(options.env ? { env: { ...process.env, ...options.env } } : {}),
      },
      (error, stdout, stderr) => resolve({ exitCode: exitCodeOf(error), stdout, stderr }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
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
