// Which service of a host a question is about: a port, a name server, a web page, a name that is to be known there.
import type { AskedService, Topic } from '#model/intent.ts';
import { MOST_PORT } from '#model/router/hosts.ts';
import type { Meaning } from '../words/meaning.ts';
import { switchPortIn } from './doubts/switch-ports.ts';
import type { Item } from './item.ts';
import type { Places } from './places.ts';
import type { Refusal } from './slots.ts';

export type Port = {
  readonly service?: AskedService;
  readonly used: ReadonlySet<Item>;
  readonly notUsed: readonly string[];
};

const SERVICES: ReadonlyMap<number, AskedService> = new Map([
  [53, { name: 'dns', port: 53 }],
  [80, { name: 'http', port: 80 }],
  [443, { name: 'http', port: 443 }],
  [8_080, { name: 'http', port: 8_080 }],
]);

const DNS_PORT = 53;
const PAGES = 'web pages are asked for on the ports 80, 443 and 8080, and names on port 53';

export function portIn(
  items: readonly Item[],
  { addresses }: Places,
  meanings: readonly Meaning[],
  { topic, isOfPort }: { readonly topic: Topic; readonly isOfPort: boolean },
): Port | Refusal {
  const used = new Set<Item>();
  const ports = addresses.flatMap(({ port }) => port ?? []);
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'number') continue;
    const isNamed = isPort(items[index - 1]);
    // "443 pe1 to 198.51.100.7".
    // "Port" is meant where a place or nothing stands before it: "people say 80" is an amount.
    const before = items[index - 1];
    const isBeside =
      before?.kind !== 'meaning' || !(before.meaning.kind === 'empty' || /^(?:about|around|of)$/.test(before.text));
    const isKnown = SERVICES.has(item.value) && addresses.length > 0 && isBeside;
    if (!isNamed && !isKnown) continue;
    used.add(item);
    ports.push(item.value);
  }
  const named = meanings.find((each) => each.kind === 'service');
  const record = items.find((item) => item.kind === 'record');
  const [port] = ports;
  const several = new Set(ports);
  if (several.size > 1)
    return { reason: 'unclear', words: `ports ${[...several].join(' and ')} in one question: ask about one of them` };
  const transport = transportIn(items);
  const isPage = addresses.some(({ isSecure }) => isSecure !== undefined);
  const isOfService =
    (named !== undefined && named.name !== 'tcp') || isPage || meanings.some(({ kind }) => kind === 'record');
  const refusal = port === undefined ? undefined : refusedPort(port, transport, isOfService, topic);
  if (refusal !== undefined) return refusal;
  const stray = isOfPort ? items.find((item, at) => isProtocol(item) && !isOfEnd(items, at)) : undefined;
  if (stray !== undefined && isProtocol(stray))
    return { reason: 'unclear', words: `${stray.text} and port ${port} in one question: ask about the port alone` };
  if (port !== undefined && addresses.some(({ address }) => address.includes(':')))
    return { reason: 'unsupported', words: `port ${port} of an IPv6 address; services are tried over IPv4` };
  const resolves = record === undefined && meanings.some(({ kind }) => kind === 'record');
  const said = named ?? (resolves ? ({ name: 'dns', port: 53 } as const) : undefined);
  const isBare =
    port !== undefined && (!SERVICES.has(port) || (port === DNS_PORT && transport === 'tcp' && !isOfService));
  const isWhole =
    port === undefined || addresses.every(({ address }) => !address.includes('/') || address.endsWith('/32'));
  if (isBare && !isWhole)
    return { reason: 'unclear', words: `port ${port} of a whole network: ask about one address in it` };
  const known = isBare ? ({ name: 'tcp', port } as const) : SERVICES.get(port ?? 0);
  const found = port !== undefined ? known : said && { name: said.name, port: said.port };
  const asked = record === undefined ? found : ({ name: 'dns', port: 53, record: record.name } as const);
  // "DNS does not work behind r1": services of hosts are a part of what is looked at.
  const isLookedAt = topic === 'trouble' && port === undefined && record === undefined;
  if (asked !== undefined && addresses.length === 0 && isLookedAt)
    return { used, notUsed: [asked.name === 'http' ? 'web' : 'DNS'] };
  if (asked !== undefined && addresses.length === 0)
    return { reason: 'unclear', words: 'a service, and no address of the host that is to serve it' };
  const ofSwitch = asked === undefined ? undefined : switchPortIn(items);
  if (ofSwitch !== undefined) return ofSwitch;
  // Which protocol uses a port is another question.
  const notUsed = isOfPort ? items.flatMap((item) => (isProtocol(item) ? [item.text] : [])) : [];
  return { used, notUsed, ...(asked === undefined ? {} : { service: asked }) };
}

