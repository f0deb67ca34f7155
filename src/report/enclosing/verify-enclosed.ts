// The reports inside a report: each is in the file, is the one that was signed for, verifies by itself, and the enclosing one says what they
// say and no more. Refuses reports in the file that no signed report names, or that are named twice: each is verified once. Stops at the first
// that fails, because what is in it can be as large as a file.

import type { JsonObject } from '#base/json.ts';
import { bad } from '#base/result.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import type { EnclosedReport, Report, SealedReport } from '#model/report.ts';
import { type Check, failedCheck, passed } from '../check.ts';
import { reportDigest } from '../countersign.ts';
import { REPORT_LIMITS } from '../limits.ts';
import { conclude, type Inner, idWithin } from './conclude.ts';

/** Ids of evidence that is in a report or inside one of its own. */
export type Held = { readonly id: string; readonly node: string };

/** What came of one report, as far as the one around it needs it. */
export type InnerVerification = {
  readonly checks: readonly Check[];
  readonly gaps: readonly string[];
  readonly notProven: readonly string[];
  readonly held: readonly Held[];
  readonly report?: Report;
};

/** Reports in one file, by the digest of what was signed; `named` gathers those that a signed report names. */
export type Pool = {
  readonly depth: number;
  readonly byDigest: ReadonlyMap<string, SealedReport>;
  readonly named: Set<string>;
};

export function poolOf({ enclosed = [] }: SealedReport): Pool {
  const byDigest = new Map(enclosed.map((each) => [reportDigest(each) ?? '', each]));
  return { depth: 0, byDigest, named: new Set() };
}

export type EnclosedVerification = Omit<InnerVerification, 'report'>;

const NOTHING: EnclosedVerification = { checks: [], gaps: [], notProven: [], held: [] };

export async function verifyEnclosed(
  outer: Report,
  pool: Pool,
  verifyOne: (sealed: SealedReport, pool: Pool) => Promise<InnerVerification>,
): Promise<EnclosedVerification> {
  if (outer.enclosed === undefined) return NOTHING;
  if (pool.depth >= REPORT_LIMITS.enclosedDepth)
    return { ...NOTHING, checks: [failedCheck('enclosed', bad('expected fewer reports within each other'))] };
  const odd = oddNames(outer.enclosed, pool);
  if (odd !== undefined) return { ...NOTHING, checks: [failedCheck('enclosed', bad(odd))] };
  const checks: Check[] = [];
  const inner: Inner[] = [];
  const rest: EnclosedVerification[] = [];
  for (const entry of outer.enclosed) {
    const { segment } = entry;
    const sealed = pool.byDigest.get(entry.sha256);
    if (sealed === undefined) {
      checks.push(failedCheck(`report of ${segment}`, bad('it is not in the file')));
      break;
    }
    pool.named.add(entry.sha256);
    const verified = await verifyOne(sealed, { ...pool, depth: pool.depth + 1 });
    checks.push(...verified.checks.map((check) => ({ ...check, part: `${segment}: ${check.part}` })));
    if (verified.report === undefined) break;
    checks.push(belongs(entry, verified.report, outer));
    inner.push({ segment, report: verified.report });
    rest.push({
      ...verified,
      gaps: verified.gaps.map((gap) => `${segment}: ${gap}`),
      held: verified.held.map(({ id, node }) => ({ id: idWithin(segment, id), node })),
    });
    if (checks.some((each) => !each.ok)) break;
  }
  if (inner.length === outer.enclosed.length) checks.push(follows(outer, inner));
  return {
    checks,
    gaps: rest.flatMap(({ gaps }) => gaps),
    notProven: rest.flatMap(({ notProven }) => notProven),
    held: rest.flatMap(({ held }) => held),
  };
}

/** Every report was made for one that asked for it: no two name the same one. */
function oddNames(entries: readonly EnclosedReport[], { named }: Pool): string | undefined {
  if (entries.length > REPORT_LIMITS.enclosedReports)
    return `expected at most ${REPORT_LIMITS.enclosedReports} reports inside one, got ${entries.length}`;
  const segments = new Set<string>();
  const digests = new Set<string>();
  for (const { segment, sha256 } of entries) {
    if (segments.has(segment)) return `expected each segment once, ${segment} is named twice`;
    if (digests.has(sha256) || named.has(sha256))
      return `expected each report to be named once, that of ${segment} is named twice`;
    segments.add(segment);
    digests.add(sha256);
  }
  return undefined;
}

/** After all of them: what is in the file and signed for by none. */
export function strayReports({ byDigest, named }: Pool): readonly Check[] {
  const strays = [...byDigest.keys()].filter((digest) => !named.has(digest)).length;
  return strays === 0 ? [] : [failedCheck('enclosed', bad(`${strays} reports in the file that no report names`))];
}

function belongs({ from, id, segment }: EnclosedReport, report: Report, outer: Report): Check {
  const part = `report of ${segment}`;
  if (report.creator !== from) return failedCheck(part, bad(`expected one of ${from}, got one of ${report.creator}`));
  if (report.id !== id) return failedCheck(part, bad(`expected ${id}, got ${report.id}`));
  if (report['session-id'] !== outer['session-id'])
    return failedCheck(part, bad('it belongs to another question: its session id is another'));
  return passed(part, `${report.id} of ${from}, of the same question`);
}

function follows(outer: Report, inner: readonly Inner[]): Check {
  // Its own outcomes come first, and are of questions that brought no report.
  const ofInner = inner.reduce((sum, { report }) => sum + report.outcomes.length, 0);
  const own = outer.outcomes.slice(0, Math.max(0, outer.outcomes.length - ofInner));
  const failed = own.filter(({ status }) => status !== 'answered');
  const expected = conclude(outer.intent, inner, failed) as unknown as JsonObject;
  const said = outer as unknown as JsonObject;
  const names = [...Object.keys(expected), ...TAKEN_OVER];
  const other = names.find((name) => textOf(expected[name]) !== textOf(said[name]));
  const part = 'what it says';
  return other === undefined
    ? passed(part, 'follows from the reports inside it')
    : failedCheck(part, bad(`${other} does not follow from the reports inside it`));
}

/** Members that may be absent on one side. */
const TAKEN_OVER = ['changes', 'table', 'remarks', 'silenced'];

function textOf(value: JsonObject[string] | undefined): string {
  return value === undefined ? '' : canonicalJsonText(value);
}
