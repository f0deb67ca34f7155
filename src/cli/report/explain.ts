// `parley ask --explain`: how each finding was reached, down to the signed values of its evidence, and which other causes were
// considered and why they were rejected.
import type { Candidate, Finding, SegmentLoss, Verdict } from '#model/finding.ts';
import { type LinkRow, SIGN_NAMES } from '#model/links/link-indicators.ts';
import { type Output, printable, table } from '../terminal/output.ts';
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

/** `raw`: the report's evidence; without it only ids are shown. */
export function printExplanation(answer: Explained, output: Output, raw?: RawEvidence): void {
  for (const finding of answer.findings) {
    const chosen = answer.candidates.find(
      (each) => each.chosen && each.fault === finding.fault && each.resource === finding.resource,
    );
    output.line();
    output.line(`why         ${finding.fault} at ${finding.resource}: ${finding.hypothesis}`);
    if (chosen !== undefined) output.line(`  it        ${chosen.why}`);
    for (const [name, value] of Object.entries(finding.details)) output.line(`  measured  ${name}: ${textOf(value)}`);
    for (const [side, ids] of [
      ['for    ', finding.evidence],
      ['against', finding.against],
    ] as const)
      for (const id of new Set(ids)) {
        output.line(`  ${side}   ${id}${took(answer, id)}`);
        for (const row of raw === undefined ? [] : rawValues(raw, id, finding)) output.line(`              ${row}`);
      }
  }
  const lost = answer.candidates.filter((each) => !each.chosen);
  output.line();
  output.line(lost.length === 0 ? 'considered  nothing else' : 'considered  and not chosen:');
  for (const each of lost)
    output.line(`  ${each.source === 'model' ? 'model' : 'rule '}     ${each.fault} at ${each.resource}: ${each.why}`);
  if ((answer.links ?? []).length > 0) {
    output.line();
    output.line(
      table(['link', 'confidence', 'both ends say', 'one end says', 'contradicted by'], answer.links!.map(linkRow)),
    );
  }
  const without = answer.outcomes.filter((outcome) => outcome.status !== 'answered');
  if (without.length > 0) output.line('without     these answers:');
  for (const each of without)
    output.line(`  ${each.callId}: ${each.status}${each.reason === undefined ? '' : `, ${each.reason}`}`);
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
