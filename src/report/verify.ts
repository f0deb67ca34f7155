// Verifies a report file offline, part by part (CARD-6, TS-16, TS-18): says which part fails, and what even a report
// that passes does not prove. Trusts nothing but the chain verifier that is handed in.
import { isoTime } from '#base/clock.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { PAYLOAD_TYPES } from '#model/envelope.ts';
import type { Party } from '#model/identity.ts';
import type { AppliedRemedy } from '#model/intent.ts';
import type { Report, SealedReport } from '#model/report.ts';
import { gapsOf } from '#model/reports/report-gaps.ts';
import { openEnvelope } from '#sign/envelope.ts';
import { type Check, checkOf, failedCheck, passed } from './check.ts';
import { boundKeyOf, type ChainVerifier, reportDigest, verifyCountersignature } from './countersign.ts';
import {
  type InnerVerification,
  type Pool,
  poolOf,
  strayReports,
  verifyEnclosed,
} from './enclosing/verify-enclosed.ts';
import { readReport } from './read-report.ts';
import { parseSealedReport } from './seal.ts';
import { type AcceptedSignature, secondOpinion } from './second-opinion.ts';
import { verifyCalls } from './verify-calls.ts';

export type Verification = {
  readonly ok: boolean;
  readonly checks: readonly Check[];
  readonly notProven: readonly string[];
  /** Parts that the report should hold by its own words and does not; also in `notProven`. Empty when it does not verify. */
  readonly gaps: readonly string[];
  /** The verified content; absent when the creator's signature fails, so that unsigned content is never read. */
  readonly report?: Report;
};

export type VerifyOptions = {
  readonly verifyChain: ChainVerifier;
  /** Moment at which the certificates have to be valid; the report's own time unless given. */
  readonly atMs?: number;
};

export async function verifySealedReport(bytes: Uint8Array, options: VerifyOptions): Promise<Verification> {
  const sealed = parseSealedReport(bytes);
  if (!sealed.ok) return failed([failedCheck('file', sealed)]);
  const pool = poolOf(sealed.value);
  const { report, held: _, ...found } = await verifyOne(sealed.value, options, pool);
  const checks = [passed('file', 'canonical form'), ...found.checks];
  if (report === undefined) return failed(checks);
  checks.push(...strayReports(pool));
  const isGood = checks.every((each) => each.ok);
  const gaps = isGood ? found.gaps : [];
  return { ok: isGood, checks, notProven: [...new Set([...found.notProven, ...gaps])], gaps, report };
}

/** One report of the file, and those inside it. Without its content where its signature fails. */
async function verifyOne(sealed: SealedReport, options: VerifyOptions, pool: Pool): Promise<InnerVerification> {
  const signatures: AcceptedSignature[] = [];
  const opened = openReport(sealed, options, signatures);
  const checks: Check[] = [...opened.checks];
  if (opened.contents === undefined) return { checks, gaps: [], notProven: [], held: [] };
  const { report, atMs, creator } = opened.contents;

  const parties = new Map<string, Party>([[report.creator, creator]]);
  for (const [node, chain] of Object.entries(report.chains)) {
    const party = checkNode(options.verifyChain(chain, atMs), node, creator.domain);
    checks.push(checkOf(`chain ${node}`, party));
    if (party.ok) parties.set(node, party.value);
  }
  const inner = await verifyEnclosed(report, pool, (each, within) => verifyOne(each, options, within));
  const enclosedIds = inner.held.map(({ id }) => id);
  checks.push(...verifyCalls(report, parties, signatures, enclosedIds));
  const controllers = checkCountersignatures(sealed, options.verifyChain, checks, signatures);
  checks.push(...inner.checks);
  if (checks.every((each) => each.ok)) checks.push(...(await secondOpinion(signatures)));
  return {
    checks,
    gaps: [...gapsOf(report, inner.held), ...inner.gaps],
    notProven: [...notProvenOf(report, controllers, atMs), ...inner.notProven],
    held: [...report.items, ...inner.held],
    report,
  };
}

type Opened = {
  readonly checks: readonly Check[];
  readonly contents?: { readonly report: Report; readonly creator: Party; readonly atMs: number };
};

/**
 * The creator's chain is needed before anything signed can be believed, and its moment stands inside: the payload is read
 * first for `created`, and everything read is thrown away unless the signature holds.
 */
