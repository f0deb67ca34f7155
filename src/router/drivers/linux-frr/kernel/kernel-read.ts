// Interfaces and SIDs in one `ip` process: starting a program is the dearest part of reading a node's state. Only bounded
// lists: the kernel filters routes by protocol or device, so that 300,000 BGP routes are as quick as ten.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { InterfaceState, Sid } from '#model/router/router-port.ts';
import { markEmptyTables } from './empty-tables.ts';
import { parseDummies, parseInterfaces } from './interfaces.ts';
import { rowsOf, runIp } from './ip-command.ts';
import { parseSids } from './sids.ts';

/** `-s` twice adds the carrier changes; `addr` carries what `link` does; `-force` goes on where the SRv6 device is missing. */
const BATCH_READ = ['-j', '-s', '-s', '-d', '-force', '-batch', '-'] as const;
/**
 * SIDs that an operator or a script set are `boot` or `static`; those of a daemon are bound to the SRv6 device, which has this
 * name in FRR's and Linux's documentation. `root ::/0` makes a list IPv6, since a batch has one family for all its lines.
 */
const SID_FILTERS = ['proto boot', 'proto static', 'dev sr0'] as const;
const BATCH = ['addr', ...SID_FILTERS.map((filter) => `route show table all ${filter} root ::/0`), ''].join('\n');

export type KernelReading = {
  readonly interfaces: readonly InterfaceState[];
  readonly sids: readonly Sid[];
  /** Interfaces behind which nothing is: what they are given to send is gone. */
  readonly dummies: readonly string[];
  /** Monotonic milliseconds of this process right after the read. */
  readonly atMs: number;
};

/** Rejects with `node/kernel-unreadable`. */
export async function readKernel(clock: Pick<Clock, 'monotonicMs'>, signal?: AbortSignal): Promise<KernelReading> {
  const finished = await runIp(BATCH_READ, signal, BATCH);
  const atMs = clock.monotonicMs();
  const [addresses, ...routes] = listsOfBatch(withLookupTables(finished.stdout));
  // 1 is the missing device; the lists that there are have been printed.
  if (finished.exitCode > 1 || addresses === undefined) {
    throw new ParleyError(
      'node/kernel-unreadable',
      `expected ip to list interfaces and SIDs, got exit code ${finished.exitCode}`,
    );
  }
  const sids = await markEmptyTables(parseSids(routes.flat()));
  return { interfaces: parseInterfaces(addresses), sids, dummies: parseDummies(addresses), atMs };
}

/** iproute2 prints two members `table` for a SID, where it looks up and where the SID itself is: of which JSON.parse keeps the second. */
export function withLookupTables(text: string): string {
  return text.replaceAll(/("action":"End\.D?T[^"]*"),"table":/g, '$1,"lookup":');
}

/** Each command of a batch prints an array on a line of its own. */
export function listsOfBatch(text: string): readonly (readonly JsonObject[])[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('['))
    .map((line) => rowsOf(line));
}
