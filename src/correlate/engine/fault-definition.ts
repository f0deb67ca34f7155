// The shape of a fault: everything that Parley knows about it, in one definition. A definition detects the fault in a slice of the
// network's state, or explains symptoms that several faults share; it proposes findings and ranking decides (rank.ts).
import type { JsonObject } from '#base/json.ts';
import type { ClueKind } from '#model/clue.ts';
import type { Confidence, Finding, RemarkReason, Remedy } from '#model/finding.ts';
import type { ResourceId } from '#model/names.ts';
import type { World, WorldLink } from '../network/world.ts';
import type { CaseFile, Fact } from './facts.ts';
import type { LossSymptom } from './loss-symptom.ts';
import { defineOwnSymptom, type Symptom, type SymptomKind } from './symptom.ts';

export type ResourceForm = 'node' | 'interface' | 'link';

/** How many of a symptom's lost probes a proposal accounts for, give or take `spread`. */
export type Share = { readonly symptom: string; readonly lost: number; readonly spread: number };

export type Proposal = {
  /** Id of its definition. */
  readonly fault: string;
  readonly resource: ResourceId;
  /** Tells it from others of the same fault at the same resource, where these are not one. */
  readonly key?: string;
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
  /**
   * Its own counters show that it does harm to what it explains. Beside a chosen proposal of the same fault it stands, though that one alone
   * would explain everything: one change that was made to many nodes must be undone at each.
   */
  readonly observed?: true;
  /** Set when something forbids the accusation: it stays a candidate, with this reason. */
  readonly withheld?: string;
  /** Set where its definition explains symptoms without accusing: it never becomes a finding. */
  readonly accuses?: false;
  /** A place and no name: weighed only for what no other proposal explains. What showed it is its first share. */
  readonly lastResort?: true;
  /** Set where nothing makes it a fault (symptoms/grounds.ts): it settles what it explains, and is said so, with node references. */
  readonly remark?: string;
  /** Of a remark; absent: `no-change`. */
  readonly remarkReason?: RemarkReason;
  /** Set where operators said that it is meant: it explains what it explains, and never becomes a finding. */
  readonly meant?: true;
  /** The finding in a few words, where resource and fault do not say enough; with node references. */
  readonly headline?: string;
};

/**
 * What two nodes, or two memories of one, remember within this was at one time: scans are some seconds apart, packets and carriers are read every two.
 * Whole states are read more seldom, and each with its times: history/states-then.ts.
 */
export const SAME_TIME_MS = 8_000;

/** What nodes keep of a time that is over, beside whole states of theirs (history/): scans of hosts, ARP requests, and so on. */
export type Memory =
  | 'host-scans'
  | 'off-link-arp'
  | 'dns-records'
  | 'dhcp-offers'
  | 'dhcp-refusals'
  | 'dhcp-silences'
  | 'filters'
  | 'probe-rounds'
  | 'packet-counts';

/** What the registry, the documents and the lab's list know of a fault. */
export type FaultCard = {
  readonly id: string;
  readonly resource: ResourceForm;
  /** Other forms that its resource may have; the evidence decides. */
  readonly orResource?: readonly ResourceForm[];
  /** It names a place and not what is wrong there: every other fault is stronger. */
  readonly lastResort?: true;
  /** False: explains a symptom without accusing anything, and never becomes a finding. */
  readonly accuses: boolean;
  /** Labels of the public benchmarks (docs/faults.md); null where they have none. */
  readonly labels: { readonly nika: string | null; readonly netOpsBench: string | null };
  readonly summary: string;
  /** What `parley remedy` draws up, and under which condition; absent where a person must act (docs/faults.md). */
  readonly exact?: string;
  /** Detected by a question about a path too: it shows how a node of the path forwards, by what that node says of itself. */
  readonly alongPath?: true;
  /** What nodes keep that shows it when it is over, beside their remembered states. */
  readonly memories?: readonly Memory[];
  /** Faults at the same resource that are no findings of their own when this one is remembered: they were seen on the way to it. */
  readonly replaces?: readonly Pick<FaultCard, 'id'>[];
};

/** A fault as the engine runs it, its detail hidden. */
export type FaultDefinition = FaultCard & {
  /** Symptoms that this fault alone raises; absent where it explains symptoms that several faults share. */
  detect?(slice: Slice): readonly Symptom[];
  propose(file: CaseFile, losses: readonly LossSymptom[]): readonly Proposal[];
};

