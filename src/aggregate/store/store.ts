// What registration needs of a store that aggregators share: claims that end by themselves when their aggregator does, or cannot reach the store.

export type Claim = { readonly segment: string; readonly subserverId: string };

export type Holder = Claim & { readonly aggregatorId: string };

/** `unreachable`: nothing can be said, so nothing is registered. */
export type Claimed =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'held'; readonly holder: Holder }
  | { readonly kind: 'unreachable'; readonly reason: string };

export type RegistrationStore = {
  /** Takes segment and subserver for this aggregator. Where another one holds the subserver, that one is asked to let it go. */
  claim(claim: Claim): Promise<Claimed>;
  release(claim: Claim): Promise<void>;
  /** Called when all claims are lost: they may be another's from now on. Set before `start`. */
  lost: (reason: string) => void;
  /** Called when another aggregator wants this subserver, which has come to it. */
  wanted: (subserverId: string) => void;
  start(): void;
  /** Gives all claims up. */
  stop(): Promise<void>;
};
