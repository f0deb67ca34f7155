// Dials a syslog collector over TLS (RFC 5425): its certificate must be from the configured CA and carry the configured name. A collector is no
// party of the domain: it gets no session, and nothing that it sends is read.
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { checkServerIdentity, connect, type TLSSocket } from 'node:tls';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { MTLS_LIMITS } from './limits.ts';
import { collectorError } from './refusals.ts';

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
  { host, port, name = host, ca, cert, key }: CollectorAddress,
  clock: Clock,
  signal: AbortSignal,
): Promise<Collector> {
  const at = `collector ${host} port ${port}`;
  const [caPem, certPem, keyPem] = await Promise.all([read(ca), read(cert), read(key)]);
  signal.throwIfAborted();
  const socket = connect({
    host,
    port,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ca: caPem!,
    ...(certPem === undefined || keyPem === undefined ? {} : { cert: certPem, key: keyPem }),
    rejectUnauthorized: true,
    // RFC 9662 §4: TLS 1.2 is what every collector of RFC 5425 speaks.
    minVersion: 'TLSv1.2',
    checkServerIdentity: (_host, shown) => checkServerIdentity(name, shown),
  });
  const broken = new Promise<never>((_, reject) => {
    socket.on('error', (error) => reject(collectorError(error, at, name)));
    socket.once('close', () => reject(new ParleyError('peer/unreachable', `${at} closed the connection`)));
    signal.addEventListener('abort', () => socket.destroy(signal.reason), { once: true });
  });
  broken.catch(() => {});
  const within = <T>(work: Promise<T>, timeMs: number, what: string) =>
    beforeDeadline(Promise.race([work, broken]), clock, timeMs, () => {
      socket.destroy();
      return new ParleyError('peer/timeout', `${at} ${what} within ${timeMs} ms`);
    });
  await within(secured(socket), MTLS_LIMITS.handshakeMs, 'did not finish the TLS handshake');
  // What it sends is taken off the connection, so that its end is seen.
  socket.resume();
  return {
    write: (bytes) => within(written(socket, bytes), MTLS_LIMITS.collectorStallMs, 'took nothing'),
    finish: () => within(endedInOrder(socket, at), MTLS_LIMITS.collectorStallMs, 'did not close the connection'),
    destroy: () => socket.destroy(),
  };
}

function secured(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => socket.once('secureConnect', resolve));
}

/** Until the octets were handed to the system. */
function written(socket: TLSSocket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** A collector that dies with octets unread resets the connection, and one that ends it before we do has not read all: neither counts. */
function endedInOrder(socket: TLSSocket, at: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('end', () =>
      socket.writableFinished
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