/** The network at one time: the time of the question, or a moment that its nodes remember. The same detection reads both. */
export type Slice = {
  readonly world: World;
  readonly facts: readonly Fact[];
  /** Set for a remembered moment: how long ago it was, and the network as it is now. */
  readonly past?: Past;
};

export type Past = {
  readonly agoMs: number;
  readonly now: World;
  /** What the slice is made of, and whose memory it is; absent: whole states of all nodes. */
  readonly kept?: { readonly memory: Memory; readonly node: string };
};

/** One place where a fault was detected. */
export type Detection<Detail extends JsonObject> = {
  readonly resource: ResourceId;
  /** Tells it from others of the same fault at the same resource, where there may be several. */
  readonly key?: string;
  /** When absent `certain`, and `likely` in a slice of the past that is no whole state. */
  readonly confidence?: Confidence;
  /** What forbids the accusation: then it stays a symptom, and a candidate with this reason. */
  readonly withheld?: string;
  /** Set where nothing makes it a fault (symptoms/grounds.ts), with node references. */
  readonly remark?: string;
  /** Ids of the evidence that shows it. */
  readonly evidence: readonly string[];
  readonly nodes: readonly string[];
  readonly link?: WorldLink;
  readonly detail: Detail;
};

/** A fault that is detected directly: it raises a symptom of its own and explains it. */
export type DetectedFault<Detail extends JsonObject> = FaultCard & {
  /** The kind of symptom that it raises, where other definitions read it too; else one of its own. */
  readonly symptoms?: SymptomKind<Raised<Detail>>;
  /** What the second opinion is shown that symptom as; absent: its kind. */
  readonly clue?: ClueKind;
  detect(slice: Slice): readonly Detection<Detail>[];
  /** One sentence for people, with node references (network/node-ref.ts). */
  describe(detail: Detail): string;
  /** Undefined where nothing is left to be done. */
  remedy?(detail: Detail, file: CaseFile): Remedy | undefined;
  /** Among equally small explanations the higher total wins; absent: 3. */
  readonly score?: number;
  /** Ids of evidence against it; only in a question about the present. */
  contrary?(detail: Detail, file: CaseFile): readonly string[];
  /** Other symptoms that follow from the fault, so that ranking reports the cause alone. */
  consequences?(symptom: Symptom<Raised<Detail>>, file: CaseFile, losses: readonly LossSymptom[]): readonly Share[];
};

/** The detail of a raised symptom: its text stands beside it. */
export type Raised<Detail extends JsonObject> = Detail & { readonly what: string };

/**
 * Makes a definition from a detection with typed detail. `symptoms` is the kind of symptom that it raises, for other definitions
 * whose fault has this one as a consequence.
 */
export function defineFault<Detail extends JsonObject>(
  fault: DetectedFault<Detail>,
): FaultDefinition & { readonly symptoms: SymptomKind<Raised<Detail>> } {
  const { detect, describe, remedy, score, contrary, consequences, clue, symptoms: shared, ...card } = fault;
  const symptoms = shared ?? defineOwnSymptom<Raised<Detail>>(fault.id);
  return {
    ...card,
    symptoms,
    detect: (slice) =>
      detect(slice).map(({ detail, ...found }) => {
        const what = describe(detail);
        return raisedFrom({ ...fault, symptoms }, slice, { ...found, detail: { what, ...detail } }, what);
      }),
    propose: (file, losses) =>
      symptoms.of(file).map((symptom) => ({
        ...proposalFrom(fault, symptom, file),
        explains: [{ symptom: symptom.id, lost: 1, spread: 0 }, ...(consequences?.(symptom, file, losses) ?? [])],
        against: contrary?.(symptom.detail, file) ?? [],
      })),
  };
}

type Raising<Detail extends JsonObject> = {
  readonly id: string;
  readonly clue?: ClueKind;
  readonly symptoms: SymptomKind<Detail>;
};

/** The symptom that a detection raises. */
function raisedFrom<Detail extends JsonObject>(
  { id, clue, symptoms }: Raising<Detail>,
  { past }: Slice,
  { resource, key, confidence, withheld, remark, evidence, nodes, link, detail }: Detection<Detail>,
  text: string,
): Symptom<Detail> {
  return symptoms.raise({
    id: `${id}:${resource}${key === undefined ? '' : ` ${key}`}`,
    ...{ subject: resource, text, source: evidence, nodes, detail },
    confidence: confidence ?? (past?.kept === undefined ? 'certain' : 'likely'),
    ...(clue === undefined ? {} : { clue }),
    ...(withheld === undefined ? {} : { withheld }),
    ...(remark === undefined ? {} : { remark }),
    ...(link === undefined ? {} : { link }),
  });
}

