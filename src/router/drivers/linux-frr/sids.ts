// Local SRv6 SIDs (seg6local routes) with their own counters. The kernel filters by protocol, so that a router with
// 300,000 BGP routes answers as quickly as one with ten.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Sid } from '#model/router-port.ts';
import { counterOf, readIp, textOf } from './ip-command.ts';

const ROUTES = ['-j', '-s', '-6', 'route', 'show', 'table', 'all'] as const;
/** SIDs that an operator or a script set are `boot` or `static`; those of a daemon are bound to the SRv6 device. */
const BY_PROTOCOL = ['boot', 'static'] as const;
/** Names that the SRv6 device of FRR's and Linux's documentation has. */
const SRV6_DEVICES = ['sr0'] as const;

export async function readSids(
  interfaceNames: () => Promise<readonly string[]>,
  signal?: AbortSignal,
): Promise<readonly Sid[]> {
  const byProtocol = BY_PROTOCOL.map((protocol) => readIp([...ROUTES, 'proto', protocol], signal));
  const byDevice = interfaceNames().then((names) =>
    Promise.all(
      SRV6_DEVICES.filter((device) => names.includes(device)).map((device) =>
        readIp([...ROUTES, 'dev', device], signal),
      ),
    ),
  );
  const rows = await Promise.all([...byProtocol, byDevice.then((lists) => lists.flat())]);
  return parseSids(rows.flat());
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
