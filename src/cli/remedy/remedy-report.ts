// The report that a remedy comes from. A command that acts with an admin's certificate trusts only what a node of the domain has signed:
// it fetches the whole file and verifies it under that certificate's CA, as of now. Without --identity no rights are lent: only the
// node that made the report is changed.
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import type { Finding } from '#model/finding.ts';
import type { Report } from '#model/report.ts';
import { findingId } from '#model/reports/remedy-judge.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { openUnverified } from '#report/open-unverified.ts';
import { verifySealedReport } from '#report/verify.ts';
import { fetchReport, reportUriOf } from '../report/fetch-report.ts';
import { wholeIdOf } from '../report/report-id.ts';

/** `last`, an id or its beginning. Rejects with `peer/unverified-report` if the report does not verify or is another one. */
export async function readReport(client: OperatorClient, id: string, identityDir: string | undefined): Promise<Report> {
  const wanted = await wholeIdOf(client, id);
  const uri = reportUriOf(wanted);
  const bytes = Buffer.from(await fetchReport(client, uri));
  const caPem = identityDir === undefined ? undefined : (await loadIdentity(identityDir)).caPem;
  const report = await openReport(bytes, caPem, createSystemClock().nowMs());
  if (reportUriOf(report.id) !== uri) throw unverified(`got ${report.id} instead of ${wanted}`);
  return report;
}

/** A signer whose certificate has since expired is no longer trusted. */
export async function openReport(bytes: Uint8Array, caPem: string | undefined, atMs: number): Promise<Report> {
  if (caPem === undefined) {
    const opened = openUnverified(bytes);
    if (!opened.ok) throw unverified(opened.reason);
    return opened.value;
  }
  const { ok, report, checks } = await verifySealedReport(bytes, {
    atMs,
    verifyChain: (chain, moment) => verifyChain(chain, caPem, moment),
  });
  if (ok && report !== undefined) return report;
  const wrong = checks.find((check) => !check.ok);
  throw unverified(`${wrong?.part ?? 'report'}: ${wrong?.detail ?? 'does not verify'}`);
}

function unverified(detail: string): ParleyError {
  return new ParleyError(
    'peer/unverified-report',
    `expected a report that a node of this domain has signed, ${detail}`,
  );
}

/** The selected findings. `apply` takes one, by name if there are several: each is a change of its own. */
export function choose(findings: readonly Finding[], wanted: string | undefined, apply: boolean): readonly Finding[] {
  const known = findings.map((finding, index) => `${index + 1}: ${findingId(finding)}`);
  if (wanted === undefined) {
    if (!apply || findings.length <= 1) return findings;
    throw new ParleyError('caller/bad-argument', 'expected --finding with --apply: the report has several findings', {
      data: { known },
    });
  }
  const chosen = findings.filter((finding, index) => [String(index + 1), findingId(finding)].includes(wanted));
  if (chosen.length > 0) return chosen;
  throw new ParleyError('caller/no-such-finding', `expected a finding of the report, got ${wanted}`, {
    data: { known },
  });
}
