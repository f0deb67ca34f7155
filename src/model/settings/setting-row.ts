// One setting of a node, and under which conditions it can be read.
import type { SettingKind } from '../router/setting-history.ts';
import type { RememberedRule } from '../wire/filter-rule.ts';

export type SettingRow = {
  readonly kind: SettingKind;
  readonly subject: string;
  readonly setting?: string;
  readonly value: string;
  /** As an earlier program told the same value: no change from that. */
  readonly former?: string;
  /** Of a packet filter, as data; values alone tell whether a setting changed. */
  readonly rules?: readonly RememberedRule[];
  /** Names of conditions: only where all of them are met is the row there, and its absence means that it is gone. */
  readonly needs: readonly string[];
};
