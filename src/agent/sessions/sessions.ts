// One persistent session per peer (docs/design.md §10): opened on demand, shared, closed when idle. Every address is a hint; the
// certificate decides who is there (docs/design.md §3).
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { NO_AGENT, type PeerSession } from '#model/call.ts';
import type { PeerRecord, PeerTable } from '#model/peer.ts';
import type { Identity } from '#mtls/identity.ts';
import { issuedAtMs, staleAtMs } from '#mtls/lifetime/life.ts';
import { withBudget } from '../parts/budget.ts';
import { createPeerOutages, type PeerOutages } from './peer-outages.ts';
import { type MayDial, withoutForbidden } from './told-addresses.ts';

/** Dials one peer and initializes an MCP session with it; what agent/create-agent.ts builds from mtls/ and mcp/. */
export type OpenSession = (target: DialTarget, signal: AbortSignal) => Promise<OpenedSession>;

export type DialTarget = {
  readonly node: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly hintThumbprint?: string;
  /** The certificate that was announced for after the next rotation. */
  readonly hintNextThumbprint?: string;
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
  /** A session with it is open; asking is no use of it. */
  isOpen(node: string): boolean;
  /** Every open session; being listed is no use of one. */
  opened(): readonly PeerSession[];
  /** A second connection in place of one that does not answer; the first is closed once no call can be waiting on it. */
  renew(node: string, silent: PeerSession, signal: AbortSignal): Promise<PeerSession>;
  /** Ends the session with a node that no longer answers, so that the next use dials anew. */
  drop(node: string): Promise<void>;
  /** Closes what was idle for longer than the limit. */
  closeIdle(): Promise<void>;
  /** Ends every session and every dial under way; nothing can be opened afterwards. */
  close(): Promise<void>;
};

export type SessionsParts = {
  readonly peers: PeerTable;
  readonly open: OpenSession;
  /** For addresses that a peer has told of. */
  readonly mayDial: MayDial;
  /** The certificate that this node shows now. */
  readonly own?: () => OwnCertificate;
  readonly idleMs: number;
  /** For one target, from its dial to its session. */
  readonly dialMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

type OwnCertificate = Pick<Identity, 'thumbprint' | 'notBeforeMs' | 'notAfterMs'>;

/** `own`: shown when it was opened. */
type Entry = { readonly session: PeerSession; readonly own: OwnCertificate | undefined; usedAtMs: number };

export function createSessions(given: SessionsParts): Sessions {
  const parts = { ...given, outages: createPeerOutages(given) };
  const { peers, clock } = parts;
  const open = new Map<string, Entry>();
  const opening = new Map<string, Promise<PeerSession>>();
  /** Replaced sessions: a call may still be waiting on them. */
  let replaced: Entry[] = [];
  const closing = new AbortController();

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
    const own = parts.own?.();
    const known = peers.find(node);
    if (known === undefined) throw unknownNode(node, peers);
    const { record, forbidden } = await withoutForbidden(known, parts.mayDial);
    const targets = targetsOf(record);
    if (targets.length === 0) throw withoutTarget(known, forbidden, peers);
    const { opened, target } = await firstToOpen(parts, targets, closing.signal);
    const { session, address, remark } = opened;
    parts.outages.worked(node);
    if (closing.signal.aborted) {
      await session.close();
      throw ended();
    }
    peers.verified(node, { ...verifiedOf(session), address, port: target.port, atMs: clock.nowMs() });
    if (remark) peers.remark(node, { ...remark, atMs: clock.nowMs() });
    const before = open.get(node);
    if (before !== undefined && !replaced.includes(before)) replaced.push(before);
    replaced = stillOpen(replaced);
    open.set(node, { session, own, usedAtMs: clock.monotonicMs() });
    return session;
  };
  /** The dial under way, or a new one. */
  const dialled = (node: string, signal: AbortSignal) => {
    const pending = opening.get(node) ?? dialPeer(node).finally(() => opening.delete(node));
    opening.set(node, pending);
    return abortable(pending, signal);
  };
  const closeAll = async (nodes: readonly string[]) => {
    const entries = nodes.map((node) => open.get(node)).filter((entry) => entry !== undefined);
    for (const node of nodes) open.delete(node);
    await closeEach(entries);
  };

  return {
    current,
    isOpen: (node) => open.get(node)?.session.closed === false,
    opened: () => [...open.values()].map(({ session }) => session).filter((session) => !session.closed),
    open(node, signal) {
      if (closing.signal.aborted) return Promise.reject(ended());
      const ready = current(node);
      const anew = () => dialled(node, signal);
      return ready === undefined ? anew() : whileOpen(open.get(node)!, parts, anew);
    },
    renew(node, silent, signal) {
      if (closing.signal.aborted) return Promise.reject(ended());
      const entry = open.get(node);
      if (entry !== undefined && entry.session !== silent) return Promise.resolve(entry.session);
      if (!opening.has(node) && entry !== undefined) replaced.push(entry);
      return dialled(node, signal);
    },
    drop: (node) => closeAll([node]),
    closeIdle() {
      // Never a session that a question may still use: a call in flight does not count as use.
      const limitMs = clock.monotonicMs() - Math.max(parts.idleMs, LIMITS.investigationMs);
      const late = replaced.filter((entry) => entry.usedAtMs <= limitMs);
      replaced = stillOpen(replaced).filter((entry) => !late.includes(entry));
      const unused = [...open].filter(([, entry]) => entry.usedAtMs <= limitMs).map(([node]) => node);
      return Promise.all([closeAll(unused), closeEach(late)]).then(() => undefined);
    },
    async close() {
      closing.abort();
      await Promise.allSettled(opening.values());
      await Promise.all([closeAll([...open.keys()]), closeEach(replaced)]);
    },
  };
}