type Proposing<Detail extends JsonObject> = Pick<FaultCard, 'id' | 'accuses' | 'lastResort'> &
  Pick<CausalFault<Detail>, 'headline' | 'remedy'> & { readonly score?: number };

/** The proposal that a symptom of a fault's own makes, by itself. */
function proposalFrom<Detail extends JsonObject>(
  { id, accuses, lastResort, score = 3, headline, remedy }: Proposing<Detail>,
  symptom: Symptom<Detail>,
  file: CaseFile,
): Proposal {
  const { detail, subject: resource, confidence = 'certain', remark, withheld } = symptom;
  const remedied = remark === undefined ? remedy?.(detail, file, resource) : undefined;
  return {
    ...{ fault: id, resource, confidence, score },
    explains: [{ symptom: symptom.id, lost: 1, spread: 0 }],
    evidence: symptom.source,
    against: [],
    details: detail,
    ...(accuses && remark === undefined ? {} : { accuses: false }),
    ...(lastResort === undefined ? {} : { lastResort }),
    ...(remark === undefined ? {} : { remark }),
    ...(headline === undefined ? {} : { headline: headline(detail, resource) }),
    ...(remedied === undefined ? {} : { remedy: remedied }),
    ...(withheld === undefined ? {} : { withheld }),
  };
}

/** One place where a fault explains symptoms that several faults could have caused. */
export type Explanation<Detail extends JsonObject> = Omit<
  Proposal,
  'fault' | 'details' | 'confidence' | 'score' | 'against' | 'accuses' | 'headline'
> &
  Partial<Pick<Proposal, 'confidence' | 'score' | 'against'>> & { readonly detail: Detail };

/** A fault that is the cause of shared symptoms: of links, adjacencies, sessions, routes, services, or of lost probes. */
export type CausalFault<Detail extends JsonObject> = FaultCard & {
  explain(file: CaseFile, losses: readonly LossSymptom[]): readonly Explanation<Detail>[];
  /** Found by itself where no shared symptom is left to be explained: in slices of the past. */
  detect?(slice: Slice): readonly Detection<Detail>[];
  /** One sentence for people, `what` of the finding's details; absent where its values say it all. */
  describe?(detail: Detail): string;
  /** The finding in a few words, where resource and fault do not say enough. */
  headline?(detail: Detail, resource: ResourceId): string;
  /** Undefined where nothing is left to be done. */
  remedy?(detail: Detail, file: CaseFile, resource: ResourceId): Remedy | undefined;
};

/** Makes a definition from explanations with typed detail. */
export function defineCause<Detail extends JsonObject>(fault: CausalFault<Detail>): FaultDefinition {
  const { explain, detect, describe, headline, remedy, ...card } = fault;
  const symptoms = defineOwnSymptom<Detail>(fault.id);
  const worded = (detail: Detail) => (describe === undefined ? detail : { what: describe(detail), ...detail });
  const raised = (slice: Slice) =>
    detect?.(slice).map((found) =>
      raisedFrom(
        { id: fault.id, symptoms },
        slice,
        { ...found, detail: worded(found.detail) },
        describe?.(found.detail) ?? fault.summary,
      ),
    ) ?? [];
  return {
    ...card,
    ...(detect === undefined ? {} : { detect: raised }),
    propose: (file, losses) => [
      ...symptoms.of(file).map((symptom) => proposalFrom(fault, symptom, file)),
      ...explain(file, losses).map(({ detail, ...rest }): Proposal => {
        const remedied = remedy?.(detail, file, rest.resource);
        return {
          ...{ fault: fault.id, confidence: 'certain', score: 3, against: [] },
          ...rest,
          details: worded(detail),
          ...(fault.accuses && rest.remark === undefined ? {} : { accuses: false }),
          ...(fault.lastResort === undefined ? {} : { lastResort: fault.lastResort }),
          ...(headline === undefined ? {} : { headline: headline(detail, rest.resource) }),
          ...(remedied === undefined || rest.remark !== undefined ? {} : { remedy: remedied }),
        };
      }),
    ],
  };
}
