// default_route_lost: a default route that nodes remember is gone, and nothing is in its place. Accuses on change: the node that no longer
// announces it while several others lost it by that node, and the one whose own route, set by hand, is gone. Where a neighbour may as well be
// the cause, both are named and none is accused. Whether it was taken out of use, the network does not tell.
import { nodeResource } from '#model/names.ts';
import { OSPF_NAMES, ospfVersionFor } from '#model/router/control-plane.ts';
import { defineFault } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf, type World } from '../../network/world.ts';
import { routeSymptom } from '../../symptoms/routes.ts';
import { lostDefaults } from './lost-defaults.ts';

type Detail = {
  readonly node: string;
  readonly prefix: string;
  readonly how: 'stopped' | 'own' | 'unsure';
  /** Who made it: `ospf`, `static`. */
  readonly protocol: string;
  /** Next hops of the route that is gone. */
  readonly nextHops: readonly string[];
  /** Other nodes that have none since. */
  readonly lacking: readonly string[];
  readonly via: readonly string[];
  /** What was asked about, where one of them has no route to it now. */
  readonly destination?: string;
};

export const defaultRouteLost = defineFault<Detail>({
  id: 'default_route_lost',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'a node no longer announces a default route that others had by it, or lost its own that was set by hand, and nothing is in its place',
  detect: ({ world, past }) =>
    past !== undefined
      ? []
      : lostDefaults(world).map(({ how, node, prefix, was, lacking, via }) => ({
          resource: nodeResource(node),
          key: prefix,
          confidence: 'likely' as const,
          evidence: sourcesOf(world, node, ...lacking, ...via),
          nodes: [...new Set([node, ...lacking])],
          ...(how === 'unsure'
            ? { withheld: `${nodeRef(node)} and ${via.map(nodeRef).join(', ')} cannot be told apart as its cause` }
            : {}),
          detail: {
            ...{ node, prefix, how, protocol: was.protocol, lacking, via },
            ...missedBy(world, prefix, [node, ...lacking]),
            nextHops: was.hops.flatMap(({ nextHop, ifname }) => nextHop ?? ifname ?? []),
          },
        })),
  describe: ({ node, prefix, how, protocol, nextHops, lacking, via, destination }) => {
    const family = prefix.includes(':') ? 'IPv6 ' : '';
    const brought = named(protocol, prefix);
    const since = lacking.length === 0 ? '' : `; ${lacking.map(nodeRef).join(', ')} lost theirs with it`;
    const missed = destination === undefined ? '' : `; no other route leads to ${destination}`;
    switch (how) {
      case 'stopped':
        return `${nodeRef(node)} no longer announces a default ${family}route in ${brought}: ${lacking.map(nodeRef).join(', ')} had one by it and have none now, though the protocol runs between them${missed}`;
      case 'own':
        return `${nodeRef(node)} has no default ${family}route any more: the one over ${nextHops.join(', ')} (${protocol}) is gone, and none is in its place${since}${missed}`;
      case 'unsure':
        return `${nodeRef(node)} has no default ${family}route any more: the one over ${nextHops.join(', ')} that ${brought} brought from ${via.map(nodeRef).join(', ')} is gone, and none is in its place${since}${missed}`;
    }
  },
  remedy: ({ node, prefix, how, protocol, nextHops }) => {
    const [nextHop] = nextHops;
    const decide = 'whether it was taken out of use: nothing is in its place';
    if (how === 'stopped')
      return {
        node,
        summary: `announce a default route again from ${nodeRef(node)} in ${named(protocol, prefix)}`,
        command: 'default-information originate',
        decide,
      };
    const command =
      nextHop === undefined ? {} : { command: `${prefix.includes(':') ? 'ipv6' : 'ip'} route ${prefix} ${nextHop}` };
    return { node, summary: `restore the default route of ${nodeRef(node)}`, ...command, decide };
  },
  // Addresses that they sent to by it, and cannot any more.
  consequences: ({ detail: { node, lacking, prefix } }, file) =>
    routeSymptom
      .of(file)
      .filter(
        ({ detail: { how, at, destination } }) =>
          how === 'none' && [node, ...lacking].includes(at) && destination.includes(':') === prefix.includes(':'),
      )
      .map(shareOf),
});

function missedBy({ destination, lookups }: World, prefix: string, nodes: readonly string[]) {
  if (destination === undefined || destination.includes(':') !== prefix.includes(':')) return {};
  return nodes.some((node) => lookups.get(node)?.get(destination)?.kind === 'none') ? { destination } : {};
}

const NAMES: Readonly<Record<string, string>> = {
  ...{ isis: 'IS-IS', bgp: 'BGP' },
  ...{ boot: 'a command or a DHCP client', '3': 'a command or a DHCP client' },
};

function named(protocol: string, prefix: string): string {
  return protocol === 'ospf' ? OSPF_NAMES[ospfVersionFor(prefix)] : (NAMES[protocol] ?? protocol);
}
