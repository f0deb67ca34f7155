// dhcp_service_down: a host that gave addresses refuses every question for one at its own router, or is silent to all routers although each
// echo comes back. A service that is only slow, cannot be reached, or stands behind a filter against such packets is none of this.
import type { DhcpRefusals } from '#model/router/dhcp-history.ts';
import { type Detection, defineFault, type Past, SAME_TIME_MS, type Slice } from '../../engine/fault-definition.ts';
import type { View, World } from '../../network/world.ts';
import { mayFilterServers } from '../../packet-filter/dropping-rules.ts';
import {
  isServed,
  isSilent,
  type Server,
  type ServerDetail,
  serverDetection,
  serverRemedy,
  serversIn,
} from './dhcp-server.ts';

/** A service that is started again refuses for less. */
const DOWN_MS = 1_000;

/** `refused`: its host refused; else it was silent. `past`: what its router snooped, and is over. */
type Detail = ServerDetail & { readonly refused: boolean; readonly past?: true };

const describe = ({ label, refused, past, networks }: Detail) =>
  past === true
    ? `${label} gave addresses, and its host refused questions for one`
    : `${label} gave addresses and now ${refused ? 'refuses' : 'is silent'}: no offer for ${networks.join(', ')}`;

export const dhcpServiceDown = defineFault<Detail>({
  id: 'dhcp_service_down',
  resource: 'node',
  accuses: true,
  labels: { nika: 'dhcp_service_down', netOpsBench: null },
  summary: 'a host that gave addresses lately is there, and refuses or leaves unanswered every question for one',
  clue: 'dhcp',
  memories: ['dhcp-refusals'],
  detect: ({ world, past }: Slice) =>
    serversIn(world)
      .filter(({ networks }) => !networks.some(isServed))
      .flatMap((server) => (past === undefined ? downNow(server) : downThen(server, past))),
  describe,
  remedy: (detail) => serverRemedy('start its DHCP service again', detail, describe(detail)),
});

function downNow(server: Server): readonly Detection<Detail>[] {
  const { world, networks } = server;
  const near = networks.filter(({ node }) => node === server.near);
  const refused = near.some(({ looks }) => looks.some((look) => look.refused));
  if (!refused && (near.length === 0 || !networks.every(isSilent) || mayFilterServers(world))) return [];
  return [{ ...serverDetection(server, networks, { refused }), confidence: refused ? 'certain' : 'likely' }];
}

function downThen(server: Server, { now, kept }: Past): readonly Detection<Detail>[] {
  const view = server.world.views.get(kept?.node ?? '');
  const refusals = view?.state.history?.watchedDhcp?.refusals ?? [];
  return view !== undefined && refusals.some((refusal) => wasDown(now, view, refusal))
    ? [serverDetection(server, server.networks, { refused: true, past: true as const })]
    : [];
}

/** Long enough, or while a router asked whose hosts had asked in vain; by a server that gave addresses before, and that does not refuse now. */
export function wasDown(now: World, { before, state }: View, refusal: DhcpRefusals): boolean {
  const { server, fromAgoMs, untilAgoMs } = refusal;
  const heard = (before ?? state).history?.heard ?? [];
  const offers = state.history?.watchedDhcp?.offers ?? [];
  return (
    (fromAgoMs - untilAgoMs >= DOWN_MS || wasDoubted(now, server, untilAgoMs)) &&
    !now.dhcp.some((look) => look.server === server && look.refused) &&
    (offers.some(({ from }) => from === server) ||
      heard.some(({ what, from }) => what === 'dhcp-reply' && from === server))
  );
}

function wasDoubted({ views }: World, server: string, agoMs: number): boolean {
  return [...views.values()].some(({ state }) =>
    (state.history?.watchedDhcp?.doubts ?? []).some(
      (doubt) =>
        Math.abs(doubt.agoMs - agoMs) <= SAME_TIME_MS &&
        doubt.answers.some((answer) => answer.server === server && answer.refused),
    ),
  );
}
