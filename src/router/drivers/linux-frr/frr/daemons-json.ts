// JSON of bgpd and bfdd → typed rows. Pure parsers for FRR 8.4 and later; a field that is missing is left out.
import { isIpAddress } from '#base/ip.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { BfdSession, BgpOwnPrefix, BgpSession, BgpState } from '#model/router/control-plane.ts';
import { textOf } from '../kernel/ip-command.ts';
import type { BgpConfig, NeighbourConfig } from './frr-config.ts';

export type BgpNeighbours = {
  readonly routerId?: string;
  /** By peer, in the words of `show bgp neighbors json`. */
  readonly rows: ReadonlyMap<string, JsonObject>;
};

export function bgpStateOf(
  configured: BgpConfig,
  neighbours: BgpNeighbours,
  ownPrefixes: readonly BgpOwnPrefix[],
): BgpState {
  const rows = [...neighbours.rows].filter(([, row]) => typeof row['bgpState'] === 'string');
  const routerId =
    neighbours.routerId ?? rows.map(([, row]) => textOf(row['localRouterId'])).find((id) => id !== undefined);
  return {
    asn: configured.asn,
    ...(routerId === undefined ? {} : { routerId }),
    networks: configured.networks,
    ...(configured.policies === undefined ? {} : { policies: configured.policies }),
    redistribute: configured.redistribute,
    ...(configured.unlisted ? { unlisted: true } : {}),
    sessions: rows.map(([peer, row]) => ({ ...sessionOf(peer, row), ...configured.neighbour(peer) })),
    ownPrefixes: ownPrefixes.map((own) => ({
      ...own,
      originated: own.originated || configured.networks.includes(own.prefix),
    })),
  };
}

function sessionOf(peer: string, row: JsonObject): Omit<BgpSession, keyof NeighbourConfig> {
  const optional = {
    localAddress: addressOf(row['hostLocal']),
    lastReset: textOf(row['lastResetDueTo']),
    lastError: textOf(row['lastErrorCodeSubcode']),
    notification: textOf(row['lastNotificationReason']),
  };
  return {
    peer,
    remoteAs: numberOf(row['remoteAs']),
    localAs: numberOf(row['localAs']),
    state: textOf(row['bgpState']) ?? 'unknown',
    ...(typeof row['bgpTimerLastRead'] === 'number' ? { heardAgoMs: row['bgpTimerLastRead'] } : {}),
    established: numberOf(row['connectionsEstablished']),
    dropped: numberOf(row['connectionsDropped']),
    ...(typeof row['bgpTimerUpMsec'] === 'number' && row['bgpState'] === 'Established'
      ? { upMs: row['bgpTimerUpMsec'] }
      : {}),
    ...familiesOf(row['addressFamilyInfo']),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}

/** Of a session without an activated family bgpd prints an empty object. */
function familiesOf(value: JsonValue | undefined): Pick<BgpSession, 'families'> {
  if (value === undefined || !isJsonObject(value)) return {};
  return { families: (['ipv4', 'ipv6'] as const).filter((family) => Object.hasOwn(value, `${family}Unicast`)) };
}

/** bgpd prints `Unknown` where there is no connection. */
function addressOf(value: JsonValue | undefined): string | undefined {
  const text = textOf(value);
  return text === undefined || isIpAddress(text) ? text : undefined;
}

/** `show bgp … PREFIX json`: undefined when bgpd does not have exactly this prefix. */
export function parseBgpPrefix(prefix: string, text: string): BgpOwnPrefix | undefined {
  const value = objectOf(jsonOf(text));
  if (value['prefix'] !== prefix) return undefined;
  const paths = Array.isArray(value['paths']) ? value['paths'].filter((path) => isJsonObject(path)) : [];
  const originated = paths.some((path) => (path as JsonObject)['sourced'] === true);
  return {
    prefix,
    originated,
    ...(originated ? { version: numberOf(value['version']) } : {}),
    advertisedTo: Object.keys(objectOf(value['advertisedTo'])),
  };
}

export function parseBfd(text: string): readonly BfdSession[] {
  const rows = jsonOf(text);
  return (Array.isArray(rows) ? rows : [])
    .filter((row) => isJsonObject(row))
    .flatMap((row): BfdSession[] => {
      const [peer, status] = [textOf(row['peer']), textOf(row['status'])];
      if (peer === undefined || (status !== 'up' && status !== 'down' && status !== 'init' && status !== 'shutdown'))
        return [];
      const ifname = textOf(row['interface']);
      const diagnostic = textOf(row['diagnostic']) ?? '';
      const remoteDiagnostic = textOf(row['remote-diagnostic']) ?? '';
      return [{ peer, status, diagnostic, remoteDiagnostic, ...(ifname === undefined ? {} : { ifname }) }];
    });
}

export function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
