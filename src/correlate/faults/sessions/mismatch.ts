// What a comparison of the two ends of one session gives, and which end is named: the one that differs from its own other sessions,
// where that is one of the two; else both, as one fault. Pure.
import type { Confidence } from '#model/finding.ts';
import type { ResourceId } from '#model/names.ts';
import { majority } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';

export type SessionEnd = { readonly node: string; readonly resource: ResourceId };

export type Difference = {
  /** What differs, with node references. */
  readonly words: string;
  /** Nodes that differ in this from their other sessions. */
  readonly odd: readonly string[];
  /** Absent: certain. */
  readonly confidence?: Confidence;
};

export type Mismatch = {
  readonly protocol: 'BGP' | 'IS-IS' | 'OSPF' | 'OSPFv3';
  readonly ends: readonly [SessionEnd, SessionEnd];
  readonly differences: readonly [Difference, ...Difference[]];
  /** Settings and state, `password: yes / no`, in the order of the ends. */
  readonly sideBySide: readonly string[];
  readonly symptoms: readonly Symptom[];
};

/** The end on which all differences that name one agree; undefined where they name none, or both. */
export function oddEnd({ ends, differences }: Mismatch): SessionEnd | undefined {
  const named = new Set(differences.flatMap(({ odd }) => (odd.length === 1 ? odd : [])));
  return named.size === 1 ? ends.find(({ node }) => named.has(node)) : undefined;
}

/** A row at one end, and the other rows of the same kind at its node. */
export type Compared<Row> = { readonly node: string; readonly row: Row; readonly others: readonly Row[] };

/** Nodes at which the property is not what it is in most of their other rows. */
export function oddNodes<Row>(
  ends: readonly Compared<Row>[],
  property: (row: Row) => string | number | boolean | undefined,
): readonly string[] {
  return ends
    .filter(({ row, others }) => {
      const usual = majority(others.map((other) => JSON.stringify(property(other) ?? null)));
      return usual !== undefined && usual !== JSON.stringify(property(row) ?? null);
    })
    .map(({ node }) => node);
}
