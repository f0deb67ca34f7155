// The table of every node that this node has heard of: hints, remarks, and what mutual TLS verified. Bounded; makes room only
// at the cost of peers that were never verified, so that a flood of forged names cannot push a real peer out.
// Believes nothing: a claim that contradicts another is kept beside it with a remark (TS-13, CARD-2).
import type { Clock } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import { isNodeName, nodeKey } from '#model/names.ts';
import type { HintSource, PeerHint, PeerRecord, PeerRemark, PeerTable, RememberedPeer } from '#model/peer.ts';
import { DISCOVERY_LIMITS } from './limits.ts';

type Verified = NonNullable<PeerRecord['verified']>;
type Entry = {
  readonly node: string;
  hints: PeerHint[];
  remarks: PeerRemark[];
  verified?: Verified;
  remembered?: RememberedPeer;
};
type Waiter = { readonly node: string; readonly found: () => void };

/** Order in which a dialler should try them. */
const SOURCE_ORDER: Readonly<Record<HintSource, number>> = { static: 0, lldp: 1, isis: 2, ospf: 3, 'peer-exchange': 4 };

export function createPeerTable(init: {
  readonly node: string;
  readonly clock: Clock;
  readonly maxPeers?: number;
}): PeerTable {
  const maxPeers = init.maxPeers ?? LIMITS.peers;
  /** Insertion order is the order of last use: the first is the one to forget. */
  const entries = new Map<string, Entry>();
  const waiters = new Set<Waiter>();

  const touch = (node: string): Entry | undefined => {
    const known = entries.get(node);
    const entry: Entry = known ?? { node, hints: [], remarks: [] };
    if (known === undefined && entries.size >= maxPeers && !forgetOne(entries)) return undefined;
    entries.delete(node);
    entries.set(node, entry);
    return entry;
  };
  const wake = () => {
    for (const waiter of waiters) if (isHeardOf(entries, waiter.node)) waiter.found();
  };
  const table: PeerTable = {
    add(hint) {
      if (!isNodeName(hint.node)) return;
      const atMs = init.clock.nowMs();
      if (hint.node === init.node) {
        // A name is proved by a certificate only: another node with our name changes nothing, but an operator wants to know.
        const where = hint.heardOn ?? hint.toldBy ?? hint.source;
        table.remark(init.node, { kind: 'lying', detail: `${where}: announces the name of this node`, atMs });
        return;
      }
      const entry = touch(hint.node);
      if (entry === undefined) return;
      const remarks = contradictions(entry, hint, atMs);
      entry.hints = withHint(entry.hints, hint);
      if (hint.source === 'lldp') entry.remarks = entry.remarks.filter((remark) => remark.kind !== 'silent');
      for (const remark of remarks) entry.remarks = withRemark(entry.remarks, remark);
      wake();
    },
    remark(node, remark) {
      const entry = touch(node);
      if (entry !== undefined) entry.remarks = withRemark(entry.remarks, remark);
    },
    retract(node, { source, heardOn }) {
      const entry = entries.get(node);
      if (entry === undefined) return;
      entry.hints = entry.hints.filter((hint) => hint.source !== source || hint.heardOn !== heardOn);
      if (!isKnown(entry)) entries.delete(node);
    },
    verified(node, verified) {
      const entry = touch(node);
      if (entry === undefined) return;
      entry.verified = verified;
      delete entry.remembered;
      // A node that has just opened a session announces an agent again.
      entry.remarks = entry.remarks.filter((remark) => remark.kind !== 'silent');
      for (const hint of entry.hints) {
        const remark = judgeThumbprint(hint, verified, init.clock.nowMs());
        if (remark !== undefined) entry.remarks = withRemark(entry.remarks, remark);
      }
      wake();
    },
    remember(node, remembered) {
      if (!isNodeName(node) || node === init.node) return;
      const entry = touch(node);
      if (entry === undefined || entry.verified !== undefined) return;
      entry.remembered = remembered;
      wake();
    },
    forgetBefore(atMs) {
      for (const entry of entries.values()) {
        if (entry.remembered === undefined || entry.remembered.atMs >= atMs) continue;
        delete entry.remembered;
        if (!isKnown(entry) && entry.remarks.length === 0) entries.delete(entry.node);
      }
    },
    find: (node) => {
      const exact = entries.get(node);
      return snapshotOf(exact !== undefined && isKnown(exact) ? exact : (resolve(entries, node) ?? exact));
    },
    resolve: (spelling) => snapshotOf(resolve(entries, spelling)),
    list: () => [...entries.values()].map((entry) => snapshot(entry)).sort((a, b) => (a.node < b.node ? -1 : 1)),
    waitFor: (node, signal) => heardOf(entries, waiters, node, signal),
  };
  return table;
}

/**
 * Known means: a hint gave an address, or mutual TLS succeeded, now or as far as this node remembers. Among names that people write alike (`pe3`, `pe-3`) the one
 * that was verified comes first, then the operator's own: an announcement cannot take a proven node's place. Among equals
 * only the exact name is certain.
 */
function resolve(entries: ReadonlyMap<string, Entry>, spelling: string): Entry | undefined {
  const key = nodeKey(spelling);
  const alike = [...entries.values()].filter((entry) => isKnown(entry) && nodeKey(entry.node) === key);
  const best = Math.min(...alike.map(standing));
  const equals = alike.filter((entry) => standing(entry) === best);
  return equals.length === 1 ? equals[0] : equals.find((entry) => entry.node === spelling.toLowerCase());
}

function isKnown(entry: Entry): boolean {
  return entry.hints.length > 0 || entry.verified !== undefined || entry.remembered !== undefined;
}

