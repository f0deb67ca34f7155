// `parley ask --explain`: how each finding was reached, down to the signed values of its evidence, and which other causes were
// considered and why they were rejected.
import type { Candidate, Finding, SegmentLoss, Verdict } from '#model/finding.ts';
import { type LinkRow, SIGN_NAMES } from '#model/links/link-indicators.ts';
import { CLI_LIMITS } from '../limits.ts';
import { type Output, printable, prose, table } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';
import { type RawEvidence, rawValues } from './raw-evidence.ts';

export type Explained = {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  readonly candidates: readonly Candidate[];
  readonly segments: readonly SegmentLoss[];
  /** Absent from agents of earlier versions. */
  readonly links?: readonly LinkRow[] | undefined;
  readonly outcomes: readonly {
    readonly callId: string;
    readonly status: string;
    readonly reason?: string;
    readonly elapsedMs: number;
  }[];
};

/** How far down an explanation goes: to what each evidence shows, or to its values as they are. */
export type Depth = 'tree' | 'raw';

/** Of the option: nothing, `true`, or a word. Throws on another word. */
export function depthOf(option: boolean | string | undefined): Depth | undefined {
  if (option === undefined || option === false) return undefined;
  if (option === true || option === 'tree') return 'tree';
  if (option === 'raw') return 'raw';
  throw usage('--explain, --explain=tree or --explain=raw', `--explain=${option}`);
}

/** A column in which nothing stands is left out. */
function printLinks(links: readonly LinkRow[], output: Output): void {
  const [head, ...rows] = [
    ['link', 'confidence', 'both ends say', 'one end says', 'contradicted by'],
    ...links.map(linkRow),
  ];
  const isUsed = (_: string, column: number) => rows.some((row) => row[column] !== '-');
  output.line(
    table(
      head!.filter(isUsed),
      rows.map((row) => row.filter(isUsed)),
    ),
  );
}

type Shown = { readonly raw?: RawEvidence | undefined; readonly depth: Depth };

/** `raw`: the report's evidence; without it only ids are shown. */
export function printExplanation(answer: Explained, output: Output, { raw, depth }: Shown = { depth: 'tree' }): void {
  for (const finding of answer.findings) {
    output.line();
    for (const { text, under } of treeOf(answer, finding, { raw, depth })) prose(output, text, under);
  }
  const lost = answer.candidates.filter((each) => !each.chosen);
  output.line();
  output.line(lost.length === 0 ? 'considered  nothing else' : 'considered and not chosen:');
  for (const [index, each] of lost.entries()) {
    const by = each.source === 'model' ? ' (of the language model)' : '';
    prose(output, `${index === lost.length - 1 ? '└─' : '├─'} ${each.fault} at ${each.resource}${by}: ${each.why}`, 3);
  }
  if ((answer.links ?? []).length > 0) {
    output.line();
    printLinks(answer.links!, output);
  }
  const without = answer.outcomes.filter((outcome) => outcome.status !== 'answered');
  if (without.length > 0) output.line('without these answers:');
  for (const [index, each] of without.entries())
    prose(
      output,
      `${index === without.length - 1 ? '└─' : '├─'} ${each.callId}: ${each.status}${each.reason === undefined ? '' : `, ${each.reason}`}`,
      3,
    );
}

/** `under`: what its further lines begin with. */
type Line = { readonly text: string; readonly under: string };
type Branch = { readonly text: string; readonly below: readonly Branch[] };

/** From the finding down to the values of the evidence that it stands on. */
function treeOf(answer: Explained, finding: Finding, { raw, depth }: Shown): readonly Line[] {
  const chosen = answer.candidates.find(
    (each) => each.chosen && each.fault === finding.fault && each.resource === finding.resource,
  );
  const evidence = (ids: readonly string[]) =>
    [...new Set(ids)].map((id) => ({ text: `${id}${took(answer, id)}`, below: valuesOf(id, finding, { raw, depth }) }));
  const details = Object.entries(finding.details).filter(([name]) => name !== 'what');
  const branches: readonly Branch[] = [
    ...(chosen === undefined ? [] : [{ text: whyWords(chosen.why), below: [] }]),
    ...confidenceOf(finding),
    {
      text: MEASURED,
      below: details.map(([name, value]) => ({ text: `${wordsOf(name)}: ${textOf(value)}`, below: [] })),
    },
    { text: FOR, below: evidence(finding.evidence) },
    { text: AGAINST, below: evidence(finding.against) },
  ];
  const filled = branches.filter(({ text, below }) => below.length > 0 || !LISTS.includes(text));
  const head = { text: `${finding.fault} at ${finding.resource}: ${finding.hypothesis}`, under: '' };
  return [head, ...linesOf(filled, '')];
}

const [MEASURED, FOR, AGAINST] = ['measured', 'evidence for it', 'evidence against it'] as const;
/** Left out where there is nothing in them. */
const LISTS: readonly string[] = [MEASURED, FOR, AGAINST];

const CONFIDENCE: Readonly<Record<string, string>> = {
  certain: 'measurements or states of both ends, or a configuration, show it',
  likely: 'one source shows it, or it is the best of several explanations',
};

function confidenceOf({ confidence }: Finding): readonly Branch[] {
  const words = Object.hasOwn(CONFIDENCE, confidence) ? CONFIDENCE[confidence] : undefined;
  return words === undefined ? [] : [{ text: `${confidence}: ${words}`, below: [] }];
}

/** `lostAtLeast` → `lost at least`. */
function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** The ids of lost probes as words: which way, and which end counted them. */
function whyWords(why: string): string {
  return why.replace(
    /(?:segment|path) ([^\s>]+)>(\S+?)(?: by flows)?(?: over \S+ told by ([^\s,]+))?(?=,|$)/g,
    (_, from, to, by) => `the probes lost ${from} → ${to}${by === undefined ? '' : ` (counted by ${by})`}`,
  );
}

function valuesOf(id: string, finding: Finding, { raw, depth }: Shown): readonly Branch[] {
  if (raw === undefined) return [];
  const rows = rawValues(raw, id, finding, depth === 'raw' ? Number.POSITIVE_INFINITY : CLI_LIMITS.explainedTreeRows);
  return rows.map((text) => ({ text, below: [] }));
}

function linesOf(branches: readonly Branch[], before: string): readonly Line[] {
  return branches.flatMap(({ text, below }, index) => {
    const isLast = index === branches.length - 1;
    const under = `${before}${isLast ? '   ' : '│  '}`;
    const line = {
      text: `${before}${isLast ? '└─' : '├─'} ${text}`,
      under: below.length === 0 ? under : `${under}│  `,
    };
    return [line, ...linesOf(below, under)];
  });
}

function linkRow({ from, to, confidence, signs, claims, contradictions }: LinkRow): readonly string[] {
  const ends = `${from.node} ${from.ifname} – ${to.node} ${to.ifname}`;
  const alone = claims.map(({ sign, by }) => `${SIGN_NAMES[sign]} (${by})`);
  const words = [signs.map((sign) => SIGN_NAMES[sign]), alone, contradictions].map((each) => each.join(', ') || '-');
  return [ends, confidence, ...words].map(printable);
}

function took(answer: Explained, id: string): string {
  const outcome = answer.outcomes.find((each) => each.callId === id);
  return outcome === undefined ? '' : `  (${Math.round(outcome.elapsedMs)} ms)`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
