// The calls about addresses that hosts are given. Servers are those that a router heard answer, or that hosts were heard to write to;
// networks those whose hosts were heard to ask, or whose relay a server answered, and the server's own. Without either no server is asked.
// A second query waits longer where the first got no answer, and tries offered name servers that no host is known to use. Pure.
import { covers } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import { hostNetwork, hostPorts } from '#model/hosts/host-places.ts';
import { isNameServer } from '#model/hosts/name-servers.ts';
import { networkOffered } from '#model/hosts/offered-network.ts';
import type { DhcpAsk } from '#model/router/dhcp.ts';
import { callFor } from '../call.ts';
import { decodeDhcp, decodeHostScan } from '../decode/decode-measurements.ts';
import type { DhcpTried } from '../doubts.ts';
import { defineMeasurement } from '../measurement.ts';
import type { States } from '../states.ts';
import { planSought } from './host-scan.ts';
import { defineServiceProbes, serviceProbeCalls } from './service-probe.ts';

export const dhcp = defineMeasurement({
  kinds: ['dhcp'],
  rounds: {
    first: ({ states }) => planDhcp(states),
    confirmation: ({ states }, doubts) => planDhcpDoubts(states, doubts.dhcp),
  },
  read: decodeDhcp,
});

export const offeredNames = defineServiceProbes({
  confirmation: ({ intent, states }, doubts) => planOfferedNames(states, doubts.dhcp, intent.sinceMs !== undefined),
});

/** Only of a question about a time before. */
export const offeredRouters = defineMeasurement({
  kinds: ['host-scan'],
  rounds: {
    confirmation: ({ intent, states }) => (intent.sinceMs === undefined ? [] : planOfferedRouters(states)),
  },
  read: decodeHostScan,
});

const BROADCAST = '255.255.255.255';

export function planDhcp(states: States): readonly PlannedCall[] {
  const servers = serversIn(states);
  if (servers.length === 0) return [];
  const heard = [...states.values()].flatMap(({ history }) => history?.heard ?? []);
  const answered = new Set(heard.filter(({ what }) => what === 'dhcp-reply').map(({ to }) => to));
  return [...states].flatMap(([node, { inventory, history }]) => {
    const asking = (history?.heard ?? []).filter(({ what }) => what === 'dhcp-request').map(({ ifname }) => ifname);
    const asks = hostPorts(inventory)
      .flatMap((entry) => entry.addresses.map((address) => ({ ifname: entry.name, address })))
      .filter(({ address }) => hostNetwork(address) !== undefined)
      .flatMap(({ ifname, address }): DhcpAsk[] => {
        const gateway = address.split('/')[0]!;
        const served = asking.includes(ifname) || answered.has(gateway);
        return servers
          .filter((server) => served || covers(address, server))
          .map((server) => ({ ifname, gateway, server }));
      });
    return asks.length === 0 ? [] : [dhcpCall('first', node, asks)];
  });
}

/**
 * Those that did not answer, and for which no other server did, although their hosts answer. Beside each goes a question from the same address
 * for a network that the server does serve (RFC 3527): when that is answered, nothing on the way kept the other.
 */
export function planDhcpDoubts(states: States, answers: Answers): readonly PlannedCall[] {
  const servedBy = (server: string) => answers.find((each) => each.server === server && each.offers.length > 0);
  return [...states.keys()].flatMap((node) => {
    const silent = answers.filter(
      (each) => each.from === node && each.offers.length === 0 && !each.refused && each.echoed > 0,
    );
    const asks = silent.map(({ ifname, gateway, server }): DhcpAsk => ({ ifname, gateway, server }));
    const beside = asks.flatMap((ask): DhcpAsk[] => {
      const served = servedBy(ask.server);
      return served === undefined ? [] : [{ ...ask, link: served.gateway }];
    });
    // Where they are too many, no network goes unasked for the sake of another's proof.
    return asks.length === 0 ? [] : [dhcpCall('confirmation', node, [...asks, ...beside])];
  });
}

/** Name servers that are offered to hosts, or were where the past counts, and that no host was seen to have: does a server answer there? */
export function planOfferedNames(states: States, answers: Answers, past: boolean): readonly PlannedCall[] {
  const passed = past ? passedOffers(states) : [];
  return [...states.keys()].flatMap((node) => {
    const offered = [
      ...answers.filter(({ from }) => from === node).flatMap(({ offers }) => offers.flatMap(({ names }) => names)),
      ...passed.filter((each) => each.node === node).flatMap(({ offer }) => offer.names),
    ];
    const strange = [...new Set(offered)].filter((address) => !isNameServer(states.values(), address));
    const probes = strange.map((destination) => ({ destination, service: 'udp' as const, port: 53 }));
    return serviceProbeCalls(node, 'offered-names', probes, 'confirmation');
  });
}

/** Routers that were offered to hosts a while ago, and that no node with an agent is: does a device answer for them on that port? */
export function planOfferedRouters(states: States): readonly PlannedCall[] {
  const own = new Set(
    [...states.values()].flatMap(({ inventory }) =>
      inventory.interfaces.flatMap(({ addresses }) => addresses.map((address) => address.split('/')[0]!)),
    ),
  );
  return planSought(
    states,
    'offered',
    passedOffers(states).flatMap(({ node, ifname, offer }) => {
      const addresses = offer.routers.filter((router) => !own.has(router));
      return addresses.length === 0 ? [] : [{ node, ifname, addresses }];
    }),
  );
}

function passedOffers(states: States) {
  return [...states].flatMap(([node, { history }]) =>
    (history?.watchedDhcp?.offers ?? []).flatMap((offer) => {
      const network = networkOffered(states, node, offer);
      return network === undefined ? [] : [{ ...network, offer }];
    }),
  );
}

type Answers = readonly DhcpTried[];

/** Heard to answer, or written to by hosts, and in a network of a node in scope. */
function serversIn(states: States): readonly string[] {
  const heard = [...states.values()].flatMap(({ history }) => history?.heard ?? []);
  const named = heard.flatMap(({ what, from, to }) =>
    what === 'dhcp-reply' ? [from] : what === 'dhcp-request' && to !== BROADCAST ? [to] : [],
  );
  const networks = [...states.values()].flatMap(({ inventory }) =>
    inventory.interfaces.flatMap(({ addresses }) => addresses.filter((own) => hostNetwork(own) !== undefined)),
  );
  return [...new Set(named)]
    .filter((address) => networks.some((network) => covers(network, address)))
    .sort()
    .slice(0, LIMITS.dhcpServers);
}

function dhcpCall(round: 'first' | 'confirmation', node: string, asks: readonly DhcpAsk[]): PlannedCall {
  const args = { asks: asks.slice(0, LIMITS.dhcpAsks).map((ask) => ({ ...ask })), patient: round === 'confirmation' };
  return callFor(node, { kind: 'dhcp', round }, args, LIMITS.dhcpCallMs);
}
