// Programs that the helper runs: nft, iptables-legacy-save, lldpcli and ip. The argument lists are literals plus values that arguments.ts has passed.
import { ParleyError } from '#base/error.ts';
import { LAUNCHER } from '#base/launcher.ts';
import { ROUTER_LIMITS } from '../limits.ts';
import { HELPER_LIMITS } from './limits.ts';

export type Program = 'nft' | 'iptables-legacy-save' | 'ip6tables-legacy-save' | 'lldpcli' | 'ip';

const CODES = {
  nft: 'node/nft-unavailable',
  'iptables-legacy-save': 'node/nft-unavailable',
  'ip6tables-legacy-save': 'node/nft-unavailable',
  lldpcli: 'node/lldp-unavailable',
  ip: 'node/ip-unavailable',
} as const;

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
