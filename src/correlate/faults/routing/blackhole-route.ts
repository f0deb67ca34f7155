// blackhole_route: a route that an operator set by hand throws away what others own. A node that throws away the unused part of
// its own prefix (a locator, an aggregate) is not accused. A route of another table counts where a policy rule leads all packets of a
// network of hosts to it, whatever they are for.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import { frrChange } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { deleteCommand, ipCommand, isConfigured, NOT_CONFIGURED } from '../../network/configured-routes.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { type PolicyCut, policyCuts } from '../../network/policy-routes.ts';
import { sourcesOf, type View } from '../../network/world.ts';
import { routeSymptom } from '../../symptoms/routes.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';
import { isByRoute, ruleWords } from './policy-route.ts';

type Detail = {
  readonly node: string;
  readonly prefix: string;
  readonly kind: StaticRoute['kind'];
  readonly protocol: string;
  /** What deletes that route alone, where the configuration does not have it. */
  readonly deletion?: string;
  /** The policy rule that leads to it, as `ip rule` words it, and the network of hosts whose packets it takes. */
  readonly rule?: string;
  readonly hosts?: string;
};

export const blackholeRoute = defineCause<Detail>({
  id: 'blackhole_route',
  resource: 'node',
  accuses: true,
  alongPath: true,
  labels: { nika: 'host_static_blackhole', netOpsBench: 'blackhole_route' },
  summary: 'a hand-set route of a node throws away packets for a prefix that belongs to another',
  exact: '`no ip route …`, where the route is static',
  explain: (file) =>
    [...file.world.views.values()].flatMap((view) =>
      (view.state.staticRoutes ?? [])
        .filter(({ kind, prefix }) => kind !== 'unicast' && !prefix.endsWith('/0') && !ownsPart(view, prefix))
        .flatMap((route) => explanationOf(file, view.node, route)),
    ),
  detect: ({ world }) =>
    policyCuts(world)
      .filter(isByRoute)
      .map((cut) => ({
        resource: nodeResource(cut.node),
        key: `${cut.ifname} ${cut.network}`,
        confidence: 'likely',
        evidence: sourcesOf(world, cut.node),
        nodes: [cut.node],
        detail: behindRule(cut),
      })),
  describe: ({ node, kind, prefix, rule, hosts }) =>
    rule === undefined
      ? `${nodeRef(node)} has a ${kind} route for ${prefix}, which others own`
      : `${nodeRef(node)}: its rule “${rule}” leads all packets of the hosts of ${hosts} to a ${kind} route; its own packets arrive`,
  remedy: ({ node, kind, prefix, deletion, rule, hosts }, { world }) => {
    if (rule !== undefined)
      return {
        node,
        summary: `review the policy rule of ${nodeRef(node)} that matches all packets from ${hosts}, and its table`,
        command: ipCommand(hosts ?? '', `rule del ${rule}`),
        decide: 'delete the rule, or give its table the routes that the hosts need',
      };
    const summary = `remove the ${kind} route for ${prefix} from ${nodeRef(node)}`;
    if (deletion !== undefined) return { node, summary, command: deletion, decide: NOT_CONFIGURED };
    const statement = `no ${prefix.includes(':') ? 'ipv6' : 'ip'} route ${prefix}`;
    return {
      ...{ node, summary, command: `${statement} ${wordOf(kind, prefix)}` },
      // FRR has two words for a silent one; a line that is not there is nothing to remove.
      ...frrChange(
        world,
        node,
        (kind === 'blackhole' ? ['Null0', 'blackhole'] : ['reject']).map((word) => `${statement} ${word}`),
      ),
    };
  },
});

function behindRule({ node, network, rule, how }: PolicyCut): Detail {
  const kind = how === 'unreachable' || how === 'prohibit' ? how : 'blackhole';
  const prefix = network.includes(':') ? '::/0' : '0.0.0.0/0';
  return { node, prefix, kind, protocol: '', rule: ruleWords(rule), hosts: network };
}

function explanationOf(file: CaseFile, node: string, route: StaticRoute): readonly Explanation<Detail>[] {
  const { prefix, kind, protocol } = route;
  const thrownAway = routeSymptom
    .of(file)
    .filter(
      ({ detail: { at, how, destination } }) =>
        at === node && (how === 'blackhole' || how === 'unreachable') && covers(prefix, destination),
    );
  const unanswered = reachSymptom
    .of(file)
    .filter(({ way, detail }) => way?.nodes.includes(node) === true && covers(prefix, detail.destination));
  const mine = [...thrownAway, ...unanswered];
  if (mine.length === 0) return [];
  return [
    {
      resource: nodeResource(node),
      score: 4,
      explains: mine.map(shareOf),
      evidence: [...sourcesOf(file.world, node), ...mine.flatMap((symptom) => symptom.source)],
      detail: { node, prefix, kind, protocol, ...(isConfigured(route) ? {} : { deletion: deleteCommand(route) }) },
    },
  ];
}

/** FRR's word for how such a route throws packets away: in silence, or with an answer. */
function wordOf(kind: StaticRoute['kind'], prefix: string): string {
  if (kind !== 'blackhole') return 'reject';
  return prefix.includes(':') ? 'blackhole' : 'Null0';
}

function ownsPart({ state }: View, prefix: string): boolean {
  const own = [
    ...state.inventory.interfaces.flatMap((entry) => entry.addresses.map((address) => address.split('/')[0]!)),
    ...state.inventory.sids.map((entry) => entry.sid.split('/')[0]!),
  ];
  return own.some((address) => covers(prefix, address));
}
