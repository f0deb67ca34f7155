// The network as its nodes tell it, before anything is measured: what `parley-topology` answers and a command shows. Types alone.
import type { LinkConfidence, LinkRow } from './link-indicators.ts';

/** `unknown`: the state of neither end is known. */
export type MapLink = LinkRow & { readonly state: 'up' | 'down' | 'unknown' };

export type NetworkMap = {
  /** Every node in scope, by name; `seen` is true where its state is known, by itself or through a neighbour. */
  readonly nodes: readonly { readonly node: string; readonly seen: boolean }[];
  readonly links: readonly MapLink[];
  /** How many links are believed how far. */
  readonly confidence: Readonly<Record<LinkConfidence, number>>;
  /** Links that are expected and not there, or are down. */
  readonly missing: readonly string[];
  /** Links that one end alone claims, and ports of which two protocols say two things. */
  readonly remarks: readonly string[];
};
