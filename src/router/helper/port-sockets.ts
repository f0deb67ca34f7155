// Packet sockets of a router's ports. Closing one makes the kernel wait until it is not in use any more, and this process with it: who
// looks every few seconds keeps them, and so does who listens all the time; who looks once does not. The kernel filters what a kept
// one is handed over.
import { setImmediate } from 'node:timers/promises';
import { createInTurn } from '#base/in-turn.ts';
import { LIMITS } from '#base/limits.ts';
import { ETHERTYPE_ARP } from '#codec/arp.ts';
import { ETHERTYPE_IPV6 } from '#codec/icmp.ts';
import { readPort } from '../native/addresses.ts';
import { accept, assemble, type BpfProgram, DROP, ifEqual, label, loadByte, loadHalf } from '../native/bpf.ts';
import { type Libc, loadLibc, type PacketSocket, usable } from '../native/libc.ts';
import { HELPER_LIMITS } from './limits.ts';

export type PortFrames = 'arp' | 'link-echoes' | 'advertisements';

export type PortSockets = {
  open(ifindex: number, frames: PortFrames): PacketSocket | undefined;
  /** After a look: what is not kept is closed. */
  done(): void;
};

/** What is handed over of a port: frames of one EtherType that the program lets through. */
export type Tap = { readonly protocol: number; readonly program: BpfProgram };

/** RFC 4443 §4.2. */
export const ECHO_REPLIES = icmpv6(129);
/** ARP requests and replies (RFC 826), nothing else of the protocol. */
export const ARP = assemble([
  loadHalf(20),
  ifEqual(1, { yes: 'keep' }),
  ifEqual(2, { no: 'drop' }),
  label('keep'),
  accept(64),
  label('drop'),
  DROP,
]);
/** RFC 4861 §4.4. */
export const ADVERTISEMENTS = icmpv6(136);
const LOOKS: Readonly<Record<PortFrames, Tap>> = {
  arp: { protocol: ETHERTYPE_ARP, program: ARP },
  'link-echoes': { protocol: ETHERTYPE_IPV6, program: ECHO_REPLIES },
  advertisements: { protocol: ETHERTYPE_IPV6, program: ADVERTISEMENTS },
};
const KEPT_SOCKETS = LIMITS.hostPorts * 2;
const STALE_FRAMES = 512;

export async function brieflyOpen(): Promise<PortSockets> {
  const libc = await loadLibc();
  const opened: PacketSocket[] = [];
  return {
    open(ifindex, frames) {
      const socket = openTap(libc, ifindex, LOOKS[frames]);
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
        const socket = known?.socket ?? (kept.size < KEPT_SOCKETS ? openTap(libc, ifindex, LOOKS[frames]) : undefined);
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

/** Of what came through one tap since the call before; `kind`: which of the port's. */
export type Tapped = { readonly ifname: string; readonly kind: number; readonly frames: readonly Uint8Array[] };
/** Called several times for a tap through which many came. */
export type ReadTap = (tapped: Tapped) => void;

/** Frames that one call may still read through the taps of one kind, of all ports together, beyond the least of each port. */
export type FramePool = { left: number };

type Opened = readonly [PacketSocket, ...(PacketSocket | undefined)[]];

/**
 * Listens on the ports of the last call, between two calls as well; a port whose first tap cannot be opened is left out, and so is any other tap that
 * cannot. One call after the other: sockets are read while other work runs in between.
 */
export function createPortTaps(
  first: Tap,
  ...others: readonly Tap[]
): (ifnames: readonly string[], read: ReadTap) => Promise<void> {
  const ports = new Map<string, Opened>();
  const inTurn = createInTurn();
  return (ifnames, read) =>
    inTurn(async () => {
      for (const [ifname, sockets] of ports) {
        if (ifnames.includes(ifname)) continue;
        for (const socket of sockets) socket?.close();
        ports.delete(ifname);
      }
      for (const ifname of ifnames.slice(0, LIMITS.hostPorts)) {
        const opened = ports.has(ifname) ? undefined : await tap(ifname, first, others);
        if (opened !== undefined) ports.set(ifname, opened);
      }
      await readTaps(ports, read);
    });
}

/** Tap by tap; where many frames have come, other work runs in between. */
export async function readTaps(
  ports: ReadonlyMap<string, readonly (Pick<PacketSocket, 'receive'> | undefined)[]>,
  read: ReadTap,
): Promise<void> {
  const most = HELPER_LIMITS.tappedFramesAtOnce;
  const pools: FramePool[] = [];
  let left = most;
  for (const [ifname, sockets] of ports)
    for (const [kind, socket] of sockets.entries()) {
      if (socket === undefined) continue;
      pools[kind] ??= { left: HELPER_LIMITS.tappedFrames };
      let frames: Uint8Array[] = [];
      for (const frame of framesOf(() => socket.receive(), pools[kind])) {
        frames.push(frame);
        left -= 1;
        if (left > 0) continue;
        read({ ifname, kind, frames });
        [frames, left] = [[], most];
        await setImmediate();
      }
      if (frames.length > 0) read({ ifname, kind, frames });
    }
}

async function tap(ifname: string, first: Tap, others: readonly Tap[]): Promise<Opened | undefined> {
  const { index } = await readPort(ifname);
  if (index === 0) return undefined;
  const libc = await loadLibc();
  const socket = openTap(libc, index, first);
  return socket === undefined ? undefined : [socket, ...others.map((other) => openTap(libc, index, other))];
}

function openTap(libc: Libc, ifindex: number, { protocol, program }: Tap): PacketSocket | undefined {
  return usable(libc.openFiltered(ifindex, protocol, program));
}

/** What waits, as far as it may be read now: the rest waits for the next call, or the kernel drops it. */
export function* framesOf(receive: () => Uint8Array | undefined, pool: FramePool): Generator<Uint8Array> {
  for (let count = 0; count < HELPER_LIMITS.tappedFramesOfPort; count++) {
    if (count >= HELPER_LIMITS.leastTappedFrames && --pool.left < 0) return;
    const frame = receive();
    if (frame === undefined) return;
    yield frame;
  }
}

/** ICMPv6 messages of one type, without extension headers. */
function icmpv6(type: number): BpfProgram {
  return assemble([
    loadByte(20),
    ifEqual(58, { no: 'drop' }),
    loadByte(54),
    ifEqual(type, { no: 'drop' }),
    accept(128),
    label('drop'),
    DROP,
  ]);
}
