// Random places of a generated network, for injections: links, ends, routers with hosts, prefixes of others. Pure.
import type { CoreInterface, HostPort, Network, Router } from '../../generate/network.ts';
import type { Random } from './fault.ts';

export type LinkPlace = { readonly cable: string; readonly from: string };

/** A link between routers, and one of its ends. */
export function randomLink(network: Network, random: Random): LinkPlace {
  const { a, b } = random.pick(network.links);
  const ends = [`${a.node}:${a.ifname}`, `${b.node}:${b.ifname}`];
  return { cable: ends.join('--'), from: random.pick(ends) };
}

export function randomRouter(network: Network, random: Random): Router {
  return random.pick(network.routers);
}

export function randomPort(
  network: Network,
  random: Random,
): { readonly router: Router; readonly port: CoreInterface } {
  const router = randomRouter(network, random);
  return { router, port: random.pick(router.core) };
}

export function routerNamed(network: Network, name: string): Router {
  return network.routers.find((router) => router.name === name)!;
}

/** A router that has hosts behind it. */
export function randomEdge(network: Network, random: Random): { readonly router: Router; readonly host: HostPort } {
  const host = random.pick(network.hosts);
  return { router: routerNamed(network, host.router), host };
}

/** A router and an IPv4 host prefix behind another one whose traffic it can carry. */
export function randomTransit(
  network: Network,
  random: Random,
): { readonly router: Router; readonly host: HostPort } | undefined {
  const router = randomRouter(network, random);
  const others = network.hosts.filter((host) => host.router !== router.name);
  return others.length === 0 ? undefined : { router, host: random.pick(others) };
}

export const cableOf = (router: Router, port: CoreInterface): string =>
  `${router.name}:${port.ifname}--${port.peer.node}:${port.peer.ifname}`;

/** A path of adjacent routers from `from` to `to`, fewest hops first found; empty when there is none. */
export function routePath(network: Network, from: string, to: string): readonly string[] {
  const cameFrom = new Map<string, string>([[from, from]]);
  const queue = [from];
  for (const name of queue) {
    if (name === to) break;
    for (const { peer } of routerNamed(network, name).core) {
      if (cameFrom.has(peer.node)) continue;
      cameFrom.set(peer.node, name);
      queue.push(peer.node);
    }
  }
  if (!cameFrom.has(to)) return [];
  const path = [to];
  while (path[0] !== from) path.unshift(cameFrom.get(path[0]!)!);
  return path;
}

/** Links from one router to another, without a third where one is left out; infinite when there is no way. */
export function hopsBetween(network: Network, from: string, to: string, avoiding?: string): number {
  const distance = new Map([[from, 0]]);
  const queue = [from];
  for (const name of queue) {
    if (name === to) return distance.get(name)!;
    for (const { peer } of routerNamed(network, name).core) {
      if (peer.node === avoiding || distance.has(peer.node)) continue;
      distance.set(peer.node, distance.get(name)! + 1);
      queue.push(peer.node);
    }
  }
  return Number.POSITIVE_INFINITY;
}

/** Every best way from one router to another leads over this one, which may be either end: links of generated networks cost alike. */
export function isOnEveryWay(network: Network, from: string, to: string, router: string): boolean {
  if (router === from || router === to) return true;
  return hopsBetween(network, from, to, router) > hopsBetween(network, from, to);
}
