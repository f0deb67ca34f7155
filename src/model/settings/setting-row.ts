// One setting of a node, and under which conditions it can be read.
import type { SettingKind } from '../router/setting-history.ts';

export type SettingRow = {
  readonly kind: SettingKind;
  readonly subject: string;
  readonly setting?: string;
  readonly value: string;
  /** Names of conditions: only where all of them are met is the row there, and its absence means that it is gone. */
  readonly needs: readonly string[];
};
