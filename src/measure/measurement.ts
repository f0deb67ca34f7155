// What a measurement is: which calls it plans in each round, and how an answer is read. A measurement asks nothing itself. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { PlannedPurpose, PurposeOf } from '#model/purpose.ts';
import type { Doubts, Unsettled } from './doubts.ts';
import type { Scope } from './scope.ts';

export type MeasuredKind = PlannedPurpose['kind'];

/** The follow-up reads what the confirmation found; the extended round has steps, each to end before the next begins. */
export type Rounds = {
  readonly first?: (scope: Scope) => readonly PlannedCall[];
  readonly confirmation?: (scope: Scope, doubts: Doubts) => readonly PlannedCall[];
  readonly followUp?: (scope: Scope, doubts: Doubts) => readonly PlannedCall[];
  readonly extended?: (scope: Scope, unsettled: Unsettled) => readonly (readonly PlannedCall[])[];
};

export type Measurement<K extends MeasuredKind = MeasuredKind, V = unknown> = {
  /** Purposes of the calls whose answers it reads. */
  readonly kinds: readonly K[];
  /** Which questions it is for: those about a path alone, or every one; all but those about a path where it does not say. */
  readonly about?: 'path' | 'every';
  readonly rounds: Rounds;
  /** What an answer says; undefined where it cannot be used. */
  readonly read: (body: JsonValue) => V | undefined;
};

export function defineMeasurement<K extends MeasuredKind, V>(measurement: Measurement<K, V>): Measurement<K, V> {
  return measurement;
}

/** One answer that could be read. */
export type Reading<K extends MeasuredKind, V> = {
  readonly purpose: PurposeOf<K>;
  /** The node that answered. */
  readonly node: string;
  readonly value: V;
  /** Arguments of the request that we signed. */
  readonly args: JsonObject;
  /** Evidence id. */
  readonly source: string;
};

export function readingsOf<K extends MeasuredKind, V>(
  { kinds, read }: Pick<Measurement<K, V>, 'kinds' | 'read'>,
  evidence: readonly Evidence[],
): readonly Reading<K, V>[] {
  const wanted: ReadonlySet<string> = new Set(kinds);
  return evidence.flatMap(({ id, purpose, node, request, body }): readonly Reading<K, V>[] => {
    const value = wanted.has(purpose.kind) ? read(body) : undefined;
    const args = request.params['arguments'];
    if (value === undefined) return [];
    return [{ purpose: purpose as PurposeOf<K>, node, value, args: isJsonObject(args) ? args : {}, source: id }];
  });
}
