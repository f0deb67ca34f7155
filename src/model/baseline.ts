// What a network is expected to look like: a profile that was known to be good, or the links of a topology file. Optional; a
// missing thing is a symptom, an additional one a remark (docs/operations/comparing.md).
import type { Profile } from './snapshot.ts';

export type BaselineSource =
  | { readonly kind: 'report'; readonly id: string; readonly intent: string }
  | { readonly kind: 'topology'; readonly name: string };

export type Baseline = {
  readonly schemaVersion: typeof BASELINE_SCHEMA_VERSION;
  readonly node: string;
  /** RFC 3339. */
  readonly saved: string;
  /** The operator who saved it. */
  readonly by: string;
  readonly source: BaselineSource;
  readonly profile: Profile;
};

export const BASELINE_SCHEMA_VERSION = 1;

/** What rules hold a case against. */
export type Expectation = {
  /** For people: "baseline of 2026-01-01T00:00:00.000Z". */
  readonly name: string;
  readonly source: BaselineSource['kind'];
  readonly profile: Profile;
};

/** Where a node keeps what it expects; at most one baseline of each source. */
export type BaselineStore = {
  /** What is kept and verifies; the reasons of what does not. */
  load(): Promise<{ readonly baselines: readonly Baseline[]; readonly refused: readonly string[] }>;
  save(baseline: Baseline): Promise<void>;
  clear(): Promise<void>;
};

export function expectationOf({ saved, source, profile }: Baseline): Expectation {
  const name = source.kind === 'report' ? `baseline of ${saved}` : `topology ${source.name}`;
  return { name, source: source.kind, profile };
}
