// The lines of a table in an answer. Where rows have ages, they are told by the clock of this machine, with the age beside it.
import type { ToldTable } from '#model/finding.ts';
import { entry, type Output, printable, table } from '../terminal/output.ts';

/** `most`: rows that are shown; the rest is counted. `made`: when the answer was made, by its report. */
export function printTable(
  told: ToldTable,
  output: Output,
  { most = Number.POSITIVE_INFINITY, madeMs = Date.now() }: { readonly most?: number; readonly madeMs?: number } = {},
): void {
  const { columns, rows, agesMs, left, notKnown } = told;
  const shown = rows.slice(0, most);
  if (shown.length > 0) {
    const lines = shown.map((cells, index) => {
      const agoMs = agesMs?.[index];
      const whole = agoMs === undefined ? cells : [momentWords(madeMs - agoMs), ...cells.slice(1)];
      return whole.map(printable);
    });
    output.line();
    output.line(table(columns, lines));
  }
  if (shown.length < rows.length) output.line(`… and ${rows.length - shown.length} more with --explain`);
  if (left > 0) output.line(`… and ${left} more than an answer holds: ask about one node or one interface`);
  for (const line of notKnown) entry(output, 'not known', line);
}

/** `Thu 26 Nov 02:13:05`, in the time zone of this machine. */
export function momentWords(atMs: number): string {
  const at = new Date(atMs);
  const day = at.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' }).replace(',', '');
  return `${day} ${at.toLocaleTimeString('en-GB')}`;
}
