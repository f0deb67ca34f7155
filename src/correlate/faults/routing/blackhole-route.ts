// blackhole_route: a route that somebody set by hand throws away what others own. A node that throws away the unused part of
// its own prefix (a locator, an aggregate) is not accused.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import { frrChange } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';
import { sourcesOf } from '../../network/world.ts';

export const blackholeRoute: FaultDefinition = {
  id: 'blackhole_route',
  resource: 'node',
  accuses: true,
  labels: { nika: 'host_static_blackhole', netOpsBench: 'blackhole_route' },
  summary: 'a hand-set route of a node throws away packets for a prefix that belongs to another',
  exact: '`no ip route …`, where the route is static',
  propose: (file) =>
    [...file.world.views.values()].flatMap(({ node, state }) =>
      (state.staticRoutes ?? [])
        .filter(
          (route) => route.kind !== 'unicast' && !route.prefix.endsWith('/0') && !ownsPart(file, node, route.prefix),
        )
        .flatMap((route) => {
          const mine = file.symptoms.filter(
            (symptom) =>
              (symptom.kind === 'route' &&
                symptom.detail['at'] === node &&
                ['blackhole', 'unreachable'].includes(String(symptom.detail['how'])) &&
                covers(route.prefix, String(symptom.detail['destination']))) ||
              (symptom.kind === 'reach' &&
                symptom.way?.nodes.includes(node) === true &&
                covers(route.prefix, String(symptom.detail['destination']))),
          );
          if (mine.length === 0) return [];
          return [
            newProposal(
              blackholeRoute,
              nodeResource(node),
              mine.map(shareOf),
              [...sourcesOf(file.world, node), ...mine.flatMap((symptom) => symptom.source)],
              {
                score: 4,
                details: { prefix: route.prefix, kind: route.kind, protocol: route.protocol },
                remedy: {
                  node,
                  summary: `take the ${route.kind} route for ${route.prefix} off ${mark(node)}`,
                  command: `no ${route.prefix.includes(':') ? 'ipv6' : 'ip'} route ${route.prefix} ${wordOf(route)}`,
                  ...(route.protocol === 'static'
                    ? frrChange(file.world, node, removalOf(route))
                    : { decide: 'the route is not of the configuration: whoever set it must take it away' }),
                },
              },
            ),
          ];
        }),
    ),
};

/** FRR has two words for a silent one; a line that is not there is nothing to remove. */
function removalOf({ kind, prefix }: { readonly kind: string; readonly prefix: string }): readonly string[] {
  const words = kind === 'blackhole' ? ['Null0', 'blackhole'] : ['reject'];
  return words.map((word) => `no ${prefix.includes(':') ? 'ipv6' : 'ip'} route ${prefix} ${word}`);
}

/** FRR's word for how such a route throws packets away: in silence, or with an answer. */
function wordOf({ kind, prefix }: { readonly kind: string; readonly prefix: string }): string {
  if (kind !== 'blackhole') return 'reject';
  return prefix.includes(':') ? 'blackhole' : 'Null0';
}

function ownsPart(file: CaseFile, node: string, prefix: string): boolean {
  const state = file.world.views.get(node)?.state;
  const own = [
    ...(state?.inventory.interfaces ?? []).flatMap((entry) => entry.addresses.map((address) => address.split('/')[0]!)),
    ...(state?.inventory.sids ?? []).map((entry) => entry.sid.split('/')[0]!),
  ];
  return own.some((address) => covers(prefix, address));
}