/**
 * The open session, or in its place a new one. Where this node has another certificate by now, the old session serves until the new one is there.
 * In the last part of either end's certificate a call that begins might be cut with it, so that the new one is waited for.
 */
function whileOpen(entry: Entry, parts: SessionsParts, anew: () => Promise<PeerSession>): Promise<PeerSession> {
  const { session } = entry;
  const age = ageOf(entry, parts.own?.(), parts.clock.nowMs());
  if (age === 'fresh') return Promise.resolve(session);
  const next = anew();
  if (age === 'ending') return next.catch((error) => (session.closed ? Promise.reject(error) : session));
  next.catch(() => {});
  return Promise.resolve(session);
}

function ageOf(
  { session, own }: Entry,
  now: OwnCertificate | undefined,
  nowMs: number,
): 'fresh' | 'replaced' | 'ending' {
  const { issuedAtMs: issuedMs, notAfterMs } = session.peer;
  const ofPeer = issuedMs === undefined || notAfterMs === undefined ? [] : [{ issuedAtMs: issuedMs, notAfterMs }];
  const ofUs = own === undefined ? [] : [{ issuedAtMs: issuedAtMs(own), notAfterMs: own.notAfterMs }];
  if ([...ofPeer, ...ofUs].some((life) => nowMs >= staleAtMs(life))) return 'ending';
  return own !== undefined && now !== undefined && own.thumbprint !== now.thumbprint ? 'replaced' : 'fresh';
}

/** No call waits on one that has ended, and it holds its socket and the state of TLS. */
function stillOpen(entries: readonly Entry[]): Entry[] {
  return entries.filter(({ session }) => !session.closed);
}

async function closeEach(entries: readonly Entry[]): Promise<void> {
  await Promise.all(entries.map((entry) => entry.session.close()));
}

/** Addresses to dial, best first: where the peer was verified before, then the claims of each source, then where it was before this agent started. One false claim must not hide a true one. */
export function targetsOf(record: PeerRecord): DialTarget[] {
  const targets: DialTarget[] = [];
  const add = (addresses: readonly string[], port: number, thumbprint?: string, next?: string) => {
    const fresh = addresses.filter(
      (address) => !targets.some((known) => known.port === port && known.addresses.includes(address)),
    );
    if (fresh.length === 0) return;
    targets.push({
      node: record.node,
      addresses: fresh,
      port,
      ...(thumbprint === undefined ? {} : { hintThumbprint: thumbprint }),
      ...(next === undefined ? {} : { hintNextThumbprint: next }),
    });
  };
  const { verified, remembered, hints } = record;
  const announced = hints.find((hint) => hint.thumbprint === verified?.thumbprint)?.nextThumbprint;
  if (verified) add([verified.address], verified.port, verified.thumbprint, announced);
  for (const hint of hints) add(hint.addresses, hint.port, hint.thumbprint, hint.nextThumbprint);
  if (remembered) add([remembered.address], remembered.port);
  return targets;
}

function withoutTarget(known: PeerRecord, forbidden: readonly string[], peers: PeerTable): ParleyError {
  if (forbidden.length > 0) return toldOnly(known.node, forbidden);
  return isWithoutAgent(known)
    ? new ParleyError(NO_AGENT, 'no agent of this node is known')
    : unknownNode(known.node, peers);
}

