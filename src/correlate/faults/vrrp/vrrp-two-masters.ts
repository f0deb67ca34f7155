// vrrp_two_masters: two routers of a group are active at once (RFC 9568 §6.4.3 allows one). One of them was not before: it no longer hears the other,
// whose advertisements are lost, filtered, or of another version, number or interval. Switches then send the gateway's frames to either.
import { nodeResource } from '#model/names.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf, type World } from '../../network/world.ts';
import { groupsIn } from './virtual-routers.ts';

/** A handover, in which a router that steps down has not yet heard the other. */
const HANDOVER_MS = 4_000;

type Detail = {
  readonly node: string;
  readonly others: readonly string[];
  readonly id: number;
  readonly address: string;
  /** The one that became active last. */
  readonly last: string;
  readonly agoMs: number;
};

export const vrrpTwoMasters = defineFault<Detail>({
  id: 'vrrp_two_masters',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'two routers of one VRRP group are active at once, and one of them became so while its node remembers; both are named',
  detect: ({ world, past }) => (past === undefined ? detected(world) : []),
  describe: ({ node, others, id, address, last, agoMs }) =>
    `${nodeRef(node)} and ${others.map(nodeRef).join(' and ')} are both active for ${address} (VRRP ${id}), ${nodeRef(last)} since ${Math.round(agoMs / 1_000)} s`,
  remedy: ({ node, last, address, id }) => ({
    node,
    summary: `let ${nodeRef(last)} hear the advertisements of the other routers for ${address} again`,
    command: 'show vrrp',
    decide: `whether a filter drops IP protocol 112, the network between them is cut, or group ${id} is set up otherwise at one end`,
  }),
});

function detected(world: World): readonly Detection<Detail>[] {
  return groupsIn(world).flatMap(({ id, address, members }) => {
    const active = members.filter(({ isActive }) => isActive);
    const [last] = active
      .filter(({ sinceMs }) => sinceMs !== undefined)
      .sort((one, other) => one.sinceMs! - other.sinceMs!);
    if (active.length < 2 || last === undefined || last.sinceMs! < HANDOVER_MS) return [];
    const nodes = active.map(({ node }) => node);
    return nodes.map((node) => ({
      resource: nodeResource(node),
      key: address,
      evidence: sourcesOf(world, ...nodes),
      nodes,
      detail: {
        ...{ node, others: nodes.filter((each) => each !== node), id, address },
        ...{ last: last.node, agoMs: last.sinceMs! },
      },
    }));
  });
}