function openReport(sealed: SealedReport, options: VerifyOptions, signatures: AcceptedSignature[]): Opened {
  const peeked = peekCreated(sealed);
  const atMs = options.atMs ?? peeked;
  if (atMs === undefined) return { checks: [failedCheck('report', bad('expected a payload with a time'))] };
  const chain = options.verifyChain(sealed.creatorChain, atMs);
  if (!chain.ok) return { checks: [failedCheck('creatorChain', chain)] };
  const checks: Check[] = [passed('creatorChain', `${chain.value.kind} ${chain.value.name} at ${isoTime(atMs)}`)];
  const key = boundKeyOf(chain.value);
  const signed = key.ok ? openEnvelope(sealed.report, key.value, PAYLOAD_TYPES.report) : key;
  if (!signed.ok) return { checks: [...checks, failedCheck('report signature', signed)] };
  checks.push(passed('report signature', 'verified'));
  if (key.ok)
    signatures.push({
      part: 'report signature',
      envelope: sealed.report,
      publicKey: key.value,
      type: PAYLOAD_TYPES.report,
    });
  const agrees = agreesWithFile(signed.value, sealed, chain.value);
  if (!agrees.ok) return { checks: [...checks, failedCheck('report', agrees)] };
  return {
    checks: [...checks, passed('report', 'complete')],
    contents: { report: agrees.value, creator: chain.value, atMs },
  };
}

function agreesWithFile(
  payload: Parameters<typeof readReport>[0],
  sealed: SealedReport,
  creator: Party,
): Result<Report> {
  const report = readReport(payload);
  if (!report.ok) return report;
  const node = checkNode(ok(creator), report.value.creator, creator.domain);
  if (!node.ok) return node;
  // The signed copy pins every byte of the chain beside it, whatever a certificate parser overlooks.
  const signedChain = JSON.stringify(report.value.chains[report.value.creator]);
  return signedChain === JSON.stringify(sealed.creatorChain) ? report : bad('creatorChain is not the signed one');
}

function checkNode(party: Result<Party>, node: string, domain: string): Result<Party> {
  if (!party.ok) return party;
  const { kind, name, domain: theirs } = party.value;
  if (kind !== 'node' || name !== node)
    return bad(`expected the certificate of node ${node}, got that of ${kind} ${name}`);
  return theirs === domain ? party : bad(`expected domain ${domain}, got ${theirs}`);
}

/** Times at which controllers say they had the report. */
function checkCountersignatures(
  sealed: SealedReport,
  verifyChain: ChainVerifier,
  checks: Check[],
  signatures: AcceptedSignature[],
): string[] {
  const digest = reportDigest(sealed);
  const controllers: string[] = [];
  for (const [index, each] of sealed.countersignatures.entries()) {
    const verified = verifyCountersignature(each, digest, verifyChain);
    const part = `countersignature ${index + 1} (${each.by})`;
    checks.push(verified.ok ? passed(part, isoTime(verified.value.timeMs)) : failedCheck(part, verified));
    if (!verified.ok) continue;
    signatures.push({ ...verified.value.signature, part });
    if (each.role === 'controller') controllers.push(`${each.by} at ${isoTime(verified.value.timeMs)}`);
  }
  return controllers;
}

function peekCreated(sealed: SealedReport): number | undefined {
  try {
    const timeMs = Date.parse(JSON.parse(Buffer.from(sealed.report.payload, 'base64').toString('utf8')).created);
    return Number.isFinite(timeMs) ? timeMs : undefined;
  } catch {
    return undefined;
  }
}

/** The caller that asks again names the commit; the agent that answers cannot check it. */
export function callersWordOf({ finding, node, commit }: AppliedRemedy): string {
  return `that commit ${commit} on ${node} was a remedy of ${finding}, or was made at all: only the question says so`;
}

function notProvenOf(report: Report, controllers: readonly string[], atMs: number): readonly string[] {
  const silent = [
    ...new Set(
      // An answer that the creator calls untrusted is not in the report: only the creator says why.
      report.outcomes
        .filter((each) => each.status !== 'answered' || each.untrusted !== undefined)
        .map((each) => each.node),
    ),
  ].sort();
  return [
    'that a node told the truth: a signature shows who said it',
    'that the findings follow from the evidence: rules were not run again',
    controllers.length === 0
      ? "when it happened: all times are the nodes' own clocks, and no controller has countersigned"
      : `when it happened: times are the nodes' own clocks; it existed when countersigned by ${controllers.join(', ')}`,
    `that no certificate was withdrawn: they were checked for ${isoTime(atMs)} against the given CA only`,
    ...(silent.length === 0 ? [] : [`anything about calls without an answer: ${silent.join(', ')}`]),
    ...(report.intent.remedy === undefined ? [] : [callersWordOf(report.intent.remedy)]),
    ...(report.sentenceSource === 'model' ? ['the sentence: a language model phrased it'] : []),
  ];
}

function failed(checks: readonly Check[]): Verification {
  return {
    ok: false,
    checks,
    gaps: [],
    notProven: ['anything: a part that everything else stands on does not verify'],
  };
}
