// Which hosts are on a port: asks by ARP probes which addresses answer (RFC 5227: no host's table changes), sends each an echo from an address
// that is off the link, so that the host has to use its mask and its gateway, and listens what it asks for then. With `census` also
// an echo to all IPv6 nodes of the link: who is alive whatever its IPv4 address. Bounded in addresses and time.
import { createSocket, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import type { Clock } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import { addressBytes, decodeArp, encodeArpProbe, macText } from '#codec/arp.ts';
import {
  advertisedTarget,
  answersLinkEcho,
  decodeEchoReply,
  encodeEcho,
  encodeLinkEcho,
  encodeSolicitation,
} from '#codec/icmp.ts';
import { MODEL_LIMITS } from '#model/limits.ts';
import type { HostPort, HostScanRequest } from '#model/router/hosts.ts';
import { ipv6Bytes, loopbackAddresses, readPort } from '../../native/addresses.ts';
import { loadLibc, type MessageSocket, type PacketSocket, usable } from '../../native/libc.ts';
import type { PortSockets } from '../port-sockets.ts';
import type { ProberParts } from '../probe/prober.ts';

/** Of a port's own IPv6 addresses, so many are asked for. */
const SOLICITED = 8;
const ROUNDS = 3;
const ROUND_MS = 120;
const LINGER_MS = 200;
/**
 * A host asks once a second for whom it does not know (RFC 4861's RETRANS_TIMER, which Linux takes for ARP as well), three times, and is
 * silent for a second before it gives up: only what it is sent after that makes it ask again.
 */
const SEEKING_MS = 800;
/** RFC 863: a port that throws away what comes; where no process listens the host answers port unreachable, which has to find its way back as well. */
const DISCARD_PORT = 9;
/** Packets before a pause of a millisecond: no burst that a host's queue would drop, and no more than the scan counts for. */
const BURST = MODEL_LIMITS.burstPacketsPerSecond / 1_000;

type Port = {
  readonly ifname: string;
  readonly addresses: readonly string[];
  readonly mac: Uint8Array;
  /** The port's own addresses: who asks for one of them has its gateway. */
  readonly own: readonly string[];
  readonly arp: PacketSocket;
  readonly frames: PacketSocket | undefined;
  readonly linkLocal: Uint8Array | undefined;
  /** The port's own IPv6 addresses: does a host say that it has one of them? */
  readonly own6: readonly { readonly address: string; readonly octets: Uint8Array }[];
  readonly advertisements: PacketSocket | undefined;
  readonly answers: Map<string, Set<string>>;
  readonly asks: Map<string, HostPort['asks'][number]>;
  readonly alive: Set<string>;
};

/** Where frames come from, how often they are fetched, and whether hosts are asked for the port's own IPv6 addresses. */
export type Listening = { readonly sockets: PortSockets; readonly turnMs: number; readonly solicit: boolean };

export async function scanHosts(
  request: HostScanRequest,
  parts: ProberParts,
  signal: AbortSignal,
  { sockets, turnMs, solicit }: Listening,
): Promise<readonly HostPort[]> {
  const libc = await loadLibc();
  const identifier = Number.parseInt(Buffer.from(parts.random.bytes(2)).toString('hex'), 16);
  const echoed = new Set<string>();
  const pace = createPace(parts.clock, signal);
  const source = loopbackAddresses('IPv4')[0];
  const icmp = source === undefined ? undefined : usable(libc.openIcmp(addressBytes(source)));
  const datagrams = createSocket('udp4').on('error', () => {});
  if (source !== undefined) await new Promise<void>((done) => datagrams.bind({ port: 0, address: source }, done));
  const ports = (
    await Promise.all(request.ports.map((port) => open(sockets, port, { census: request.census, solicit })))
  ).flatMap((port) => port ?? []);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const port of ports) await ask(port, { icmp, datagrams, identifier, round, pace, parts, signal });
      const forMs = round < ROUNDS - 1 ? ROUND_MS : LINGER_MS;
      await listen(ports, { icmp, echoed, identifier, parts, forMs, turnMs, signal });
    }
    if (request.census || (icmp !== undefined && ports.some((port) => seeks(port, echoed))))
      await listen(ports, { icmp, echoed, identifier, parts, forMs: SEEKING_MS, turnMs, signal });
    const unheard = ports.filter((port) => isUnheard(port, echoed));
    if (icmp !== undefined && unheard.length > 0) {
      for (const port of unheard) await ask(port, { icmp, datagrams, identifier, round: ROUNDS, pace, parts, signal });
      await listen(ports, { icmp, echoed, identifier, parts, forMs: LINGER_MS, turnMs, signal });
    }
    return ports.map((port) => ({
      ifname: port.ifname,
      answers: [...port.answers].map(([address, macs]) => ({ address, macs: [...macs].sort() })),
      ...(icmp === undefined ? {} : { echoed: port.addresses.filter((address) => echoed.has(address)) }),
      ...(source === undefined ? {} : { source }),
      asks: [...port.asks.values()].slice(0, LIMITS.hosts),
      ...(request.census ? { alive: [...port.alive].sort().slice(0, LIMITS.hosts) } : {}),
    }));
  } finally {
    icmp?.close();
    datagrams.close();
    sockets.done();
  }
}

/** A host is there, and its echo reply is not: it may be asking for a gateway. */
function seeks({ answers }: Port, echoed: ReadonlySet<string>): boolean {
  return [...answers.keys()].some((address) => !echoed.has(address));
}

