// Programs that the helper runs: nft, lldpcli and ip. The argument lists are literals plus values that arguments.ts has passed.
import { ParleyError } from '#base/error.ts';
import { LAUNCHER } from '#base/launcher.ts';
import { ROUTER_LIMITS } from '../limits.ts';
import type { FilterText } from '../protocol/read-operations.ts';
import { HELPER_LIMITS } from './limits.ts';

export type Program = 'nft' | 'lldpcli' | 'ip';

const CODES = { nft: 'node/nft-unavailable', lldpcli: 'node/lldp-unavailable', ip: 'node/ip-unavailable' } as const;

/** Standard output. Rejects with the program's code when it is missing, fails, stalls or says too much. */
export async function readProgram(program: Program, args: readonly string[], signal: AbortSignal): Promise<string> {
  const finished = await LAUNCHER.run(program, args, {
    timeoutMs: ROUTER_LIMITS.helperReadMs,
    maxOutputBytes: HELPER_LIMITS.helperReadBytes,
    signal,
  });
  signal.throwIfAborted();
  if (finished.exitCode === 0) return finished.stdout;
  const said = finished.stderr.trim().split('\n')[0] ?? '';
  throw new ParleyError(
    CODES[program],
    `expected an answer of ${program}, got exit code ${finished.exitCode}: ${said.slice(0, 200)}`,
  );
}

/** The rule set as JSON; nft 1.0.6 leaves the device of a netdev chain out of it, so those chains are read as text too. */
export async function readFilters(signal: AbortSignal): Promise<FilterText> {
  const ruleset = await readProgram('nft', ['-j', 'list', 'ruleset'], signal);
  const netdevChains = ruleset.includes('"netdev"')
    ? await readProgram('nft', ['list', 'chains', 'netdev'], signal)
    : '';
  return { ruleset, netdevChains };
}
