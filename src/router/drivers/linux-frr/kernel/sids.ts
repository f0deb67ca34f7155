// Local SRv6 SIDs (seg6local routes) with their own counters (RFC 8986 behaviours). Pure parser.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Sid } from '#model/router/router-port.ts';
import { counterOf, textOf } from './ip-command.ts';

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
  const table = textOf(row['lookup']);
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
