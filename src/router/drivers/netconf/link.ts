// The way to one device, kept open: dialled when it is first needed, dialled again after it was lost, with growing pauses so that a
// device that is down or refuses us is left in peace. A call that was under way when the session ended is never repeated.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { DRIVER_LIMITS } from '../limits.ts';
import { createNetconfOperations, type NetconfOperations } from './operations.ts';
import { type NetconfSession, openNetconfSession } from './session.ts';
import type { SshConnection } from './ssh.ts';

export type NetconfDevice = { readonly session: NetconfSession; readonly operations: NetconfOperations };

export type NetconfLink = {
  /** The session, dialled if need be. Rejects at once with the last reason while the pause after a failure lasts. */
  use(signal?: AbortSignal): Promise<NetconfDevice>;
  /** The session that is there now. */
  current(): NetconfDevice | undefined;
  /** A second session beside it, for notifications: a subscription may take its session for itself (RFC 5277 §6). */
  beside(): Promise<NetconfDevice>;
  /** Told each time the session has ended. */
  onLost(hear: () => void): void;
  close(): Promise<void>;
};

export function createNetconfLink(dial: () => Promise<SshConnection>, clock: Clock): NetconfLink {
  const hearers: (() => void)[] = [];
  let live: (NetconfDevice & { readonly connection: SshConnection }) | undefined;
  let opening: Promise<NetconfDevice> | undefined;
  let failed: { readonly untilMs: number; readonly pauseMs: number; readonly error: unknown } | undefined;
  let closed = false;

  const open = async (): Promise<NetconfDevice> => {
    try {
      const connection = await dial();
      const device = await deviceOn(connection).catch((error) => {
        connection.end();
        throw error;
      });
      device.session.onEnd(() => {
        if (live?.session === device.session) live = undefined;
        connection.end();
        for (const hear of hearers) hear();
      });
      live = { ...device, connection };
      failed = undefined;
      return live;
    } catch (error) {
      const pauseMs = Math.min(
        DRIVER_LIMITS.netconfRedialMostMs,
        (failed?.pauseMs ?? DRIVER_LIMITS.netconfRedialMs / 2) * 2,
      );
      failed = { untilMs: clock.monotonicMs() + pauseMs, pauseMs, error };
      throw error;
    }
  };
  const use = async (): Promise<NetconfDevice> => {
    if (closed) throw new ParleyError('node/netconf-unreachable', 'expected an open driver, it was closed');
    if (live !== undefined && !live.session.closed) return live;
    if (opening !== undefined) return opening;
    if (failed !== undefined && clock.monotonicMs() < failed.untilMs) throw failed.error;
    opening = open().finally(() => {
      opening = undefined;
    });
    return opening;
  };
  return {
    use: (signal) => untilAborted(use(), signal),
    current: () => live,
    async beside() {
      await use();
      if (live === undefined) throw new ParleyError('node/netconf-unreachable', 'expected a session, it ended');
      return deviceOn(live.connection);
    },
    onLost: (hear) => void hearers.push(hear),
    async close() {
      closed = true;
      await opening?.catch(() => {});
      const last = live;
      await last?.session.close();
      last?.connection.end();
    },
  };
}

async function deviceOn(connection: SshConnection): Promise<NetconfDevice> {
  const session = await openNetconfSession(await connection.open());
  return { session, operations: createNetconfOperations(session) };
}

/** The dial goes on for others: only this caller stops waiting. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
