// The one TLS listener of a process: every ALPN on one port (TS-14, TS-23). Hands a socket to its speaker only after the
// peer's certificate named a party of this domain; everything else is closed with its reason in the log and the audit trail.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { type Admission, createAdmission } from './admission.ts';
import { endWithCertificate } from './certificate-end.ts';
import type { Identity } from './identity.ts';
import { MTLS_LIMITS } from './limits.ts';
import { type PeerCertificate, peerCertificateOf } from './peer-certificate.ts';
import { ALPN_PROTOCOLS, secureContextOptions, type TlsPolicy } from './policy.ts';
import type { RefusedConnection } from './refusal-reporter.ts';
import { handshakeRefusal } from './refusals.ts';
import type { Trust } from './trust.ts';
import { verifyChain } from './verify-chain.ts';

/** Takes over an authenticated socket. Must attach its own listeners at once. */
export type SessionHandler = (socket: TLSSocket, party: Party, chain: CertificateChain) => void;

export type SessionHandlers = {
  readonly mcp: SessionHandler;
  readonly h2: SessionHandler;
  readonly http1: SessionHandler;
  /** Of connections that are to be passed on to another node; absent: they are closed. */
  readonly relay?: SessionHandler;
};

export type ListenInit = {
  readonly identity: Identity;
  readonly trust: Trust;
  /** Default: all addresses. */
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly log: Log;
  /** For the audit trail. */
  readonly onRefused: (refused: RefusedConnection) => void;
  readonly clock: Clock;
  readonly policy?: TlsPolicy;
};

export type Listener = {
  readonly port: number;
  /** Sessions that are open now. */
  readonly sessionCount: number;
  /** Shows another certificate from the next handshake on; open sessions stay. */
  rotate(identity: Identity): void;
  close(): Promise<void>;
};

/** Rejects with ParleyError `us/cannot-listen`. */
export async function listen(init: ListenInit, handlers: SessionHandlers): Promise<Listener> {
  const admission = createAdmission({ log: init.log, clock: init.clock, onRefused: init.onRefused });
  const state = { identity: init.identity };
  const tls = createTlsServer({
    ...secureContextOptions(init.identity, init.policy),
    requestCert: true,
    rejectUnauthorized: true,
    ALPNProtocols: [...ALPN_PROTOCOLS],
    handshakeTimeout: MTLS_LIMITS.handshakeMs,
  });
  tls.on('secureConnection', (socket) => {
    // A reset between here and the speaker's own listener must not end the process.
    socket.on('error', (error) => init.log.debug('session ended with an error', { reason: messageOf(error) }));
    startSession({ init, handlers, admission, socket, identity: state.identity });
  });
  tls.on('tlsClientError', (error, socket) => {
    admission.refuse(rawSocketOf(socket), handshakeRefusal(error, socket.authorizationError));
    socket.destroy();
  });
  // The port is a plain TCP server's, so that a connection counts before it costs a handshake.
  const listener = createServer({ noDelay: true, keepAlive: true }, (raw) => {
    raw.on('error', (error) => init.log.debug('connection ended with an error', { reason: messageOf(error) }));
    admission.enter(raw);
    tls.emit('connection', raw);
  });
  const port = await bind(listener, init);
  return {
    port,
    get sessionCount() {
      return admission.sessionCount;
    },
    rotate(identity) {
      tls.setSecureContext(secureContextOptions(identity, init.policy));
      state.identity = identity;
    },
    close: () => closeAll(listener, admission),
  };
}

type Start = {
  readonly init: ListenInit;
  readonly handlers: SessionHandlers;
  readonly admission: Admission;
  readonly socket: TLSSocket;
  readonly identity: Identity;
};

function startSession({ init, handlers, admission, socket, identity }: Start): void {
  const peer = peerCertificateOf(socket, identity.party.domain);
  const refuse = (reason: string, party?: Party) => {
    admission.refuse(rawSocketOf(socket), reason, party);
    socket.destroy();
  };
  if (!peer.ok) {
    refuse(peer.reason);
    return;
  }
  const { party, chain } = peer.value;
  const reason =
    refusalOf(init.trust, peer.value, identity) ?? admission.startSession(rawSocketOf(socket), socket, party);
  if (reason !== undefined) {
    refuse(reason, party);
    return;
  }
  endWithCertificate({
    ...{ socket, peer: peer.value, trust: init.trust, clock: init.clock },
    onCut: (reason) => init.log.info('session cut', { party: party.name, reason }),
  });
  try {
    handlerFor(socket, handlers)(socket, party, chain);
  } catch (error) {
    init.log.error('session handler failed', { party: party.name, reason: messageOf(error) });
    socket.destroy();
  }
}

/** Undefined when the peer may have a session. */
function refusalOf(trust: Trust, { party, chain }: PeerCertificate, { caPem }: Identity): string | undefined {
  const refusal = trust.refusal(party, chain);
  if (refusal !== undefined) return refusal.reason;
  // What the chain is judged by must be what issued the certificate: OpenSSL has verified it, and may not have shown us all of it.
  const verified = verifyChain(chain, caPem, trust.nowMs());
  return verified.ok ? undefined : verified.reason;
}

/** A client without ALPN speaks HTTP/1.1, as with any other HTTPS server. */
function handlerFor(socket: TLSSocket, handlers: SessionHandlers): SessionHandler {
  if (socket.alpnProtocol === 'mcp') return handlers.mcp;
  if (socket.alpnProtocol === 'parley-relay') return handlers.relay ?? (() => socket.destroy());
  return socket.alpnProtocol === 'h2' ? handlers.h2 : handlers.http1;
}

/**
 * The TCP socket under a TLS socket. node:tls keeps it in a field that is not documented; without it a refusal is
 * reported from address "unknown", and its slot is given back when the TCP socket closes.
 */
function rawSocketOf(socket: TLSSocket): Socket | undefined {
  return (socket as TLSSocket & { readonly _parent?: Socket })._parent;
}

async function bind(listener: Server, { host, port, log }: ListenInit): Promise<number> {
  try {
    await once(listener.listen({ port, ...(host === undefined ? {} : { host }) }), 'listening');
  } catch (cause) {
    const message = `cannot listen on ${host ?? 'all addresses'} port ${port}: ${messageOf(cause)}`;
    throw new ParleyError('us/cannot-listen', message, { cause });
  }
  listener.on('error', (error) => log.error('listener failed to accept a connection', { reason: messageOf(error) }));
  return (listener.address() as AddressInfo).port;
}

async function closeAll(listener: Server, admission: Admission): Promise<void> {
  const closed = new Promise((resolve) => listener.close(resolve));
  admission.destroyAll();
  await closed;
}
