// bgp_missing_route_advertisement: a node has a prefix connected and does not bring it into BGP, while its like are announced everywhere; or a
// `network` statement that it remembers is gone, and others have no route to the prefix since.
import type { Remedy } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import { frrChange, inFamily } from '../../engine/exact-change.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf, type World } from '../../network/world.ts';
import { withdrawnNetworks } from './withdrawn-networks.ts';
import { explanationOf, type WithheldDetail, withheldPrefixes } from './withheld-prefixes.ts';

/** `lacking`: nodes without a route since its `network` statement went. */
type Detail = WithheldDetail & { readonly lacking?: readonly string[] };

export const bgpMissingRoute = defineCause<Detail>({
  id: 'bgp_missing_route_advertisement',
  resource: 'node',
  accuses: true,
  labels: { nika: 'bgp_missing_route_advertisement', netOpsBench: 'route_policy_misconfig' },
  summary: 'a node does not bring a prefix of its own into BGP, so that no other node has a route to it',
  exact: '`network …`, where the node announces its other prefixes so',
  explain: (file) =>
    withheldPrefixes(file, false).map((withheld) =>
      explanationOf(
        file.world,
        withheld,
        `${nodeRef(withheld.owner)}: ${withheld.prefix} is connected and not in BGP, and always was so as far as the agents remember; no other node has a route to it`,
      ),
    ),
  detect: ({ world, past }) =>
    past !== undefined
      ? []
      : withdrawnNetworks(world).map(({ node, prefix, lacking }) => ({
          resource: nodeResource(node),
          key: prefix,
          confidence: 'likely' as const,
          evidence: sourcesOf(world, node, ...lacking),
          nodes: [node],
          detail: { node, prefix, lacking },
        })),
  describe: ({ node, prefix, lacking }) =>
    lacking === undefined
      ? `${nodeRef(node)} does not bring ${prefix} into BGP`
      : `${nodeRef(node)} no longer brings ${prefix} into BGP: its network statement is gone, and ${lacking.map(nodeRef).join(', ')} ${lacking.length === 1 ? 'has' : 'have'} no route to it`,
  remedy: ({ node, prefix, lacking }, { world }) => ({
    node,
    summary: `announce ${prefix} from ${nodeRef(node)}`,
    command: `network ${prefix}`,
    ...(lacking === undefined
      ? announcement(world, node, prefix)
      : { decide: 'whether the prefix was taken out of use: its statement was there until it was removed' }),
  }),
});

/** The statement, where the node announces its other prefixes so; where they are redistributed, what was left out is not known. */
function announcement(world: World, node: string, prefix: string): Pick<Remedy, 'change' | 'decide'> {
  const bgp = world.views.get(node)?.state.bgp;
  if (bgp === undefined || bgp.networks.length === 0 || bgp.redistribute.length > 0)
    return { decide: 'whether it is to be announced by a network statement or by redistribution' };
  return frrChange(world, node, inFamily(bgp.asn, prefix, `network ${prefix}`));
}
