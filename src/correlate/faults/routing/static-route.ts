// static_route_misconfig: a route that somebody set by hand sends packets back to where they came from, or to a node that takes
// them for its own, or to one that is no nearer. In a loop, the hop that forwards by a hand-set route is the one that is wrong.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';
import { sourcesOf } from '../../network/world.ts';

export const staticRouteMisconfig: FaultDefinition = {
  id: 'static_route_misconfig',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: 'static_route_misconfig' },
  summary:
    'a hand-set route of a node sends a prefix the wrong way, so that its packets go round in a loop or by a detour',
  exact: '`no ip route …`, where it has a next hop',
  propose: (file) =>
    [...file.world.views.values()].flatMap(({ node, state }) =>
      (state.staticRoutes ?? [])
        .filter((route) => route.kind === 'unicast' && route.segments === undefined && !route.prefix.endsWith('/0'))
        .flatMap((route) => {
          const mine = file.symptoms.filter(
            (symptom) =>
              symptom.kind === 'route' &&
              ['loop', 'none', 'elsewhere', 'detour'].includes(String(symptom.detail['how'])) &&
              symptom.way?.nodes.includes(node) === true &&
              covers(route.prefix, String(symptom.detail['destination'])) &&
              takesIt(file, node, String(symptom.detail['destination']), route),
          );
          if (mine.length === 0) return [];
          // A next hop that is as near may be somebody's choice: nothing is taken off for that alone.
          const isChoice = mine.every(({ detail }) => detail['asNear'] === true);
          return [
            newProposal(
              staticRouteMisconfig,
              nodeResource(node),
              mine.map(shareOf),
              [...sourcesOf(file.world, node), ...mine.flatMap((symptom) => symptom.source)],
              {
                score: 4,
                confidence: isChoice ? 'likely' : 'certain',
                details: { prefix: route.prefix, nextHop: route.nextHop ?? route.ifname ?? '' },
                remedy: {
                  node,
                  summary: `take the route for ${route.prefix} via ${route.nextHop ?? route.ifname} off ${mark(node)}`,
                  command:
                    `no ${route.prefix.includes(':') ? 'ipv6' : 'ip'} route ${route.prefix} ${route.nextHop ?? ''}`.trim(),
                  ...(route.nextHop === undefined || isChoice
                    ? {}
                    : {
                        change: {
                          lines: [
                            `no ${route.prefix.includes(':') ? 'ipv6' : 'ip'} route ${route.prefix} ${route.nextHop}`,
                          ],
                        },
                      }),
                },
              },
            ),
          ];
        }),
    ),
};

/** Whether the node's own lookup follows this route. Kernels name a wrong IPv6 route where next hops are shared. */
function takesIt(file: CaseFile, node: string, destination: string, route: StaticRoute): boolean {
  const answer = file.world.lookups.get(node)?.get(destination);
  if (answer === undefined) return false;
  if (destination.includes(':')) return answer.ifname === route.ifname;
  return answer.matched?.split('/')[0] === route.prefix.split('/')[0];
}
