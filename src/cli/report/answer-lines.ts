// The lines of an answer or of a stored report: sentence, verdict, findings with their remedies, measurements. Long lists are cut with a
// note; `--explain` shows them whole, `--json` has everything.

import type { Silenced } from '#model/expectations.ts';
import {
  type Finding,
  type NodeChange,
  overText,
  type Remark,
  type RemarkReason,
  type SegmentLoss,
  type ToldChanges,
  type ToldTable,
  type Verdict,
} from '#model/finding.ts';
import { changeWords, nameWords, whenWords } from '#model/settings/change-words.ts';
import { CLI_LIMITS } from '../limits.ts';
import { type Output, printable, table } from '../terminal/output.ts';

/** What was understood, which words were not used, and whether a language model read them. */
export type Understood = {
  readonly understoodAs?: string;
  readonly notUsed?: readonly string[];
  readonly byModel?: true;
};

export type ShownAnswer = {
  readonly intent: Understood;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly findings: readonly Finding[];
  readonly remarks?: readonly Remark[] | undefined;
  readonly changes?: ToldChanges | undefined;
  readonly table?: ToldTable | undefined;
  readonly silenced?: readonly Silenced[] | undefined;
  readonly segments: readonly SegmentLoss[];
};

/** `whole`: nothing is cut. */
export function printAnswer(answer: ShownAnswer, whole: boolean, output: Output): void {
  printUnderstood(answer.intent, output);
  output.line(printable(answer.sentence));
  output.line();
  output.line(`verdict     ${printable(answer.verdict.kind)}`);
  const { silenced = [] } = answer;
  const reasons = answer.verdict.reasons.filter((reason) => !silenced.some(({ text }) => text === reason));
  const told = whole ? reasons : reasons.slice(0, CLI_LIMITS.shownReasons);
  for (const reason of told) output.line(`            ${printable(reason)}`);
  if (told.length < reasons.length)
    output.line(`            … and ${reasons.length - told.length} more with --explain`);
  for (const finding of answer.findings) {
    printFinding(finding, output);
    printChanges(finding.changes ?? [], whole, output);
    const cause = finding.causedByChange;
    if (cause !== undefined)
      output.line(`caused by   ${printable(`${cause.node} ${changeWords(cause)}: the remedy undoes this change`)}`);
  }
  for (const { fault, resource, text } of silenced) {
    output.line(`meant       ${printable(`${resource}  ${fault}`)}`);
    output.line(`            ${printable(text)}`);
  }
  if (answer.table !== undefined) printTable(answer.table, output);
  if (answer.changes !== undefined) printWhatChanged(answer.changes, reasons, whole, output);
  printRemarks(answer.remarks ?? [], whole, output);
  output.line();
  printSegments(answer.segments, whole, output);
}

function printUnderstood({ understoodAs, notUsed = [], byModel }: Understood, output: Output): void {
  if (understoodAs === undefined) return;
  const by = byModel === true ? ' (read by the language model)' : '';
  output.line(`Understood as: ${printable(understoodAs)}${by}`);
  if (notUsed.length > 0) output.line(`Not used:      ${printable(notUsed.join(', '))}`);
  output.line();
}

function printTable({ columns, rows, left, notKnown }: ToldTable, output: Output): void {
  output.line();
  if (rows.length > 0)
    output.line(
      table(
        columns,
        rows.map((cells) => cells.map(printable)),
      ),
    );
  if (left > 0) output.line(`… and ${left} more than an answer holds: ask about one node or one interface`);
  for (const line of notKnown) output.line(`not known   ${printable(line)}`);
}

function printFinding({ resource, fault, confidence, details, remedy }: Finding, output: Output): void {
  const { what } = details;
  output.line(`finding     ${printable(`${resource}  ${fault}  (${confidence}${overText(details)})`)}`);
  if (typeof what === 'string') output.line(`            ${printable(what)}`);
  if (remedy === undefined) return;
  output.line(`remedy      ${printable(remedy.summary)}${remedy.command ? `: ${printable(remedy.command)}` : ''}`);
}

