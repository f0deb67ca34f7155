// Opens one session with a peer: mutual TLS on ALPN `mcp`, then `initialize` and the capability intersection (TS-14, CARD-3).
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import { openPeerSession } from '#mcp/client/client.ts';
import type { NonceSource, Signer } from '#model/ports.ts';
import { dial } from '#mtls/dial.ts';
import type { Identity } from '#mtls/identity.ts';
import type { Trust } from '#mtls/trust.ts';
import { loopbackAddresses } from '#router/native/addresses.ts';
import { signCall } from '#sign/asked-call.ts';
import type { OpenSession } from './sessions.ts';

export function createPeerDialer(parts: {
  readonly identity: () => Identity;
  readonly trust: Trust;
  readonly capabilities: readonly string[];
  readonly signer: Signer;
  readonly nonces: NonceSource;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
  readonly dialMs: number;
}): OpenSession {
  const { signer, random, clock, log } = parts;
  return async (target, signal) => {
    const dialled = await dial({
      identity: parts.identity(),
      trust: parts.trust,
      addresses: target.addresses,
      port: target.port,
      localAddresses: [...loopbackAddresses('IPv6').slice(0, 1), ...loopbackAddresses('IPv4').slice(0, 1)],
      expectedNode: target.node,
      ...(target.hintThumbprint === undefined ? {} : { hintThumbprint: target.hintThumbprint }),
      ...(target.hintNextThumbprint === undefined ? {} : { hintNextThumbprint: target.hintNextThumbprint }),
      alpn: 'mcp',
      timeoutMs: parts.dialMs,
      signal,
      clock,
    });
    // A peer that completes the handshake and then sends nothing is cut off when the dial's time ends.
    const cut = () => dialled.socket.destroy();
    signal.addEventListener('abort', cut, { once: true });
    const session = await openPeerSession({
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
    return { session, address: dialled.address, ...(dialled.remark ? { remark: dialled.remark } : {}) };
  };
}
