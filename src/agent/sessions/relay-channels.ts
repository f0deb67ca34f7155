// Connections that this node passes on from one node to a neighbour of its own: the bytes of a TLS session between the two, which this node can
// drop and neither read nor change. It connects to the neighbour once the caller has claimed the connection and begun a TLS handshake on it, so that
// nothing else is ever sent to or read from there. Bounded by relay-places.ts, and in bytes and time. Decides no rule: the call that asks for a
// channel was admitted like any other (tools/relay.ts).
import type { Socket } from 'node:net';
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { type Random, randomHex } from '#base/random.ts';
import type { Party } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { createRelayPlaces, type RelayPlace, type Wanted } from './relay-places.ts';

export type RelayChannels = {
  /** Keeps a place until the caller claims it with the returned ticket; `connect` is called then. Rejects with `caller/relay-budget`. */
  offer(wanted: Wanted, connect: (signal: AbortSignal) => Promise<Socket>): Promise<string>;
  /** A connection of that party for passing on: its first octets are a ticket, all else goes to the node that it is for. */
  serve(socket: Socket, party: Party): void;
  close(): void;
};

type Channel = Wanted & {
  readonly place: RelayPlace;
  readonly connect: (signal: AbortSignal) => Promise<Socket>;
  readonly claimed: AbortController;
};

const TICKET_BYTES = 16;
const TICKET_CHARS = 2 * TICKET_BYTES;
/** Up to the type of the first handshake message (RFC 8446 §5.1, §4). */
const HELLO_BYTES = 6;

type ChannelParts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly record: (record: AuditRecord) => void;
};

export function createRelayChannels(parts: ChannelParts): RelayChannels {
  const { clock, log } = parts;
  const take = createRelayPlaces(clock);
  const offered = new Map<string, Channel>();
  const sockets = new Set<Socket>();
  let isClosed = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', (error) => log.debug('a relayed connection ended with an error', { reason: messageOf(error) }));
    socket.once('close', () => sockets.delete(socket));
    if (isClosed) socket.destroy();
  };
  /** The channel of a ticket, once. */
  const claim = (ticket: string, party: Party): Channel | undefined => {
    const channel = offered.get(ticket);
    if (channel === undefined || party.kind !== 'node' || channel.caller !== party.name) return undefined;
    offered.delete(ticket);
    channel.claimed.abort();
    return channel;
  };
  return {
    async offer(wanted, connect) {
      const place = take(wanted);
      const ticket = randomHex(parts.random, TICKET_BYTES);
      const claimed = new AbortController();
      offered.set(ticket, { ...wanted, place, connect, claimed });
      clock.sleep(AGENT_LIMITS.relayClaimMs, claimed.signal).then(
        () => {
          offered.delete(ticket);
          place.leave();
        },
        () => {},
      );
      return ticket;
    },
    serve(socket, party) {
      keep(socket);
      // One time for the ticket and the beginning of TLS together, however slowly their octets come.
      const begun = new AbortController();
      clock.sleep(AGENT_LIMITS.relayClaimMs, begun.signal).then(
        () => socket.destroy(),
        () => {},
      );
      socket.once('close', () => begun.abort());
      readExactly(socket, TICKET_CHARS, (ticket) => {
        const channel = claim(ticket.toString('latin1'), party);
        if (channel !== undefined) {
          passOn(parts, { near: socket, channel, keep, hasBegun: () => begun.abort() });
          return;
        }
        log.warn('a relayed connection was claimed without a ticket of this node', { party: party.name });
        socket.destroy();
      });
    },
    close() {
      isClosed = true;
      for (const { claimed } of offered.values()) claimed.abort();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** What comes after these octets stays in the socket. */
function readExactly(socket: Socket, octets: number, then: (read: Buffer) => void): void {
  const read = () => {
    const bytes = socket.read(octets) as Buffer | null;
    if (bytes === null) return;
    socket.off('readable', read);
    // At the end of a stream there may be fewer.
    if (bytes.length === octets) then(bytes);
    else socket.destroy();
  };
  socket.on('readable', read);
  read();
}

/** The first octets of a TLS record with a ClientHello. */
function isClientHello(bytes: Buffer): boolean {
  return bytes[0] === 0x16 && bytes[1] === 0x03 && bytes[5] === 0x01;
}

type Passing = {
  readonly near: Socket;
  readonly channel: Channel;
  readonly keep: (socket: Socket) => void;
  readonly hasBegun: () => void;
};

/** Until either end closes, or a bound is reached. */
function passOn({ clock, record }: ChannelParts, { near, channel, keep, hasBegun }: Passing): void {
  const { caller, node, asker, place } = channel;
  let bytes = 0;
  let far: Socket | undefined;
  const done = new AbortController();
  const end = (reason: string) => {
    if (done.signal.aborted) return;
    done.abort();
    near.destroy();
    far?.destroy();
    place.leave();
    record({ event: 'relay-ended', party: `node/${caller}`, asker, reason, detail: { node, bytes } });
  };
  const count = ({ length }: Buffer) => {
    bytes += length;
    if (!place.mayPass(length)) end('more bytes than one node may have passed on in a minute');
  };
  const join = (hello: Buffer, to: Socket) => {
    far = to;
    keep(to);
    if (done.signal.aborted || to.destroyed) {
      to.destroy();
      return end('closed');
    }
    // Past the handshake the far node speaks a second time, after the caller has answered what it said first.
    let [hasSpoken, hasCallerAnswered] = [false, false];
    to.once('close', () => end('closed'));
    to.on('data', (chunk) => {
      if (hasCallerAnswered) place.settle();
      hasSpoken = true;
      count(chunk);
    });
    to.pipe(near);
    count(hello);
    to.write(hello);
    near.on('data', (chunk) => {
      hasCallerAnswered ||= hasSpoken;
      count(chunk);
    });
    near.pipe(to);
  };
  near.once('close', () => end('closed'));
  near.setTimeout(AGENT_LIMITS.relayIdleMs, () => end('idle'));
  clock.sleep(AGENT_LIMITS.relayLongestMs, done.signal).then(
    () => end('open for too long'),
    () => {},
  );
  readExactly(near, HELLO_BYTES, (hello) => {
    hasBegun();
    if (!isClientHello(hello)) return end('no TLS session');
    channel.connect(done.signal).then(
      (to) => join(hello, to),
      (error: unknown) => end(messageOf(error)),
    );
  });
}
