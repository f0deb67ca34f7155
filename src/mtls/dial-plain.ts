// A TCP connection without TLS, which the node that asked for it fills with a TLS session of its own: this node sees neither who answers nor
// what is said. Tries addresses as dial.ts does; refuses nothing.
import { connect, type Socket } from 'node:net';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { MTLS_LIMITS } from './limits.ts';

/** One place where a node may answer; an address may have a zone: `fe80::1%eth1`. */
export type PlainTarget = { readonly address: string; readonly port: number };

/** The first that connects. Rejects with `peer/unreachable`, `peer/timeout`, or with the signal's reason. */
export async function dialPlain(init: {
  readonly targets: readonly PlainTarget[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}): Promise<Socket> {
  const { clock } = init;
  init.signal.throwIfAborted();
  const targets = init.targets.slice(0, MTLS_LIMITS.dialAddresses);
  if (targets.length === 0) throw new ParleyError('peer/unreachable', 'no address known');
  const settled = new AbortController();
  const stop = AbortSignal.any([settled.signal, init.signal]);
  const opened = new Set<Socket>();
  let won: Socket | undefined;
  const late = clock.sleep(init.timeoutMs, stop).then(
    () => {
      throw new ParleyError('peer/timeout', `no connection within ${init.timeoutMs} ms (${said(targets)})`);
    },
    () => {
      throw stop.reason;
    },
  );
  // It also rejects when the race is over.
  late.catch(() => {});
  try {
    won = await Promise.race([firstOf(targets, clock, stop, opened), late]);
    return won;
  } finally {
    settled.abort();
    for (const socket of opened) if (socket !== won) socket.destroy();
  }
}

async function firstOf(
  targets: readonly PlainTarget[],
  clock: Clock,
  stop: AbortSignal,
  opened: Set<Socket>,
): Promise<Socket> {
  const attempts: Promise<Socket>[] = [];
  for (const target of targets) {
    const failed = new AbortController();
    const attempt = connectTo(target, opened).catch((error: unknown) => {
      failed.abort();
      throw error;
    });
    attempts.push(attempt);
    const headStart = clock.sleep(LIMITS.dialStaggerMs, AbortSignal.any([failed.signal, stop]));
    const won = await Promise.race([Promise.any(attempts).catch(() => undefined), headStart.catch(() => undefined)]);
    if (won !== undefined) return won;
    if (stop.aborted) break;
  }
  return Promise.any(attempts).catch((failures: AggregateError) => {
    throw failures.errors[0];
  });
}

function connectTo({ address, port }: PlainTarget, opened: Set<Socket>): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true });
    opened.add(socket);
    // Stays for good: a reset before the next listener is there must not end the process.
    socket.on('error', (error) => reject(new ParleyError('peer/unreachable', messageOf(error), { cause: error })));
    socket.once('close', () => reject(new ParleyError('peer/unreachable', `${address}: closed`)));
    socket.once('connect', () => resolve(socket));
  });
}

function said(targets: readonly PlainTarget[]): string {
  return targets.map(({ address }) => address).join(', ');
}