function verifiedOf({ peer, version }: PeerSession) {
  return { thumbprint: peer.thumbprint ?? '', ...(version === undefined ? {} : { version }) };
}

type Opening = SessionsParts & { readonly outages: PeerOutages };

type Won = { readonly opened: OpenedSession; readonly target: DialTarget };

/**
 * Each target gets a head start before the next is dialled too, or none if all before it have failed: a forged hint with an
 * unresponsive address delays the true one by a quarter of a second, not by its whole time.
 */
async function firstToOpen(parts: Opening, targets: readonly DialTarget[], closing: AbortSignal): Promise<Won> {
  const settled = new AbortController();
  const stop = AbortSignal.any([settled.signal, closing]);
  const failures: unknown[] = [];
  const attempts: Promise<Won>[] = [];
  let winner: Won | undefined;
  for (const target of targets) {
    const failed = new AbortController();
    const attempt = openOne(parts, target, stop).then(
      (opened) => ({ opened, target }),
      (error: unknown) => {
        failures.push(error);
        if (!stop.aborted) tellFailure(parts, target, error);
        failed.abort();
        throw error;
      },
    );
    attempts.push(attempt);
    const headStart = parts.clock.sleep(LIMITS.dialStaggerMs, AbortSignal.any([failed.signal, stop]));
    winner = (await Promise.race([Promise.any(attempts).catch(() => undefined), headStart.catch(() => undefined)])) as
      | Won
      | undefined;
    if (winner !== undefined || stop.aborted) break;
  }
  winner ??= await Promise.any(attempts).catch(() => undefined);
  settled.abort();
  // A session that opens too late is closed.
  for (const attempt of attempts) {
    attempt.then(
      (late) => (late === winner ? undefined : late.opened.session.close()),
      () => {},
    );
  }
  if (winner !== undefined) return winner;
  throw closing.aborted ? ended() : worstOf(failures);
}

function openOne(parts: SessionsParts, target: DialTarget, signal: AbortSignal): Promise<OpenedSession> {
  const { clock, dialMs } = parts;
  const budget = { clock, budgetMs: dialMs, signal, what: `a session with ${target.node}` };
  return withBudget(budget, (until) => parts.open(target, until));
}

/** Another party at an address is worth a remark: the hint that led there was wrong or forged (TS-13). */
function tellFailure({ peers, clock, outages }: Opening, target: DialTarget, error: unknown): void {
  const reason = messageOf(error);
  outages.failed(target.node, target.addresses, error);
  if (error instanceof ParleyError && error.code === 'peer/wrong-identity')
    peers.remark(target.node, { kind: 'lying', detail: reason, atMs: clock.nowMs() });
}

/** Nothing but a neighbour that hears it without an announcement stands for it; an announcement that could not be used is one. */
function isWithoutAgent({ hints, verified, remembered, remarks }: PeerRecord): boolean {
  const isProven = verified !== undefined || remembered !== undefined;
  return hints.length === 0 && !isProven && remarks.every(({ kind }) => kind === 'silent');
}

function unknownNode(node: string, peers: PeerTable): ParleyError {
  const known = peers.list().map((record) => record.node);
  return new ParleyError('caller/unknown-node', `expected a node that this agent knows, got ${node}`, {
    data: { known },
  });
}

function toldOnly(node: string, addresses: readonly string[]): ParleyError {
  const message = `${node} is known only from other nodes, at ${addresses.join(', ')}, where this node may not dial: see peers.dial`;
  return new ParleyError('peer/unreachable', message, { data: { peer: node } });
}

/** A failed authentication says more than an unreachable address. */
function worstOf(failures: readonly unknown[]): unknown {
  const telling = failures.find(
    (error) => error instanceof ParleyError && error.code !== 'peer/unreachable' && error.code !== 'peer/timeout',
  );
  return telling ?? failures[0];
}

/** The dial continues for other callers when one gives up. */
export function abortable<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  const message = 'expected a session in time, got the end of the budget';
  if (signal.aborted) {
    pending.catch(() => {});
    return Promise.reject(timeOver(message));
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(timeOver(message));
    signal.addEventListener('abort', onAbort, { once: true });
    pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function timeOver(message: string): ParleyError {
  return new ParleyError('peer/timeout', message);
}

function ended(): ParleyError {
  return new ParleyError('us/stopping', 'expected a running agent, got one that is stopping');
}
