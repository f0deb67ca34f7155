// A change of a setting as people read it. Text of devices stands in it: the caller that prints it makes it printable. Pure.
import type { SettingChange } from '../router/setting-history.ts';

/** `mtu eth1: 1500 → 1400, 3 min ago`; where the moment is not known, `between 2 h and 3 min ago`. */
export function changeWords(change: SettingChange): string {
  const { was, is } = change;
  const values = was === undefined ? `came: ${is ?? ''}` : is === undefined ? `went: ${was}` : `${was} → ${is}`;
  return `${nameWords(change)}: ${values}, ${whenWords(change)}`;
}

/** `metric isis eth1`: which setting it is. */
export function nameWords({ kind, subject, setting }: Pick<SettingChange, 'kind' | 'subject' | 'setting'>): string {
  // The setting of a filter is a digest, which says nothing to people.
  return [kind, ...(setting === undefined || kind === 'filter' ? [] : [setting]), subject].join(' ');
}

export function whenWords({ agoMs, fromAgoMs }: SettingChange): string {
  const until = ageWords(agoMs);
  const from = ageWords(fromAgoMs ?? agoMs);
  return from === until ? `${until} ago` : `between ${from} and ${until} ago`;
}

/** How far the memory of a node reaches. */
export function reachWords(reachMs: number): string {
  return reachMs < LEAST_REACH_MS ? 'has recorded nothing so far' : `remembers only the last ${ageWords(reachMs)}`;
}

/** Less than this is shown as 0 s. */
const LEAST_REACH_MS = 500;

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** In the largest unit of which there are two. */
export function ageWords(ageMs: number): string {
  const unit = UNITS.find(([, lengthMs]) => ageMs >= 2 * lengthMs);
  return unit === undefined ? `${Math.round(ageMs / 1_000)} s` : `${Math.floor(ageMs / unit[1])} ${unit[0]}`;
}
