// Local SRv6 SIDs (seg6local routes) with their own counters. The kernel filters by protocol, so that a router with
// 300,000 BGP routes answers as quickly as one with ten.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Sid } from '#model/router-port.ts';
import { counterOf, rowsOf, runIp, textOf } from './ip-command.ts';

/**
 * One process for all of it: SIDs that an operator or a script set are `boot` or `static`; those of a daemon are bound to
 * the SRv6 device, which has this name in FRR's and Linux's documentation. `-force` goes on where that device is missing.
 */
const SID_READ = ['-j', '-s', '-6', '-force', '-batch', '-'] as const;
const SID_LISTS = ['proto boot', 'proto static', 'dev sr0']
  .map((filter) => `route show table all ${filter}\n`)
  .join('');

export async function readSids(signal?: AbortSignal): Promise<readonly Sid[]> {
  const finished = await runIp(SID_READ, signal, SID_LISTS);
  // 1 is the missing device; the lists that there are have been printed.
  if (finished.exitCode > 1)
    throw new ParleyError('node/kernel-unreadable', `expected ip to list SIDs, came exit code ${finished.exitCode}`);
  return parseSids(rowsOfBatch(finished.stdout));
}

/** Each command of a batch prints an array on a line of its own. */
export function rowsOfBatch(text: string): readonly JsonObject[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('['))
    .flatMap((line) => rowsOf(line));
}

/** One entry a SID; routes that are no SIDs are left out. */
export function parseSids(rows: readonly JsonObject[]): readonly Sid[] {
  const sids = new Map<string, Sid>();
  for (const row of rows) {
    const sid = textOf(row['dst']);
    if (row['encap'] === 'seg6local' && sid !== undefined && !sids.has(sid)) sids.set(sid, parseSid(sid, row));
  }
  return [...sids.values()];
}

/** Counters are there only where the SID was made with `count`. */
function parseSid(sid: string, row: JsonObject): Sid {
  const table = textOf(row['table']);
  const ifname = textOf(row['dev']);
  const stats: JsonValue | undefined = row['stats64'];
  return {
    sid,
    behavior: textOf(row['action']) ?? 'unknown',
    ...(table === undefined ? {} : { table }),
    ...(ifname === undefined ? {} : { ifname }),
    ...(stats !== undefined && isJsonObject(stats)
      ? { packets: counterOf(stats['packets']), bytes: counterOf(stats['bytes']), errors: counterOf(stats['errors']) }
      : {}),
  };
}
