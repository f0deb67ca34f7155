// vrrp_no_master: no router of a group is active any more, and one was while its node remembers: hosts send to a gateway that no router answers for.
// A router without an agent may have taken over: what is found is as likely as the list of routers is whole.
import { nodeResource } from '#model/names.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf, type World } from '../../network/world.ts';
import { groupsIn } from './virtual-routers.ts';

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
    'no router of a VRRP group is active, and one was while its node remembers; the one that was active last is named',
  detect: ({ world, past }) => (past === undefined ? detected(world) : []),
  describe: ({ node, members, id, address, agoMs }) =>
    `none of ${members.map(nodeRef).join(' and ')} is active for ${address} (VRRP ${id}); ${nodeRef(node)} was until ${Math.round(agoMs / 1_000)} s ago`,
  remedy: ({ node, address, id }) => ({
    node,
    summary: `make a router active for ${address} again`,
    command: 'show vrrp',
    decide: `why group ${id} is not active on any of them: shut down, or its interface is down`,
  }),
});

function detected(world: World): readonly Detection<Detail>[] {
  return groupsIn(world).flatMap(({ id, address, members }) => {
    const [last] = members
      .filter(({ sinceMs }) => sinceMs !== undefined)
      .sort((one, other) => one.sinceMs! - other.sinceMs!);
    if (last === undefined || last.sinceMs! < TAKEOVER_MS || members.some(({ isActive }) => isActive)) return [];
    const nodes = members.map(({ node }) => node);
    const detail = { node: last.node, members: nodes, id, address, agoMs: last.sinceMs! };
    return [
      {
        resource: nodeResource(last.node),
        key: address,
        confidence: 'likely' as const,
        ...{ evidence: sourcesOf(world, ...nodes), nodes, detail },
      },
    ];
  });
}
