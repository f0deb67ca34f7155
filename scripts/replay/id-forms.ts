// Counts the forms of the call ids in reports: each id is to have exactly one.
import { loadCases } from './case-files.ts';
import { formsOf } from './old-call-ids.ts';

export function idLines(files: readonly string[]): { readonly lines: readonly string[]; readonly isGood: boolean } {
  const counts = new Map<string, number>();
  const odd = new Set<string>();
  const { found, problems } = loadCases(files);
  for (const { case: each } of found) {
    for (const { callId } of each.outcomes) {
      const forms = formsOf(callId);
      if (forms.length !== 1)
        odd.add(`${callId} has ${forms.length} forms: ${forms.map(({ form }) => form).join(', ')}`);
      for (const { form } of forms) counts.set(form, (counts.get(form) ?? 0) + 1);
    }
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const rows = [...counts].sort().map(([form, count]) => `${String(count).padStart(7)} ${form}`);
  return {
    lines: [...rows, ...odd, ...problems, `${total} calls, ${odd.size} ids without exactly one form`],
    isGood: odd.size + problems.length === 0,
  };
}
