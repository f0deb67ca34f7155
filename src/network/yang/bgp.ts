// BGP neighbours as `openconfig-bgp`, from FRR's `show bgp neighbors json`. Pure; a member that FRR does not show is left out.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';

export function openconfigBgp(frr: JsonValue): JsonObject {
  const entries = isJsonObject(frr) ? Object.entries(frr) : [];
  const neighbors = entries.flatMap(([address, entry]) =>
    isJsonObject(entry) && entry['bgpState'] !== undefined ? [neighbor(address, entry)] : [],
  );
  return { 'openconfig-bgp:bgp': { neighbors: { neighbor: neighbors } } };
}

function neighbor(address: string, entry: JsonObject): JsonObject {
  const config = defined({
    'neighbor-address': address,
    'peer-as': entry['remoteAs'],
    'local-as': entry['localAs'],
    description: entry['nbrDesc'],
  });
  const stats = isJsonObject(entry['messageStats']) ? entry['messageStats'] : {};
  return {
    'neighbor-address': address,
    config,
    state: defined({
      ...config,
      'session-state': String(entry['bgpState']).toUpperCase(),
      'established-transitions': text(entry['connectionsEstablished']),
      'last-notification-reason': entry['lastNotificationReason'],
      messages: {
        sent: defined({ UPDATE: text(stats['updatesSent']), NOTIFICATION: text(stats['notificationsSent']) }),
        received: defined({ UPDATE: text(stats['updatesRecv']), NOTIFICATION: text(stats['notificationsRecv']) }),
      },
      queues: defined({ input: stats['depthInq'], output: stats['depthOutq'] }),
    }),
    transport: {
      state: defined({
        'local-address': entry['hostLocal'],
        'local-port': entry['portLocal'],
        'remote-address': entry['hostForeign'],
        'remote-port': entry['portForeign'],
      }),
    },
    'afi-safis': { 'afi-safi': families(entry['addressFamilyInfo']) },
  };
}

function families(info: JsonValue | undefined): JsonObject[] {
  if (info === undefined || !isJsonObject(info)) return [];
  return Object.entries(info).map(([name, entry]) => {
    const counts = isJsonObject(entry) ? entry : {};
    const afi = `openconfig-bgp-types:${name.startsWith('ipv6') ? 'IPV6' : 'IPV4'}_UNICAST`;
    return {
      'afi-safi-name': afi,
      state: {
        'afi-safi-name': afi,
        prefixes: defined({ received: counts['acceptedPrefixCounter'], sent: counts['sentPrefixCounter'] }),
      },
    };
  });
}

/** 64-bit counters are strings (RFC 7951 §6.1). */
function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
}

function defined(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
