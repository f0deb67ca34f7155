// One program of a build, and what it said where it failed.
import { ParleyError } from '#base/error.ts';
import { run } from '#base/process.ts';

export const STEP_MS = 300_000;
/** Of packing 150 MB with xz, also on a machine that is busy with something else. */
export const PACK_MS = 1_800_000;

/** As `run` has it. */
const TIME_WAS_UP = 124;

/** Standard output. Rejects with `us/package`. */
export async function step(program: string, args: readonly string[], timeoutMs = STEP_MS): Promise<string> {
  const ended = await run(program, args, { timeoutMs });
  if (ended.exitCode === 0) return ended.stdout;
  if (ended.exitCode === TIME_WAS_UP)
    throw new ParleyError('us/package', `expected ${program} to end within ${timeoutMs / 1_000} s, it did not`);
  const said = (ended.stderr || ended.stdout).slice(0, 500);
  throw new ParleyError('us/package', `expected ${program} to succeed, got exit code ${ended.exitCode}: ${said}`);
}
