// policy_route_misconfig: a policy rule of a router takes all packets of a network of hosts and leads them nowhere, while the router's own
// packets arrive. Where the rule's table has a route that throws them away, that route is the fault (blackhole-route.ts). A rule that stood for as
// long as its node remembers may be meant (a network in quarantine): a remark, unless a host of the network was heard asking another network.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import type { PolicyRule } from '#model/router/forwarding.ts';
import { defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { type PolicyCut, policyCuts } from '../../network/policy-routes.ts';
import { hasRuleCome } from '../../network/remembered.ts';
import { ownerOf, sourcesOf, type World } from '../../network/world.ts';

type Detail = {
  readonly node: string;
  readonly ifname: string;
  readonly network: string;
  /** As `ip rule` words it. */
  readonly rule: string;
  readonly how: PolicyCut['how'];
  /** Addresses that were looked up. */
  readonly lookups: number;
};

export const policyRouteMisconfig = defineFault<Detail>({
  id: 'policy_route_misconfig',
  resource: 'node',
  accuses: true,
  alongPath: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'a policy rule of a router takes all packets of a network of hosts and leads them nowhere; its own packets arrive',
  detect: ({ world }) =>
    policyCuts(world)
      .filter((cut) => !isByRoute(cut))
      .map((cut) => ({ cut, detail: detailOf(cut) }))
      .map(({ cut: { node, ifname, network, rule }, detail }) => ({
        resource: nodeResource(node),
        key: `${ifname} ${network}`,
        // One node alone says so, and whether it is meant is not known.
        confidence: 'likely',
        evidence: sourcesOf(world, node),
        nodes: [node],
        ...(hasRuleCome(world, node, rule) || isMissed(world, { node, ifname, network })
          ? {}
          : { remark: `${sentence(detail)}, and always did as far as the agents remember` }),
        detail,
      })),
  describe: sentence,
  score: 4,
  remedy: ({ node, rule, network }) => ({
    node,
    summary: `review the policy rule of ${nodeRef(node)} that matches all packets from ${network}`,
    command: `ip ${network.includes(':') ? '-6 ' : ''}rule del ${rule}`,
    decide: 'delete the rule, or give its table the routes that the hosts need',
  }),
});

function detailOf({ node, ifname, network, rule, how, destinations }: PolicyCut): Detail {
  return { node, ifname, network, rule: ruleWords(rule), how, lookups: destinations.length };
}

function sentence({ node, ifname, network, rule, how, lookups }: Detail): string {
  return `${nodeRef(node)}: by its rule “${rule}” packets of hosts on ${ifname} (${network}) ${WORDS[how]}, to all ${lookups} addresses that its own packets reach`;
}

/** A host of the network was heard asking a name server of another one. */
function isMissed(world: World, { node, ifname, network }: Pick<PolicyCut, 'node' | 'ifname' | 'network'>): boolean {
  return (world.views.get(node)?.state.history?.heard ?? []).some(
    (heard) =>
      heard.ifname === ifname &&
      heard.what === 'dns-query' &&
      covers(network, heard.from) &&
      !covers(network, heard.to) &&
      ownerOf(world, heard.to)?.node !== node,
  );
}

const WORDS: Readonly<Record<PolicyCut['how'], string>> = {
  blackhole: 'are thrown away',
  unreachable: 'are refused',
  prohibit: 'are prohibited',
  none: 'find no route',
  unresolved: 'go out where no neighbour answers for them',
  loop: 'go to a next hop that sends them back or nowhere',
};

/** A route of the rule's table throws them away or refuses them. */
export function isByRoute({ rule, how }: PolicyCut): boolean {
  return rule.action === 'table' && (how === 'blackhole' || how === 'unreachable' || how === 'prohibit');
}

/** As `ip rule add` takes it. */
export function ruleWords({ priority, from, iif, action, table }: PolicyRule): string {
  return [
    `priority ${priority}`,
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(iif === undefined ? [] : [`iif ${iif}`]),
    action === 'table' ? `lookup ${table}` : action,
  ].join(' ');
}
