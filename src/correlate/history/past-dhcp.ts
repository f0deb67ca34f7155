// What was wrong with the addresses that hosts were given, and is over: offers that passed a router and contradict the router of their network,
// a host that refused for its server, and a network that got nothing while its server served another. Judged as offers of the
// present are. Where nobody asked for an address nothing is known, and nothing is said.

import { networkOffered } from '#model/hosts/offered-network.ts';
import type { DhcpAnswer } from '#model/router/dhcp.ts';
import type { PassedOffer, WatchedDhcp } from '#model/router/dhcp-history.ts';
import type { Symptom } from '../engine/symptom.ts';
import { contradicting, dhcpSymptom, type Network, type Server, serverAt } from '../faults/services/dhcp-symptoms.ts';
import { attachedTo, seenOn } from '../network/hosts.ts';
import { mark } from '../network/node-ref.ts';
import type { DhcpSeen, View, World } from '../network/world.ts';
import type { PastFinding } from './past.ts';
import { isFree, judged, statesNear } from './past-hosts.ts';

/** A service that is started again refuses for less. */
const DOWN_MS = 1_000;
/** Of two nodes' ages of one moment: packets are fetched every two seconds, more seldom where a node has no time. */
const NEAR_MS = 8_000;

type Over = { readonly symptom: Symptom; readonly agoMs: number };

export function dhcpOver(now: World): readonly PastFinding[] {
  const { sinceMs } = now;
  if (sinceMs === undefined) return [];
  const found = [...now.views.values()].flatMap((view) => [
    ...wronglyOffered(now, view, sinceMs),
    ...refused(now, view, sinceMs),
    ...unserved(now, view, sinceMs),
  ]);
  const latest = new Map<string, PastFinding>();
  for (const each of found.flatMap(({ symptom, agoMs }) => judged(now, [symptom], agoMs))) {
    const key = `${each.proposal.fault} ${each.proposal.resource}`;
    const known = latest.get(key);
    if (known === undefined || each.agoMs < known.agoMs) latest.set(key, each);
  }
  return [...latest.values()];
}

/** Questions for addresses that found no answer then, and nothing says why. */
export function unexplainedDhcp(world: World, view: View, sinceMs: number): readonly string[] {
  const silent = doubtsOf(world, view, sinceMs).map(({ answer: { server, ifname } }) => ({ server, ifname }));
  const refusing = refusalsOf(world, view, sinceMs);
  return [...new Set([...silent, ...refusing].map(({ server, ifname }) => `${server} ${ifname}`))].map((each) => {
    const [server, ifname] = each.split(' ');
    return `${mark(view.node)} ${ifname}: DHCP server ${server} gave no addresses for a while, and nothing says why`;
  });
}

function memoryOf({ state }: View): WatchedDhcp {
  return state.history?.watchedDhcp ?? { offers: [], refusals: [], doubts: [] };
}

