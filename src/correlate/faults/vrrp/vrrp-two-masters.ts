// vrrp_two_masters: two routers of a group are master at once (RFC 9568 §6.4.3 allows one). One of them was not before: it no longer hears the other,
// whose advertisements are lost, filtered, or of another version, number or interval. Switches then send the gateway's frames to either. Routers that are
// not shown to be on one LAN may each be right: a remark.
import { nodeResource } from '#model/names.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf, type World } from '../../network/world.ts';
import { groupsIn, nodesIn } from './virtual-routers.ts';

/** A handover, in which a router that steps down has not yet heard the other. */
const HANDOVER_MS = 4_000;

type Detail = {
  readonly node: string;
  readonly others: readonly string[];
  readonly id: number;
  readonly address: string;
  /** The one that became master last. */
  readonly last: string;
  readonly agoMs: number;
};

export const vrrpTwoMasters = defineFault<Detail>({
  id: 'vrrp_two_masters',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'two routers of one VRRP group, on one LAN, are master at once, and one of them became so while its node remembers; both are named',
  detect: ({ world, past }) => (past === undefined ? detected(world) : []),
  describe: (detail) => sentence(detail),
  remedy: ({ last, address, id }) => ({
    node: last,
    summary: `let ${nodeRef(last)} hear the advertisements of the other routers for ${address} again`,
    command: 'show vrrp',
    decide: `whether a filter drops IP protocol 112, the network between them is cut, or VRID ${id} is set up otherwise at one end`,
  }),
});

function sentence({ node, others, id, address, last, agoMs }: Detail): string {
  const [end, ...rest] = [node, ...others].sort().map(nodeRef).toReversed();
  const all = rest.length === 1 ? `both ${rest[0]} and ${end}` : `${rest.toReversed().join(', ')} and ${end}`;
  return `${all} are master for ${address} (VRID ${id}); ${nodeRef(last)} became master ${ageWords(agoMs)} ago`;
}

function detected(world: World): readonly Detection<Detail>[] {
  return groupsIn(world).flatMap(({ id, address, members, isOneLan }): readonly Detection<Detail>[] => {
    const active = members.filter(({ isActive }) => isActive);
    const nodes = nodesIn(active);
    const [last] = active
      .filter(({ sinceMs }) => sinceMs !== undefined)
      .sort((one, other) => one.sinceMs! - other.sinceMs!);
    if (nodes.length < 2 || last === undefined || last.sinceMs! < HANDOVER_MS) return [];
    const found = (node: string) => ({
      resource: nodeResource(node),
      key: address,
      evidence: sourcesOf(world, ...nodes),
      nodes,
      detail: {
        ...{ node, others: nodes.filter((each) => each !== node), id, address },
        ...{ last: last.node, agoMs: last.sinceMs! },
      },
    });
    if (isOneLan) return nodes.map(found);
    const one = found(last.node);
    return [{ ...one, remark: `${sentence(one.detail)}; that they are on one LAN is not shown` }];
  });
}
