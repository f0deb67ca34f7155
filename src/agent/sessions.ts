// One persistent session a peer (DESIGN.md §10): opens it when it is needed, shares it, closes it when nobody used it for long.
// Every address is a hint; who is there is what the certificate says (DESIGN.md §3).
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { PeerSession } from '#model/call.ts';
import type { PeerRecord, PeerTable } from '#model/peer.ts';

/** Dials one peer and initializes an MCP session with it; what agent/create-agent.ts builds from mtls/ and mcp/. */
export type OpenSession = (target: DialTarget, signal: AbortSignal) => Promise<OpenedSession>;

export type DialTarget = {
  readonly node: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly hintThumbprint?: string;
};

export type OpenedSession = {
  readonly session: PeerSession;
  readonly address: string;
  readonly remark?: { readonly kind: 'lying' | 'outdated'; readonly detail: string };
};

export type Sessions = {
  /** The open session with `node`, or a new one. Rejects with ParleyError `peer/…` or `caller/unknown-node`. */
  open(node: string, signal: AbortSignal): Promise<PeerSession>;
  /** The open session, if there is one. */
  current(node: string): PeerSession | undefined;
  /** Closes what was idle for longer than the limit. */
  closeIdle(): Promise<void>;
  close(): Promise<void>;
};

type Entry = { readonly session: PeerSession; usedAtMs: number };

export function createSessions(parts: {
  readonly peers: PeerTable;
  readonly open: OpenSession;
  readonly idleMs: number;
  readonly dialMs: number;
  readonly clock: Clock;
  readonly log: Log;
}): Sessions {
  const { peers, clock, log } = parts;
  const open = new Map<string, Entry>();
  const opening = new Map<string, Promise<PeerSession>>();

  const current = (node: string) => {
    const entry = open.get(node);
    if (entry === undefined) return undefined;
    if (entry.session.closed) {
      open.delete(node);
      return undefined;
    }
    entry.usedAtMs = clock.monotonicMs();
    return entry.session;
  };

  const dialPeer = async (node: string): Promise<PeerSession> => {
    const record = peers.find(node);
    if (record === undefined || targetsOf(record).length === 0) throw unknownNode(node, peers);
    const failures: unknown[] = [];
    for (const target of targetsOf(record)) {
      try {
        const opened = await parts.open(target, AbortSignal.timeout(parts.dialMs));
        const { session, address, remark } = opened;
        peers.verified(node, {
          thumbprint: session.peer.thumbprint ?? '',
          address,
          port: target.port,
          atMs: clock.nowMs(),
        });
        if (remark) peers.remark(node, { ...remark, atMs: clock.nowMs() });
        open.set(node, { session, usedAtMs: clock.monotonicMs() });
        return session;
      } catch (error) {
        failures.push(error);
        log.warn('no session with a peer', { peer: node, addresses: target.addresses, reason: messageOf(error) });
      }
    }
    throw worstOf(failures);
  };

  return {
    current,
    open(node, signal) {
      const ready = current(node);
      if (ready) return Promise.resolve(ready);
      const pending = opening.get(node) ?? dialPeer(node).finally(() => opening.delete(node));
      opening.set(node, pending);
      return abortable(pending, signal);
    },
    async closeIdle() {
      const limitMs = clock.monotonicMs() - parts.idleMs;
      const idle = [...open].filter(([, entry]) => entry.usedAtMs <= limitMs);
      for (const [node] of idle) open.delete(node);
      await Promise.all(idle.map(([, entry]) => entry.session.close()));
    },
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map((entry) => entry.session.close()));
    },
  };
}

/** Where to dial, best first: where it was verified before, then what each source says. One lie must not hide the truth. */
export function targetsOf(record: PeerRecord): DialTarget[] {
  const targets: DialTarget[] = [];
  const add = (addresses: readonly string[], port: number, hintThumbprint?: string) => {
    const fresh = addresses.filter(
      (address) => !targets.some((known) => known.port === port && known.addresses.includes(address)),
    );
    if (fresh.length === 0) return;
    targets.push({
      node: record.node,
      addresses: fresh,
      port,
      ...(hintThumbprint === undefined ? {} : { hintThumbprint }),
    });
  };
  if (record.verified) add([record.verified.address], record.verified.port, record.verified.thumbprint);
  for (const hint of record.hints) add(hint.addresses, hint.port, hint.thumbprint);
  return targets;
}

function unknownNode(node: string, peers: PeerTable): ParleyError {
  const known = peers.list().map((record) => record.node);
  return new ParleyError('caller/unknown-node', `expected a node this agent has heard of, came ${node}`, {
    data: { known },
  });
}

/** A failed authentication says more than an unreachable address. */
function worstOf(failures: readonly unknown[]): unknown {
  const telling = failures.find(
    (error) => error instanceof ParleyError && error.code !== 'peer/unreachable' && error.code !== 'peer/timeout',
  );
  return telling ?? failures[0];
}

/** The dial goes on for others when one caller gives up. */
function abortable<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(timeOver());
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(timeOver());
    signal.addEventListener('abort', onAbort, { once: true });
    pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function timeOver(): ParleyError {
  return new ParleyError('peer/timeout', 'expected a session in time, the budget ended first');
}
