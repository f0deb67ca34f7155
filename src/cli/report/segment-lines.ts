// What was lost on each stretch, as a table: the two ends' probes of one direction in one row, what both ends' counters say beside it.
// Only adds up what the answer holds; decides nothing.
import type { SegmentLoss } from '#model/finding.ts';
import { nodeKey } from '#model/names.ts';
import { CLI_LIMITS } from '../limits.ts';
import type { Toned } from '../terminal/layout.ts';
import { type Output, printable, prose, table } from '../terminal/output.ts';

export type Measured = {
  readonly segments: readonly SegmentLoss[];
  readonly intent: {
    readonly kind?: string;
    /** Nodes as the operator spelled them. */
    readonly path?: readonly { readonly as: string; readonly key: string }[];
  };
};

/** `of`: the losses of the single measurements in it, in percent. */
type Row = SegmentLoss & { readonly of: readonly number[] };

/** Of many segments, only those that lost probes. `whole`: all of them, and what the words in the table mean. */
export function printSegments({ segments, intent }: Measured, whole: boolean, output: Output): void {
  const rows = pooled(segments);
  if (rows.length === 0) return;
  const few = whole || rows.length <= CLI_LIMITS.shownSegments;
  const shown = few ? rows : rows.filter(isLossy).slice(0, CLI_LIMITS.shownSegments);
  if (shown.length > 0) printRows(shown, intent, output);
  if (shown.length < rows.length) {
    const rest = rows.filter((each) => !shown.includes(each));
    const lost = rest.filter(isLossy).length;
    output.line(
      `${shown.length === 0 ? '' : 'and '}${rest.length} segments ${lost === 0 ? 'without a lost probe' : `more, ${lost} of them lost probes`}: --explain shows them`,
    );
  }
  for (const note of notesOn(rows, intent, whole)) prose(output, note);
  output.line();
}

/** Each end of a link may have probed it: their probes of one direction are different ones. More than two are of parallel links, and stay apart. */
function pooled(segments: readonly SegmentLoss[]): readonly Row[] {
  const rows: Row[] = [];
  const alike = (one: SegmentLoss, other: SegmentLoss) =>
    one.from === other.from && one.to === other.to && one.ifname === other.ifname;
  for (const segment of segments) {
    const both = segments.filter((each) => alike(each, segment));
    const at = both.length === 2 ? rows.findIndex((each) => alike(each, segment)) : -1;
    if (at < 0) rows.push({ ...segment, of: [segment.lossPercent] });
    else rows[at] = sumOf(rows[at]!, segment);
  }
  return rows;
}

function sumOf(row: Row, segment: SegmentLoss): Row {
  const [probesSent, probesLost] = [row.probesSent + segment.probesSent, row.probesLost + segment.probesLost];
  const lossPercent = probesSent === 0 ? 0 : Math.round((probesLost / probesSent) * 1_000) / 10;
  return { ...row, probesSent, probesLost, lossPercent, of: [...row.of, segment.lossPercent] };
}

function printRows(rows: readonly Row[], intent: Measured['intent'], output: Output): void {
  const cells = rows.map((row) => cellsOf(row, spelling(intent)).map(printable));
  const [head = '', ...lines] = table(['segment', 'probes', 'lost', 'loss', 'counters of both ends'], cells).split(
    '\n',
  );
  const pieces = lines.flatMap((text, index): readonly (string | Toned)[] => [
    '\n',
    isLossy(rows[index]!) ? { text, tone: 'bad' } : text,
  ]);
  output.line([head, ...pieces]);
}

function isLossy({ probesLost }: SegmentLoss): boolean {
  return probesLost > 0;
}

/** Names as the operator spelled them in the question. */
function spelling({ path = [] }: Measured['intent']): (node: string) => string {
  const names = new Map(path.map(({ as, key }) => [key, as]));
  return (node) => names.get(nodeKey(node)) ?? node;
}

function cellsOf(row: Row, spelled: (node: string) => string): readonly string[] {
  const { from, to, probesSent, probesLost, lossPercent, counters, of } = row;
  const [least, most] = [Math.min(...of), Math.max(...of)];
  return [
    `${spelled(from)} → ${spelled(to)}`,
    String(probesSent),
    String(probesLost),
    least === most ? `${lossPercent} %` : `${lossPercent} % (${least} to ${most})`,
    counters === undefined ? 'not comparable' : counterWords(counters, isLossy(row)),
  ];
}

/** Both ends' numbers, and what they mean: the two are read at slightly different moments, which is the error. */
function counterWords(
  { lostAtLeast, lostAtMost, txPackets, rxPackets }: SegmentLoss['counters'] & {},
  isLossy: boolean,
): string {
  if (lostAtLeast > 0) return `tx ${txPackets}, ${lostAtLeast} to ${lostAtMost} lost`;
  if (rxPackets === undefined) return `tx ${txPackets}: no loss, ± ${lostAtMost}`;
  if (txPackets === rxPackets) return `tx ${txPackets}, rx ${rxPackets}: equal`;
  // Where probes were lost, counters that cannot tell contradict nothing.
  const missing = isLossy && txPackets > rxPackets ? `${txPackets - rxPackets} missing, ` : '';
  return `tx ${txPackets}, rx ${rxPackets}: ${missing}within error`;
}

function notesOn(rows: readonly Row[], intent: Measured['intent'], whole: boolean): readonly string[] {
  const lossy = rows.filter(isLossy);
  const isHidden =
    lossy.length > 0 &&
    lossy.every((row) => isWhole(row, intent)) &&
    rows.some((row) => !isWhole(row, intent) && row.probesSent > 0);
  const isRange = rows.some(({ of }) => new Set(of).size > 1);
  const isInexact = rows.some(({ counters }) => counters && counters.txPackets !== counters.rxPackets);
  return [
    ...(isHidden
      ? [
          'The links one by one lost nothing: what drops only packets that cross the whole path, such as a filter on SRv6 headers, does not show there.',
        ]
      : []),
    ...(whole && isRange ? ['Loss in brackets: the probes of either end alone.'] : []),
    ...(whole && isInexact
      ? [
          'Within error: the counters of two ends are never read at the same moment, so that small differences are no loss.',
        ]
      : []),
  ];
}

/** From one end of the path that was asked about to the other, over more than one link. */
function isWhole({ from, to }: Row, { kind, path = [] }: Measured['intent']): boolean {
  const [head, tail] = [path[0]?.key, path.at(-1)?.key];
  const ends = [nodeKey(from), nodeKey(to)];
  return kind === 'path-loss' && path.length > 2 && ends.every((end) => end === head || end === tail);
}
