// Checks the arguments of every operation. What passes is an enumerated word, a number within bounds, an address or an
// interface name; nothing else can reach a program's argument list, so nothing can be injected into one.
import { isIPv4 } from 'node:net';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { isNodeName } from '#model/names.ts';
import type { EchoRequest } from '#model/router/device-port.ts';
import { type HostScanRequest, isHostName, SERVICE_PORTS, type ServiceProbe } from '#model/router/hosts.ts';
import type { WatchTarget } from '#model/router/link-monitor.ts';
import type { CaptureFilter, CaptureRequest, IsisSpeakRequest, ProbeRequest } from '#model/router/router-port.ts';
import { ipv6Bytes, isRoutableIpv6 } from '../native/addresses.ts';
import { PROBE_MESSAGE_BYTES } from './probe-message.ts';

/** Linux allows more; these are the names that routers have. No leading dash: a name is never an option. */
const IFNAME = /^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,14}$/;
/**
 * What libpcap takes for something else than an interface: a number is an index, `any` is all of them, `nfqueue` binds a
 * netfilter queue and lets through whatever a firewall put there.
 */
const PSEUDO_INTERFACE = /^(?:\d+|any|nflog|nfqueue|usbmon\d*|bluetooth\d*|dbus-.*)$/;

export function interfaceName(value: JsonValue | undefined): string {
  return typeof value === 'string' && IFNAME.test(value) && !PSEUDO_INTERFACE.test(value)
    ? value
    : refuse('an interface name', value);
}

function ipv6Address(value: JsonValue | undefined): string {
  return typeof value === 'string' && ipv6Bytes(value) !== undefined ? value : refuse('an IPv6 address', value);
}

/** An address of one node somewhere: not multicast, unspecified, loopback, link-local, or IPv4 in IPv6. */
function routableAddress(value: JsonValue | undefined): string {
  const address = ipv6Address(value);
  return isRoutableIpv6(address) ? address : refuse('an address of a node', value);
}

/** IPv4 or IPv6, without zone or prefix length. */
export function ipAddress(value: JsonValue | undefined): string {
  return typeof value === 'string' && (isIPv4(value) || ipv6Bytes(value) !== undefined)
    ? value
    : refuse('an IP address', value);
}

/** `198.18.1.0/24`, `fd00::/64`. */
export function ipPrefix(value: JsonValue | undefined): string {
  if (typeof value !== 'string') return refuse('a prefix', value);
  const [address = '', length = '', ...rest] = value.split('/');
  const most = ipAddress(address).includes(':') ? 128 : 32;
  return rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= most ? value : refuse('a prefix', value);
}

export function oneOf<Word extends string>(words: readonly Word[], value: JsonValue | undefined): Word {
  return words.find((word) => word === value) ?? refuse(`one of ${words.join(', ')}`, value);
}

export function integer(value: JsonValue | undefined, least: number, most: number): number {
  return Number.isInteger(value) && within(value, least, most)
    ? (value as number)
    : refuse(`an integer from ${least} to ${most}`, value);
}

export function flag(value: JsonValue | undefined): boolean {
  return typeof value === 'boolean' ? value : refuse('true or false', value);
}

export function hexText(value: JsonValue | undefined, leastBytes: number, mostBytes: number): string {
  const fits =
    typeof value === 'string' && /^(?:[0-9a-f]{2})*$/.test(value) && within(value.length / 2, leastBytes, mostBytes);
  return fits ? value : refuse(`${leastBytes} to ${mostBytes} bytes of lower-case hex`, value);
}

const PROBE_MEMBERS = [
  ...['destination', 'source', 'segments', 'count', 'intervalMs'],
  ...['payloadBytes', 'lingerMs', 'flows', 'trafficClass', 'via', 'train'],
];

