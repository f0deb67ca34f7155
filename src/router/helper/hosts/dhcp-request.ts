// Sends DHCPDISCOVER to DHCP servers, as a relay does (RFC 2131 §4.1: the DHCPOFFER comes to the address in giaddr), to learn what they
// offer to a host of a port's network. Never sends DHCPREQUEST: the server forgets an offer that is not requested. An echo request from
// the same address goes with each DHCPDISCOVER, so that a server that does not answer can be told from one that is not reachable. The
// messages for one network come from several ports, as a link may lose all packets of one flow. Bounded in messages and time; sockets
// close when it ends.
import { createSocket, type Socket } from 'node:dgram';
import { LIMITS } from '#base/limits.ts';
import { addressBytes, decodeArp, ETHERTYPE_ARP, ETHERTYPE_IPV4, encodeArpProbe } from '#codec/arp.ts';
import { decodeOffer, encodeDiscover } from '#codec/dhcp.ts';
import { decodeEchoReply, encodeEcho } from '#codec/icmp.ts';
import { MODEL_LIMITS } from '#model/limits.ts';
import type { DhcpAnswer, DhcpAsk, DhcpOffer } from '#model/router/dhcp.ts';
import { readPort } from '../../native/addresses.ts';
import { type Libc, loadLibc, type MessageSocket, type PacketSocket, usable } from '../../native/libc.ts';
import { HELPER_LIMITS } from '../limits.ts';
import type { ProberParts } from '../probe/prober.ts';
import { heardFilter } from '../snoop/requests.ts';

const SERVER_PORT = 67;
const EVERY_INTERFACE = 0;
const WHOLE_FRAME = 0xffff;
const TURN_MS = 5;
const ARP_MS = 150;

type Open = {
  readonly ask: DhcpAsk;
  readonly transaction: number;
  readonly mac: Uint8Array;
  readonly index: number;
  /** One for each flow that was used so far. */
  readonly sockets: Socket[];
  readonly icmp: MessageSocket | undefined;
  readonly offers: Map<string, DhcpOffer>;
  sent: number;
  echoed: number;
  refused: boolean;
};

/** `patient`: long enough for a server that first makes sure that the address is free. */
export async function askDhcp(
  asks: readonly DhcpAsk[],
  patient: boolean,
  parts: ProberParts,
  signal: AbortSignal,
): Promise<readonly DhcpAnswer[]> {
  const libc = await loadLibc();
  const heard = usable(libc.openFiltered(EVERY_INTERFACE, ETHERTYPE_IPV4, heardFilter(WHOLE_FRAME)));
  const opened = heard === undefined ? [] : await Promise.all(asks.map((ask) => open(ask, libc, parts)));
  try {
    const turns = MODEL_LIMITS.dhcpAttempts;
    const turnMs = (patient ? HELPER_LIMITS.dhcpRepeatMs : HELPER_LIMITS.dhcpFirstMs) / turns;
    for (let turn = 0; turn < turns; turn++) {
      const waiting = opened.filter((each) => !isDone(each));
      if (heard === undefined || waiting.length === 0) break;
      await Promise.all(waiting.map((each) => send(each, turn)));
      await listen(opened, heard, parts, turnMs, signal);
    }
    const present = await whoIsThere(opened, libc, parts, signal);
    return opened.map((each) => ({
      ...each.ask,
      sent: each.sent,
      echoed: each.echoed,
      refused: each.refused,
      offers: [...each.offers.values()],
      present: [...(present.get(each) ?? [])],
    }));
  } finally {
    heard?.close();
    for (const { sockets, icmp } of opened) {
      for (const socket of sockets) socket.close();
      icmp?.close();
    }
  }
}

async function open(ask: DhcpAsk, libc: Libc, parts: ProberParts): Promise<Open> {
  const { index, mac } = await readPort(ask.ifname);
  return {
    ask,
    transaction: Buffer.from(parts.random.bytes(4)).readUInt32BE(),
    mac,
    index,
    sockets: [],
    icmp: usable(libc.openIcmp(addressBytes(ask.gateway))),
    offers: new Map(),
    ...{ sent: 0, echoed: 0, refused: false },
  };
}

