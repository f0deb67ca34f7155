// The shape of a fault: everything that Parley knows about it, in one definition. A definition detects the fault in a slice of the
// network's state, or explains symptoms that several faults share; it proposes findings and ranking decides (rank.ts).
import type { JsonObject } from '#base/json.ts';
import type { Confidence, Finding, Remedy } from '#model/finding.ts';
import type { ResourceId } from '#model/names.ts';
import type { World, WorldLink } from '../network/world.ts';
import type { CaseFile, Fact } from './facts.ts';
import type { LossSymptom } from './loss-symptom.ts';
import { defineSymptom, type Symptom, type SymptomKind } from './symptom.ts';

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
  /** Proposals with the same value are one fault in several places: they are chosen, counted and dropped as one. */
  readonly together?: string;
  /** Set when something forbids the accusation: it stays a candidate, with this reason. */
  readonly withheld?: string;
};

/** What the registry, the documents and the lab's list know of a fault. */
export type FaultCard = {
  readonly id: string;
  readonly resource: ResourceForm;
  /** False: explains a symptom without accusing anything, and never becomes a finding. */
  readonly accuses: boolean;
  /** Labels of the public benchmarks (docs/faults.md); null where they have none. */
  readonly labels: { readonly nika: string | null; readonly netOpsBench: string | null };
  readonly summary: string;
  /** What `parley remedy` draws up, and under which condition; absent where a person must act (docs/faults.md). */
  readonly exact?: string;
};

/** A fault as the engine runs it, its detail hidden. */
export type FaultDefinition = FaultCard & {
  /** Symptoms that this fault alone shows; absent where it explains symptoms that several faults share. */
  detect?(slice: Slice): readonly Symptom[];
  propose(file: CaseFile, losses: readonly LossSymptom[]): readonly Proposal[];
};

/** The network at one time: the time of the question, or a moment that its nodes remember. The same detection reads both. */
export type Slice = {
  readonly world: World;
  readonly facts: readonly Fact[];
  /** Set for a remembered moment: how long ago it was, and the network as it is now. */
  readonly past?: { readonly agoMs: number; readonly now: World };
};

/** One place where a fault was detected. */
export type Detection<Detail extends JsonObject> = {
  readonly resource: ResourceId;
  /** `certain` when absent. */
  readonly confidence?: Confidence;
  /** Ids of the evidence that shows it. */
  readonly evidence: readonly string[];
  readonly nodes: readonly string[];
  readonly link?: WorldLink;
  readonly detail: Detail;
};

/** A fault that is detected directly: it raises a symptom of its own and explains it. */
export type DetectedFault<Detail extends JsonObject> = FaultCard & {
  detect(slice: Slice): readonly Detection<Detail>[];
  /** One sentence for people, with node references (network/node-ref.ts). */
  describe(detail: Detail): string;
  /** Undefined where nothing is left to be done. */
  remedy?(detail: Detail, file: CaseFile): Remedy | undefined;
  /** Other symptoms that follow from the fault, so that ranking reports the cause alone. */
  consequences?(symptom: Symptom<Raised<Detail>>, file: CaseFile, losses: readonly LossSymptom[]): readonly Share[];
};

type Raised<Detail extends JsonObject> = Detail & { readonly what: string };

/**
 * Makes a definition from a detection with typed detail. `symptoms` is the kind of symptom that it raises, for other definitions
 * whose fault has this one as a consequence.
 */
export function defineFault<Detail extends JsonObject>(
  fault: DetectedFault<Detail>,
): FaultDefinition & { readonly symptoms: SymptomKind<Raised<Detail>> } {
  const { detect, describe, remedy, consequences, ...card } = fault;
  const symptoms = defineSymptom<Raised<Detail>>(fault.id);
  return {
    ...card,
    symptoms,
    detect: (slice) =>
      detect(slice).map(({ resource, confidence = 'certain', evidence, nodes, link, detail }) => {
        const text = describe(detail);
        return symptoms.raise({
          id: `${fault.id}:${resource}`,
          ...{ subject: resource, text, source: evidence, nodes, detail: { what: text, ...detail } },
          confidence: slice.past === undefined ? confidence : 'likely',
          ...(link === undefined ? {} : { link }),
        });
      }),
    propose: (file, losses) =>
      symptoms.of(file).map((symptom): Proposal => {
        const remedied = remedy?.(symptom.detail, file);
        return {
          fault: fault.id,
          resource: symptom.subject,
          confidence: symptom.confidence ?? 'certain',
          score: 3,
          explains: [{ symptom: symptom.id, lost: 1, spread: 0 }, ...(consequences?.(symptom, file, losses) ?? [])],
          evidence: symptom.source,
          against: [],
          details: symptom.detail,
          ...(remedied === undefined ? {} : { remedy: remedied }),
        };
      }),
  };
}

/** One place where a fault explains symptoms that several faults could have caused. */
export type Explanation<Detail extends JsonObject> = Omit<
  Proposal,
  'fault' | 'details' | 'remedy' | 'confidence' | 'score' | 'against'
> &
  Partial<Pick<Proposal, 'confidence' | 'score' | 'against'>> & { readonly detail: Detail };

/** A fault that is the cause of shared symptoms: of links, adjacencies, sessions, routes, services, or of lost probes. */
export type CausalFault<Detail extends JsonObject> = FaultCard & {
  explain(file: CaseFile, losses: readonly LossSymptom[]): readonly Explanation<Detail>[];
  describe(detail: Detail): string;
  /** Undefined where nothing is left to be done. */
  remedy?(detail: Detail, file: CaseFile): Remedy | undefined;
};

/** Makes a definition from explanations with typed detail. */
export function defineCause<Detail extends JsonObject>(fault: CausalFault<Detail>): FaultDefinition {
  const { explain, describe, remedy, ...card } = fault;
  return {
    ...card,
    propose: (file, losses) =>
      explain(file, losses).map(({ detail, ...rest }): Proposal => {
        const remedied = remedy?.(detail, file);
        return {
          ...{ fault: fault.id, confidence: 'certain', score: 3, against: [] },
          ...rest,
          details: { what: describe(detail), ...detail },
          ...(remedied === undefined ? {} : { remedy: remedied }),
        };
      }),
  };
}
