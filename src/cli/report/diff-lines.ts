// The lines of `parley diff`: one line per change, with a sign in front. Control characters of reports are not printed.
import type { Comparison, Happenings, Span } from '#model/comparison.ts';
import type { Report } from '#model/report.ts';
import { type Output, printable } from '../terminal/output.ts';

/** Lines of one kind; the rest is counted. */
const MOST = 20;
const SIGNS = { new: '+', gone: '-', changed: '~' } as const;

export function printComparison(
  before: Report,
  after: Report,
  { same, changes, remarks }: Comparison,
  verified: boolean,
  output: Output,
): void {
  printHead('before', before, output);
  printHead('after', after, output);
  if (!verified) output.line('NOT VERIFIED: no signature vouches for these files');
  output.line();
  for (const [index, { what, subject, how, before: was, after: is }] of changes.entries()) {
    const nth = changes.slice(0, index).filter((each) => each.what === what).length;
    if (nth === MOST)
      output.line(
        `  ${what.padEnd(14)} … ${changes.filter((each) => each.what === what).length - MOST} more with --json`,
      );
    if (nth >= MOST) continue;
    const values = [was, is].filter((value) => value !== undefined).join(' → ');
    output.line(
      `${SIGNS[how]} ${what.padEnd(14)} ${printable(subject)}${values === '' ? '' : `: ${printable(values)}`}`,
    );
  }
  if (same) output.line('nothing is new, gone or changed');
  if (remarks.length > 0) output.line('\nmeasured anew, and no change by itself:');
  for (const remark of remarks) output.line(`  ${printable(remark)}`);
}

export function printHappenings(
  report: Report,
  { sinceMs, untilMs }: Span,
  { happenings, short }: Happenings,
  verified: boolean,
  output: Output,
): void {
  printHead('report', report, output);
  if (!verified) output.line('NOT VERIFIED: no signature vouches for this file');
  output.line(`from ${sinceMs / 1000} s to ${untilMs / 1000} s before each node was read, from its own history:`);
  for (const { node, kind, subject, before, after, changes, lastAgoMs } of happenings)
    output.line(
      `~ ${kind.padEnd(10)} ${node} ${printable(subject)}: ${before} → ${after}, ${changes} change${changes === 1 ? '' : 's'}, the last ${Math.round(lastAgoMs / 1000)} s before`,
    );
  if (happenings.length === 0) output.line('no known change');
  for (const { node, spanMs } of short)
    output.line(`not known: ${node} remembers ${Math.round(spanMs / 1000)} s, not ${sinceMs / 1000} s`);
}

function printHead(name: string, { id, creator, created, verdict, intent }: Report, output: Output): void {
  output.line(printable(`${name.padEnd(8)}${id}  ${created}  on ${creator}  ${verdict.kind}  ${intent.text}`));
}