/** A host is there, its echo reply is not, and it sent no ARP request: it may have been between two requests. */
function isUnheard({ answers, asks, own }: Port, echoed: ReadonlySet<string>): boolean {
  return [...answers].some(
    ([address, macs]) =>
      !echoed.has(address) && ![...asks.values()].some(({ mac, target }) => macs.has(mac) && !own.includes(target)),
  );
}

async function open(
  sockets: PortSockets,
  { ifname, addresses }: HostScanRequest['ports'][number],
  { census, solicit }: { readonly census: boolean; readonly solicit: boolean },
): Promise<Port | undefined> {
  const { index, mac } = await readPort(ifname);
  const arp = index === 0 ? undefined : sockets.open(index, 'arp');
  if (arp === undefined) return undefined;
  const all = networkInterfaces()[ifname] ?? [];
  const linkLocal = all.find(({ family, address }) => family === 'IPv6' && /^fe80/i.test(address));
  const own6 = all
    .filter(({ family, address }) => family === 'IPv6' && !/^fe[89ab]/i.test(address))
    .flatMap(({ address }) => {
      const octets = ipv6Bytes(address);
      return octets === undefined ? [] : [{ address, octets }];
    })
    .slice(0, SOLICITED);
  return {
    ifname,
    addresses,
    mac,
    own: all.filter(({ family }) => family === 'IPv4').map(({ address }) => address),
    arp,
    frames: census ? sockets.open(index, 'link-echoes') : undefined,
    linkLocal: linkLocal === undefined ? undefined : ipv6Bytes(linkLocal.address),
    own6,
    advertisements: solicit && own6.length > 0 ? sockets.open(index, 'advertisements') : undefined,
    answers: new Map(),
    asks: new Map(),
    alive: new Set(),
  };
}

function createPace(clock: Clock, signal: AbortSignal): () => Promise<void> {
  let sent = 0;
  return async () => {
    sent += 1;
    if (sent % BURST === 0) await clock.sleep(1, signal);
  };
}

type Asking = {
  readonly icmp: MessageSocket | undefined;
  readonly datagrams: Socket;
  readonly identifier: number;
  readonly round: number;
  /** After each packet. */
  readonly pace: () => Promise<void>;
  readonly parts: ProberParts;
  readonly signal: AbortSignal;
};

async function ask(port: Port, { icmp, datagrams, identifier, round, pace }: Asking): Promise<void> {
  for (const address of port.addresses) {
    // A second answer may come from a second host: all are asked again, but never more than twice.
    if (round < 2) {
      port.arp.send(encodeArpProbe(port.mac, address));
      await pace();
    }
    // The router's own table must know the host before an echo can leave: after the first answers.
    if (round > 0 && port.answers.has(address)) {
      icmp?.send(encodeEcho(identifier, round), addressBytes(address));
      await pace();
      // A filter against ICMP stops the echo; the datagram makes the host look for its gateway all the same.
      datagrams.send(new Uint8Array(0), DISCARD_PORT, address, () => {});
      await pace();
    }
  }
  if (port.advertisements !== undefined && port.linkLocal !== undefined && round < 2)
    for (const { octets } of port.own6) port.advertisements.send(encodeSolicitation(port.mac, port.linkLocal, octets));
  if (port.frames !== undefined && port.linkLocal !== undefined)
    port.frames.send(encodeLinkEcho(port.mac, port.linkLocal, identifier));
}

type Awaiting = Pick<Asking, 'icmp' | 'identifier' | 'parts' | 'signal'> & {
  readonly echoed: Set<string>;
  readonly forMs: number;
  readonly turnMs: number;
};

async function listen(
  ports: readonly Port[],
  { icmp, echoed, identifier, parts, forMs, turnMs, signal }: Awaiting,
): Promise<void> {
  const endMs = parts.clock.monotonicMs() + forMs;
  while (parts.clock.monotonicMs() < endMs) {
    for (const port of ports) hear(port, identifier);
    for (let packet = icmp?.receive(); packet !== undefined; packet = icmp?.receive()) {
      const from = decodeEchoReply(packet, identifier);
      if (from !== undefined) echoed.add(from);
    }
    await parts.clock.sleep(turnMs, signal);
  }
}

function hear(port: Port, identifier: number): void {
  const own = macText(port.mac);
  for (let frame = port.arp.receive(); frame !== undefined; frame = port.arp.receive()) {
    const arp = decodeArp(frame);
    if (arp === undefined || arp.senderMac === own) continue;
    port.alive.add(arp.senderMac);
    if (arp.operation === 'reply') {
      if (!port.addresses.includes(arp.senderAddress)) continue;
      port.answers.set(arp.senderAddress, (port.answers.get(arp.senderAddress) ?? new Set()).add(arp.senderMac));
    } else {
      const { senderMac: mac, senderAddress: sender, targetAddress: target } = arp;
      if (port.asks.size < LIMITS.hosts) port.asks.set(`${mac} ${sender} ${target}`, { mac, sender, target });
    }
  }
  for (let frame = port.advertisements?.receive(); frame !== undefined; frame = port.advertisements?.receive()) {
    const [target, from] = [advertisedTarget(frame), macText(frame.subarray(6, 12))];
    const claimed = port.own6.find(({ octets }) => target !== undefined && Buffer.compare(octets, target) === 0);
    // This node's own answers to hosts pass here as well.
    if (claimed !== undefined && from !== own)
      port.answers.set(claimed.address, (port.answers.get(claimed.address) ?? new Set()).add(from));
  }
  for (let frame = port.frames?.receive(); frame !== undefined; frame = port.frames?.receive())
    if (answersLinkEcho(frame, identifier)) port.alive.add(macText(frame.subarray(6, 12)));
}
