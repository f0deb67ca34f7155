// What bgpd says of single neighbours: of all of them at once it says more than one read takes where there are a hundred. Only what is read goes on,
// so that the answers of a batch are one answer.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { HELPER_LIMITS } from '../limits.ts';
import { askAll } from './frr.ts';

/** Members that a reader asks for (drivers/linux-frr/frr/daemons-json.ts, network/yang/bgp.ts), and those of its nested objects. */
const MEMBERS: Readonly<Record<string, true | readonly string[]>> = {
  ...{ remoteAs: true, localAs: true, localRouterId: true, nbrDesc: true, bgpState: true },
  ...{ bgpTimerLastRead: true, bgpTimerUpMsec: true, connectionsEstablished: true, connectionsDropped: true },
  ...{ lastResetDueTo: true, lastErrorCodeSubcode: true, lastNotificationReason: true },
  ...{ hostLocal: true, portLocal: true, hostForeign: true, portForeign: true },
  messageStats: ['updatesSent', 'updatesRecv', 'notificationsSent', 'notificationsRecv', 'depthInq', 'depthOutq'],
};
const OF_FAMILY = ['acceptedPrefixCounter', 'sentPrefixCounter'];

/** By neighbour, in the words of `show bgp neighbors X json`; without those that bgpd does not have. The names have passed their schema. */
export async function askBgpNeighbours(
  folder: string,
  peers: readonly string[],
  signal: AbortSignal,
): Promise<JsonObject> {
  const found: Record<string, JsonValue> = {};
  // One connection after the other: a daemon's queue of connections is short, and one read is bounded.
  for (let at = 0; at < peers.length; at += HELPER_LIMITS.bgpNeighboursOfRead) {
    const asked = peers.slice(at, at + HELPER_LIMITS.bgpNeighboursOfRead);
    const texts = await askAll(
      folder,
      'bgpd',
      asked.map((peer) => `show bgp neighbors ${peer} json`),
      signal,
    );
    for (const [index, peer] of asked.entries()) {
      const row = rowOf(texts[index] ?? '', peer);
      if (row !== undefined) found[peer] = row;
    }
  }
  return found;
}

function rowOf(text: string, peer: string): JsonObject | undefined {
  const row = objectOf(parsed(text))[peer];
  if (row === undefined || !isJsonObject(row)) return undefined;
  const families = row['addressFamilyInfo'];
  return {
    ...Object.fromEntries(
      Object.entries(MEMBERS).flatMap(([name, which]) => {
        const value = row[name];
        if (value === undefined) return [];
        return [[name, which === true ? value : only(value, which)]];
      }),
    ),
    ...(families !== undefined && isJsonObject(families)
      ? {
          addressFamilyInfo: Object.fromEntries(
            Object.entries(families).map(([name, family]) => [name, only(family, OF_FAMILY)]),
          ),
        }
      : {}),
  };
}

function only(value: JsonValue | undefined, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(objectOf(value)).filter(([name]) => names.includes(name)));
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