export function probeArguments(args: JsonObject): ProbeRequest {
  onlyMembers(args, PROBE_MEMBERS);
  const segments = args['segments'];
  if (!Array.isArray(segments) || segments.length > LIMITS.probeSegments)
    return refuse(`at most ${LIMITS.probeSegments} SIDs`, segments);
  const request: ProbeRequest = {
    destination: routableAddress(args['destination']),
    ...(args['source'] === undefined ? {} : { source: routableAddress(args['source']) }),
    segments: segments.map((segment: JsonValue) => routableAddress(segment)),
    count: integer(args['count'], 1, LIMITS.probeCount),
    intervalMs: number(args['intervalMs'], 1000 / LIMITS.probesPerSecond, 1000),
    payloadBytes: integer(args['payloadBytes'], 0, LIMITS.probePayloadBytes),
    lingerMs: number(args['lingerMs'], 0, LIMITS.probeLingerMs),
    ...(args['flows'] === undefined ? {} : { flows: integer(args['flows'], 1, LIMITS.probeFlows) }),
    ...(args['trafficClass'] === undefined ? {} : { trafficClass: integer(args['trafficClass'], 0, 255) }),
    ...viaOf(args['via']),
    ...(args['train'] === undefined ? {} : { train: flag(args['train']) }),
  };
  // What a probe says needs room, however little was asked for.
  const trainBytes = request.count * Math.max(request.payloadBytes, PROBE_MESSAGE_BYTES);
  if (request.train === true && trainBytes > LIMITS.probeTrainBytes)
    return refuse(`a train of at most ${LIMITS.probeTrainBytes} bytes`, trainBytes);
  // Handed to a neighbour past the routes, a probe must come home: it is nobody else's packet that went another way.
  const isLoop = request.segments.length > 0 && request.destination === request.source;
  if (request.via !== undefined && !isLoop) return refuse('a loop from and to one own address', request.destination);
  const runMs = request.count * request.intervalMs + request.lingerMs;
  return runMs <= LIMITS.probeRunMs ? request : refuse(`a probe run of at most ${LIMITS.probeRunMs} ms`, runMs);
}

export function reachArguments(args: JsonObject): { readonly destinations: readonly string[]; readonly count: number } {
  onlyMembers(args, ['destinations', 'count']);
  const destinations = args['destinations'];
  if (!Array.isArray(destinations) || destinations.length > LIMITS.reachDestinations)
    return refuse(`at most ${LIMITS.reachDestinations} addresses`, destinations);
  return { destinations: destinations.map(ipAddress), count: integer(args['count'], 1, LIMITS.reachProbes) };
}

export function hostScanArguments(args: JsonObject): HostScanRequest {
  onlyMembers(args, ['ports', 'census']);
  const { ports, census } = args;
  if (!Array.isArray(ports) || ports.length > LIMITS.hostPorts)
    return refuse(`at most ${LIMITS.hostPorts} ports`, ports);
  if (typeof census !== 'boolean') return refuse('whether a census is wanted', census);
  return { ports: ports.map(hostPort), census };
}

export function servedArguments(args: JsonObject): readonly string[] {
  onlyMembers(args, ['ifnames']);
  const { ifnames } = args;
  if (!Array.isArray(ifnames) || ifnames.length > LIMITS.hostPorts)
    return refuse(`at most ${LIMITS.hostPorts} ports`, ifnames);
  return ifnames.map(interfaceName);
}

/** Links with an address of the other end, IPv4, IPv6 or both. */
export function watchArguments(args: JsonObject): readonly WatchTarget[] {
  onlyMembers(args, ['links']);
  const { links } = args;
  if (!Array.isArray(links) || links.length > LIMITS.watchLinks)
    return refuse(`at most ${LIMITS.watchLinks} links`, links);
  return links.map((link: JsonValue) => {
    if (!isJsonObject(link)) return refuse('a link with the address of its other end', link);
    onlyMembers(link, ['ifname', 'far4', 'far6']);
    const { far4, far6 } = link;
    if (far4 === undefined && far6 === undefined) return refuse('an address of the other end', link);
    return {
      ifname: interfaceName(link['ifname']),
      ...(far4 === undefined ? {} : { far4: ipv4Address(far4) }),
      ...(far6 === undefined ? {} : { far6: routableAddress(far6) }),
    };
  });
}

function hostPort(port: JsonValue): HostScanRequest['ports'][number] {
  if (!isJsonObject(port)) return refuse('a port with addresses', port);
  onlyMembers(port, ['ifname', 'addresses']);
  const { addresses } = port;
  if (!Array.isArray(addresses) || addresses.length > LIMITS.hostAddresses)
    return refuse(`at most ${LIMITS.hostAddresses} addresses`, addresses);
  return { ifname: interfaceName(port['ifname']), addresses: [...new Set(addresses.map(ipv4Address))] };
}

export function ipv4Address(value: JsonValue): string {
  return typeof value === 'string' && isIPv4(value) ? value : refuse('an IPv4 address', value);
}

/** Ports that may be probed at are those of a few well-known services, never a range: this is no scanner. */
export function serviceProbeArguments(args: JsonObject): readonly ServiceProbe[] {
  onlyMembers(args, ['serviceProbes']);
  const { serviceProbes } = args;
  if (!Array.isArray(serviceProbes) || serviceProbes.length > LIMITS.serviceProbes)
    return refuse(`at most ${LIMITS.serviceProbes} serviceProbes`, serviceProbes);
  return serviceProbes.map((entry: JsonValue): ServiceProbe => {
    if (!isJsonObject(entry)) return refuse('a serviceProbe', entry);
    onlyMembers(entry, ['destination', 'service', 'port', 'via', 'record', 'timed']);
    const destination = ipv4Address(entry['destination'] ?? null);
    const service = oneOf(['echo', 'tcp', 'udp'], entry['service']);
    return service === 'echo'
      ? { destination, service, ...viaOf(entry['via']) }
      : {
          destination,
          service,
          port:
            SERVICE_PORTS.find((port) => port === entry['port']) ??
            refuse('a port of a well-known service', entry['port']),
          ...recordOf(entry['record']),
          ...(entry['timed'] === true && service === 'udp' ? { timed: true } : {}),
        };
  });
}

