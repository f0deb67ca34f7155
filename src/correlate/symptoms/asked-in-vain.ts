// Hosts that ask for connections which they were given before and are not given now: in use, and in vain.
import { coversHost } from '#model/hosts/host-places.ts';
import type { UnansweredRequests } from '#model/router/host-history.ts';
import { interfaceOf, type World } from '../network/world.ts';

export type AskedInVain = UnansweredRequests & { readonly node: string };

/**
 * Each host and service once: at the port of the host's own network, else at the first one that told of them. Of a service several connections were
 * asked for, by one host or by more.
 */
export function askedInVain(world: World): readonly AskedInVain[] {
  const all = [...world.views.values()].flatMap(({ node, state }) =>
    (state.history?.watchedHosts?.unanswered ?? [])
      .filter(({ okTimes, lastAgoMs }) => okTimes >= LEAST_TIMES && lastAgoMs <= RECENT_MS)
      // What nodes try themselves is judged by its own results.
      .filter(({ client }) => !world.owners.has(client))
      .map((row) => ({ ...row, node })),
  );
  const pairs = Map.groupBy(all, ({ client, server, port }) => `${client} ${server} ${port}`);
  const each = [...pairs.values()].map((rows) => rows.find((row) => isOwnNetwork(world, row)) ?? rows[0]!);
  const services = Map.groupBy(each, ({ server, port }) => `${server} ${port}`);
  return [...services.values()].filter((rows) => rows.reduce((sum, row) => sum + row.times, 0) >= LEAST_TIMES).flat();
}

/** One connection may have been lost, or met a server that was just starting; one answer may have been a client that gave up early. */
const LEAST_TIMES = 2;
/** What was not asked for so lately may be over; a client that still wants an answer asks again within a few seconds. */
const RECENT_MS = 30_000;
function isOwnNetwork(world: World, { node, ifname, client }: AskedInVain): boolean {
  return interfaceOf(world, { node, ifname })?.addresses.some((own) => coversHost(own, client)) === true;
}
