// Packet sockets of a router's ports. Closing one makes the kernel wait until nobody uses it any more, and this process with it: who
// looks every few seconds keeps them, who looks once does not. The kernel filters what a kept one is handed over.
import { LIMITS } from '#base/limits.ts';
import { ETHERTYPE_ARP } from '#codec/arp.ts';
import { ETHERTYPE_IPV6 } from '#codec/icmp.ts';
import { type BpfProgram, type Libc, loadLibc, type PacketSocket } from './libc.ts';

export type PortFrames = 'arp' | 'link-echoes';

export type PortSockets = {
  open(ifindex: number, frames: PortFrames): PacketSocket | undefined;
  /** After a look: what is not kept is closed. */
  done(): void;
};

/** ICMPv6 echo replies (RFC 4443 §4.2) without extension headers. */
const ECHO_REPLIES: BpfProgram = [
  [0x30, 0, 0, 20],
  [0x15, 0, 3, 58],
  [0x30, 0, 0, 54],
  [0x15, 0, 1, 129],
  [0x06, 0, 0, 128],
  [0x06, 0, 0, 0],
];
/** Requests and replies, nothing else of the protocol. */
const ARP: BpfProgram = [
  [0x28, 0, 0, 20],
  [0x15, 1, 0, 1],
  [0x15, 0, 1, 2],
  [0x06, 0, 0, 64],
  [0x06, 0, 0, 0],
];
const KEPT_SOCKETS = LIMITS.stationPorts * 2;
const STALE_FRAMES = 512;

export async function brieflyOpen(): Promise<PortSockets> {
  const libc = await loadLibc();
  const opened: PacketSocket[] = [];
  return {
    open(ifindex, frames) {
      const socket = openOne(libc, ifindex, frames);
      if (socket !== undefined) opened.push(socket);
      return socket;
    },
    done() {
      for (const socket of opened) socket.close();
    },
  };
}

export type KeptSockets = () => Promise<PortSockets>;

/** What no look has used for the last time is closed with the next one that ends. */
export function createKeptSockets(): KeptSockets {
  const kept = new Map<string, { readonly socket: PacketSocket; unusedLooks: number }>();
  return async () => {
    const libc = await loadLibc();
    for (const entry of kept.values()) entry.unusedLooks += 1;
    return {
      open(ifindex, frames) {
        const key = `${ifindex} ${frames}`;
        const known = kept.get(key);
        const socket = known?.socket ?? (kept.size < KEPT_SOCKETS ? openOne(libc, ifindex, frames) : undefined);
        if (socket === undefined) return undefined;
        kept.set(key, { socket, unusedLooks: 0 });
        // What came between two looks answers nothing that this one asks.
        for (let frames = 0; frames < STALE_FRAMES && socket.receive() !== undefined; frames++);
        return socket;
      },
      done() {
        for (const [key, { socket, unusedLooks }] of kept) {
          if (unusedLooks <= UNUSED_LOOKS) continue;
          socket.close();
          kept.delete(key);
        }
      },
    };
  };
}

/** A census is seldom, and its socket is kept for a while all the same. */
const UNUSED_LOOKS = 32;

function openOne(libc: Libc, ifindex: number, frames: PortFrames): PacketSocket | undefined {
  const [protocol, program] = frames === 'arp' ? [ETHERTYPE_ARP, ARP] : [ETHERTYPE_IPV6, ECHO_REPLIES];
  const opened = libc.openFiltered(ifindex, protocol as number, program as BpfProgram);
  return 'refused' in opened ? undefined : opened;
}