function wronglyOffered(now: World, view: View, sinceMs: number): readonly Over[] {
  const states = new Map([...now.views].map(([node, { state }]) => [node, state]));
  return memoryOf(view)
    .offers.filter(({ untilAgoMs }) => untilAgoMs <= sinceMs)
    .flatMap((passed) => {
      const place = networkOffered(states, view.node, passed);
      const home = place === undefined ? undefined : now.views.get(place.node);
      // A relay may stand in for the server (RFC 5107): then who the server is is not known.
      if (place === undefined || home === undefined || passed.server === place.gateway) return [];
      const time = { fromAgoMs: passed.untilAgoMs, untilAgoMs: passed.untilAgoMs };
      if (!isFree(home, time, statesNear(home, time), place.ifname)) return [];
      const look: DhcpSeen = {
        ...{ from: place.node, ifname: place.ifname, gateway: place.gateway, server: passed.server },
        ...{ sent: 1, echoed: 1, refused: false, offers: [passed], source: view.sources[0] ?? '' },
        present: presentAt(now, home, place.ifname, passed),
      };
      return serversFor(now, [look]).flatMap(({ server, network }) =>
        contradicting(server, network).map((symptom) => ({ symptom, agoMs: passed.untilAgoMs })),
      );
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

/** Long enough, or while a router asked whose hosts had asked in vain; by somebody who gave addresses before, and who does not refuse now. */
function refusalsOf(world: World, view: View, sinceMs: number) {
  const { offers, refusals } = memoryOf(view);
  const heard = (view.before ?? view.state).history?.heard ?? [];
  return refusals.filter(
    ({ server, fromAgoMs, untilAgoMs }) =>
      untilAgoMs <= sinceMs &&
      (fromAgoMs - untilAgoMs >= DOWN_MS || wasDoubted(world, server, untilAgoMs)) &&
      !world.dhcp.some((look) => look.server === server && look.refused) &&
      (offers.some(({ from }) => from === server) ||
        heard.some(({ what, from }) => what === 'dhcp-reply' && from === server)),
  );
}

function wasDoubted({ views }: World, server: string, agoMs: number): boolean {
  return [...views.values()].some((view) =>
    memoryOf(view).doubts.some(
      (doubt) =>
        Math.abs(doubt.agoMs - agoMs) <= NEAR_MS &&
        doubt.answers.some((answer) => answer.server === server && answer.refused),
    ),
  );
}

function refused(now: World, view: View, sinceMs: number): readonly Over[] {
  return refusalsOf(now, view, sinceMs).flatMap(({ ifname, server: address, untilAgoMs }) => {
    const host = attachedTo(now, address);
    if (host === undefined || host.node !== view.node || host.ifname !== ifname) return [];
    const look: DhcpSeen = {
      ...{ from: view.node, ifname, gateway: host.routerAddress, server: address },
      ...{ sent: 1, echoed: 0, refused: true, offers: [], present: [], source: view.sources[0] ?? '' },
    };
    return serversFor(now, [look]).map(({ server, network }) => ({
      symptom: dhcpSymptom(
        server,
        [network],
        'down',
        `${server.label} gave addresses, and its host refused questions for one`,
        {
          refused: true,
        },
      ),
      agoMs: untilAgoMs,
    }));
  });
}

type Silent = { readonly agoMs: number; readonly answer: DhcpAnswer; readonly servedOthers: boolean };

/** Servers that were silent to a router although each echo came back, and that offer to the same network now. */
function doubtsOf(now: World, view: View, sinceMs: number): readonly Silent[] {
  return memoryOf(view)
    .doubts.filter(({ agoMs }) => agoMs <= sinceMs)
    .flatMap(({ agoMs, answers }) =>
      answers
        .filter(({ link, offers, gateway, server, sent, echoed, refused: no }) => {
          const silent = link === undefined && offers.length === 0 && !no && sent > 0 && echoed === sent;
          const others = answers.some(
            (each) => each.gateway === gateway && each.link === undefined && each.offers.length > 0,
          );
          const today = now.dhcp.some(
            (each) =>
              each.from === view.node && each.gateway === gateway && each.server === server && each.offers.length > 0,
          );
          return silent && !others && today;
        })
        .map((answer) => ({
          ...{ agoMs, answer },
          servedOthers: answers.some(
            ({ link, server, offers }) => link !== undefined && server === answer.server && offers.length > 0,
          ),
        })),
    );
}

function unserved(now: World, view: View, sinceMs: number): readonly Over[] {
  return doubtsOf(now, view, sinceMs)
    .filter(({ servedOthers }) => servedOthers)
    .flatMap(({ agoMs, answer }) =>
      serversFor(now, [{ ...answer, from: view.node, source: view.sources[0] ?? '' }]).map(({ server, network }) => {
        const where = `${mark(view.node)} ${answer.ifname} (${answer.gateway})`;
        const text = `${server.label} offered nothing to the network of ${where}, and did to its own`;
        return { symptom: dhcpSymptom(server, [network], 'missing', text, { refused: false }), agoMs };
      }),
    );
}

function serversFor(
  now: World,
  dhcp: readonly DhcpSeen[],
): readonly { readonly server: Server; readonly network: Network }[] {
  const address = dhcp[0]?.server;
  const server = address === undefined ? undefined : serverAt({ ...now, dhcp }, address);
  const network = server?.networks[0];
  return server === undefined || network === undefined ? [] : [{ server, network }];
}
