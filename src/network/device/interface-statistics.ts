// The resource `urn:ietf:params:xml:ns:yang:ietf-interfaces/interfaces/interface=<name>/statistics` (TS-15), RFC 8343
// statistics in RFC 7951 JSON. The draft's name "SID Endpoint" stands for whatever holds this node's SIDs.
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { ResourceDefinition } from '#model/definition.ts';
import type { InterfaceState, RouterPort, Sid } from '#model/router/router-port.ts';

const PREFIX = 'urn:ietf:params:xml:ns:yang:ietf-interfaces/interfaces/interface=';
const SUFFIX = '/statistics';
/** The draft's own spelling, with the space. */
const SID_ENDPOINT = 'SID Endpoint';
export const SID_ENDPOINT_URI = `${PREFIX}${SID_ENDPOINT}${SUFFIX}`;

export function interfaceStatisticsResource(router: RouterPort): ResourceDefinition {
  return {
    name: 'interface-statistics',
    title: 'Statistics of one interface',
    description: 'RFC 8343 statistics of an interface; "SID Endpoint" is the interface that holds the SRv6 SIDs.',
    uriTemplate: `${PREFIX}{name}${SUFFIX}`,
    mimeType: 'application/yang-data+json',
    capability: 'ietf-interface-counters',
    callers: ['node', 'operator', 'controller'],
    serves: (uri) => interfaceNameOf(uri) !== undefined,
    read: async (uri, context) => {
      const { interfaces, sids } = await router.counters(context.signal);
      const name = interfaceNameOf(uri);
      if (name === SID_ENDPOINT) return sidEndpoint(interfaces, sids);
      const found = interfaces.find((entry) => entry.name === name);
      return found && { 'ietf-interfaces:statistics': statisticsOf(found) };
    },
  };
}

/** The interface name in a statistics URI; percent-encoding is undone, a name may hold slashes. */
function interfaceNameOf(uri: string): string | undefined {
  if (!uri.startsWith(PREFIX) || !uri.endsWith(SUFFIX)) return undefined;
  const raw = uri.slice(PREFIX.length, uri.length - SUFFIX.length);
  try {
    return raw === '' ? undefined : decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

function sidEndpoint(interfaces: readonly InterfaceState[], sids: readonly Sid[]): JsonValue | undefined {
  if (sids.length === 0) return undefined;
  const holder = interfaces.find((entry) => entry.name === sids[0]?.ifname);
  return {
    'ietf-interfaces:statistics': holder ? statisticsOf(holder) : {},
    'parley:sids': sids.map((sid) => ({ ...sid }) as JsonObject),
  };
}

function statisticsOf(entry: InterfaceState): JsonObject {
  const counters = entry.counters;
  return {
    'in-octets': counters.rxBytes,
    'in-unicast-pkts': counters.rxPackets,
    'in-discards': counters.rxDropped,
    'in-errors': counters.rxErrors,
    'out-octets': counters.txBytes,
    'out-unicast-pkts': counters.txPackets,
    'out-discards': counters.txDropped,
    'out-errors': counters.txErrors,
  };
}
