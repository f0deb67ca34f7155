// vrrp_no_master: no router of a group is master any more, one was while its node remembers, and the virtual address is missed on its LAN. Without such
// harm it is a remark: a router without an agent, or outside the question, may have taken over as it should. The list of routers is as likely as whole.
import { nodeResource } from '#model/names.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf, type World } from '../../network/world.ts';
import { missedAt } from './missed-gateway.ts';
import { groupsIn, nodesIn } from './virtual-routers.ts';

/** A router waits for about three advertisements, of a second by default, before it takes over (RFC 9568 §6.1). */
const TAKEOVER_MS = 10_000;

type Detail = {
  readonly node: string;
  readonly members: readonly string[];
  readonly id: number;
  readonly address: string;
  readonly agoMs: number;
};

export const vrrpNoMaster = defineFault<Detail>({
  id: 'vrrp_no_master',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'no router of a VRRP group is master, one was while its node remembers, and hosts or routers of its LAN miss the virtual address; the one that was master last is named',
  detect: ({ world, past }) => (past === undefined ? detected(world) : []),
  describe: (detail) => sentence(detail),
  remedy: ({ node, address, id }) => ({
    node,
    summary: `make one of the routers master for ${address} again`,
    command: 'show vrrp',
    decide: `why no router is master of VRID ${id}: shut down, or its interface is down`,
  }),
});

function sentence({ node, members, id, address, agoMs }: Detail): string {
  const [last, ...others] = members.map(nodeRef).toReversed();
  const all =
    others.length === 1 ? `neither ${others[0]} nor ${last} is` : `none of ${members.map(nodeRef).join(', ')} is`;
  return `${all} master for ${address} (VRID ${id}); ${nodeRef(node)} was, until ${ageWords(agoMs)} ago`;
}

function detected(world: World): readonly Detection<Detail>[] {
  return groupsIn(world).flatMap((group) => {
    const { id, address, members, isOneLan } = group;
    const [last] = members
      .filter(({ sinceMs }) => sinceMs !== undefined)
      .sort((one, other) => one.sinceMs! - other.sinceMs!);
    if (last === undefined || last.sinceMs! < TAKEOVER_MS || members.some(({ isActive }) => isActive)) return [];
    const nodes = nodesIn(members);
    const detail = { node: last.node, members: nodes, id, address, agoMs: last.sinceMs! };
    const missed = isOneLan ? missedAt(world, group) : [];
    const why = isOneLan
      ? 'nothing shows that the address is missed: a router that gave no state may be master'
      : 'that they are on one LAN is not shown';
    return [
      {
        resource: nodeResource(last.node),
        key: address,
        confidence: 'likely' as const,
        ...(missed.length > 0 ? {} : { remark: `${sentence(detail)}; ${why}` }),
        ...{ evidence: [...sourcesOf(world, ...nodes), ...missed], nodes, detail },
      },
    ];
  });
}
