// The shape of a symptom: something that is not as it should be and wants a cause. It accuses nothing; fault definitions say which
// symptoms a fault explains. Each kind is declared once, with the type of its detail.
import type { JsonObject } from '#base/json.ts';
import type { ClueKind } from '#model/clue.ts';
import type { Confidence } from '#model/finding.ts';
import type { ResourceId } from '#model/names.ts';
import type { WorldLink } from '../network/world.ts';

/** Every kind that several definitions read is a kind of clue: what the rules see, the second opinion sees. */
export type SharedSymptomKind = Exclude<ClueKind, 'filter-drops' | 'no-answer'>;

export type Symptom<Detail extends JsonObject = JsonObject> = {
  readonly id: string;
  readonly kind: string;
  readonly subject: ResourceId;
  /** For people, with node references. */
  readonly text: string;
  readonly source: readonly string[];
  readonly nodes: readonly string[];
  /** The link it lies on, if it lies on one. */
  readonly link?: WorldLink;
  /** Links and nodes that the packets in question cross. */
  readonly way?: { readonly links: readonly ResourceId[]; readonly nodes: readonly string[] };
  /** Of what is detected directly; absent: certain. */
  readonly confidence?: Confidence;
  /** Of what is detected directly: what forbids the accusation. */
  readonly withheld?: string;
  /** Of what is detected directly: set where nothing makes it a fault (symptoms/grounds.ts). */
  readonly remark?: string;
  /** What the second opinion is shown it as; absent: its kind. */
  readonly clue?: ClueKind;
  readonly detail: Detail;
};

/** One kind of symptom: every symptom of the kind has this detail. */
export type SymptomKind<Detail extends JsonObject> = {
  readonly kind: string;
  raise(symptom: Omit<Symptom<Detail>, 'kind'>): Symptom<Detail>;
  /** Those of this kind in a case, with their detail typed. */
  of(file: { readonly symptoms: readonly Symptom[] }): readonly Symptom<Detail>[];
  is(symptom: Symptom): symptom is Symptom<Detail>;
};

/** A kind that several definitions read. */
export function defineSymptom<Detail extends JsonObject>(kind: SharedSymptomKind): SymptomKind<Detail> {
  return defineOwnSymptom(kind);
}

/** A kind that one fault raises, and others may have as a consequence. */
export function defineOwnSymptom<Detail extends JsonObject>(kind: string): SymptomKind<Detail> {
  const is = (symptom: Symptom): symptom is Symptom<Detail> => symptom.kind === kind;
  return { kind, is, raise: (symptom) => ({ kind, ...symptom }), of: ({ symptoms }) => symptoms.filter(is) };
}
