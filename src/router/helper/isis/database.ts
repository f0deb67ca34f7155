// The link-state database of a speaker with one neighbour: what others originated, aged and bounded, and which systems
// can be reached. Information of a system that cannot be reached must not be used (RFC 6823 §2), so it is never told.

import type { GenericInformation } from '#codec/isis/geninfo.ts';
import { type LspContents, readLspContents } from '#codec/isis/lsp-contents.ts';
import type { Lsp, LspEntry } from '#codec/isis/pdu.ts';
import { HELPER_LIMITS } from '../limits.ts';

export type Database = {
  /** Keeps an LSP that is newer than the one it has; a purge removes it. True when something changed. */
  offer(lsp: Lsp, nowMs: number): boolean;
  /** Of what a neighbour lists, what is missing or older here: to be asked for. */
  missing(entries: readonly LspEntry[]): readonly string[];
  /** Removes what has outlived its lifetime. True when something changed. */
  age(nowMs: number): boolean;
  /** What can be reached from `root` (a node id) over links that both ends report, `root` included. */
  reachable(root: string): readonly ReachableSystem[];
  contentsOf(lspId: string): LspContents | undefined;
  clear(): void;
  readonly size: number;
};

export type ReachableSystem = {
  readonly systemId: string;
  readonly hostname?: string;
  readonly generic: readonly GenericInformation[];
  readonly faults: readonly string[];
};

type Kept = { readonly lsp: Lsp; readonly contents: LspContents; readonly expiresAtMs: number };

/** Digits of a node id: system id and pseudonode octet. */
const NODE_DIGITS = 14;
const SYSTEM_DIGITS = 12;

export function createDatabase(init: { readonly maxLsps?: number } = {}): Database {
  const maxLsps = init.maxLsps ?? HELPER_LIMITS.isisLsps;
  const kept = new Map<string, Kept>();
  return {
    offer(lsp, nowMs) {
      const own = kept.get(lsp.lspId);
      if (own !== undefined && !isNewer(lsp, own.lsp)) return false;
      if (lsp.lifetimeSeconds === 0) return kept.delete(lsp.lspId);
      if (own === undefined && kept.size >= maxLsps) return false;
      const expiresAtMs = nowMs + lsp.lifetimeSeconds * 1_000;
      kept.set(lsp.lspId, { lsp, contents: readLspContents(lsp.contents), expiresAtMs });
      return true;
    },
    missing(entries) {
      if (kept.size >= maxLsps) return [];
      const sequenceOf = (lspId: string) => kept.get(lspId)?.lsp.sequence ?? -1;
      const older = entries.filter((each) => each.lifetimeSeconds > 0 && sequenceOf(each.lspId) < each.sequence);
      return older.map(({ lspId }) => lspId);
    },
    age(nowMs) {
      const old = [...kept].filter(([, { expiresAtMs }]) => expiresAtMs <= nowMs);
      for (const [lspId] of old) kept.delete(lspId);
      return old.length > 0;
    },
    reachable: (root) => walk(nodesOf(kept), root),
    contentsOf: (lspId) => kept.get(lspId)?.contents,
    clear: () => kept.clear(),
    get size() {
      return kept.size;
    },
  };
}

/** ISO/IEC 10589 §7.3.16: the higher sequence number; of equals, the one that is purged. */
function isNewer(lsp: Lsp, own: Lsp): boolean {
  if (lsp.sequence !== own.sequence) return lsp.sequence > own.sequence;
  return lsp.lifetimeSeconds === 0;
}

type GraphNode = { overload: boolean; neighbours: Set<string>; parts: LspContents[] };

/** A node counts only with its fragment 0 (§7.2.5 note); the other fragments add to it. */
function nodesOf(kept: ReadonlyMap<string, Kept>): ReadonlyMap<string, GraphNode> {
  const nodes = new Map<string, GraphNode>();
  for (const [lspId, { lsp, contents }] of [...kept].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const nodeId = lspId.slice(0, NODE_DIGITS);
    const isFirst = lspId.slice(NODE_DIGITS) === '00';
    const node = nodes.get(nodeId);
    if (node === undefined && !isFirst) continue;
    const grown = node ?? { overload: lsp.overload, neighbours: new Set<string>(), parts: [] };
    for (const neighbour of contents.neighbours) grown.neighbours.add(neighbour);
    grown.parts.push(contents);
    nodes.set(nodeId, grown);
  }
  return nodes;
}

/** No path leads through an overloaded node; the node itself is reachable. */
function walk(nodes: ReadonlyMap<string, GraphNode>, root: string): readonly ReachableSystem[] {
  const reached = new Set<string>();
  const waiting = nodes.has(root) ? [root] : [];
  for (let nodeId = waiting.pop(); nodeId !== undefined; nodeId = waiting.pop()) {
    if (reached.has(nodeId)) continue;
    reached.add(nodeId);
    const node = nodes.get(nodeId)!;
    if (node.overload && nodeId !== root) continue;
    for (const next of node.neighbours) if (nodes.get(next)?.neighbours.has(nodeId)) waiting.push(next);
  }
  return [...reached].filter((nodeId) => nodeId.endsWith('00')).map((nodeId) => systemOf(nodeId, nodes.get(nodeId)!));
}

function systemOf(nodeId: string, { parts }: GraphNode): ReachableSystem {
  const hostname = parts.find((part) => part.hostname !== undefined)?.hostname;
  return {
    systemId: nodeId.slice(0, SYSTEM_DIGITS),
    ...(hostname === undefined ? {} : { hostname }),
    generic: parts.flatMap((part) => part.generic),
    faults: parts.flatMap((part) => part.faults),
  };
}
