// The shape of a rule: reads facts, proposes findings. A proposal says what it explains and what speaks against it; ranking
// decides. A fault has a file of its own, or shares one with those of the same shape.
import type { Confidence, Finding, Remedy } from '#model/finding.ts';
import type { ResourceId } from '#model/names.ts';
import type { CaseFile } from './facts.ts';
import type { LossSymptom } from './loss-symptom.ts';

export type ResourceForm = 'node' | 'interface' | 'link';

/** How many of a symptom's lost probes a proposal accounts for, give or take `spread`. */
export type Share = { readonly symptom: string; readonly lost: number; readonly spread: number };

export type Proposal = {
  readonly fault: string;
  readonly resource: ResourceId;
  readonly confidence: Confidence;
  /** Among equally small explanations the higher total wins. */
  readonly score: number;
  readonly explains: readonly Share[];
  readonly evidence: readonly string[];
  readonly against: readonly string[];
  readonly details: Finding['details'];
  readonly remedy?: Remedy;
  /** Proposals with the same mark are one fault in several places: they are chosen, counted and dropped as one. */
  readonly together?: string;
  /** Set when something forbids the accusation: it stays a candidate, with this reason. */
  readonly withheld?: string;
};

export type Rule = {
  readonly fault: string;
  readonly resourceForm: ResourceForm;
  /** False: explains a symptom without accusing anybody, and never becomes a finding. */
  readonly accuses: boolean;
  /** Labels of the public benchmarks (docs/faults.md); null where they have none. */
  readonly nika: string | null;
  readonly netOpsBench: string | null;
  readonly summary: string;
  /** What `parley remedy` draws up, and under which condition; absent where a person must act (docs/faults.md). */
  readonly exact?: string;
  propose(file: CaseFile, losses: readonly LossSymptom[]): readonly Proposal[];
};
