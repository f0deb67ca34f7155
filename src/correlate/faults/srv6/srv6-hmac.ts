// srv6_hmac_mismatch: a node demands an HMAC of the SRv6 packets that come in by its links (RFC 8754 §2.1.2), and heads that send to its SIDs put
// none on: it drops them. A contradiction between two ends. Accused only where all links of the node demand it, as no other way is left.
import { nodeResource } from '#model/names.ts';
import { defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { interfaceOf, linksAt, ownEnd, sourcesOf, type View, type World } from '../../network/world.ts';

type Detail = {
  readonly node: string;
  readonly interfaces: readonly string[];
  readonly heads: readonly string[];
  /** One of the SIDs that they send to. */
  readonly sid: string;
};

export const srv6HmacMismatch = defineFault<Detail>({
  id: 'srv6_hmac_mismatch',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a node drops SRv6 packets without an HMAC, and the heads that send to its SIDs put none on',
  detect: ({ world }) =>
    [...world.views.values()].flatMap((view) => {
      const [interfaces, mine] = [demanding(world, view), unsignedTo(world, view)];
      const [first] = mine;
      if (interfaces.length === 0 || first === undefined) return [];
      const heads = [...new Set(mine.map(({ head }) => head))].toSorted();
      const { node } = view;
      return [
        {
          resource: nodeResource(node),
          evidence: sourcesOf(world, node, ...heads),
          nodes: [node, ...heads],
          detail: { node, interfaces, heads, sid: first.sid },
        },
      ];
    }),
  describe: ({ node, interfaces, heads, sid }) =>
    `${nodeRef(node)} drops SRv6 packets without an HMAC that come in by ${interfaces.join(', ')} (seg6_require_hmac), and ${heads.map(nodeRef).join(', ')} put${heads.length === 1 ? 's' : ''} none on what is sent to its SID ${sid}`,
  score: 4,
  remedy: ({ node, interfaces }) => ({
    node,
    summary: `let ${nodeRef(node)} accept SRv6 packets without an HMAC, or have the heads add one`,
    command: interfaces.map((name) => `sysctl -w net/ipv6/conf/${name}/seg6_require_hmac=0`).join('; '),
    decide: 'whether SRv6 is to be authenticated in this network: then the heads need the key',
  }),
});

/** The node's links that are up, if all of them demand it. */
function demanding(world: World, { node, state }: View): readonly string[] {
  const ports = linksAt(world, node)
    .map((link) => ownEnd(link, node))
    .filter((end) => interfaceOf(world, end)?.operUp === true)
    .map(({ ifname }) => ifname);
  const strict = (state.forwarding?.interfaces ?? []).filter(({ srv6Hmac }) => srv6Hmac).map(({ ifname }) => ifname);
  return ports.every((ifname) => strict.includes(ifname)) ? [...new Set(ports)] : [];
}

/** Routes of other nodes that put on a segment routing header without HMAC, to a SID of this node. */
function unsignedTo(world: World, { node, state }: View): readonly { readonly head: string; readonly sid: string }[] {
  const own = new Set(state.inventory.sids.map(({ sid }) => sid));
  return [...world.views.values()]
    .filter((view) => view.node !== node)
    .flatMap((view) =>
      (view.state.staticRoutes ?? [])
        .filter(({ unsigned }) => unsigned === true)
        .flatMap(({ segments = [] }) =>
          segments.filter((sid) => own.has(sid)).map((sid) => ({ head: view.node, sid })),
        ),
    );
}
