// What registration needs of a store that aggregators share: claims that end by themselves when their aggregator does, or cannot reach the store.

/** `owner`: what the session of the subserver proves, an authority or the name in its certificate; undefined where it proves nothing. */
export type Claim = { readonly segment: string; readonly subserverId: string; readonly owner?: string | undefined };

export type Holder = Claim & { readonly aggregatorId: string };

/** `unreachable`: nothing can be said, so nothing is registered. */
export type Claimed =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'held'; readonly holder: Holder }
  | { readonly kind: 'unreachable'; readonly reason: string };

export type RegistrationStore = {
  /** Takes segment and subserver for this aggregator. Where another one holds it for the same owner, that one is asked to let it go. */
  claim(claim: Claim): Promise<Claimed>;
  release(claim: Claim): Promise<void>;
  /** Called when all claims are lost: they may be another's from now on. Set before `start`. */
  lost: (reason: string) => void;
  /** Called when another aggregator wants a subserver of this claim, which has come to it and has proven the same owner. */
  wanted: (claim: Claim) => void;
  start(): void;
  /** Gives all claims up. */
  stop(): Promise<void>;
};
