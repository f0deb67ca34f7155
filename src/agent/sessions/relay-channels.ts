// Connections that this node passes on from one node to a neighbour of its own: the bytes of a TLS session between the two, which this node can
// drop and neither read nor change. Bounded for each calling node, as its certificate names it, and for all: connections at once, bytes a
// minute, time. Decides no rule: the call that asks for a channel was admitted like any other (tools/relay.ts).
import type { Socket } from 'node:net';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { type Random, randomHex } from '#base/random.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type RelayChannels = {
  /**
   * Connects, and keeps the connection until the caller claims it with the returned ticket. Rejects with `caller/relay-budget`, or as
   * `connect` does.
   */
  offer(wanted: Wanted, connect: () => Promise<Socket>): Promise<string>;
  /** A connection of that party for passing on: its first octets are a ticket, all else goes to the node that it is for. */
  serve(socket: Socket, party: Party): void;
  close(): void;
};

/** The calling node, and the node that it wants to reach. */
export type Wanted = { readonly caller: string; readonly node: string; readonly asker: string };

type Account = { open: number; bytes: number; atMs: number };
type Channel = Wanted & { readonly far: Socket; readonly account: Account; readonly claimed: AbortController };

const TICKET_BYTES = 16;
const TICKET_CHARS = 2 * TICKET_BYTES;
const MINUTE_MS = 60_000;

type ChannelParts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly record: (record: AuditRecord) => void;
};

export function createRelayChannels(parts: ChannelParts): RelayChannels {
  const { clock, log } = parts;
  const take = createAccounts(clock);
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
      const account = take(wanted.caller);
      const far = await connect().catch((error: unknown) => {
        account.open -= 1;
        throw error;
      });
      far.once('close', () => {
        account.open -= 1;
      });
      keep(far);
      const ticket = randomHex(parts.random, TICKET_BYTES);
      const claimed = new AbortController();
      offered.set(ticket, { ...wanted, far, account, claimed });
      clock.sleep(AGENT_LIMITS.relayClaimMs, claimed.signal).then(
        () => {
          offered.delete(ticket);
          far.destroy();
        },
        () => {},
      );
      return ticket;
    },
    serve(socket, party) {
      keep(socket);
      socket.setTimeout(AGENT_LIMITS.relayClaimMs, () => socket.destroy());
      const read = () => {
        const ticket = socket.read(TICKET_CHARS) as Buffer | null;
        if (ticket === null) return;
        socket.off('readable', read);
        const channel = claim(ticket.toString('latin1'), party);
        if (channel !== undefined) return passOn(parts, socket, channel);
        log.warn('a relayed connection was claimed without a ticket of this node', { party: party.name });
        socket.destroy();
      };
      socket.on('readable', read);
    },
    close() {
      isClosed = true;
      for (const { claimed } of offered.values()) claimed.abort();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Until either end closes, or a bound is reached. */
function passOn({ clock, record }: ChannelParts, near: Socket, { far, account, caller, node, asker }: Channel): void {
  let bytes = 0;
  const done = new AbortController();
  const end = (reason: string) => {
    if (done.signal.aborted) return;
    done.abort();
    near.destroy();
    far.destroy();
    record({ event: 'relay-ended', party: `node/${caller}`, asker, reason, detail: { node, bytes } });
  };
  const count = ({ length }: Buffer) => {
    bytes += length;
    refill(account, clock.monotonicMs());
    account.bytes += length;
    if (account.bytes > AGENT_LIMITS.relayBytesPerMinute)
      end('more bytes than one node may have passed on in a minute');
  };
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on('data', count);
    from.pipe(to);
    from.once('close', () => end('closed'));
  }
  near.setTimeout(AGENT_LIMITS.relayIdleMs, () => end('idle'));
  clock.sleep(AGENT_LIMITS.relayLongestMs, done.signal).then(
    () => end('open for too long'),
    () => {},
  );
}

/** Takes a place for a caller, who has as many as its account allows. Throws `caller/relay-budget`. */
function createAccounts(clock: Pick<Clock, 'monotonicMs'>): (caller: string) => Account {
  const accounts = new Map<string, Account>();
  return (caller) => {
    const nowMs = clock.monotonicMs();
    for (const [name, each] of accounts) {
      refill(each, nowMs);
      if (each.open === 0 && each.bytes === 0) accounts.delete(name);
    }
    const account = accounts.get(caller) ?? { open: 0, bytes: 0, atMs: nowMs };
    const all = [...accounts.values()].reduce((sum, { open }) => sum + open, 0);
    if (all >= AGENT_LIMITS.relayChannels) throw over(`${AGENT_LIMITS.relayChannels} relayed connections`);
    if (account.open >= AGENT_LIMITS.relayChannelsPerCaller)
      throw over(`${AGENT_LIMITS.relayChannelsPerCaller} relayed connections of one node`);
    if (account.bytes >= AGENT_LIMITS.relayBytesPerMinute)
      throw over(`${AGENT_LIMITS.relayBytesPerMinute} bytes a minute for one node`);
    account.open += 1;
    accounts.set(caller, account);
    return account;
  };
}

/** What was used is forgotten evenly over a minute. */
function refill(account: Account, nowMs: number): void {
  const part = (nowMs - account.atMs) / MINUTE_MS;
  account.bytes = Math.max(0, account.bytes - part * AGENT_LIMITS.relayBytesPerMinute);
  account.atMs = nowMs;
}

function over(most: string): ParleyError {
  return new ParleyError('caller/relay-budget', `expected at most ${most} at this node, got more: try again later`, {
    data: { wireCode: WIRE_CODES.busy, wireMessage: 'relay budget used up', retryPossible: true },
  });
}
