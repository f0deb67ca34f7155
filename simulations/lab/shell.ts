// Programs that the lab runs on this machine: bounded in time, an error with what the program said when it fails.
import { ParleyError } from '#base/error.ts';
import { type Finished, run } from '#base/process.ts';

export type ShellOptions = { readonly timeoutMs?: number; readonly env?: Readonly<Record<string, string>> };

/** Longest time of one program of the lab where nothing else is said. */
const PROGRAM_MS = 60_000;

export function tryRun(
  program: string,
  args: readonly string[],
  options: ShellOptions = {},
  input = '',
): Promise<Finished> {
  const env = options.env ? { env: options.env } : {};
  return run(program, args, { timeoutMs: options.timeoutMs ?? PROGRAM_MS, input, ...env });
}

/** Standard output of a program that must succeed. */
export async function mustRun(
  program: string,
  args: readonly string[],
  options: ShellOptions = {},
  input = '',
): Promise<string> {
  const ended = await tryRun(program, args, options, input);
  if (ended.exitCode === 0) return ended.stdout;
  const said = (ended.stderr || ended.stdout).trim().split('\n').slice(-4).join(' | ');
  throw new ParleyError(
    'node/lab-command',
    `expected ${program} to succeed, it ended with ${ended.exitCode}: ${said}`,
    {
      data: { program, args: args.map((arg) => arg.slice(0, 400)), exitCode: ended.exitCode },
    },
  );
}

/** Runs a bash script that stops at its first error. A bash whose input is a socket would read the user's .bashrc first, and wait for it. */
export function bash(script: string, options: ShellOptions = {}): Promise<string> {
  return mustRun('bash', ['--norc', '-euc', script], options);
}

/** A word that bash takes literally. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
