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
import type { Tone } from '../terminal/layout.ts';
import { entry, type Output, printable, prose, table } from '../terminal/output.ts';
import { printTable } from './table-lines.ts';

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

/**
 * What was understood; the verdict with its cause; why; what to do; then data, changes, remarks and measurements. `whole`: nothing is cut.
 * `madeMs`: when the answer was made, where that is not now.
 */
export function printAnswer(answer: ShownAnswer, whole: boolean, output: Output, madeMs?: number): void {
  printUnderstood(answer.intent, output);
  const { silenced = [], verdict } = answer;
  const [name, tone] = VERDICTS[verdict.kind] ?? [verdict.kind, undefined];
  entry(output, printable(name), answer.sentence, tone);
  output.line();
  const known = new Set([...answer.findings.map(({ hypothesis }) => hypothesis), ...silenced.map(({ text }) => text)]);
  const reasons = verdict.reasons.filter((reason) => !known.has(reason) && !isSaid(reason, answer.sentence));
  const told = whole ? reasons : reasons.slice(0, CLI_LIMITS.shownReasons);
  const label = verdict.kind === 'healthy' ? 'proof' : 'why';
  for (const [index, reason] of told.entries()) entry(output, index === 0 ? label : '', reason);
  if (told.length < reasons.length) entry(output, '', `… and ${reasons.length - told.length} more with --explain`);
  for (const finding of answer.findings) {
    printFinding(finding, output);
    printChanges(finding.changes ?? [], whole, output);
    const cause = finding.causedByChange;
    if (cause !== undefined)
      entry(output, 'caused by', `${cause.node} ${changeWords(cause)}: the remedy undoes this change`);
  }
  if (verdict.kind === 'inconclusive') entry(output, 'next', NEXT);
  for (const { fault, resource, text } of silenced) {
    entry(output, 'meant', `${resource}  ${fault}`);
    entry(output, '', text);
  }
  if (answer.table !== undefined)
    printTable(answer.table, output, {
      ...(whole || verdict.kind === 'answered' ? {} : { most: CLI_LIMITS.shownHappenings }),
      ...(madeMs === undefined ? {} : { madeMs }),
    });
  if (answer.changes !== undefined) printWhatChanged(answer.changes, reasons, whole, output);
  printRemarks(answer.remarks ?? [], whole, output);
  output.line();
  printSegments(answer.segments, whole, output);
}

const VERDICTS: Readonly<Record<string, readonly [name: string, tone: Tone]>> = {
  fault: ['FAULT', 'bad'],
  healthy: ['HEALTHY', 'good'],
  inconclusive: ['UNDECIDED', 'doubt'],
  answered: ['ANSWER', 'strong'],
};

const NEXT = 'see that the named nodes run and answer ("parley doctor" on each, "parley peers" here), and ask again';

/** The sentence of an undecided answer has its first reason. */
function isSaid(reason: string, sentence: string): boolean {
  return sentence.endsWith(`: ${reason}.`);
}

function printUnderstood({ understoodAs, notUsed = [], byModel }: Understood, output: Output): void {
  if (understoodAs === undefined) return;
  const by = byModel === true ? ' (read by the language model)' : '';
  prose(output, `Understood as: ${understoodAs}${by}`, 15);
  if (notUsed.length > 0) prose(output, `Not used:      ${notUsed.join(', ')}`, 15);
  output.line();
}

function printFinding({ resource, fault, confidence, details, remedy }: Finding, output: Output): void {
  const { what } = details;
  entry(output, 'finding', `${resource}  ${fault}  (${confidence}${overText(details)})`, 'strong');
  if (typeof what === 'string') entry(output, '', what);
  if (remedy === undefined) return;
  entry(output, 'remedy', `${remedy.summary}${remedy.command ? `: ${remedy.command}` : ''}`, 'strong');
}

function printChanges(changes: readonly NodeChange[], whole: boolean, output: Output): void {
  const shown = whole ? changes : changes.slice(0, CLI_LIMITS.shownChanges);
  for (const [index, change] of shown.entries())
    entry(output, index === 0 ? 'changes' : '', `${change.node} ${changeWords(change)}`);
  if (shown.length < changes.length) entry(output, '', `… and ${changes.length - shown.length} more with --explain`);
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
  for (const line of notKnown.filter((each) => !said.includes(each))) entry(output, 'not known', line);
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
    entry(output, 'remark', `${text} (${reason})`);
    if (whole) entry(output, '', resource === undefined ? kind : `${resource}  ${kind}`);
  }
  if (shown.length < remarks.length)
    entry(output, '', `… and ${remarks.length - shown.length} more remarks with --explain`);
}

/** Of many segments, only those that lost probes. */
function printSegments(segments: readonly SegmentLoss[], whole: boolean, output: Output): void {
  if (segments.length === 0) return;
  const few = whole || segments.length <= CLI_LIMITS.shownSegments;
  const shown = few ? segments : segments.filter(({ probesLost }) => probesLost > 0).slice(0, CLI_LIMITS.shownSegments);
  if (shown.length > 0)
    output.line(table(['segment', 'probes', 'lost', 'loss', 'counters of both ends'], shown.map(segmentRow)));
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
  const bounds = counters === undefined ? 'not comparable' : counterWords(counters, segment.probesLost > 0);
  return [
    `${segment.from} → ${segment.to}`,
    String(segment.probesSent),
    String(segment.probesLost),
    `${segment.lossPercent} %`,
    bounds,
  ].map(printable);
}

/** Both ends' numbers, and what they mean: the two are read at slightly different moments, which is the error. */
function counterWords(
  { lostAtLeast, lostAtMost, txPackets, rxPackets }: SegmentLoss['counters'] & {},
  isLossy: boolean,
): string {
  if (lostAtLeast > 0) return `tx ${txPackets}, ${lostAtLeast} to ${lostAtMost} lost`;
  if (rxPackets === undefined) return `tx ${txPackets}: no loss, ± ${lostAtMost}`;
  // Where probes were lost, counters that are too coarse contradict nothing.
  if (isLossy) return `tx ${txPackets}, rx ${rxPackets}: too coarse to tell`;
  return `tx ${txPackets}, rx ${rxPackets}: ${txPackets === rxPackets ? 'equal' : 'within error'}`;
}
