// What two reports, or two moments of the nodes' own histories, differ in (docs/operations/comparing.md).
import type { HistoryEvent } from './router/control-plane.ts';
import type { ProfilePart } from './snapshot.ts';

export type Change = {
  readonly what: 'verdict' | 'finding' | 'node' | 'error counter' | ProfilePart;
  readonly subject: string;
  readonly how: 'new' | 'gone' | 'changed';
  readonly before?: string;
  readonly after?: string;
};

export type Comparison = {
  readonly same: boolean;
  readonly changes: readonly Change[];
  /** Measured anew and different beyond the usual; decides nothing. */
  readonly remarks: readonly string[];
};

export type Span = {
  /** How long before the reading the span began and ended, milliseconds; the beginning is the larger. */
  readonly sinceMs: number;
  readonly untilMs: number;
};

export type Happening = {
  readonly node: string;
  readonly kind: HistoryEvent['kind'];
  readonly subject: string;
  readonly before: 'up' | 'down';
  readonly after: 'up' | 'down';
  readonly changes: number;
  readonly lastAgoMs: number;
};

export type Happenings = {
  readonly happenings: readonly Happening[];
  /** Nodes whose own history does not reach back to the beginning, with how far it reaches. */
  readonly short: readonly { readonly node: string; readonly spanMs: number }[];
};
