// Which service of a host a question is about: a port, a name server, a web page, a name that is to be known there.
import type { AskedService, Topic } from '#model/intent.ts';
import type { Meaning } from '../words/meaning.ts';
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

export function portIn(
  items: readonly Item[],
  { addresses }: Places,
  meanings: readonly Meaning[],
  topic: Topic,
): Port | Refusal {
  const used = new Set<Item>();
  const ports = addresses.flatMap(({ port }) => port ?? []);
  const isPort = (item: Item | undefined) =>
    item?.kind === 'meaning' &&
    (item.meaning.kind === 'port' ||
      (item.meaning.kind === 'noun' && item.meaning.noun === 'interface' && /^ports?$/.test(item.text)));
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'number') continue;
    const isNamed = isPort(items[index - 1]);
    // "443 pe1 to 198.51.100.7".
    const isKnown = SERVICES.has(item.value) && addresses.length > 0;
    if (!isNamed && !isKnown) continue;
    used.add(item);
    ports.push(item.value);
  }
  const named = meanings.find((each) => each.kind === 'service');
  const record = items.find((item) => item.kind === 'record');
  const [port] = ports;
  if (port !== undefined && !SERVICES.has(port))
    return {
      reason: 'unsupported',
      words: `port ${port}; of services these are tried: DNS (53) and web pages (80, 443, 8080)`,
    };
  if (port !== undefined && addresses.some(({ address }) => address.includes(':')))
    return { reason: 'unsupported', words: `port ${port} of an IPv6 address; services are tried over IPv4` };
  const resolves = record === undefined && meanings.some(({ kind }) => kind === 'record');
  const said = named ?? (resolves ? ({ name: 'dns', port: 53 } as const) : undefined);
  const found = port !== undefined ? SERVICES.get(port) : said && { name: said.name, port: said.port };
  const asked = record === undefined ? found : ({ name: 'dns', port: 53, record: record.name } as const);
  // "DNS does not work behind r1": services of hosts are a part of what is looked at.
  const isLookedAt = topic === 'trouble' && port === undefined && record === undefined;
  if (asked !== undefined && addresses.length === 0 && isLookedAt)
    return { used, notUsed: [asked.name === 'http' ? 'web' : 'DNS'] };
  if (asked !== undefined && addresses.length === 0)
    return { reason: 'unclear', words: 'a service, and no address of the host that is to serve it' };
  return { used, notUsed: [], ...(asked === undefined ? {} : { service: asked }) };
}
