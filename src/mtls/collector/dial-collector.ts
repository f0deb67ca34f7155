// Dials a syslog collector over TLS (RFC 5425): its certificate must be from the configured CA and carry the configured name. A collector is no
// party of the domain: it gets no session, and nothing that it sends is read.
import { readFile } from 'node:fs/promises';
import { isIP, connect as tcpConnect } from 'node:net';
import { checkServerIdentity, connect, type TLSSocket } from 'node:tls';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { MTLS_LIMITS } from '../limits.ts';
import { collectorError } from '../refusals.ts';
import { authenticatedEnd } from './authenticated-end.ts';

export type CollectorAddress = {
  readonly host: string;
  readonly port: number;
  /** What its certificate must carry, a DNS name or an address; `host` when absent. */
  readonly name?: string | undefined;
  /** File with the CA's certificates, PEM. */
  readonly ca: string;
  /** Files of this node's own certificate and key for collectors that ask for one, PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** False: it ends connections without a close_notify, and a FIN, which any box on the path can send, counts as its end. True when absent. */
  readonly closeNotify?: boolean | undefined;
};

export type Collector = {
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  destroy(): void;
};

/**
 * Rejects with ParleyError `caller/unreadable-file`, `peer/untrusted-certificate`, `peer/protocol`, `peer/timeout` or `peer/unreachable`, or with
 * the signal's reason. The files are read at each dial: they may be renewed.
 */
export async function dialCollector(
  { host, port, name = host, ca, cert, key, closeNotify = true }: CollectorAddress,
  clock: Clock,
  signal: AbortSignal,
): Promise<Collector> {
  const at = `collector ${host} port ${port}`;
  const [caPem, certPem, keyPem] = await Promise.all([read(ca), read(cert), read(key)]);
  signal.throwIfAborted();
  const tcp = tcpConnect({ host, port });
  const socket = connect({
    socket: authenticatedEnd(tcp, { acceptsFin: !closeNotify }),
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ca: caPem!,
    ...(certPem === undefined || keyPem === undefined ? {} : { cert: certPem, key: keyPem }),
    rejectUnauthorized: true,
    // RFC 9662 §4: TLS 1.2 is what every collector of RFC 5425 speaks.
    minVersion: 'TLSv1.2',
    checkServerIdentity: (_host, shown) => checkServerIdentity(name, shown),
  });
  let isSecured = false;
  const broken = new Promise<never>((_, reject) => {
    socket.on('error', (error) => reject(collectorError(error, at, name)));
    tcp.once('error', (error) => socket.destroy(error));
    const stop = () => socket.destroy(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    socket.once('close', () => {
      // The signal lives as long as the agent, a connection for a moment.
      signal.removeEventListener('abort', stop);
      tcp.destroy();
      const isBareFin = closeNotify && isSecured && !socket.readableEnded;
      reject(new ParleyError('peer/unreachable', `${at} closed the connection${isBareFin ? NO_CLOSE_NOTIFY : ''}`));
    });
  });
  broken.catch(() => {});
  const within = <T>(work: Promise<T>, timeMs: number, what: string) =>
    beforeDeadline(Promise.race([work, broken]), clock, timeMs, () => {
      socket.destroy();
      return new ParleyError('peer/timeout', `${at} ${what} within ${timeMs} ms`);
    });
  await within(secured(socket), MTLS_LIMITS.handshakeMs, 'did not finish the TLS handshake');
  isSecured = true;
  // What it sends is taken off the connection, so that its end is seen.
  socket.resume();
  return {
    write: (bytes) => within(written(socket, bytes), MTLS_LIMITS.collectorStallMs, 'took nothing'),
    finish: () => within(endedInOrder(socket, at), MTLS_LIMITS.collectorStallMs, 'did not close the connection'),
    destroy: () => socket.destroy(),
  };
}

const NO_CLOSE_NOTIFY =
  ' without a close_notify of TLS, so that nothing proves what it has read (audit.collector.closeNotify: false for a collector that sends none)';

function secured(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => socket.once('secureConnect', resolve));
}

/** Until the octets were handed to the system. */
function written(socket: TLSSocket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Our close_notify is the last record of what we send, and TLS lets no record before it be missing: a collector that answers it has read all.
 * One that dies with octets unread resets the connection, one that loses octets to a box on the path and then gets a FIN sends an alert or
 * nothing, and one that ends the connection before we do has not read all: none of these counts.
 */
function endedInOrder(socket: TLSSocket, at: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('end', () =>
      socket.writableLength === 0
        ? resolve()
        : reject(new ParleyError('peer/unreachable', `${at} closed the connection before all was sent`)),
    );
    socket.end();
  });
}

async function beforeDeadline<T>(work: Promise<T>, clock: Clock, timeMs: number, late: () => Error): Promise<T> {
  const over = new AbortController();
  const deadline = clock.sleep(timeMs, over.signal).then(
    () => Promise.reject(late()),
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([work, deadline]);
  } finally {
    over.abort();
  }
}

async function read(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return readFile(path, 'utf8').catch((cause) => {
    throw new ParleyError('caller/unreadable-file', `cannot read ${path}: ${messageOf(cause)}`, { cause });
  });
}
