// Questions as YAML or JSON, member by member (TS-7a). A member that is unknown, or is not what it must be, refuses the whole question:
// nothing that was asked for is left out in silence.
import { isIpAddress, parsePrefix } from '#base/ip.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { AskedService, IntentKind, RoutingProtocol } from '#model/intent.ts';
import { isHostName, MOST_PORT } from '#model/router/hosts.ts';
import { pastPort } from '../reader/asked-service.ts';
import { unusableHost, unusableServer } from '../reader/host-names.ts';
import { FUTURE, lengthMs, timeAt } from '../time/asked-time.ts';
import { type Extra, intentOf } from './make-intent.ts';
import type { Recognition } from './recognition.ts';

/** Members of a structure beside `kind`, `nodes` and `since`. */
export type Member =
  | 'protocol'
  | 'neighbour'
  | 'ifname'
  | 'destination'
  | 'from'
  | 'service'
  | 'record'
  | 'until'
  | 'when'
  | 'link';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._ -]{0,62}$/;
const PROTOCOLS: readonly RoutingProtocol[] = ['isis', 'bgp', 'ospf', 'bfd'];
const SERVICES: Readonly<Record<string, AskedService>> = {
  dns: { name: 'dns', port: 53 },
  http: { name: 'http', port: 80 },
  https: { name: 'http', port: 443 },
};

type Reading = { readonly extra: Extra } | { readonly problem: string };

/** What each member makes of its value, or what was expected. */
const READERS: Readonly<Record<Member | 'since', (text: string) => Extra | string>> = {
  protocol: (text) => {
    const protocol = PROTOCOLS.find((each) => each === text);
    return protocol === undefined ? 'isis, bgp, ospf or bfd' : { protocol };
  },
  neighbour: (text) =>
    NAME.test(text) || /^[0-9A-Fa-f:.]{2,64}(?:\/\d{1,3})?$/.test(text)
      ? { neighbour: text }
      : 'the name of a node, or an address',
  ifname: (text) => (/^[!-~]{1,64}$/.test(text) ? { ifname: text } : 'the name of an interface'),
  // Whether it is an address is seen where every destination is (make-intent.ts).
  destination: (text) => ({ destination: text }),
  from: (text) => (isIpAddress(text) ? { fromHost: { address: text } } : 'the address of a host'),
  service: (text) => {
    const service = Object.hasOwn(SERVICES, text) ? SERVICES[text] : tcpPort(text);
    return service === undefined ? 'dns, http, https, or a port such as tcp/3389' : { service };
  },
  record: (text) =>
    isHostName(text) ? { service: { name: 'dns', port: 53, record: text } } : 'a name such as www.example.net',
  since: (text) => {
    const sinceMs = agoOf(text);
    return sinceMs === undefined ? 'how long ago, such as 10m or "two minutes"' : { sinceMs };
  },
  when: (text) => {
    const when = whenOf(text);
    return when === undefined ? 'a time such as "last night" or "since 14:00"' : { when };
  },
  until: (text) => {
    const untilMs = agoOf(text);
    return untilMs === undefined ? 'how long ago, such as 10m or "two minutes"' : { untilMs };
  },
  link: (text) => (text === 'yes' ? { isLink: true } : 'yes'),
};

function isIpv4Host(destination = ''): boolean {
  const prefix = parsePrefix(destination);
  return prefix?.family === 4 && prefix.prefixBits === 32;
}

function tcpPort(text: string): AskedService | undefined {
  const port = Number(/^tcp\/([1-9]\d{0,4})$/.exec(text)?.[1]);
  return port <= MOST_PORT ? { name: 'tcp', port } : undefined;
}

function agoOf(text: string): number | undefined {
  const words = `in the last ${text}`.toLowerCase().split(/\s+/);
  const found = timeAt(words);
  return found?.words === words.length ? lengthMs(found.when) : undefined;
}

/** The name of a time such as `last night` or `since 14:00`. */
function whenOf(text: string): string | undefined {
  const words = text.toLowerCase().split(/\s+/);
  const found = timeAt(words);
  return found?.words === words.length && found.when !== FUTURE ? found.when : undefined;
}

export function structured(kind: IntentKind, value: JsonObject, text: string, members: readonly Member[]): Recognition {
  const refused = (problem: string): Recognition => ({ ok: false, understood: [`kind ${kind}`], problem });
  const known = ['nodes', ...members, 'since'];
  const unknown = Object.keys(value).find((key) => key !== 'kind' && !known.includes(key));
  if (unknown !== undefined) return refused(`unknown member ${unknown}; known: ${known.join(', ')}`);
  const nodes = value['nodes'] ?? [];
  if (!Array.isArray(nodes) || nodes.some((node) => typeof node !== 'string' || !NAME.test(node)))
    return refused('nodes: expected a list of node names');
  const reading = readAll(value, [...members, 'since']);
  if ('problem' in reading) return refused(reading.problem);
  const { extra } = reading;
  if (kind === 'reachability' && nodes.length < 2 && extra.destination === undefined)
    return refused('expected two nodes, or a node and a destination');
  if (extra.fromHost !== undefined && (extra.destination === undefined || nodes.length > 1))
    return refused('from: expected a destination as well, and at most one node, the router of the host');
  const unusable = extra.fromHost && unusableHost(extra.fromHost.address, extra.destination ?? '');
  if (unusable !== undefined) return refused(`from: expected a host that may ask the destination, got ${unusable}`);
  if (extra.service !== undefined && extra.destination === undefined)
    return refused('service: expected a destination as well, the address of the host that serves');
  if (extra.service?.name === 'tcp' && !isIpv4Host(extra.destination))
    return refused('service: expected one IPv4 address as the destination beside a TCP port');
  const strange = extra.service && unusableServer([extra.destination ?? '']);
  if (strange !== undefined) return refused(`destination: expected the address of a host, got ${strange}`);
  if (extra.service?.name === 'tcp' && extra.sinceMs !== undefined)
    return refused(`since: expected none, got ${pastPort(extra.service).words}`);
  return intentOf(kind, text, nodes as string[], extra);
}

function readAll(value: JsonObject, members: readonly (Member | 'since')[]): Reading {
  let extra: Extra = {};
  for (const name of members) {
    const given: JsonValue | undefined = value[name];
    if (given === undefined) continue;
    const read = typeof given === 'string' ? READERS[name](given) : 'text';
    if (typeof read === 'string') return { problem: `${name}: expected ${read}, got ${JSON.stringify(given)}` };
    extra = { ...extra, ...read };
  }
  return value['record'] !== undefined && !['dns', undefined].includes(value['service'] as string | undefined)
    ? { problem: 'record: expected service dns beside it' }
    : { extra };
}
