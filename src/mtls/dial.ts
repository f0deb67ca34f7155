// Dials a peer: tries its addresses with a short head start for each, and takes the first on which mutual TLS 1.3
// succeeds with a certificate of the expected node (TS-14). Addresses, ports and thumbprints are hints; refuses on
// certificate, name and the operator's pin only (TS-13).
import { isIPv6, type Socket } from 'node:net';
import { connect as connectTls, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { endWithCertificate } from './certificate-end.ts';
import type { Identity } from './identity.ts';
import { MTLS_LIMITS } from './limits.ts';
import { type PeerCertificate, readPeerCertificate } from './peer-certificate.ts';
import { type AlpnProtocol, alpnOf, secureContextOf, type TlsPolicy } from './policy.ts';
import { dialError } from './refusals.ts';
import type { HintRemark, ThumbprintHint, Trust } from './trust.ts';

export type DialInit = {
  readonly identity: Identity;
  readonly trust: Trust;
  /** In the order of preference; at most `MTLS_LIMITS.dialAddresses` are tried. */
  readonly addresses: readonly string[];
  readonly port: number;
  /**
   * Addresses of our own: the peer's are tried from these as well, once each was tried from the one that the kernel chooses. A peer may have
   * a route to a loopback, and none to our end of a link.
   */
  readonly localAddresses?: readonly string[];
  /** Name that the certificate must carry; any node of the domain when absent. */
  readonly expectedNode?: string;
  /** SHA-256 that discovery announced, lower-case hex. */
  readonly hintThumbprint?: string;
  /** The one it announced for after the next rotation. */
  readonly hintNextThumbprint?: string;
  readonly alpn: AlpnProtocol;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly clock: Clock;
  readonly policy?: TlsPolicy;
};

/**
 * The peer's certificate is verified, but in TLS 1.3 the peer may still refuse ours: it counts as up after its first
 * byte, and a socket that ends before that is explained by `refusedCertificate` of refusals.ts.
 */
export type Dialled = PeerCertificate & {
  readonly socket: TLSSocket;
  readonly address: string;
  readonly remark?: HintRemark;
};

/**
 * Rejects with ParleyError `peer/untrusted-certificate`, `peer/wrong-identity`, `peer/pin-mismatch`,
 * `peer/refused-certificate`, `peer/protocol`, `peer/timeout`, `peer/unreachable`, or with the signal's reason.
 */
export async function dial(init: DialInit): Promise<Dialled> {
  const addresses = init.addresses.slice(0, MTLS_LIMITS.dialAddresses);
  const ways: readonly Way[] = [
    ...addresses.map((address) => ({ address })),
    ...(init.localAddresses ?? []).flatMap((localAddress) =>
      addresses
        .filter((address) => isIPv6(address) === isIPv6(localAddress))
        .slice(0, MTLS_LIMITS.dialFromOwn)
        .map((address) => ({ address, localAddress })),
    ),
  ];
  const name = init.expectedNode ?? 'peer';
  if (addresses.length === 0) throw new ParleyError('peer/unreachable', `no address known for ${name}`);
  init.signal?.throwIfAborted();
  const settled = new AbortController();
  const stop = AbortSignal.any([settled.signal, ...(init.signal ? [init.signal] : [])]);
  const opened = new Set<TLSSocket>();
  let winner: Connected | undefined;
  try {
    winner = await Promise.race([firstToSucceed(init, ways, stop, opened), deadline(init, name, stop)]);
    return welcome(init, winner);
  } finally {
    settled.abort();
    for (const socket of opened) if (socket !== winner?.socket) socket.destroy();
  }
}

/** A dial to one node over a connection that is there already: another node passes its bytes on. */
export type DialOverInit = Omit<DialInit, 'addresses' | 'port' | 'localAddresses'> & {
  readonly over: Socket;
  /** For errors: `pe1, which passes it on`. */
  readonly by: string;
};

/** As `dial`; the connection goes with the session, or at once when there is none. */
export async function dialOver({ over, by, ...rest }: DialOverInit): Promise<Dialled> {
  const init: DialInit = { ...rest, addresses: [by], port: 0 };
  const settled = new AbortController();
  const stop = AbortSignal.any([settled.signal, ...(init.signal ? [init.signal] : [])]);
  const opened = new Set<TLSSocket>();
  try {
    init.signal?.throwIfAborted();
    const attempt = connectTo(init, { address: by, socket: over }, opened);
    const connected = await Promise.race([attempt, deadline(init, init.expectedNode ?? 'peer', stop)]);
    connected.socket.once('close', () => over.destroy());
    return welcome(init, connected);
  } catch (error) {
    for (const socket of opened) socket.destroy();
    over.destroy();
    throw error;
  } finally {
    settled.abort();
  }
}

async function deadline(init: DialInit, name: string, stop: AbortSignal): Promise<never> {
  try {
    await init.clock.sleep(init.timeoutMs, stop);
  } catch {
    throw stop.reason;
  }
  const message = `no session with ${name} within ${init.timeoutMs} ms (${init.addresses.join(', ')})`;
  throw new ParleyError('peer/timeout', message);
}

/** Which failure tells most when every address failed: the more was proven, the further to the front. */
const TELLING = [
  'peer/pin-mismatch',
  'peer/wrong-identity',
  'peer/untrusted-certificate',
  'peer/refused-certificate',
  'peer/protocol',
];

async function firstToSucceed(
  init: DialInit,
  ways: readonly Way[],
  stop: AbortSignal,
  opened: Set<TLSSocket>,
): Promise<Connected> {
  const failures: ParleyError[] = [];
  const attempts: Promise<Connected>[] = [];
  for (const way of ways) {
    const failed = new AbortController();
    const attempt = connectTo(init, way, opened).catch((error: ParleyError) => {
      failures.push(error);
      failed.abort();
      throw error;
    });
    attempts.push(attempt);
    // RFC 8305 §5: the next address starts after the stagger, or at once when this one has failed.
    const headStart = init.clock.sleep(LIMITS.dialStaggerMs, AbortSignal.any([failed.signal, stop]));
    const won = await Promise.race([Promise.any(attempts).catch(() => undefined), headStart.catch(() => undefined)]);
    if (won !== undefined) return won;
    if (stop.aborted) break;
  }
  try {
    return await Promise.any(attempts);
  } catch {
    throw failures.toSorted((one, other) => rank(one) - rank(other))[0];
  }
}

function rank(error: ParleyError): number {
  const place = TELLING.indexOf(error.code);
  return place === -1 ? TELLING.length : place;
}

type Connected = PeerCertificate & { readonly socket: TLSSocket; readonly address: string };

type Way = { readonly address: string; readonly localAddress?: string; readonly socket?: Socket };

function connectTo(
  init: DialInit,
  { address, socket: over, ...from }: Way,
  opened: Set<TLSSocket>,
): Promise<Connected> {
  return new Promise((resolve, reject) => {
    let peer: PeerCertificate | undefined;
    const socket = connectTls({
      ...(over === undefined ? { host: address, port: init.port, ...from } : { socket: over }),
      secureContext: secureContextOf(init.identity, init.policy),
      rejectUnauthorized: true,
      ALPNProtocols: alpnOf(init.alpn),
      // Runs once OpenSSL has verified the chain. Identity is the SAN URI; host names and addresses prove nothing.
      checkServerIdentity: (_host, shown) => {
        const judged = judge(init, address, shown as DetailedPeerCertificate);
        if (judged instanceof ParleyError) return judged;
        peer = judged;
        return undefined;
      },
    });
    opened.add(socket);
    socket.setNoDelay(true);
    // Stays for good: a reset before the session's own listener is there must not end the process.
    socket.on('error', (error) => reject(dialError(error, address)));
    socket.once('close', () =>
      reject(dialError(new Error('connection closed before the TLS handshake ended'), address)),
    );
    socket.once('secureConnect', () => {
      if (peer !== undefined && socket.alpnProtocol === init.alpn) return resolve({ ...peer, socket, address });
      reject(
        new ParleyError('peer/protocol', `expected ${address} to speak ${init.alpn}, it does not`, {
          data: { address },
        }),
      );
      socket.destroy();
    });
  });
}

function judge(init: DialInit, address: string, shown: DetailedPeerCertificate): PeerCertificate | ParleyError {
  const data = { address };
  const peer = readPeerCertificate(shown, init.identity.party.domain);
  if (!peer.ok) return new ParleyError('peer/untrusted-certificate', `peer at ${address}: ${peer.reason}`, { data });
  const { party } = peer.value;
  const expected = init.expectedNode ?? party.name;
  if (party.kind !== 'node' || party.name !== expected) {
    const message = `expected node ${expected} at ${address}, got ${party.kind} ${party.name}`;
    return new ParleyError('peer/wrong-identity', message, { data });
  }
  const refusal = init.trust.refusal(party, peer.value.chain);
  return refusal === undefined ? peer.value : new ParleyError(refusal.code, refusal.reason, { data });
}

function welcome(init: DialInit, connected: Connected): Dialled {
  const { socket, party, chain } = connected;
  endWithCertificate({ ...{ socket, peer: { party, chain } }, trust: init.trust, clock: init.clock });
  const remark = init.trust.compareHint(party, hintOf(init));
  return remark === undefined ? connected : { ...connected, remark };
}

function hintOf(init: DialInit): ThumbprintHint | undefined {
  if (init.hintThumbprint === undefined) return undefined;
  return {
    thumbprint: init.hintThumbprint,
    ...(init.hintNextThumbprint === undefined ? {} : { nextThumbprint: init.hintNextThumbprint }),
  };
}
