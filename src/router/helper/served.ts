// Which services hosts on a port were seen to serve: the first answers of web and name servers, as they pass. Listens and sends
// nothing; the kernel hands over those few packets only, and of them nothing but address and port is read. One socket a port, kept open
// between two calls, so that nothing is missed; frames that nobody fetches in time are dropped by the kernel.
import { readFile } from 'node:fs/promises';
import { LIMITS } from '#base/limits.ts';
import type { Served } from '#model/stations.ts';
import { loadLibc, type PacketSocket } from './libc.ts';

const ETHERTYPE_IPV4 = 0x0800;
const TCP = 6;
/** Ethernet and IPv4 headers without options, and both ports. */
const LEAST_BYTES = 38;
/** Frames that one call reads from one port. */
const MOST_FRAMES = 512;

/**
 * Classic BPF (code, jump if true, jump if false, constant) over Ethernet frames: IPv4, no later fragment, and SYN with ACK from TCP
 * port 80 or 443, or anything from UDP port 53.
 */
export const SERVED_FILTER: readonly (readonly [number, number, number, number])[] = [
  [0x28, 0, 0, 12],
  [0x15, 0, 17, ETHERTYPE_IPV4],
  [0x30, 0, 0, 23],
  [0x15, 1, 0, TCP],
  [0x15, 9, 14, 17],
  [0x28, 0, 0, 20],
  [0x45, 12, 0, 0x1fff],
  [0xb1, 0, 0, 14],
  [0x50, 0, 0, 27],
  [0x54, 0, 0, 0x12],
  [0x15, 0, 8, 0x12],
  [0x48, 0, 0, 14],
  [0x15, 7, 0, 80],
  [0x15, 6, 5, 443],
  [0x28, 0, 0, 20],
  [0x45, 3, 0, 0x1fff],
  [0xb1, 0, 0, 14],
  [0x48, 0, 0, 14],
  [0x15, 1, 0, 53],
  [0x06, 0, 0, 0],
  [0x06, 0, 0, 96],
];

export type ServedListener = (ifnames: readonly string[]) => Promise<readonly Omit<Served, 'agoMs'>[]>;

export function createServedListener(): ServedListener {
  const sockets = new Map<string, PacketSocket>();
  return async (ifnames) => {
    for (const [ifname, socket] of sockets) {
      if (ifnames.includes(ifname)) continue;
      socket.close();
      sockets.delete(ifname);
    }
    for (const ifname of ifnames.slice(0, LIMITS.stationPorts)) {
      if (sockets.has(ifname)) continue;
      const index = Number(await readFile(`/sys/class/net/${ifname}/ifindex`, 'utf8').catch(() => '0'));
      const opened = index === 0 ? undefined : (await loadLibc()).openFiltered(index, ETHERTYPE_IPV4, SERVED_FILTER);
      if (opened !== undefined && !('refused' in opened)) sockets.set(ifname, opened);
    }
    return [...sockets].flatMap(([ifname, socket]) => drained(ifname, socket));
  };
}

function drained(ifname: string, socket: PacketSocket): readonly Omit<Served, 'agoMs'>[] {
  const found = new Map<string, Omit<Served, 'agoMs'>>();
  for (let frames = 0; frames < MOST_FRAMES; frames++) {
    const frame = socket.receive();
    if (frame === undefined) break;
    const row = servedIn(frame);
    if (row !== undefined) found.set(JSON.stringify(row), { ifname, ...row });
  }
  return [...found.values()];
}

/** Who sent an answer, and from which port. */
export function servedIn(frame: Uint8Array): Pick<Served, 'address' | 'service' | 'port'> | undefined {
  const start = 14 + (frame[14]! & 0x0f) * 4;
  if (frame.length < LEAST_BYTES || frame.length < start + 2) return undefined;
  return {
    address: [...frame.subarray(26, 30)].join('.'),
    service: frame[23] === TCP ? 'tcp' : 'udp',
    port: frame[start]! * 256 + frame[start + 1]!,
  };
}