/** Of the flow that is this turn's. */
async function socketOf(each: Open, turn: number): Promise<Socket> {
  const known = each.sockets[turn % HELPER_LIMITS.dhcpFlows];
  if (known !== undefined) return known;
  const socket = createSocket('udp4');
  each.sockets.push(socket);
  // A connected socket gets an error when no process listens on the server's port.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') each.refused = true;
  });
  await new Promise<void>((done) => {
    const { gateway, server } = each.ask;
    socket.once('error', () => done());
    socket.bind({ port: 0, address: gateway }, () => socket.connect(SERVER_PORT, server, () => done()));
  });
  return socket;
}

function isDone({ offers, refused }: Open): boolean {
  return offers.size > 0 || refused;
}

async function send(each: Open, turn: number): Promise<void> {
  const { ask, transaction, mac, icmp } = each;
  const socket = await socketOf(each, turn);
  each.sent += 1;
  try {
    socket.send(
      encodeDiscover(
        transaction,
        mac,
        addressBytes(ask.gateway),
        ask.link === undefined ? undefined : addressBytes(ask.link),
      ),
      () => {},
    );
  } catch {
    // It could not be connected: the server is nowhere. The echo says the same.
  }
  icmp?.send(encodeEcho(transaction & 0xffff, turn), addressBytes(ask.server));
}

async function listen(
  opened: readonly Open[],
  heard: PacketSocket,
  parts: ProberParts,
  forMs: number,
  signal: AbortSignal,
): Promise<void> {
  const endMs = parts.clock.monotonicMs() + forMs;
  while (parts.clock.monotonicMs() < endMs && !opened.every((each) => isDone(each))) {
    for (let frame = heard.receive(); frame !== undefined; frame = heard.receive()) keep(opened, frame);
    for (const each of opened)
      for (let packet = each.icmp?.receive(); packet !== undefined; packet = each.icmp?.receive())
        if (decodeEchoReply(packet, each.transaction & 0xffff) === each.ask.server) each.echoed += 1;
    await parts.clock.sleep(TURN_MS, signal);
  }
}

/** A relay on this node sends the same answer on: only what came from the server asked counts. */
function keep(opened: readonly Open[], frame: Uint8Array): void {
  const from = frame.subarray(26, 30).join('.');
  const offer = decodeOffer(frame.subarray(14 + (frame[14]! & 0x0f) * 4 + 8));
  const each = opened.find(({ transaction, ask }) => transaction === offer?.transaction && ask.server === from);
  if (offer === undefined || each === undefined || each.offers.size >= LIMITS.dhcpOffers) return;
  const { address, mask, routers, names, server = from } = offer;
  each.offers.set(server, { server, address, routers, names, ...(mask === undefined ? {} : { mask }) });
}

/** Whether any device has the addresses of the routers that were offered: ARP probes on the port ask for them. */
async function whoIsThere(
  opened: readonly Open[],
  libc: Libc,
  parts: ProberParts,
  signal: AbortSignal,
): Promise<ReadonlyMap<Open, ReadonlySet<string>>> {
  const found = new Map<Open, Set<string>>();
  const asked = opened.flatMap((each) => {
    const routers = new Set([...each.offers.values()].flatMap((offer) => offer.routers));
    const wanted = [...routers].filter((router) => router !== each.ask.gateway);
    const arp = wanted.length === 0 ? undefined : usable(libc.openPacket(each.index, [], ETHERTYPE_ARP));
    return arp === undefined ? [] : [{ each, wanted, arp }];
  });
  if (asked.length === 0) return found;
  const endMs = parts.clock.monotonicMs() + ARP_MS;
  try {
    for (const { each, wanted, arp } of asked)
      for (const router of [...wanted, ...wanted]) arp.send(encodeArpProbe(each.mac, router));
    while (parts.clock.monotonicMs() < endMs) {
      for (const { each, wanted, arp } of asked)
        for (let frame = arp.receive(); frame !== undefined; frame = arp.receive()) {
          const said = decodeArp(frame);
          if (said?.operation === 'reply' && wanted.includes(said.senderAddress))
            found.set(each, (found.get(each) ?? new Set()).add(said.senderAddress));
        }
      await parts.clock.sleep(TURN_MS, signal);
    }
    return found;
  } finally {
    for (const { arp } of asked) arp.close();
  }
}
