// The routing protocols' part of a node's state, asked of the daemons that are there. A protocol that does not run is
// absent; one whose daemon should answer and does not is missing, with the reason.

import { ParleyError } from '#base/error.ts';
import type {
  BfdSession,
  BgpOwnPrefix,
  BgpState,
  Daemon,
  IsisState,
  OspfInterface,
} from '#model/router/control-plane.ts';
import { type CutList, cutPart, type InterfaceState } from '#model/router/router-port.ts';
import type { FrrQuery } from '../../../protocol/read-operations.ts';
import type { ReadHelper } from '../../../protocol/typed-operations.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { rejectsOf } from './adjacencies.ts';
import { type BgpAsk, readNeighbours } from './bgp-sessions.ts';
import { bgpStateOf, parseBfd, parseBgpPrefix } from './daemons-json.ts';
import { parseBgpConfig, parseIsisConfig } from './frr-config.ts';
import { parseOspf, parseOspf6 } from './ospf-json.ts';

export type ControlPlane = {
  readonly isis?: IsisState;
  readonly bgp?: BgpState;
  readonly bfd?: readonly BfdSession[];
  readonly ospf?: readonly OspfInterface[];
  readonly ospf6?: readonly OspfInterface[];
  readonly daemons: readonly Daemon[];
};

/** Asks the helper; `part` notes what could not be read, `noteCut` which lists were not read to their end. */
export type Asking = {
  readonly helper: Pick<ReadHelper, 'call'>;
  part<T>(name: string, absent: T, read: () => Promise<T>): Promise<T>;
  noteCut(lists: readonly CutList[]): void;
};

export async function readControlPlane(asking: Asking, interfaces: readonly InterfaceState[]): Promise<ControlPlane> {
  const { helper, part } = asking;
  const frr = (query: FrrQuery) => helper.call('frr', { query });
  const daemons = await readDaemons(asking);
  const runs = (name: string) => isRunning(daemons, name);
  const none = Promise.resolve(undefined);
  const [isis, bgp, bfd, ospf] = await Promise.all([
    runs('isisd')
      ? part('isis-configuration', undefined, async () =>
          isisOf(await frr('isis-config'), await frr('isis-interfaces')),
        )
      : none,
    runs('bgpd') ? part('bgp', undefined, () => bgpOf(asking, frr, interfaces)) : none,
    runs('bfdd') ? part('bfd', undefined, async () => parseBfd(await frr('bfd-peers'))) : none,
    readOspf(asking, daemons),
  ]);
  return {
    daemons,
    ...(isis === undefined ? {} : { isis }),
    ...(bgp === undefined ? {} : { bgp }),
    ...(bfd === undefined ? {} : { bfd }),
    ...ospf,
  };
}

type OspfAsking = Pick<Asking, 'helper' | 'part'>;

export function readDaemons({ helper, part }: OspfAsking): Promise<readonly Daemon[]> {
  return part('daemons', [], () => helper.call('daemons', {}));
}

function isRunning(daemons: readonly Daemon[], name: string): boolean {
  return daemons.some((daemon) => daemon.name === name && daemon.alive);
}

/** Both versions of OSPF, of those daemons that run. */
export async function readOspf(
  { helper, part }: OspfAsking,
  daemons: readonly Daemon[],
): Promise<Pick<ControlPlane, 'ospf' | 'ospf6'>> {
  const frr = (query: FrrQuery) => helper.call('frr', { query });
  const [ospf, ospf6] = await Promise.all([
    isRunning(daemons, 'ospfd') ? part('ospf', undefined, () => ospfOf(frr)) : undefined,
    isRunning(daemons, 'ospf6d') ? part('ospf6', undefined, () => ospf6Of(frr)) : undefined,
  ]);
  return { ...(ospf === undefined ? {} : { ospf }), ...(ospf6 === undefined ? {} : { ospf6 }) };
}

async function ospfOf(frr: (query: FrrQuery) => Promise<string>): Promise<readonly OspfInterface[]> {
  return parseOspf(await frr('ospf-interfaces'), await frr('ospf-neighbours'));
}

