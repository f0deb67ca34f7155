// `parley diff`: what is new, gone or changed between two reports, or between two times of the nodes' own histories. Refuses reports
// that do not verify: a comparison with a forged report proves nothing.
import { compareReports, happeningsIn } from '#agent/tools/compare-reports.ts';
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import type { Report } from '#model/report.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { openUnverified } from '#report/open-unverified.ts';
import { verifySealedReport } from '#report/verify.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';
import { printComparison, printHappenings } from './diff-lines.ts';
import { fetchReport, isReportFile, listReports, reportUriOf } from './fetch-report.ts';
import { readInput } from './report.ts';
import { wholeIdOf } from './report-id.ts';

export type DiffOptions = AgentOptions & {
  readonly ca?: string;
  readonly unverified?: boolean;
  readonly since?: string;
  readonly until?: string;
};

/** Exit code 0 when nothing differs, 1 when something does, 5 when a report does not verify. */
export async function diffCommand(options: DiffOptions, names: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const verified = options.unverified !== true;
  const caPem = verified ? await caOf(options) : undefined;
  const wanted = options.since === undefined ? 2 : 1;
  if (names.length > wanted) throw usage(`at most ${wanted} reports`, String(names.length));
  const reports: Report[] = [];
  for (const bytes of await load(options, names, wanted)) {
    const report = await open(bytes, caPem);
    if (typeof report === 'string') {
      output.result({ verified: false, refused: report });
      output.line(`refused: ${report}; --unverified compares anyway`);
      return EXIT.signature;
    }
    reports.push(report);
  }
  if (options.since !== undefined) return happenings(reports[0]!, options, verified, output);
  const [before, after] = [...reports].sort((one, other) => (one.created < other.created ? -1 : 1));
  const comparison = compareReports(before!, after!);
  output.result({ verified, before: head(before!), after: head(after!), ...comparison });
  printComparison(before!, after!, comparison, verified, output);
  return comparison.same ? EXIT.ok : EXIT.findings;
}

function happenings(
  report: Report,
  options: DiffOptions,
  verified: boolean,
  output: ReturnType<typeof createOutput>,
): number {
  const span = { sinceMs: durationOf(options.since!), untilMs: durationOf(options.until ?? '0s') };
  if (span.untilMs >= span.sinceMs) throw usage('--until later than --since', `${options.since} to ${options.until}`);
  const found = happeningsIn(report, span);
  output.result({ verified, report: head(report), ...span, ...found });
  printHappenings(report, span, found, verified, output);
  return found.happenings.length === 0 ? EXIT.ok : EXIT.findings;
}

function head({ id, creator, created, intent, verdict }: Report) {
  return { id, creator, created, intent: intent.text, verdict: verdict.kind };
}

async function caOf({ ca, identity }: DiffOptions): Promise<string> {
  if (ca !== undefined) return (await readInput(ca)).toString('utf8');
  if (identity !== undefined) return (await loadIdentity(identity, createSystemClock())).caPem;
  throw usage('--ca FILE, --identity DIR or --unverified', 'none of them');
}

/** Bytes of the named reports, or of the latest two of one question. Connects to an agent only if needed. */
async function load(options: DiffOptions, names: readonly string[], wanted: number): Promise<readonly Buffer[]> {
  const files = names.filter(isReportFile);
  if (files.length === wanted) return Promise.all(files.map(readInput));
  try {
    return await withClient(options, async (client) => {
      const meant = await Promise.all(names.map((name) => (isReportFile(name) ? name : wholeIdOf(client, name))));
      const found = await Promise.all(
        meant.map((name) => (isReportFile(name) ? readInput(name) : fetched(client, reportUriOf(name)))),
      );
      if (found.length === wanted) return found;
      const uris = await latest(client, meant[0], wanted - found.length);
      return [...found, ...(await Promise.all(uris.map((uri) => fetched(client, uri))))];
    });
  } catch (error) {
    throw asLocalError(error);
  }
}

async function fetched(client: OperatorClient, uri: string): Promise<Buffer> {
  return Buffer.from(await fetchReport(client, uri));
}

/** The newest reports of one question: the question of the named report, or of the newest. */
async function latest(client: OperatorClient, name: string | undefined, count: number): Promise<readonly string[]> {
  if (name !== undefined && isReportFile(name)) throw usage('two files, or ids', `one file, ${name}`);
  const { reports } = await listReports(client);
  const first = name === undefined ? 0 : reports.findIndex((each) => each['uri'] === reportUriOf(name));
  const from = name === undefined ? 0 : first + 1;
  const alike = reports.slice(from).filter((each) => each['intent'] === reports[first]?.['intent']);
  if (alike.length < count || first < 0) throw usage('an earlier report of the same question', 'none on this node');
  return alike.slice(0, count).map((each) => String(each['uri']));
}

/** The report, or why it is refused. */
async function open(bytes: Buffer, caPem: string | undefined): Promise<Report | string> {
  if (caPem === undefined) {
    const opened = openUnverified(bytes);
    if (!opened.ok) throw new ParleyError('caller/unreadable-file', `expected a report file: ${opened.reason}`);
    return opened.value;
  }
  const verification = await verifySealedReport(bytes, {
    verifyChain: (chain, atMs) => verifyChain(chain, caPem, atMs),
  });
  const bad = verification.checks.find((check) => !check.ok);
  if (verification.ok && verification.report !== undefined) return verification.report;
  return `${bad?.part ?? 'report'}: ${bad?.detail ?? 'does not verify'}`;
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

function durationOf(text: string): number {
  const [, count, unit] = /^(\d{1,6})(s|m|h)$/.exec(text) ?? [];
  if (count === undefined) throw usage('a duration such as 90s, 10m or 1h', text);
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}
