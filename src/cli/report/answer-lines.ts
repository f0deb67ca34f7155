// The lines of an answer or of a stored report: sentence, verdict, findings with their remedies, measurements. Long lists are cut with a
// note; `--explain` shows them whole, `--json` has everything.

import type { Silenced } from '#model/expectations.ts';
import {
  type Finding,
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
import { type Measured, printSegments } from './segment-lines.ts';
import { printTable } from './table-lines.ts';

/** What was understood, which words were not used, and whether a language model read them. */
export type Understood = Measured['intent'] & {
  /** As it was asked. */
  readonly text?: string;
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
  /** Absent where nothing was asked of a node. */
  readonly outcomes?: readonly { readonly node?: string; readonly status: string }[];
};

/**
 * What was understood; the verdict with its cause; why; what to do; then data, changes, remarks and measurements. `whole`: nothing is cut.
 * `madeMs`: when the answer was made, where that is not now.
 */
export function printAnswer(answer: ShownAnswer, whole: boolean, output: Output, madeMs?: number): void {
  printUnderstood(answer.intent, output);
  const { silenced = [], verdict } = answer;
  const [name, tone] = VERDICTS.get(verdict.kind) ?? [verdict.kind, undefined];
  entry(output, printable(name), withoutVerdict(answer.sentence), tone);
  output.line();
  const known = new Set([...answer.findings.map(({ hypothesis }) => hypothesis), ...silenced.map(({ text }) => text)]);
  const reasons = verdict.reasons.filter((reason) => !known.has(reason) && !isSaid(reason, answer.sentence));
  const told = whole ? reasons : reasons.slice(0, CLI_LIMITS.shownReasons);
  const label = verdict.kind === 'healthy' ? 'proof' : 'why';
  for (const [index, reason] of told.entries()) entry(output, index === 0 ? label : '', reason);
  if (told.length < reasons.length) entry(output, '', `… and ${reasons.length - told.length} more with --explain`);
  for (const finding of answer.findings) {
    printFinding(finding, output);
    printChanges(finding, whole, output);
    const cause = finding.causedByChange;
    if (cause !== undefined)
      entry(output, 'caused by', `${cause.node} ${changeWords(cause)}: the remedy undoes this change`);
  }
  const next = verdict.kind === 'inconclusive' ? nextOf(answer) : undefined;
  if (next !== undefined) entry(output, 'next', next, 'strong');
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
  printSegments(answer, whole, output);
}

const VERDICTS: ReadonlyMap<string, readonly [name: string, tone: Tone]> = new Map([
  ['fault', ['FAULT', 'bad']],
  ['healthy', ['HEALTHY', 'good']],
  ['inconclusive', ['INCONCLUSIVE', 'doubt']],
  ['answered', ['ANSWER', 'strong']],
]);

/** The verdict stands before it. */
function withoutVerdict(sentence: string): string {
  return sentence.replace(/^Inconclusive(?:,| on) /, '');
}

/** Nothing, where every node answered: what to do then depends on the reasons. */
function nextOf({ outcomes = [] }: ShownAnswer): string | undefined {
  const silent = outcomes.filter(({ status }) => status === 'unreachable' || status === 'timed-out');
  const nodes = [...new Set(silent.map(({ node }) => node).filter((node) => node !== undefined))];
  if (nodes.length === 0) return undefined;
  const named = nodes.slice(0, CLI_LIMITS.silentNodesNamed).join(', ');
  const rest =
    nodes.length > CLI_LIMITS.silentNodesNamed ? ` and ${nodes.length - CLI_LIMITS.silentNodesNamed} more nodes` : '';
  return `see that ${named}${rest} can be reached and that the agent runs there ("parley doctor" there, "parley peers" here), and ask again`;
}

/** The sentence of an undecided answer has its first reason. */
function isSaid(reason: string, sentence: string): boolean {
  return sentence.endsWith(`: ${reason}.`);
}

function printUnderstood({ text, understoodAs, notUsed = [], byModel }: Understood, output: Output): void {
  if (understoodAs === undefined || (isAsAsked(understoodAs, text) && notUsed.length === 0 && byModel !== true)) return;
  const by = byModel === true ? ' (read by the language model)' : '';
  prose(output, `Understood as: ${understoodAs}${by}`, 15);
  if (notUsed.length > 0) prose(output, `Not used:      ${notUsed.join(', ')}`, 15);
  output.line();
}

/** The question says it in the same words. */
function isAsAsked(understoodAs: string, text = ''): boolean {
  const words = (each: string) =>
    each
      .toLowerCase()
      .match(/[\p{L}\p{N}._:/-]+/gu)
      ?.join(' ');
  return words(understoodAs) === words(text);
}

function printFinding({ resource, fault, confidence, details, remedy }: Finding, output: Output): void {
  const { what } = details;
  entry(output, 'finding', `${resource}  ${fault}  (${confidence}${overText(details)})`, 'strong');
  if (typeof what === 'string') entry(output, '', what);
  if (remedy === undefined) return;
  entry(output, 'remedy', `${remedy.summary}${remedy.command ? `: ${remedy.command}` : ''}`, 'strong');
}

function printChanges({ changes = [], changesLeft = 0 }: Finding, whole: boolean, output: Output): void {
  const shown = whole ? changes : changes.slice(0, CLI_LIMITS.shownChanges);
  for (const [index, change] of shown.entries())
    entry(output, index === 0 ? 'changes' : '', `${change.node} ${changeWords(change)}`);
  if (shown.length < changes.length) entry(output, '', `… and ${changes.length - shown.length} more with --explain`);
  if (changesLeft > 0) entry(output, '', `… and ${changesLeft} more than a finding holds: ask what changed`);
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
    entry(output, 'remark', `${text} (${reason})`, 'doubt');
    if (whole) entry(output, '', resource === undefined ? kind : `${resource}  ${kind}`);
  }
  if (shown.length < remarks.length)
    entry(output, '', `… and ${remarks.length - shown.length} more remarks with --explain`);
}
