// The sessions over which a node should get a route that it lacks: both ends are up, of two networks, and the far end has the route and did not
// get it from the node itself.
import type { BgpSession } from '#model/router/control-plane.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { ownerOf, type World } from '../../network/world.ts';
import { carries, isUp, sessionsOf } from '../../symptoms/sessions.ts';

export type FeedingSession = {
  readonly row: BgpSession;
  readonly far: { readonly node: string; readonly row?: BgpSession };
  readonly route: RouteAnswer;
};

export function feedingSessions(world: World, lacking: string, destination: string): readonly FeedingSession[] {
  return sessionsOf(world).flatMap(({ near, far }) => {
    const route = far === undefined ? undefined : world.lookups.get(far.node)?.get(destination);
    const isFed =
      far !== undefined &&
      near.node === lacking &&
      isUp(near.row) &&
      (far.row === undefined || isUp(far.row)) &&
      carries(near.row, destination) &&
      // What came from one router of its own AS, a router hands on to no other (RFC 4271 §9.2).
      near.row.remoteAs !== near.row.localAs &&
      (route?.kind === 'unicast' || route?.kind === 'local') &&
      route.matched !== 'default' &&
      !leadsTo(world, route.nextHop, lacking);
    return isFed ? [{ row: near.row, far, route }] : [];
  });
}

/** A router does not announce a route to the router that it has it from. */
function leadsTo(world: World, nextHop: string | undefined, node: string): boolean {
  return nextHop !== undefined && ownerOf(world, nextHop)?.node === node;
}
