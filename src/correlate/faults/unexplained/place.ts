// A place where packets are lost, and what was measured of it: what each way of finding one hands to the definition.
import type { ResourceId } from '#model/names.ts';
import type { Share } from '../../engine/fault-definition.ts';

/** All texts carry node references. */
export type LossAtPlace = {
  /** Where to look first. */
  readonly node: string;
  readonly where: string;
  /** Class of the packets that are lost. */
  readonly packets: string;
  readonly lost: readonly string[];
  /** What else dies there. */
  readonly also: readonly string[];
  /** What the two sides counted. */
  readonly counters: readonly string[];
  /** Counters and settings that only this place has. */
  readonly differs: readonly string[];
};

export type UnexplainedPlace = {
  readonly resource: ResourceId;
  /** The first share is what showed the place. */
  readonly explains: readonly Share[];
  readonly evidence: readonly string[];
  readonly detail: LossAtPlace;
};