/** One after the other: a daemon's queue of connections is short. */
async function ospf6Of(frr: (query: FrrQuery) => Promise<string>): Promise<readonly OspfInterface[]> {
  return parseOspf6({
    instance: await frr('ospf6-instance'),
    interfaces: await frr('ospf6-interfaces'),
    neighbours: await neighboursOf(frr),
    configuration: await frr('ospf6-config'),
  });
}

/** With their details the answer has every LSA that is being exchanged, and may be too large to be read. */
async function neighboursOf(frr: (query: FrrQuery) => Promise<string>): Promise<string> {
  try {
    return await frr('ospf6-neighbours');
  } catch {
    return frr('ospf6-neighbour-states');
  }
}

function isisOf(config: string, tree: string): IsisState | undefined {
  const parsed = parseIsisConfig(config);
  if (parsed === undefined) return undefined;
  const rejects = rejectsOf(tree);
  return {
    ...parsed,
    circuits: parsed.circuits.map((circuit) => {
      const count = rejects.get(circuit.ifname);
      return count === undefined ? circuit : { ...circuit, rejects: count };
    }),
  };
}

/** Undefined when BGP is not configured. */
async function bgpOf(
  { helper, part, noteCut }: Asking,
  frr: BgpAsk['frr'],
  interfaces: readonly InterfaceState[],
): Promise<BgpState | undefined> {
  const config = parseBgpConfig(await frr('bgp-config'));
  if (config === undefined) return undefined;
  const ask = { frr, neighbours: (peers: readonly string[]) => helper.call('bgp-neighbours', { peers: [...peers] }) };
  const addresses = interfaces.flatMap((entry) => entry.addresses);
  const neighbours = await readNeighbours(ask, config, addresses);
  if (neighbours.untold > 0) await part('bgp-neighbours', undefined, () => Promise.reject(untold(neighbours.untold)));
  const all = ownPrefixes(interfaces);
  const own = all.slice(0, DRIVER_LIMITS.bgpOwnPrefixes);
  noteCut(cutPart('bgp-own-prefixes', own.length, all.length));
  const asked: BgpOwnPrefix[] = [];
  // One after the other: a daemon's queue of connections is short.
  for (const prefix of own) {
    const text = await helper.call('bgp-prefix', { prefix });
    asked.push(parseBgpPrefix(prefix, text) ?? { prefix, originated: false, advertisedTo: [] });
  }
  return bgpStateOf(config, neighbours, asked);
}

function untold(count: number): ParleyError {
  const most = DRIVER_LIMITS.bgpNeighbourDetails;
  const message = `expected at most ${most} BGP sessions that are not up, got ${count} more: of these only the summary was read`;
  return new ParleyError('node/unreadable', message);
}

/** Connected prefixes of everything that is no link between routers: loopbacks and attached networks. */
export function ownPrefixes(interfaces: readonly InterfaceState[]): readonly string[] {
  const prefixes = interfaces.flatMap((entry) => entry.addresses).flatMap((address) => networkOf(address) ?? []);
  return [...new Set(prefixes)];
}

function networkOf(address: string): string | undefined {
  const [host = '', length = ''] = address.split('/');
  const bits = Number(length);
  if (/^(?:fe80|127\.|::1$)/i.test(host)) return undefined;
  if (host.includes(':')) return bits === 128 ? address : bits >= 126 ? undefined : network6(host, bits);
  if (bits === 32) return address;
  return bits >= 30 ? undefined : network4(host, bits);
}

function network4(host: string, bits: number): string {
  const value = host.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
  const size = 2 ** (32 - bits);
  const base = Math.floor(value / size) * size;
  return `${[24, 16, 8, 0].map((shift) => Math.floor(base / 2 ** shift) % 256).join('.')}/${bits}`;
}

/** Whole groups only: attached IPv6 networks end at a multiple of 16 bits. */
function network6(host: string, bits: number): string | undefined {
  if (bits % 16 !== 0) return undefined;
  const [left = '', right = ''] = host.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === '' ? [] : right.split(':');
  const groups = [...head, ...new Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail];
  const kept = groups.slice(0, bits / 16).map((group) => Number.parseInt(group, 16).toString(16));
  return `${kept.join(':').replace(/(?::0)+$/, '')}::/${bits}`;
}
