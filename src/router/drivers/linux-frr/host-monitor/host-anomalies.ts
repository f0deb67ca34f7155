// What a look at hosts found that is not as usual, and the part of it that is worth keeping. Pure; accuses no node: a look that is kept is
// judged when a question is asked. A host that answers nothing and is seen nowhere is switched off: no anomaly.
import type { IpPrefix } from '#base/ip.ts';
import { isInside } from '#model/hosts/host-places.ts';
import type { LookedPort } from '#model/router/host-history.ts';
import type { Host, ServiceProbeResult } from '#model/router/hosts.ts';

/** `networks`: those of hosts, of either family. */
export type WatchedPort = { readonly ifname: string; readonly networks: readonly IpPrefix[] };

/** Ports with networks of IPv4, and only those: where hosts are asked for by ARP. */
export function askedByArp(ports: readonly WatchedPort[]): readonly WatchedPort[] {
  return ports.flatMap(({ ifname, networks }) => {
    const asked = networks.filter(({ family }) => family === 4);
    return asked.length === 0 ? [] : [{ ifname, networks: asked }];
  });
}

export type Look = {
  readonly watched: readonly WatchedPort[];
  readonly hosts: readonly Host[];
  /** A port that was looked at twice is in here twice. */
  readonly ports: readonly LookedPort[];
  /** Services that refused, tried twice. */
  readonly refused: readonly ServiceProbeResult[];
  /** Name servers that were slow at the first try and late when they were timed. */
  readonly late: readonly ServiceProbeResult[];
};

type Oddity = {
  readonly text: string;
  readonly ifname: string;
  readonly addresses: readonly string[];
  readonly macs: readonly string[];
};

/** What is odd as one text that is equal while nothing changes, and what is kept of the look; undefined when nothing is odd. */
export function oddPartOf(
  look: Look,
):
  | { readonly mark: string; readonly ports: readonly LookedPort[]; readonly tries: readonly ServiceProbeResult[] }
  | undefined {
  const odd = [
    ...askedByArp(look.watched).flatMap((port) => hostsOf(look, port)),
    ...look.watched.flatMap((port) => servicesOf(look, port)),
  ];
  if (odd.length === 0) return undefined;
  const ports = look.ports.flatMap((port) => {
    const mine = odd.filter(({ ifname }) => ifname === port.ifname);
    return mine.length === 0 ? [] : [trimmed(port, mine)];
  });
  return { mark: JSON.stringify(odd.map(({ text }) => text).sort()), ports, tries: [...look.refused, ...look.late] };
}

/** Hosts that did not answer, and whom hosts that did not answer from afar asked for. */
export function doubtsOf(
  { networks }: WatchedPort,
  hosts: readonly string[],
  seen: LookedPort,
): { readonly gone: readonly string[]; readonly sought: readonly string[] } {
  const answered = new Set(seen.answers.map(({ address }) => address));
  const echoed = new Set(seen.echoed ?? hosts);
  const own = networks.map(({ address }) => address);
  const sought = seen.asks
    .filter(({ sender }) => hosts.includes(sender) && !echoed.has(sender))
    .map(({ target }) => target)
    .filter((target) => !own.includes(target) && networks.some((network) => isInside(network, target)));
  return { gone: hosts.filter((address) => !answered.has(address)), sought: [...new Set(sought)] };
}

function hostsOf(look: Look, { ifname, networks }: WatchedPort): readonly Oddity[] {
  const seen = look.ports.filter((port) => port.ifname === ifname);
  const hosts = look.hosts.filter((host) => host.ifname === ifname);
  const own = networks.map(({ address }) => address);
  const taken = own.flatMap((address): Oddity[] => {
    const macs = macsFor(seen, address);
    return macs.length === 0
      ? []
      : [{ text: `taken ${ifname} ${address} ${macs.join(' ')}`, ifname, addresses: [address], macs }];
  });
  const asked = new Set(seen.flatMap((port) => port.asked));
  const others = hosts
    .filter(({ address }) => asked.has(address) && !own.includes(address))
    .flatMap((host) => oddityOf(host, seen, hosts, networks) ?? []);
  return [...taken, ...others];
}

function oddityOf(
  host: Host,
  seen: readonly LookedPort[],
  hosts: readonly Host[],
  networks: readonly IpPrefix[],
): Oddity | undefined {
  const { ifname, address, mac } = host;
  const macs = macsFor(seen, address);
  const told = (what: string, more: readonly string[], who: readonly string[]): Oddity => ({
    text: [what, ifname, address, ...more, ...who].join(' '),
    ifname,
    addresses: [address, ...more],
    macs: who,
  });
  if (macs.length === 0) {
    const known = new Set(hosts.map((each) => each.address));
    const elsewhere = seen
      .flatMap((port) => port.answers)
      .find((answer) => answer.macs.includes(mac) && !known.has(answer.address))?.address;
    const lives = elsewhere !== undefined || seen.some((port) => port.alive?.includes(mac) === true);
    return lives ? told('silent', elsewhere === undefined ? [] : [elsewhere], [mac]) : undefined;
  }
  if (!macs.includes(mac)) return undefined;
  if (macs.length > 1) return told('shared', [], macs);
  if (seen.every((port) => port.echoed === undefined || port.echoed.includes(address))) return undefined;
  const own = networks.map((network) => network.address);
  const wrong = seen
    .flatMap((port) => port.asks)
    .find(
      (ask) =>
        ask.mac === mac &&
        ask.sender === address &&
        !own.includes(ask.target) &&
        networks.some((network) => isInside(network, ask.target)) &&
        seen.some((port) => port.asked.includes(ask.target)) &&
        macsFor(seen, ask.target).length === 0,
    )?.target;
  return wrong === undefined ? undefined : told('gateway', [wrong], [mac]);
}

function servicesOf({ refused, late }: Look, { ifname, networks }: WatchedPort): readonly Oddity[] {
  const told = (what: string, tries: readonly ServiceProbeResult[]) =>
    tries
      .filter(({ destination }) => networks.some((network) => isInside(network, destination)))
      .map(({ destination, service, port }) => ({
        text: `${what} ${destination} ${service} ${port}`,
        ...{ ifname, addresses: [destination], macs: [] },
      }));
  return [...told('refused', refused), ...told('late', late)];
}

function macsFor(seen: readonly LookedPort[], address: string): readonly string[] {
  return [
    ...new Set(
      seen.flatMap((port) => port.answers.filter((each) => each.address === address)).flatMap(({ macs }) => macs),
    ),
  ];
}

/** Of a port with many hosts only what concerns the odd ones. */
function trimmed(port: LookedPort, odd: readonly Oddity[]): LookedPort {
  const addresses = new Set(odd.flatMap((each) => each.addresses));
  const macs = new Set(odd.flatMap((each) => each.macs));
  return {
    ...port,
    asked: port.asked.filter((address) => addresses.has(address)),
    answers: port.answers.filter(({ address }) => addresses.has(address)),
    asks: port.asks.filter(({ sender, mac }) => addresses.has(sender) || macs.has(mac)),
    ...(port.echoed === undefined ? {} : { echoed: port.echoed.filter((address) => addresses.has(address)) }),
    ...(port.alive === undefined ? {} : { alive: port.alive.filter((mac) => macs.has(mac)) }),
  };
}
