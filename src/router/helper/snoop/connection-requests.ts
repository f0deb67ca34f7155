// TCP connection requests of hosts as they come in on a port (RFC 9293 §3.5), and what is seen of each connection afterwards. Answers leave by the port, where
// this listener sees nothing: a client that is not answered sends the same request again after a second (RFC 6298 §2.1), and only one that was given
// the connection ends it (FIN, or RST). So a connection was used where the client ends it, it is taken for unanswered where its request was sent again and
// nothing else came, and it is open where its request came once. Bounded; sends nothing, and forgets a request after `repeatedRequestMs`.

import type { HeardConnections } from '#model/router/host-history.ts';
import { createSharedMap } from '../../bounded-maps.ts';
import {
  accept,
  and,
  assemble,
  type BpfProgram,
  DROP,
  ifAnySet,
  ifEqual,
  label,
  loadByteAfter,
} from '../../native/bpf.ts';
import { HELPER_LIMITS } from '../limits.ts';
import {
  type Family,
  FIN_RST,
  headersIn,
  LONGER_BYTES,
  PORTS_BEHIND_HEADER,
  PROTOCOL,
  SYN,
  SYN_ACK,
  TCP,
} from './ip-frames.ts';

/** Ethernet, an IPv4 header without options, and a TCP header with those of a request: a time stamp tells a second request from a copy of the first. */
const HEAD_BYTES = 78;
const LEAST_TCP_BYTES = 20;
/** A client that is not answered asks again after a second, and after three; one fetch is two seconds after the other. */
const SETTLED_MS = 3_000;
/** A connection that was asked for so often is unanswered, without waiting for more. */
const SURELY_UNANSWERED = 3;
/** Requests of one connection that are distinguished from copies: more than clients send. */
const KNOWN_REQUESTS = 16;

/** Over Ethernet frames: IP of one family, no later fragment, TCP, SYN without ACK, or an end (FIN or RST). */
export const requestsFilter = (family: Family): BpfProgram =>
  assemble([
    ...PROTOCOL[family],
    ifEqual(TCP, { no: 'drop' }),
    ...PORTS_BEHIND_HEADER[family],
    loadByteAfter(27),
    ifAnySet(FIN_RST, { yes: 'keep' }),
    and(SYN_ACK),
    ifEqual(SYN, { no: 'drop' }),
    label('keep'),
    accept(HEAD_BYTES + LONGER_BYTES[family]),
    label('drop'),
    DROP,
  ]);

export type Segment = Pick<HeardConnections, 'client' | 'server' | 'port'> & {
  readonly clientPort: number;
  readonly what: 'request' | 'end';
  /** Of a request: the same where it is sent again. */
  readonly sequence: number;
  /** What a copy of the packet has in common with it, and the same request sent again has not. */
  readonly mark: string;
};

type Open = Segment & {
  readonly ifname: string;
  seenMs: number;
  /** Of all its requests. */
  readonly marks: Set<string>;
  isTold: boolean;
};

export type ConnectionRequests = {
  /** Segments that came on a port, and the time at which they were fetched. */
  heard(ifname: string, frames: Iterable<Uint8Array>, nowMs: number): void;
  /** What is known since the call before. */
  known(nowMs: number): readonly HeardConnections[];
};

type Row = { -readonly [K in keyof HeardConnections]: HeardConnections[K] };

export function createConnectionRequests(): ConnectionRequests {
  let rows = new Map<string, Row>();
  const rowOf = ({ ifname, client, server, port }: Open): Row => {
    const key = `${ifname} ${client} ${server} ${port}`;
    const row = rows.get(key) ?? { ...{ ifname, client, server, port }, used: 0, once: 0, unanswered: 0, repeats: 0 };
    rows.set(key, row);
    return row;
  };
  const settle = (each: Open) => {
    if (each.isTold) return;
    each.isTold = true;
    rowOf(each)[each.marks.size > 1 ? 'unanswered' : 'once'] += 1;
  };
  const open = createSharedMap<Open>(
    { most: HELPER_LIMITS.connectionRequests, mostOfOne: HELPER_LIMITS.connectionRequestsOfClient },
    // What is not followed any more was not seen to be unanswered.
    (each) => void (each.marks.size === 1 && settle(each)),
  );
  const read = (ifname: string, segment: Segment, nowMs: number) => {
    const key = keyOf(segment);
    const known = open.get(segment.client, key);
    if (segment.what === 'end') {
      if (known === undefined) return;
      rowOf(known).used += 1;
      open.delete(segment.client, key);
    } else if (known?.sequence === segment.sequence) {
      // The same packet is heard twice on ports above each other, or was copied on the way.
      if (known.marks.has(segment.mark) || known.marks.size >= KNOWN_REQUESTS) return;
      known.marks.add(segment.mark);
      const again = { ...known, ifname, seenMs: nowMs };
      open.set(segment.client, key, again);
      rowOf(again).repeats += 1;
      if (again.marks.size >= SURELY_UNANSWERED) settle(again);
    } else {
      if (known !== undefined) settle(known);
      open.set(segment.client, key, {
        ...segment,
        ifname,
        seenMs: nowMs,
        marks: new Set([segment.mark]),
        isTold: false,
      });
    }
  };
  return {
    heard(ifname, frames, nowMs) {
      for (const frame of frames) {
        const segment = segmentIn(frame);
        if (segment !== undefined) read(ifname, segment, nowMs);
      }
    },
    known(nowMs) {
      for (const each of [...open.values()]) {
        if (nowMs - each.seenMs >= SETTLED_MS) settle(each);
        if (nowMs - each.seenMs >= HELPER_LIMITS.repeatedRequestMs) open.delete(each.client, keyOf(each));
      }
      // Where there are too many, those are kept that speak for a service.
      const found = [...rows.values()];
      rows = new Map();
      const isGood = ({ used, once }: Row) => used + once > 0;
      const ordered = [...found.filter(isGood), ...found.filter((row) => !isGood(row))];
      return ordered.slice(0, HELPER_LIMITS.connectionRequests);
    },
  };
}

function keyOf({ clientPort, server, port }: Segment): string {
  return `${clientPort} ${server} ${port}`;
}

export function segmentIn(frame: Uint8Array): Segment | undefined {
  const headers = headersIn(frame);
  if (headers?.protocol !== TCP || frame.length < headers.start + LEAST_TCP_BYTES) return undefined;
  const { from: client, to: server, fromPort: clientPort, toPort: port, start, mark } = headers;
  const view = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const flags = view[start + 13]!;
  const isRequest = (flags & SYN_ACK) === SYN;
  if (!isRequest && ((flags & SYN) !== 0 || (flags & FIN_RST) === 0)) return undefined;
  return {
    ...{ client, server, clientPort, port, what: isRequest ? 'request' : 'end' },
    sequence: view.readUInt32BE(start + 4),
    mark: mark + view.toString('latin1', start),
  };
}
