// One line of a verification: which part, whether it stands, and why not.
import type { Result } from '#base/result.ts';

export type Check = { readonly part: string; readonly ok: boolean; readonly detail: string };

export function passed(part: string, detail: string): Check {
  return { part, ok: true, detail };
}

export function failedCheck(part: string, fault: { readonly reason: string; readonly offset?: number }): Check {
  const detail = fault.offset === undefined ? fault.reason : `${fault.reason} (byte ${fault.offset})`;
  return { part, ok: false, detail };
}

export function checkOf(part: string, result: Result<unknown>, detail = 'verified'): Check {
  return result.ok ? passed(part, detail) : failedCheck(part, result);
}
