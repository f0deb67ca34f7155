// Reads of the kernel's state that need no privilege, by iproute2 in JSON. Only bounded reads: links, one route, and routes
// that the kernel itself filters by protocol or device, never the whole table of a large router.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LAUNCHER } from '#base/launcher.ts';
import type { Finished } from '#base/process.ts';
import { ROUTER_LIMITS } from '../../../limits.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

/** Runs `ip`, `input` being its batch; what the exit code means is the caller's to say. */
export async function runIp(args: readonly string[], signal?: AbortSignal, input?: string): Promise<Finished> {
  const finished = await LAUNCHER.run('ip', args, {
    timeoutMs: ROUTER_LIMITS.helperReadMs,
    maxOutputBytes: DRIVER_LIMITS.kernelReadBytes,
    ...(signal === undefined ? {} : { signal }),
    ...(input === undefined ? {} : { input }),
  });
  signal?.throwIfAborted();
  return finished;
}

/** The rows that `ip -j …` prints; an empty output is no row. Rejects with `node/kernel-unreadable`. */
export async function readIp(args: readonly string[], signal?: AbortSignal): Promise<readonly JsonObject[]> {
  const finished = await runIp(args, signal);
  if (finished.exitCode === 0) return rowsOf(finished.stdout);
  throw new ParleyError(
    'node/kernel-unreadable',
    `expected ip ${args.join(' ')} to answer, got exit code ${finished.exitCode}`,
  );
}

export function rowsOf(text: string): readonly JsonObject[] {
  if (text.trim() === '') return [];
  try {
    const value = JSON.parse(text) as JsonValue;
    // iproute2 prints an empty object for each thing that a filter left out.
    return Array.isArray(value) ? value.filter((row) => isJsonObject(row) && Object.keys(row).length > 0) : [];
  } catch (error) {
    throw new ParleyError('node/kernel-unreadable', 'expected JSON from ip, got something else', { cause: error });
  }
}

export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Counters come as JSON numbers; what is missing counts nothing. */
export function counterOf(value: JsonValue | undefined): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '0';
}

/** Of a batch: the number of each failed line, from 0, and its reason. */
export function failedLines(stderr: string): ReadonlyMap<number, string> {
  return new Map(
    [...stderr.matchAll(/^(.*)\nCommand failed -:(\d+)$/gm)].map((match) => [Number(match[2]) - 1, match[1]!]),
  );
}

/** The kernel's answer to a lookup that ends in no next hop: EINVAL is a blackhole, EHOSTUNREACH an unreachable route. */
export function refusalKind(stderr: string): 'blackhole' | 'unreachable' | 'none' | undefined {
  if (stderr.includes('Invalid argument')) return 'blackhole';
  if (stderr.includes('No route to host')) return 'unreachable';
  return stderr.includes('Network is unreachable') ? 'none' : undefined;
}
