// TCP connection requests of hosts as they come in on a port (RFC 9293 §3.5), and whether each was answered. Answers leave by the port, where this
// listener sees nothing: a client that is not answered sends the same request again after a second (RFC 6298 §2.1), and one that is answered
// does not. So a request that comes once counts as answered, also where the client gave up sooner. Bounded; sends nothing, and keeps
// nothing beyond a few seconds.
import { ETHERTYPE_IPV4 } from '#codec/arp.ts';
import type { HeardConnections } from '#model/router/host-history.ts';
import {
  accept,
  and,
  assemble,
  type BpfProgram,
  DROP,
  ifAnySet,
  ifEqual,
  label,
  loadByte,
  loadByteAfter,
  loadHalf,
  loadHeaderLength,
} from '../../native/bpf.ts';
import { HELPER_LIMITS } from '../limits.ts';

const TCP = 6;
const FRAGMENT_OFFSET = 0x1fff;
/** SYN alone of SYN and ACK: a request. */
const [SYN_ACK, SYN] = [0x12, 0x02];
/** Ethernet, an IPv4 header with options, and both ports. */
const HEAD_BYTES = 78;
const IPV4_AT = 14;
/** So long after a request the next one of the same connection would have come, twice over. */
const SETTLED_MS = 3_000;

/** Over Ethernet frames: IPv4, no later fragment, TCP, SYN without ACK. */
export const REQUESTS_FILTER: BpfProgram = assemble([
  loadHalf(12),
  ifEqual(ETHERTYPE_IPV4, { no: 'drop' }),
  loadByte(23),
  ifEqual(TCP, { no: 'drop' }),
  loadHalf(20),
  ifAnySet(FRAGMENT_OFFSET, { yes: 'drop' }),
  loadHeaderLength(14),
  loadByteAfter(27),
  and(SYN_ACK),
  ifEqual(SYN, { no: 'drop' }),
  accept(HEAD_BYTES),
  label('drop'),
  DROP,
]);

type Request = Pick<HeardConnections, 'client' | 'server' | 'port'> & { readonly clientPort: number };
type Open = { readonly request: Request; readonly ifname: string; seenMs: number; repeated: boolean };

/** What is known since the call before: requests that came on a port, and the time at which they were fetched. */
export type ConnectionRequests = (
  frames: readonly { readonly ifname: string; readonly frames: Iterable<Uint8Array> }[],
  nowMs: number,
) => readonly HeardConnections[];

export function createConnectionRequests(): ConnectionRequests {
  /** Oldest first. */
  const open = new Map<string, Open>();
  return (ports, nowMs) => {
    const found = new Map<string, { -readonly [K in keyof HeardConnections]: HeardConnections[K] }>();
    const rowOf = ({ request: { client, server, port }, ifname }: Open) => {
      const key = `${ifname} ${client} ${server} ${port}`;
      const row = found.get(key) ?? { ...{ ifname, client, server, port }, answered: 0, unanswered: 0, repeats: 0 };
      found.set(key, row);
      return row;
    };
    for (const { ifname, frames } of ports)
      for (const frame of frames) {
        const request = requestIn(frame);
        if (request === undefined) continue;
        const key = `${ifname} ${request.client} ${request.clientPort} ${request.server} ${request.port}`;
        const known = open.get(key);
        open.delete(key);
        if (known === undefined) {
          makeRoom(open);
          open.set(key, { request, ifname, seenMs: nowMs, repeated: false });
          continue;
        }
        const row = rowOf(known);
        row.repeats += 1;
        if (!known.repeated) row.unanswered += 1;
        open.set(key, { ...known, seenMs: nowMs, repeated: true });
      }
    for (const [key, each] of open) {
      if (nowMs - each.seenMs < (each.repeated ? HELPER_LIMITS.repeatedRequestMs : SETTLED_MS)) continue;
      open.delete(key);
      if (!each.repeated) rowOf(each).answered += 1;
    }
    return [...found.values()].slice(0, HELPER_LIMITS.connectionRequests);
  };
}

function makeRoom(open: Map<string, Open>): void {
  const [oldest] = open.keys();
  if (open.size >= HELPER_LIMITS.connectionRequests && oldest !== undefined) open.delete(oldest);
}

export function requestIn(frame: Uint8Array): Request | undefined {
  const start = IPV4_AT + (frame[IPV4_AT]! & 0x0f) * 4;
  if (frame.length < IPV4_AT + 20 || frame.length < start + 4 || frame[23] !== TCP) return undefined;
  const portAt = (at: number) => frame[at]! * 256 + frame[at + 1]!;
  return {
    client: frame.subarray(26, 30).join('.'),
    server: frame.subarray(30, 34).join('.'),
    clientPort: portAt(start),
    port: portAt(start + 2),
  };
}
