// srv6_locator_missing: a node has a SID, can be reached, and a head has no route to the SID: its locator is not announced.
import { nodeResource } from '#model/names.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { hasNoRoute, type Steering, steeringOf } from '../../network/srv6-steering.ts';
import { sourcesOf, type View, type World } from '../../network/world.ts';

type Detail = { readonly owner: string; readonly sid: string; readonly heads: readonly string[] };

export const srv6LocatorMissing = defineFault<Detail>({
  id: 'srv6_locator_missing',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a node does not announce the locator of its SIDs, so that no other node has a route to them',
  clue: 'srv6',
  detect: ({ world }) => {
    const unrouted = steeringOf(world).flatMap((steering) => {
      const owner = unreachedOwner(world, steering);
      return owner === undefined ? [] : [{ ...steering, owner }];
    });
    return [...Map.groupBy(unrouted, ({ owner }) => owner)].map(([owner, rows]) => detectionAt(world, owner, rows));
  },
  describe: ({ owner, sid, heads }) =>
    `${heads.map(nodeRef).join(', ')} ${heads.length === 1 ? 'has' : 'have'} no route to SID ${sid} of ${nodeRef(owner)}, who has it: its locator is not announced`,
  remedy: ({ owner, sid }) => ({
    node: owner,
    summary: `announce the locator of SID ${sid} again from ${nodeRef(owner)}`,
  }),
});

function detectionAt(world: World, owner: string, rows: readonly Steering[]): Detection<Detail> {
  const heads = [...new Set(rows.map(({ head }) => head))];
  const nodes = [...heads, owner];
  const detail = { owner, sid: rows[0]!.sid, heads };
  return { resource: nodeResource(owner), confidence: 'certain', evidence: sourcesOf(world, ...nodes), nodes, detail };
}

/** The node that has the SID, where the head reaches the node and has no route to the SID. */
function unreachedOwner(world: World, { head, sid }: Steering): string | undefined {
  const owner = [...world.views.values()].find(({ state }) => state.inventory.sids.some((entry) => entry.sid === sid));
  if (owner === undefined || owner.node === head || !hasNoRoute(world, head, sid)) return undefined;
  return reaches(world, head, owner) ? owner.node : undefined;
}

/** The head has a route to one of the owner's own IPv6 addresses. */
function reaches(world: World, head: string, owner: View): boolean {
  return owner.state.inventory.loopbacks.some(
    (address) => address.includes(':') && world.lookups.get(head)?.get(address.split('/')[0]!)?.kind === 'unicast',
  );
}
