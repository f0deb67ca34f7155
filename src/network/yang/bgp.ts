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

/** FRR's names of address families, and the identities of `openconfig-bgp-types`. It has none for multicast, encapsulation and flow specifications. */
const IDENTITIES: ReadonlyMap<string, string> = new Map([
  ['ipv4Unicast', 'IPV4_UNICAST'],
  ['ipv6Unicast', 'IPV6_UNICAST'],
  ['ipv4LabeledUnicast', 'IPV4_LABELED_UNICAST'],
  ['ipv6LabeledUnicast', 'IPV6_LABELED_UNICAST'],
  ['ipv4Vpn', 'L3VPN_IPV4_UNICAST'],
  ['ipv6Vpn', 'L3VPN_IPV6_UNICAST'],
  ['l2VpnEvpn', 'L2VPN_EVPN'],
]);

/** A family without an identity is left out: under the name of another one its routes would be counted as those. */
function families(info: JsonValue | undefined): JsonObject[] {
  if (info === undefined || !isJsonObject(info)) return [];
  return Object.entries(info).flatMap(([name, entry]) => {
    const identity = IDENTITIES.get(name);
    if (identity === undefined) return [];
    const counts = isJsonObject(entry) ? entry : {};
    const afi = `openconfig-bgp-types:${identity}`;
    return [
      {
        'afi-safi-name': afi,
        state: {
          'afi-safi-name': afi,
          prefixes: defined({ received: counts['acceptedPrefixCounter'], sent: counts['sentPrefixCounter'] }),
        },
      },
    ];
  });
}

/** 64-bit counters are strings (RFC 7951 §6.1). */
function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
}

function defined(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