function recordOf(value: JsonValue | undefined): Pick<ServiceProbe, 'record'> {
  if (value === undefined) return {};
  return typeof value === 'string' && isHostName(value) ? { record: value } : refuse('a host name', value);
}

function viaOf(value: JsonValue | undefined): Pick<ServiceProbe, 'via'> {
  if (value === undefined) return {};
  if (!isJsonObject(value)) return refuse('an interface and a MAC address', value);
  onlyMembers(value, ['ifname', 'mac']);
  const { mac } = value;
  if (typeof mac !== 'string' || !/^[0-9a-f][02468ace](?::[0-9a-f]{2}){5}$/.test(mac))
    return refuse('a MAC address of one host', mac);
  return { via: { ifname: interfaceName(value['ifname']), mac } };
}

export function captureArguments(args: JsonObject): CaptureRequest {
  onlyMembers(args, ['ifname', 'filter', 'packetCount', 'timeoutMs']);
  return {
    ifname: interfaceName(args['ifname']),
    filter: captureFilter(args['filter']),
    packetCount: integer(args['packetCount'], 1, LIMITS.capturePackets),
    timeoutMs: integer(args['timeoutMs'], 1, LIMITS.captureMs),
  };
}

export function speakArguments(args: JsonObject): IsisSpeakRequest {
  onlyMembers(args, ['ifname', 'node', 'systemId', 'area', 'information']);
  const node = args['node'];
  if (typeof node !== 'string' || !isNodeName(node)) return refuse('a node name', node);
  const information = hexText(args['information'], 1, LIMITS.lldpInfoBytes);
  return {
    ifname: interfaceName(args['ifname']),
    node,
    systemId: hexText(args['systemId'], 6, 6),
    ...(args['area'] === undefined ? {} : { area: hexText(args['area'], 1, 13) }),
    information: Uint8Array.from(Buffer.from(information, 'hex')),
  };
}

export function echoArguments(args: JsonObject): EchoRequest {
  onlyMembers(args, ['destination', 'count', 'source', 'vrf', 'intervalMs', 'payloadBytes', 'dontFragment', 'ttl']);
  return {
    destination: ipAddress(args['destination']),
    count: integer(args['count'], 1, LIMITS.echoCount),
    ...(args['source'] === undefined ? {} : { source: ipAddress(args['source']) }),
    ...(args['vrf'] === undefined ? {} : { vrf: interfaceName(args['vrf']) }),
    intervalMs: integer(args['intervalMs'], LIMITS.echoIntervalMs, 1_000),
    payloadBytes: integer(args['payloadBytes'], 0, LIMITS.echoPayloadBytes),
    dontFragment: args['dontFragment'] === true,
    ...(args['ttl'] === undefined ? {} : { ttl: integer(args['ttl'], 1, 255) }),
  };
}

/** Unknown members are refused: what is misspelled must not be silently left out. */
export function onlyMembers(args: JsonObject, names: readonly string[]): void {
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined) refuse(`only the members ${names.join(', ') || '(none)'}`, unknown);
}

export function refuse(expected: string, came: unknown): never {
  const shown = JSON.stringify(came) ?? 'nothing';
  throw new ParleyError('caller/bad-argument', `expected ${expected}, got ${shown.slice(0, 80)}`);
}

function captureFilter(value: JsonValue | undefined): CaptureFilter {
  if (value === undefined || !isJsonObject(value)) return refuse('a capture filter', value);
  const kind = oneOf(['probe', 'handshake', 'srv6', 'udp-port', 'tcp-port'], value['kind']);
  if (kind === 'probe' || kind === 'srv6') return { kind };
  return { kind, port: integer(value['port'], 1, 65_535) };
}

function number(value: JsonValue | undefined, least: number, most: number): number {
  return within(value, least, most) ? (value as number) : refuse(`a number from ${least} to ${most}`, value);
}

function within(value: JsonValue | undefined, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most;
}

/** Text of at most `mostChars`; what it may say is the operation's to check. */
export function text(value: JsonValue | undefined, mostChars: number): string {
  return typeof value === 'string' && value.length <= mostChars
    ? value
    : refuse(`text of at most ${mostChars} characters`, typeof value === 'string' ? value.length : value);
}

export function matching(pattern: RegExp, what: string, value: JsonValue | undefined): string {
  return typeof value === 'string' && pattern.test(value) ? value : refuse(what, typeof value);
}
