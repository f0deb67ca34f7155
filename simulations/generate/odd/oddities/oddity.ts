// What a legal oddity is: a function that puts something unusual and right into a drawn network, where the network has a place for it. Pure.
import type { Draft, Host, Link, Port, Router } from '../model.ts';
import { corePorts, lanPorts, portNamed, routerNamed, sample } from '../model.ts';

export type Oddity = {
  readonly name: string;
  /** False where this network has no place for it; nothing is changed then. */
  add(draft: Draft): boolean;
};

/** Links between routers that carry something. */
export function coreLinks(draft: Draft): readonly Link[] {
  return draft.links.filter(({ a, b }) => {
    const ends = [a, b].map(({ node, ifname }) =>
      draft.routers.find(({ name }) => name === node)?.ports.find((port) => port.ifname === ifname),
    );
    return ends.every((port) => port?.role === 'core');
  });
}

export function endsOf(draft: Draft, { a, b }: Pick<Link, 'a' | 'b'>): readonly [Port, Port] {
  return [portNamed(routerNamed(draft, a.node), a.ifname), portNamed(routerNamed(draft, b.node), b.ifname)];
}

/** A random router that fits. */
export function someRouter(draft: Draft, fits: (router: Router) => boolean = () => true): Router | undefined {
  return sample(draft.random, draft.routers.filter(fits), 1)[0];
}

/** A random host that fits. */
export function someHost(draft: Draft, fits: (host: Host) => boolean): Host | undefined {
  return sample(draft.random, draft.hosts.filter(fits), 1)[0];
}

export const hasLan = (router: Router): boolean => lanPorts(router).length > 0;
export const runs = (router: Router, head: string): boolean =>
  router.blocks.some((block) => block.head.startsWith(head));

/** An nft table of its own with one chain and its rules, as one command. */
export function nftTable(
  family: string,
  table: string,
  hook: string,
  rules: readonly string[],
  type = 'filter',
  priority = 0,
): string {
  const commands = [
    `add table ${family} ${table}`,
    `add chain ${family} ${table} ${hook} { type ${type} hook ${hook} priority ${priority}; policy accept; }`,
    ...rules.map((rule) => `add rule ${family} ${table} ${hook} ${rule}`),
  ];
  return `nft '${commands.join('; ')}'`;
}

/** Ports of `router` towards other routers, by name. */
export const coreNames = (router: Router): string[] => corePorts(router).map(({ ifname }) => ifname);

/** At least two hosts still answer echoes when one more does not. */
export const leavesEchoes = (draft: Draft): boolean =>
  draft.hosts.filter((host) => !host.denied.has('ping') && !host.isAsleep && !host.isBehindNat).length > 2;
