// What an embedded network is made of, and the faults that a lab may put into it. Data only.

export type EmbeddedEnd = {
  readonly node: string;
  readonly ifname: string;
  /** `2001:db8:12::1/64` */
  readonly address: string;
};

export type EmbeddedLink = {
  readonly a: EmbeddedEnd;
  readonly b: EmbeddedEnd;
  readonly mtu?: number;
  readonly delayMs?: number;
};

export type EmbeddedNode = {
  readonly name: string;
  /** Global IPv6 address, without prefix length. */
  readonly loopback: string;
  readonly sids: readonly { readonly sid: string; readonly behavior: string; readonly table?: string }[];
  /** Prefixes that this node throws away, `2001:db8:dead::/48`. */
  readonly blackholes?: readonly string[];
};

export type EmbeddedDescription = {
  /** The same seed and the same calls give the same losses. */
  readonly seed: number;
  readonly nodes: readonly EmbeddedNode[];
  readonly links: readonly EmbeddedLink[];
};

/** A fault of the network. `loss` acts in the direction away from `node` by `ifname`; 0 repairs it. */
export type EmbeddedFault =
  | {
      readonly kind: 'loss';
      readonly node: string;
      readonly ifname: string;
      readonly percent: number;
      /** Only packets of more octets are lost. */
      readonly overBytes?: number;
    }
  | { readonly kind: 'link'; readonly node: string; readonly ifname: string; readonly up: boolean }
  | {
      readonly kind: 'acl';
      readonly node: string;
      readonly ifname: string;
      readonly name: string;
      /** Share of the packets with a routing header that it drops. */
      readonly percent: number;
    }
  | { readonly kind: 'remove-acl'; readonly node: string; readonly name: string }
  | { readonly kind: 'repair' };

/** Mulberry32: small, fast, and the same everywhere. */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