function isProtocol(item: Item): item is Item & { readonly text: string } {
  return item.kind === 'meaning' && item.meaning.kind === 'protocol';
}

/** "BGP neighbour", "BGP port", "port 179 (BGP)": what a protocol is said of. Anywhere else it may say how a packet goes, or who sends it. */
function isOfEnd(items: readonly Item[], at: number): boolean {
  const [beforeLast, last, next] = [items[at - 2], items[at - 1], items[at + 1]];
  const isNeighbour = next?.kind === 'meaning' && next.meaning.kind === 'noun' && next.meaning.noun === 'neighbour';
  return isNeighbour || isPort(next) || (last?.kind === 'number' && isPort(beforeLast));
}

/** "Port", "TCP port". */
function isPort(item: Item | undefined): boolean {
  return (
    item?.kind === 'meaning' &&
    (item.meaning.kind === 'port' ||
      (item.meaning.kind === 'noun' && item.meaning.noun === 'interface' && /^ports?$/.test(item.text)))
  );
}

/**
 * "Can pe1 reach its BGP neighbour ADDRESS port 179": whether a port of an address can be reached is asked, whose ever it is. A word that judges a
 * session asks about the session.
 */
export function asksForPort(items: readonly Item[], meanings: readonly Meaning[], { addresses }: Places): boolean {
  const topics = meanings.flatMap((each) => (each.kind === 'topic' ? [each.topic] : []));
  const isNamed =
    addresses.some(({ port }) => port !== undefined) ||
    (addresses.length > 0 && items.some((item, index) => item.kind === 'number' && isPort(items[index - 1])));
  return isNamed && topics.length > 0 && topics.every((topic) => topic === 'reach');
}

/** What "tcp" or "udp" says beside a port. */
function transportIn(items: readonly Item[]): 'tcp' | 'udp' | undefined {
  const said = items.flatMap((item) =>
    item.kind === 'meaning' && item.meaning.kind === 'port' ? (/tcp|udp/.exec(item.text)?.[0] ?? []) : [],
  );
  return said.includes('udp') ? 'udp' : said.includes('tcp') ? 'tcp' : undefined;
}

/** A port that is not tried, and what can be asked. */
function refusedPort(
  port: number,
  transport: 'tcp' | 'udp' | undefined,
  isOfService: boolean,
  topic: Topic,
): Refusal | undefined {
  const unsupported = (words: string): Refusal => ({ reason: 'unsupported', words });
  if (!Number.isInteger(port) || port < 1 || port > MOST_PORT)
    return { reason: 'unclear', words: `port ${port}; ports are 1 to ${MOST_PORT}` };
  if (transport === 'udp' && port !== DNS_PORT)
    return unsupported(
      `UDP port ${port}: a service that is well and one that is gone are silent alike, so no answer can be told; DNS (UDP port 53) and any TCP port can be asked about`,
    );
  if (SERVICES.has(port)) return undefined;
  if (isOfService)
    return unsupported(`a service on port ${port}; ${PAGES}. Ask for "TCP port ${port}" to see whether it is open`);
  if (topic !== 'reach' && topic !== 'trouble')
    return unsupported(`this of TCP port ${port}; whether it can be reached can be asked`);
  return undefined;
}

/** One connection tells how it is now. */
export function pastPort({ port }: AskedService): Refusal {
  return {
    reason: 'unsupported',
    words: `TCP port ${port} at another time; a port is tried now, and no node remembers it`,
  };
}
