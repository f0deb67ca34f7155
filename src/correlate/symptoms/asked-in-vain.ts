// Hosts that ask again and again for connections which they were given before: in use, and in vain as far as is seen.
import { coversHost } from '#model/hosts/host-places.ts';
import type { UnansweredRequests } from '#model/router/host-history.ts';
import { interfaceOf, type World } from '../network/world.ts';

export type AskedInVain = UnansweredRequests & { readonly node: string };

/**
 * Each host and service once: at the port of the host's own network, else at the first one that told of them. Of one host several connections were not
 * answered: first requests of one connection each, of many hosts, are lost now and then in any network.
 */
export function askedInVain(world: World): readonly AskedInVain[] {
  const all = [...world.views.values()].flatMap(({ node, state }) =>
    (state.history?.watchedHosts?.unanswered ?? [])
      .filter(({ okTimes, times }) => okTimes >= LEAST_TIMES && times >= LEAST_TIMES)
      .filter(({ lastAgoMs }) => lastAgoMs <= RECENT_MS)
      // What nodes try themselves is judged by its own results.
      .filter(({ client }) => !world.owners.has(client))
      .map((row) => ({ ...row, node })),
  );
  const pairs = Map.groupBy(all, ({ client, server, port }) => `${client} ${server} ${port}`);
  return [...pairs.values()].map((rows) => rows.find((row) => isOwnNetwork(world, row)) ?? rows[0]!);
}

/** One connection may have been lost, or met a server that was just starting. */
const LEAST_TIMES = 2;
/** What was not asked for so lately may be over: a client sends the same request again after at most 16 s within half a minute (RFC 6298 §5.5), and most ask anew sooner. */
const RECENT_MS = 30_000;

function isOwnNetwork(world: World, { node, ifname, client }: AskedInVain): boolean {
  return interfaceOf(world, { node, ifname })?.addresses.some((own) => coversHost(own, client)) === true;
}
