// static_route_misconfig: a route that an operator set by hand sends packets back to where they came from, or to a node that takes
// them for its own, or to one that is no nearer. In a loop, the hop that forwards by a hand-set route is the one that is wrong.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { deleteCommand, isConfigured, NOT_CONFIGURED } from '../../network/configured-routes.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { remembersBefore, seenOtherwise, settingsBefore } from '../../network/remembered.ts';
import { linksAt, otherEnd, ownerOf, sourcesOf, type World } from '../../network/world.ts';
import { type RouteDetail, routeSymptom } from '../../symptoms/routes.ts';

const WRONG_WAYS: readonly RouteDetail['how'][] = ['loop', 'none', 'elsewhere', 'detour', 'astray'];

/** `nextHop` is an address or an interface, `address` the address where there is one. */
type Detail = {
  readonly node: string;
  readonly prefix: string;
  readonly nextHop: string;
  readonly address?: string;
  /** The next hop is as near as the node itself: it may be an operator's choice. */
  readonly choice: boolean;
  /** The next hop that it had before and that leads there, where no known node has the present one. */
  readonly before?: string;
  /** By whom it was written, where the configuration does not have it. */
  readonly written?: string;
  /** What deletes that route alone. */
  readonly deletion?: string;
};

export const staticRouteMisconfig = defineCause<Detail>({
  id: 'static_route_misconfig',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: 'static_route_misconfig' },
  summary:
    'a hand-set route of a node sends a prefix the wrong way, so that its packets go round in a loop, by a detour, or, since it was changed, to an address that no node has',
  exact: '`no ip route …`, where it has a next hop, and no earlier one is to be put back',
  explain: (file) =>
    [...file.world.views.values()].flatMap(({ node, state }) =>
      (state.staticRoutes ?? [])
        .filter((route) => route.kind === 'unicast' && route.segments === undefined && !route.prefix.endsWith('/0'))
        .flatMap((route) => explanationOf(file, node, route)),
    ),
  describe: ({ node, prefix, nextHop }) => `${nodeRef(node)} sends ${prefix} to ${nextHop} by a hand-set route`,
  remedy: ({ node, prefix, nextHop, address, choice, deletion, before }) => {
    const summary = `remove the route for ${prefix} via ${nextHop} from ${nodeRef(node)}`;
    if (deletion !== undefined) return { node, summary, command: deletion, decide: NOT_CONFIGURED };
    const route = `${prefix.includes(':') ? 'ipv6' : 'ip'} route ${prefix}`;
    const statement = `no ${route}`;
    if (before !== undefined) {
      // No exact change: memory does not have what else was said of it, as its distance, its tag and its interface.
      return {
        node,
        summary: `route ${prefix} via ${before} again on ${nodeRef(node)}`,
        command: `${statement} ${address}; ${route} ${before}`,
        decide: `whether ${address} was meant, and which distance, tag or interface the route had`,
      };
    }
    return {
      node,
      summary,
      command: address === undefined ? statement : `${statement} ${address}`,
      ...(address === undefined || choice ? {} : { change: { lines: [`${statement} ${address}`] } }),
    };
  },
});

function explanationOf(file: CaseFile, node: string, route: StaticRoute): readonly Explanation<Detail>[] {
  const stood = hasStood(file.world, node, route);
  const mine = routeSymptom.of(file).filter(
    ({ way, detail: { how, destination, at, lost } }) =>
      WRONG_WAYS.includes(how) &&
      // A node that still sends there is right; the one that lost its route is not.
      lost === undefined &&
      // What comes by a detour of another node, or is sent astray by it, is forwarded rightly.
      (how === 'detour' || how === 'astray' ? at === node : way?.nodes.includes(node) === true) &&
      covers(route.prefix, destination) &&
      takesIt(file.world, node, destination, route) &&
      !(how === 'none' && isNextRight(file.world, at, destination, route) && stood) &&
      !(how === 'loop' && isLackOfAnother(file.world, node, destination, way?.nodes ?? []) && stood),
  );
  if (mine.length === 0) return [];
  const choice = mine.every(({ detail }) => detail.asNear === true);
  const { prefix, nextHop: address, ifname, protocol } = route;
  const before = mine.find(({ detail }) => detail.how === 'astray')?.detail.before;
  return [
    {
      resource: nodeResource(node),
      score: 4,
      confidence: choice || before !== undefined ? 'likely' : 'certain',
      explains: mine.map(shareOf),
      evidence: [...sourcesOf(file.world, node), ...mine.flatMap((symptom) => symptom.source)],
      detail: {
        ...{ node, prefix, nextHop: address ?? ifname ?? '', choice },
        ...(address === undefined ? {} : { address }),
        ...(before === undefined ? {} : { before }),
        ...(isConfigured(route) ? {} : { written: protocol, deletion: deleteCommand(route) }),
      },
    },
  ];
}

/** The route was there for as long as the node remembers. */
function hasStood(world: World, node: string, { prefix, nextHop, ifname }: StaticRoute): boolean {
  const hadIt = ({ staticRoutes }: NodeState) =>
    staticRoutes?.some((each) => each.prefix === prefix && each.nextHop === nextHop);
  const isNew =
    seenOtherwise(world, node, hadIt).length > 0 ||
    settingsBefore(world, node, 'static-route', prefix, ifname).length > 0;
  return remembersBefore(world, node) && !isNew;
}

/** Packets get farther than to the next hop, which has a route of its own, and end at a node without one: that node lacks it. */
function isNextRight(world: World, at: string, destination: string, { nextHop }: StaticRoute): boolean {
  const next = nextHop === undefined ? undefined : ownerOf(world, nextHop)?.node;
  if (next === undefined || next === at) return false;
  const answer = world.lookups.get(next)?.get(destination);
  return answer?.kind === 'unicast' && answer.matched !== 'default';
}

/**
 * Another node sends back by its default route, and what is sought is behind that one: it lacks the route, as a provider's route to the networks of a
 * customer leads on while a part of the customer is cut off.
 */
function isLackOfAnother(world: World, node: string, destination: string, onWay: readonly string[]): boolean {
  const owners = (world.owners.get(destination) ?? []).map((owner) => owner.node);
  const isBeside = linksAt(world, node).some((link) => owners.includes(otherEnd(link, node).node));
  const isByDefault = (other: string) => world.lookups.get(other)?.get(destination)?.matched === 'default';
  return !isBeside && onWay.some((other) => other !== node && isByDefault(other));
}

/** Whether the node's own lookup follows this route. Kernels name a wrong IPv6 route where next hops are shared. */
function takesIt(world: World, node: string, destination: string, route: StaticRoute): boolean {
  const answer = world.lookups.get(node)?.get(destination);
  if (answer === undefined) return false;
  if (destination.includes(':')) return answer.ifname === route.ifname;
  return answer.matched?.split('/')[0] === route.prefix.split('/')[0];
}
