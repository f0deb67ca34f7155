// Probes that are handed to one neighbour over one link, past the routes of this node: a packet socket in the manner of a raw one. What the
// kernel says of a frame that it does not take is kept; a full queue is no reason to give a probe up.
import { macBytes } from '#codec/arp.ts';
import { ETHERTYPE_IPV6 } from '#codec/icmp.ts';
import type { ProbeRequest } from '#model/router/router-port.ts';
import { readPort } from '../../native/addresses.ts';
import type { Libc, PacketSocket, RawSocket } from '../../native/libc.ts';

type Hop = NonNullable<ProbeRequest['via']>;

/** Needs CAP_NET_RAW; `refused` with the reason where it is missing, or the interface is. */
export async function openHop(libc: Libc, hop: Hop): Promise<RawSocket | { readonly refused: string }> {
  const port = await readPort(hop.ifname);
  const socket = port.index === 0 ? { refused: `no interface ${hop.ifname}` } : libc.openPacket(port.index, []);
  return 'refused' in socket ? socket : hopSocket(socket, hop, port.mac);
}

/** Frames from `mac`, the interface's own address. */
export function hopSocket(socket: Pick<PacketSocket, 'send' | 'close'>, hop: Hop, mac: Uint8Array): RawSocket {
  const header = Buffer.concat([macBytes(hop.mac), mac, Buffer.from([ETHERTYPE_IPV6 >> 8, ETHERTYPE_IPV6 & 0xff])]);
  return {
    send(packet) {
      const outcome = socket.send(Buffer.concat([header, packet]));
      return outcome.kind === 'refused' ? { kind: 'refused', reason: `${hop.ifname}: ${outcome.reason}` } : outcome;
    },
    close: () => socket.close(),
  };
}
