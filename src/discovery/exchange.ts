// Peer exchange: what one node tells an authenticated other about those it knows, and how the answer becomes hints.
// Pure. Bounded in hops and entries; a told peer is a hint like any other, and nothing about ourselves is believed.
// Total on the asking side: a bad answer yields remarks about the teller, never an exception (CARD-2, TS-13).
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { isNodeName } from '#model/names.ts';
import type { PeerHint, PeerRecord, PeerRemark } from '#model/peer.ts';
import { isDialable } from './address.ts';
import { DISCOVERY_LIMITS } from './limits.ts';

/** Name of the tool and of its capability. */
export const PEERS_TOOL = 'parley-peers';

/** `structuredContent` of the tool, the same on both sides. */
export type PeerAnswer = {
  readonly node: string;
  readonly peers: readonly ToldPeer[];
  /** True when the table held more than one answer may name. */
  readonly truncated: boolean;
};

export type ToldPeer = {
  readonly node: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly thumbprint?: string;
  /** Nodes between the teller and the source of this hint. */
  readonly hops: number;
  /** True when the teller has had a session with it. */
  readonly verified: boolean;
};

/** What `node` tells `asker`: every other node with an address, the verified first, then by name. */
export function buildPeerAnswer(
  node: string,
  records: readonly PeerRecord[],
  asker: string,
  { isForPeople = false }: { readonly isForPeople?: boolean } = {},
): PeerAnswer {
  // A person at this node is told addresses of this machine too; another node could not dial them.
  const canTell = isForPeople ? () => true : isDialable;
  const told = records
    .filter((record) => record.node !== asker && record.node !== node && isNodeName(record.node))
    .map((record) => tell(record, canTell))
    .filter((peer) => peer !== undefined)
    .sort((a, b) => Number(b.verified) - Number(a.verified) || (a.node < b.node ? -1 : 1));
  return {
    node,
    peers: told.slice(0, DISCOVERY_LIMITS.peerExchangeEntries),
    truncated: told.length > DISCOVERY_LIMITS.peerExchangeEntries,
  };
}

/** Hints from an authenticated peer's answer; `own` is this node's name. */
export function foldPeerAnswer(
  answer: JsonValue,
  from: { readonly toldBy: string; readonly own: string; readonly atMs: number },
): { readonly hints: readonly PeerHint[]; readonly remarks: readonly PeerRemark[] } {
  const malformed = (detail: string): PeerRemark => ({
    kind: 'malformed',
    detail: `peer exchange: ${detail}`,
    atMs: from.atMs,
  });
  if (!isJsonObject(answer) || !Array.isArray(answer['peers']))
    return { hints: [], remarks: [malformed('no list of peers')] };
  const entries: readonly JsonValue[] = answer['peers'];
  const hints: PeerHint[] = [];
  let badEntries = 0;
  for (const entry of entries.slice(0, DISCOVERY_LIMITS.peerExchangeEntries)) {
    const hint = readTold(entry, from);
    if (hint === undefined) badEntries += 1;
    else if (hint.node !== from.own && hint.node !== from.toldBy && hint.hops <= DISCOVERY_LIMITS.peerExchangeHops)
      hints.push(hint);
  }
  const remarks: PeerRemark[] = [];
  if (badEntries > 0) remarks.push(malformed(`${badEntries} entries could not be read`));
  if (entries.length > DISCOVERY_LIMITS.peerExchangeEntries)
    remarks.push(malformed(`more than ${DISCOVERY_LIMITS.peerExchangeEntries} entries`));
  return { hints, remarks };
}

function tell(record: PeerRecord, canTell: (address: string) => boolean): ToldPeer | undefined {
  const nearest = [...record.hints].sort((a, b) => a.hops - b.hops)[0];
  const { verified, node } = record;
  if (verified !== undefined && canTell(verified.address)) {
    const { address, port, thumbprint } = verified;
    return { node, addresses: [address], port, thumbprint, hops: nearest?.hops ?? 0, verified: true };
  }
  if (nearest === undefined || nearest.hops >= DISCOVERY_LIMITS.peerExchangeHops) return undefined;
  const addresses = nearest.addresses.filter(canTell).slice(0, LIMITS.hintAddresses);
  if (addresses.length === 0) return undefined;
  const thumbprint = nearest.thumbprint === undefined ? {} : { thumbprint: nearest.thumbprint };
  return { node, addresses, port: nearest.port, ...thumbprint, hops: nearest.hops, verified: false };
}

function readTold(entry: JsonValue, from: { readonly toldBy: string; readonly atMs: number }): PeerHint | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { node, addresses, port, thumbprint, hops } = entry;
  if (typeof node !== 'string' || !isNodeName(node)) return undefined;
  if (!isCount(port, 1, 65_535) || !isCount(hops, 0, DISCOVERY_LIMITS.peerExchangeHops)) return undefined;
  if (!Array.isArray(addresses) || addresses.length === 0 || addresses.length > LIMITS.hintAddresses) return undefined;
  if (!addresses.every((address: JsonValue) => typeof address === 'string' && isDialable(address))) return undefined;
  if (thumbprint !== undefined && !(typeof thumbprint === 'string' && /^[0-9a-f]{64}$/.test(thumbprint)))
    return undefined;
  return {
    source: 'peer-exchange',
    node,
    addresses: addresses as string[],
    port,
    ...(thumbprint === undefined ? {} : { thumbprint }),
    toldBy: from.toldBy,
    hops: hops + 1,
    heardAtMs: from.atMs,
  };
}

function isCount(value: JsonValue | undefined, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

/** The answer as a tool's result. */
export function peerAnswerJson(answer: PeerAnswer): JsonObject {
  return { node: answer.node, peers: answer.peers.map((peer) => ({ ...peer })), truncated: answer.truncated };
}