function standing(entry: Entry): number {
  if (entry.verified !== undefined) return 0;
  return entry.hints.some((hint) => hint.source === 'static') ? 1 : 2;
}

/** A node whose name people write like this. */
function isHeardOf(entries: ReadonlyMap<string, Entry>, spelling: string): boolean {
  return [...entries.values()].some((entry) => isKnown(entry) && nodeKey(entry.node) === nodeKey(spelling));
}

/** Resolves when a node of this name is known or the signal aborts; true when known. */
function heardOf(
  entries: ReadonlyMap<string, Entry>,
  waiters: Set<Waiter>,
  node: string,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((settle) => {
    if (isHeardOf(entries, node)) return settle(true);
    if (signal.aborted) return settle(false);
    const end = (known: boolean) => {
      waiters.delete(waiter);
      signal.removeEventListener('abort', onAbort);
      settle(known);
    };
    const onAbort = () => end(false);
    const waiter: Waiter = { node, found: () => end(true) };
    waiters.add(waiter);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Drops the peer that was unused for longest among those that never proved who they are, or else that did so before this agent started; false when there is none. */
function forgetOne(entries: Map<string, Entry>): boolean {
  const unproven = [...entries.values()].filter(
    ({ verified, hints }) => verified === undefined && !hints.some((hint) => hint.source === 'static'),
  );
  const [first] = [...unproven.filter(({ remembered }) => remembered === undefined), ...unproven];
  return first !== undefined && entries.delete(first.node);
}

/**
 * One hint for each claim of each source; a rotation that was announced replaces the claim it follows. A device that forges claims
 * pushes out his own: each origin has a few places, and when all are taken the origin with most claims gives way. What the
 * operator configured stays.
 */
function withHint(hints: readonly PeerHint[], hint: PeerHint): PeerHint[] {
  const others = hints.filter((other) => !(sameOrigin(other, hint) && follows(other, hint)));
  const kept = [...others, hint].sort(
    (a, b) => SOURCE_ORDER[a.source] - SOURCE_ORDER[b.source] || b.heardAtMs - a.heardAtMs,
  );
  while (claimsLike(kept, hint).length > DISCOVERY_LIMITS.peerHintsPerOrigin)
    kept.splice(kept.indexOf(claimsLike(kept, hint).at(-1)!), 1);
  while (kept.length > DISCOVERY_LIMITS.peerHints) kept.splice(kept.indexOf(mostCrowded(kept)), 1);
  return kept;
}

function claimsLike(hints: readonly PeerHint[], hint: PeerHint): readonly PeerHint[] {
  return hint.source === 'static' ? [] : hints.filter((other) => sameOrigin(other, hint));
}

/** The last of the least trusted among the origins with most claims. */
function mostCrowded(hints: readonly PeerHint[]): PeerHint {
  const most = Math.max(...hints.map((hint) => claimsLike(hints, hint).length));
  return hints.findLast((hint) => claimsLike(hints, hint).length === most) ?? hints.at(-1)!;
}

function sameOrigin(one: PeerHint, other: PeerHint): boolean {
  return one.source === other.source && one.heardOn === other.heardOn && one.toldBy === other.toldBy;
}

function follows(older: PeerHint, newer: PeerHint): boolean {
  return older.thumbprint === newer.thumbprint || older.nextThumbprint === newer.thumbprint;
}

/** What a new hint says against the certificate that was seen, or against what others claim. */
function contradictions(entry: Entry, hint: PeerHint, atMs: number): PeerRemark[] {
  const judged = entry.verified === undefined ? undefined : judgeThumbprint(hint, entry.verified, atMs);
  if (judged !== undefined) return [judged];
  if (entry.verified !== undefined || hint.thumbprint === undefined) return [];
  const rival = entry.hints.find(
    (other) => other.thumbprint !== undefined && !follows(other, hint) && other.thumbprint !== hint.nextThumbprint,
  );
  if (rival === undefined) return [];
  const [first, second] = [`${originOf(rival)} ${brief(rival)}`, `${originOf(hint)} ${brief(hint)}`].sort();
  return [{ kind: 'lying', detail: `two claimants for one name: ${first}, ${second}`, atMs }];
}

/** A hint that names another certificate than the one that was verified: on its way out or in, or a lie. */
function judgeThumbprint(hint: PeerHint, verified: Verified, atMs: number): PeerRemark | undefined {
  if (hint.thumbprint === undefined || hint.thumbprint === verified.thumbprint) return undefined;
  const kind =
    hint.nextThumbprint === verified.thumbprint || hint.heardAtMs < verified.atMs - DISCOVERY_LIMITS.staleHintMs
      ? 'outdated'
      : 'lying';
  return { kind, detail: `${originOf(hint)}: thumbprint ${brief(hint)} is not the certificate's`, atMs };
}

function originOf(hint: PeerHint): string {
  return hint.heardOn ?? (hint.toldBy === undefined ? hint.source : `told by ${hint.toldBy}`);
}

function brief(hint: PeerHint): string {
  return (hint.thumbprint ?? '').slice(0, 16);
}

function withRemark(remarks: readonly PeerRemark[], remark: PeerRemark): PeerRemark[] {
  const others = remarks.filter((other) => other.kind !== remark.kind || other.detail !== remark.detail);
  return [...others, remark].slice(-DISCOVERY_LIMITS.peerRemarks);
}

function snapshotOf(entry: Entry | undefined): PeerRecord | undefined {
  return entry === undefined ? undefined : snapshot(entry);
}

function snapshot(entry: Entry): PeerRecord {
  const { node, hints, remarks, verified, remembered } = entry;
  return {
    ...{ node, hints: [...hints], remarks: [...remarks] },
    ...(verified === undefined ? {} : { verified }),
    ...(remembered === undefined ? {} : { remembered }),
  };
}
