// What an operator asked, and the calls that answer it.
import type { PlannedCall } from './call.ts';

/** Structured intent. Node names are spelled as typed in `as` and resolved in `node`. */
export type Intent = {
  readonly kind: 'path-loss';
  /** As typed. */
  readonly text: string;
  /** Head, mid-points in order, tail: the SID list of TS-12. */
  readonly path: readonly NamedNode[];
  /** `srv6` when the intent names an SRv6 path. */
  readonly encapsulation: 'srv6' | 'ip';
};

/** The operator's spelling and the normal form by which nodes are matched (names.ts `nodeKey`). */
export type NamedNode = { readonly as: string; readonly key: string };

/** One step of a plan: its calls run in parallel, all of them end before the next step begins. */
export type Plan = {
  readonly nodes: readonly string[];
  readonly calls: readonly PlannedCall[];
};
