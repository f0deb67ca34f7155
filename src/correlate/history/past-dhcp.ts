// Slices of what routers kept of DHCP: offers that passed them, hosts that refused for their server, and servers that were silent. Where
// no host asked for an address nothing is known, and nothing is said. Judges nothing.
import { networkOffered } from '#model/hosts/offered-network.ts';
import type { PassedOffer, WatchedDhcp } from '#model/router/dhcp-history.ts';
import { wasSilent } from '../faults/services/dhcp-missing-subnet.ts';
import { wasDown } from '../faults/services/dhcp-service-down.ts';
import { attachedTo, seenOn } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { DhcpSeen, View, World } from '../network/world.ts';
import { type KeptSlice, keptSlice, withView } from './kept-slices.ts';
import { wasUndisturbed } from './undisturbed.ts';

export function dhcpSlices(now: World): readonly KeptSlice[] {
  const { sinceMs } = now;
  if (sinceMs === undefined) return [];
  return [...now.views.values()].flatMap((view) => [
    ...offerSlices(now, view, sinceMs),
    ...refusalSlices(now, view, sinceMs),
    ...silenceSlices(now, view, sinceMs),
  ]);
}

/** Questions for addresses that found no answer then, and nothing says why. */
export function unexplainedDhcp(world: World, view: View, sinceMs: number): readonly string[] {
  const { doubts, refusals } = memoryOf(view);
  const silent = doubts
    .filter(({ agoMs }) => agoMs <= sinceMs)
    .flatMap(({ answers }) => answers.filter((answer) => wasSilent(world, view.node, answer, answers)));
  const refusing = refusals.filter((each) => each.untilAgoMs <= sinceMs && wasDown(world, view, each));
  return [...new Set([...silent, ...refusing].map(({ server, ifname }) => `${server} ${ifname}`))].map((each) => {
    const [server, ifname] = each.split(' ');
    return `${nodeRef(view.node)} ${ifname}: DHCP server ${server} gave no addresses for a while, and nothing says why`;
  });
}

function memoryOf({ state }: View): WatchedDhcp {
  return state.history?.watchedDhcp ?? { offers: [], refusals: [], doubts: [] };
}

/** Each offer as the answer to the router of its network. */
function offerSlices(now: World, view: View, sinceMs: number): readonly KeptSlice[] {
  const states = new Map([...now.views].map(([node, { state }]) => [node, state]));
  return memoryOf(view)
    .offers.filter(({ untilAgoMs }) => untilAgoMs <= sinceMs)
    .flatMap((passed) => {
      const place = networkOffered(states, view.node, passed);
      const home = place === undefined ? undefined : now.views.get(place.node);
      // A relay may stand in for the server (RFC 5107): then who the server is is not known.
      if (place === undefined || home === undefined || passed.server === place.gateway) return [];
      const time = { fromAgoMs: passed.untilAgoMs, untilAgoMs: passed.untilAgoMs };
      if (!wasUndisturbed(home, time, place.ifname)) return [];
      const look: DhcpSeen = {
        ...{ from: place.node, ifname: place.ifname, gateway: place.gateway, server: passed.server },
        ...{ sent: 1, echoed: 1, refused: false, offers: [passed], source: view.sources[0] ?? '' },
        present: presentAt(now, home, place.ifname, passed),
      };
      return [keptSlice(now, view, 'dhcp-offers', passed.untilAgoMs, { dhcp: [look] })];
    });
}

/** Offered routers that are there, were there, or could not be asked for. */
function presentAt(world: World, { node, state }: View, ifname: string, { routers }: PassedOffer): readonly string[] {
  const ports = seenOn(world, node, ifname);
  return routers.filter(
    (router) =>
      !ports.some(({ asked }) => asked.includes(router)) ||
      ports.some(({ answers }) => answers.some(({ address, macs }) => address === router && macs.length > 0)) ||
      (state.history?.hosts ?? []).some((host) => host.ifname === ifname && host.address === router),
  );
}

/** Each refusal that was heard on the server's own port, alone. */
function refusalSlices(now: World, view: View, sinceMs: number): readonly KeptSlice[] {
  const { node, state, sources } = view;
  return memoryOf(view)
    .refusals.filter(({ untilAgoMs }) => untilAgoMs <= sinceMs)
    .flatMap((refusal) => {
      const { ifname, server, untilAgoMs } = refusal;
      const host = attachedTo(now, server);
      if (host === undefined || host.node !== node || host.ifname !== ifname) return [];
      const look: DhcpSeen = {
        ...{ from: node, ifname, gateway: host.routerAddress, server },
        ...{ sent: 1, echoed: 0, refused: true, offers: [], present: [], source: sources[0] ?? '' },
      };
      const history = { ...state.history!, watchedDhcp: { ...memoryOf(view), refusals: [refusal] } };
      const views = withView(now, { ...view, state: { ...state, history } });
      return [keptSlice(now, view, 'dhcp-refusals', untilAgoMs, { views, dhcp: [look] })];
    });
}

/** All answers of a time in which one server or more was silent. */
function silenceSlices(now: World, view: View, sinceMs: number): readonly KeptSlice[] {
  const source = view.sources[0] ?? '';
  return memoryOf(view)
    .doubts.filter(({ agoMs }) => agoMs <= sinceMs)
    .map(({ agoMs, answers }) =>
      keptSlice(now, view, 'dhcp-silences', agoMs, {
        dhcp: answers.map((answer) => ({ ...answer, from: view.node, source })),
      }),
    );
}
