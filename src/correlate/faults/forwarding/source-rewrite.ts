// source_rewrite: a rule of a node writes a source address into what it sends on to which the nodes beyond have no way back, so that no answer
// arrives. Accuses on what both ends say together with a change: of the address, then it is the node of the rule; of a route that was there
// before, then it is the node that lost it. What always was so is a remark, as nothing shows that the rule is in use.
import { nodeResource } from '#model/names.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { translatedSources } from '../../network/translated-sources.ts';
import { sourcesOf } from '../../network/world.ts';

type Detail = {
  readonly node: string;
  readonly address: string;
  /** What the rule selects, and the node that has it. */
  readonly rule: string;
  readonly writer: string;
  /** Nodes at which answers end. */
  readonly at: readonly string[];
  readonly changed: 'address' | 'route' | 'nothing';
};

export const sourceRewrite = defineFault<Detail>({
  id: 'source_rewrite',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'a rule of a node sets a source address to which the nodes beyond have no route back, and the address or that route has changed',
  detect: ({ world, past }) =>
    past !== undefined
      ? []
      : translatedSources(world)
          .filter(({ back }) => back === 'none')
          .flatMap(({ node: writer, address, rule, at, changed: what }): readonly Detection<Detail>[] => {
            const changed = what ?? 'nothing';
            const places = changed === 'route' ? at : [writer];
            return places.map((node) => ({
              resource: nodeResource(node),
              key: address,
              // Whether another rule takes the packets first is not known.
              confidence: 'likely' as const,
              evidence: sourcesOf(world, writer, ...at),
              nodes: [...new Set([writer, ...at])],
              ...(changed === 'nothing'
                ? {
                    remark: `${nodeRef(writer)}: a rule writes the source ${address} into what it sends on (${rule}), to which ${at.map(nodeRef).join(', ')} ${has(at)} no route back, as for as long as the agents remember`,
                  }
                : {}),
              detail: { node, address, rule, writer, at, changed },
            }));
          }),
  describe: ({ node, address, rule, writer, at, changed }) =>
    changed === 'route'
      ? `${nodeRef(node)} has no route any more to ${address}, the source that a rule of ${nodeRef(writer)} writes into what it sends on (${rule}): no answer finds back`
      : `${nodeRef(writer)} writes the source ${address} into what it sends on (${rule}), and did not before; ${at.map(nodeRef).join(', ')} ${has(at)} no route back to it, so that no answer arrives`,
  remedy: ({ node, address, writer, changed }) =>
    changed === 'route'
      ? { node, summary: `restore the route of ${nodeRef(node)} to ${address}`, decide: 'which way it is to lead' }
      : {
          node: writer,
          summary: `review the rule of ${nodeRef(writer)} that writes the source ${address}`,
          decide: 'which address the nodes beyond are to answer to, or that they are to have a route to this one',
        },
});

function has(nodes: readonly string[]): string {
  return nodes.length === 1 ? 'has' : 'have';
}
