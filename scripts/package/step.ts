// One program of a build, and what it said where it failed.
import { ParleyError } from '#base/error.ts';
import { run } from '#base/process.ts';

export const STEP_MS = 300_000;

/** Standard output. Rejects with `us/package`. */
export async function step(program: string, args: readonly string[]): Promise<string> {
  const ended = await run(program, args, { timeoutMs: STEP_MS });
  if (ended.exitCode === 0) return ended.stdout;
  const said = (ended.stderr || ended.stdout).slice(0, 500);
  throw new ParleyError('us/package', `expected ${program} to succeed, got exit code ${ended.exitCode}: ${said}`);
}
