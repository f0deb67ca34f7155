// Opens one session with a peer: mutual TLS on ALPN `mcp`, then `initialize` and the capability intersection (TS-14, CARD-3); directly, or over
// a connection that other nodes pass on.
import type { Socket } from 'node:net';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import { openPeerSession } from '#mcp/client/client.ts';
import type { PeerSession } from '#model/call.ts';
import type { NonceSource, Signer } from '#model/ports.ts';
import { type Dialled, dial, dialOver } from '#mtls/dial.ts';
import type { PlainTarget } from '#mtls/dial-plain.ts';
import type { Identity } from '#mtls/identity.ts';
import type { Trust } from '#mtls/trust.ts';
import { loopbackAddresses } from '#router/native/addresses.ts';
import { signCall } from '#sign/asked-call.ts';
import type { MeetNode } from './ospf-discovery.ts';
import type { OpenSession } from './sessions.ts';

/** Sessions with nodes that this node reaches through others; every TLS session ends at the node itself. */
export type RelayDialer = {
  /** A session with `node` over a connection to it that others pass on. */
  openOver(node: string, over: Socket, by: string, signal: AbortSignal): Promise<PeerSession>;
  /** The connection that `relay` keeps for this ticket, over one of its own: to `at`, or passed on by others. */
  claim(
    relay: string,
    at: PlainTarget | { readonly over: Socket },
    ticket: string,
    signal: AbortSignal,
  ): Promise<Socket>;
};

export type PeerDialer = { readonly open: OpenSession; readonly meet: MeetNode } & RelayDialer;

type DialerParts = {
  readonly identity: () => Identity;
  readonly trust: Trust;
  readonly capabilities: readonly string[];
  readonly signer: Signer;
  readonly nonces: NonceSource;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
  readonly dialMs: number;
};

export function createPeerDialer(parts: DialerParts): PeerDialer {
  const { clock, trust } = parts;
  const basics = (signal: AbortSignal) => ({
    ...{ identity: parts.identity(), trust, timeoutMs: parts.dialMs, signal, clock },
  });
  return {
    async open(target, signal) {
      const dialled = await dial({
        ...basics(signal),
        addresses: target.addresses,
        port: target.port,
        localAddresses: ownAddresses(),
        expectedNode: target.node,
        ...(target.hintThumbprint === undefined ? {} : { hintThumbprint: target.hintThumbprint }),
        ...(target.hintNextThumbprint === undefined ? {} : { hintNextThumbprint: target.hintNextThumbprint }),
        alpn: 'mcp',
      });
      const session = await speak(parts, dialled, signal);
      return { session, address: dialled.address, ...(dialled.remark ? { remark: dialled.remark } : {}) };
    },
    async meet(address, port, signal) {
      const { socket, party } = await dial({ ...basics(signal), addresses: [address], port, alpn: 'mcp' });
      socket.end();
      return party.name;
    },
    async openOver(node, over, by, signal) {
      const dialled = await dialOver({ ...basics(signal), over, by, expectedNode: node, alpn: 'mcp' });
      return speak(parts, dialled, signal);
    },
    async claim(relay, at, ticket, signal) {
      const shared = { ...basics(signal), expectedNode: relay, alpn: 'parley-relay' } as const;
      const { socket } =
        'over' in at
          ? await dialOver({ ...shared, over: at.over, by: relay })
          : await dial({ ...shared, addresses: [at.address], port: at.port, localAddresses: ownAddresses() });
      // What follows on this connection is a TLS session of its own, which must not overtake the ticket.
      await new Promise<void>((resolve, reject) => {
        socket.once('close', () => reject(signal.aborted ? signal.reason : closed(relay)));
        socket.write(ticket, () => resolve());
      });
      return socket;
    },
  };
}

function ownAddresses(): readonly string[] {
  return [...loopbackAddresses('IPv6').slice(0, 1), ...loopbackAddresses('IPv4').slice(0, 1)];
}

function closed(relay: string): ParleyError {
  return new ParleyError('peer/unreachable', `expected ${relay} to pass a connection on, it closed it`);
}

async function speak(parts: DialerParts, dialled: Dialled, signal: AbortSignal): Promise<PeerSession> {
  const { signer, random, clock, log } = parts;
  // A peer that completes the handshake and then sends nothing is cut off when the dial's time ends.
  const cut = () => dialled.socket.destroy();
  signal.addEventListener('abort', cut, { once: true });
  return openPeerSession({
    duplex: dialled.socket,
    peer: dialled.party,
    chain: dialled.chain,
    ownCapabilities: parts.capabilities,
    node: signer.node,
    sign: (content, about) => signCall(parts, { content, ...about }),
    random,
    clock,
    log,
  })
    .catch((error: unknown) => {
      dialled.socket.destroy();
      throw signal.aborted ? signal.reason : error;
    })
    .finally(() => signal.removeEventListener('abort', cut));
}
