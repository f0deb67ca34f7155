// Peers: hints that discovery found, and what was learned since. Nothing here is identity; that comes from the certificate.
import type { Neighbour } from './router/router-port.ts';

export const HINT_SOURCES = ['lldp', 'isis', 'ospf', 'static', 'peer-exchange'] as const;
export type HintSource = (typeof HINT_SOURCES)[number];

/** What a discovery source says about a peer; all of it is unverified. */
export type PeerHint = {
  readonly source: HintSource;
  /** Name the peer claims; the certificate decides. */
  readonly node: string;
  readonly addresses: readonly string[];
  readonly port: number;
  /** SHA-256 of the device certificate, lower-case hex (TS-13 `cert-thumbprint`). */
  readonly thumbprint?: string;
  /** Thumbprint of the certificate that will follow at rotation. */
  readonly nextThumbprint?: string;
  /** SHA-256 of the capability list, lower-case hex, cut to 16 bytes. */
  readonly capabilitiesHash?: string;
  /** The capability list itself (TS-13 `supported-capabilities`), where it fits into the announcement. */
  readonly capabilities?: readonly string[];
  /** Local interface it was heard on. */
  readonly heardOn?: string;
  /** Peer that told us of it, for peer exchange. */
  readonly toldBy?: string;
  readonly hops: number;
  /** Local wall clock, milliseconds since the epoch. */
  readonly heardAtMs: number;
};

/** Silent, malformed or lying announcements: recorded, never fatal (TS-13). */
export type PeerRemark = {
  readonly kind: 'silent' | 'malformed' | 'lying' | 'outdated';
  readonly detail: string;
  readonly atMs: number;
};

export type PeerRecord = {
  readonly node: string;
  readonly hints: readonly PeerHint[];
  readonly remarks: readonly PeerRemark[];
  /** Set after mutual TLS succeeded under this name. */
  readonly verified?: {
    readonly thumbprint: string;
    readonly address: string;
    readonly port: number;
    readonly atMs: number;
    /** Of its agent, as it says itself. */
    readonly version?: string;
  };
  /** Where mutual TLS succeeded under this name before this agent started, and when last. */
  readonly remembered?: RememberedPeer;
};

/** `atMs`: local wall clock, milliseconds since the epoch. */
export type RememberedPeer = { readonly address: string; readonly port: number; readonly atMs: number };

/** The table of every node that this node has heard of. Reads are snapshots. */
export type PeerTable = {
  add(hint: PeerHint): void;
  remark(node: string, remark: PeerRemark): void;
  /** Takes back the hints about `node` of one origin; a node that has no hint left, was never verified and is not remembered is forgotten. */
  retract(node: string, origin: Pick<PeerHint, 'source' | 'heardOn'>): void;
  verified(node: string, entry: NonNullable<PeerRecord['verified']>): void;
  /** Of a node with which sessions were open before this agent started; a session that is opened takes its place. */
  remember(node: string, entry: RememberedPeer): void;
  /** Takes back what was remembered from before this time. */
  forgetBefore(atMs: number): void;
  /** By exact name, else as `resolve`. */
  find(node: string): PeerRecord | undefined;
  /** Whom an operator means: verified nodes before configured ones before announced ones; undefined when two are equally likely. */
  resolve(spelling: string): PeerRecord | undefined;
  list(): readonly PeerRecord[];
  /** Resolves when `node` is known or the signal aborts; true when known. */
  waitFor(node: string, signal: AbortSignal): Promise<boolean>;
};

/** A discovery mechanism: emits hints, never opens a session. Starting twice or stopping unstarted is harmless. */
export type Discovery = {
  start(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
};

/**
 * A placeholder until an OUI is assigned: the locally administered bit (0x02) is set, so it can be no vendor's
 * IEEE-assigned OUI. docs/decisions/0006 says what has to change when there is one.
 */
export const PARLEY_OUI = '02504c';

/** An LLDP neighbour whose announcement has a TLV of ours, whatever it says. */
export function announcesAgent({ unknownTlvs }: Pick<Neighbour, 'unknownTlvs'>): boolean {
  return unknownTlvs.some(({ oui }) => oui === PARLEY_OUI);
}