function printChanges(changes: readonly NodeChange[], whole: boolean, output: Output): void {
  const shown = whole ? changes : changes.slice(0, CLI_LIMITS.shownChanges);
  for (const [index, change] of shown.entries())
    output.line(
      `${index === 0 ? 'changes     ' : '            '}${printable(`${change.node} ${changeWords(change)}`)}`,
    );
  if (shown.length < changes.length)
    output.line(`            … and ${changes.length - shown.length} more with --explain`);
}

/** `when  node  what`, nearest first; then what is not known and was not said before. */
function printWhatChanged(
  { changes, left, notKnown }: ToldChanges,
  said: readonly string[],
  whole: boolean,
  output: Output,
): void {
  const shown = whole ? changes : changes.slice(0, CLI_LIMITS.listedChanges);
  output.line();
  if (shown.length > 0)
    output.line(
      table(
        ['when', 'node', 'what', 'was', 'is'],
        shown.map((change) =>
          [whenWords(change), change.node, nameWords(change), change.was ?? '-', change.is ?? '-'].map(printable),
        ),
      ),
    );
  if (changes.length === 0) output.line('no change is known');
  const rest = changes.length - shown.length;
  if (rest > 0) output.line(`… and ${rest} more with --explain`);
  if (left > 0) output.line(`… and ${left} more than an answer holds: ask for a shorter time, or for one node`);
  for (const line of notKnown.filter((each) => !said.includes(each))) output.line(`not known   ${printable(line)}`);
}

const WHY_NO_FINDING: Readonly<Record<RemarkReason, string>> = {
  'no-change': 'no change seen',
  policy: 'may be meant',
  method: 'seen by the measurement alone',
  'no-harm': 'nothing suffers from it',
};

/** `remark  no change seen: …`; a report of a peer may name another reason. */
function printRemarks(remarks: readonly Remark[], whole: boolean, output: Output): void {
  const shown = whole ? remarks : remarks.slice(0, CLI_LIMITS.shownRemarks);
  for (const { kind, resource, why, text } of shown) {
    const reason = Object.hasOwn(WHY_NO_FINDING, why) ? WHY_NO_FINDING[why] : why;
    output.line(`remark      ${printable(`${text} (${reason})`)}`);
    if (whole) output.line(`            ${printable(resource === undefined ? kind : `${resource}  ${kind}`)}`);
  }
  if (shown.length < remarks.length)
    output.line(`            … and ${remarks.length - shown.length} more remarks with --explain`);
}

/** Of many segments, only those that lost probes. */
function printSegments(segments: readonly SegmentLoss[], whole: boolean, output: Output): void {
  if (segments.length === 0) return;
  const few = whole || segments.length <= CLI_LIMITS.shownSegments;
  const shown = few ? segments : segments.filter(({ probesLost }) => probesLost > 0).slice(0, CLI_LIMITS.shownSegments);
  if (shown.length > 0) output.line(table(['segment', 'probes', 'lost', 'loss', 'tx - rx'], shown.map(segmentRow)));
  if (shown.length < segments.length) {
    const rest = segments.filter((each) => !shown.includes(each));
    const lost = rest.filter(({ probesLost }) => probesLost > 0).length;
    output.line(
      `${shown.length === 0 ? '' : 'and '}${rest.length} segments ${lost === 0 ? 'without a lost probe' : `more, ${lost} of them lost probes`}: --explain shows them`,
    );
  }
  output.line();
}

function segmentRow(segment: SegmentLoss): readonly string[] {
  const counters = segment.counters;
  const bounds =
    counters === undefined
      ? 'not comparable'
      : `${counters.lostAtLeast}..${counters.lostAtMost} of ${counters.txPackets}`;
  return [
    `${segment.from} → ${segment.to}`,
    String(segment.probesSent),
    String(segment.probesLost),
    `${segment.lossPercent} %`,
    bounds,
  ].map(printable);
}
