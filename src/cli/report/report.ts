// `parley report list | show | export | verify`. Verification needs no agent and no network (CARD-6).
import { readFile } from 'node:fs/promises';
import { messageOf, ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { deniedWords, isDenied } from '#base/owners.ts';
import { systemRandom } from '#base/random.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import type { AppliedRemedy } from '#model/intent.ts';
import type { Report } from '#model/report.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { openUnverified } from '#report/open-unverified.ts';
import { pseudonymisedText, readPseudonymised } from '#report/pseudonyms.ts';
import { callersWordOf, verifySealedReport } from '#report/verify.ts';
import { sha256Hex } from '#sign/digest.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, entry, type Output, printable, prose, table } from '../terminal/output.ts';
import { paged } from '../terminal/pager.ts';
import { usage } from '../terminal/usage.ts';
import { printAnswer } from './answer-lines.ts';
import { depthOf, printExplanation } from './explain.ts';
import { fetchReport, isReportFile, listReports, reportUriOf } from './fetch-report.ts';
import { wholeIdOf } from './report-id.ts';
import { storeLines } from './store-lines.ts';
import { momentWords } from './table-lines.ts';

export async function listCommand(options: AgentOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  return withClient(options, async (client) => {
    const { reports, store } = await listReports(client).catch((error) => {
      throw asLocalError(error);
    });
    output.result({ reports, ...(store === undefined ? {} : { store }) });
    printList(reports, output);
    for (const line of storeLines(store)) output.line(line);
    return EXIT.ok;
  });
}

const COLUMNS = ['id', 'created', 'verdict', 'hypothesis', 'intent'] as const;

/** A person gets the question below each report, and times of this machine; a program gets one line a report. */
export function printList(reports: readonly JsonObject[], output: Output): void {
  const cells = reports.map((report) => COLUMNS.map((key) => printable(String(report[key] ?? ''))));
  if (output.terminal?.isTty !== true) {
    output.line(table(COLUMNS, cells));
    return;
  }
  const heads = cells.map(([id = '', created = '', verdict = '']) => [id, momentWords(Date.parse(created)), verdict]);
  const [title = '', ...lines] = table(['id', 'created', 'verdict'], heads).split('\n');
  output.line(title);
  for (const [index, line] of lines.entries()) {
    const [, , verdict, hypothesis = '', question = ''] = cells[index]!;
    prose(output, verdict === 'fault' ? `${line}  ${hypothesis}` : line, UNDER_ID);
    prose(output, `${UNDER_ID}${question}`, UNDER_ID);
  }
}

/** As wide as an id, and two more. */
const UNDER_ID = ' '.repeat(18);

/** Shows a report as `parley ask` did: an id, a URN, a file, or the node's newest. Verifies nothing, and says so. */
export async function showCommand(
  options: AgentOptions & { readonly explain?: boolean | string },
  [name = 'last']: readonly string[],
): Promise<number> {
  const output = createOutput(options.json ?? false);
  const report = await reportNamed(options, name);
  const notProven = notProvenIn(report.intent as unknown as JsonObject);
  output.result({ report, ...(notProven.length === 0 ? {} : { notProven }) });
  const depth = depthOf(options.explain);
  return paged(output, async (lines) => {
    entry(lines, 'report', report.id);
    entry(
      lines,
      'made',
      `${report.created} on ${report.creator}; not verified here: "parley report verify FILE --ca CA.pem" does it`,
    );
    entry(lines, 'question', report.intent.text);
    lines.line();
    printAnswer(report, depth !== undefined, lines, Date.parse(report.created));
    for (const limit of notProven) prose(lines, `not proven: ${limit}`);
    if (depth !== undefined) printExplanation(report, lines, { raw: report, depth });
    return EXIT.ok;
  });
}

async function reportNamed(options: AgentOptions, name: string): Promise<Report> {
  const bytes = isReportFile(name)
    ? await readInput(name)
    : await withClient(options, (client) => fetched(client, name));
  const copy = readPseudonymised(bytes);
  if (copy?.ok) return copy.value.report;
  const opened = openUnverified(bytes);
  if (opened.ok) return opened.value;
  throw new ParleyError('caller/unreadable-file', `expected a report: ${opened.reason}`);
}

async function fetched(client: OperatorClient, name: string): Promise<Buffer> {
  try {
    return Buffer.from(await fetchReport(client, reportUriOf(await wholeIdOf(client, name))));
  } catch (error) {
    throw asLocalError(error);
  }
}

/** What a report records as its caller's words. */
export function notProvenIn(intent: JsonValue | undefined): readonly string[] {
  const remedy = isJsonObject(intent) ? intent['remedy'] : undefined;
  return isJsonObject(remedy) ? [callersWordOf(remedy as unknown as AppliedRemedy)] : [];
}

type ExportOptions = AgentOptions & { readonly original?: boolean; readonly pseudonyms?: boolean };

/**
 * Writes the sealed report for an admin, who consents by asking; for others a copy in which hosts have pseudonyms. Which of them a caller gets is
 * decided here: who may read sealed reports at all, by the node's access rules.
 */
export async function exportCommand(options: ExportOptions, [id, file]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  if (options.original && options.pseudonyms) throw usage('either --original or --pseudonyms', 'both');
  return withClient(options, async (client) => {
    const isAdmin = client.role === 'admin';
    if (options.original && !isAdmin)
      throw new ParleyError(
        'caller/not-permitted',
        `expected an admin for a report with the names and addresses of hosts, got ${client.role ?? 'no role'}: leave --original out for a copy with pseudonyms`,
      );
    const text = (await fetched(client, id!)).toString('utf8');
    const isCopy = options.pseudonyms === true || !isAdmin;
    await writeFileDurably(file!, isCopy ? copyOf(text) : text, 0o640);
    output.result({ file: file!, pseudonymised: isCopy });
    output.line(`written to ${file}`);
    if (isCopy)
      output.line(
        'hosts have pseudonyms in it, and no signature covers it: the signed report is on the node; an admin may export that',
      );
    return EXIT.ok;
  });
}

function copyOf(text: string): string {
  const report = openUnverified(Buffer.from(text));
  if (!report.ok) throw new ParleyError('peer/protocol', `expected a report: ${report.reason}`);
  const { uri, creator } = report.value;
  return pseudonymisedText(report.value, { uri, creator, sha256: sha256Hex(text) }, systemRandom.bytes(32));
}

/** Exit code 0 if every part verifies and none is missing, 3 if the report leaves out what it should hold, 5 if a part does not verify. */
export async function verifyCommand(
  options: { readonly ca: string; readonly json?: boolean },
  [file]: readonly string[],
): Promise<number> {
  const output = createOutput(options.json ?? false);
  const [bytes, caPem] = await Promise.all([readInput(file!), readInput(options.ca)]);
  const copy = readPseudonymised(bytes);
  if (copy !== undefined) {
    const notice = copy.ok ? copy.value.notice : copy.reason;
    output.result({ ok: false, checks: [], notProven: [], gaps: [], file: file!, pseudonymised: notice });
    output.line(`${file}: CANNOT BE VERIFIED: ${printable(notice)}`);
    return EXIT.signature;
  }
  const verification = await verifySealedReport(bytes, {
    verifyChain: (chain, atMs) => verifyChain(chain, caPem.toString('utf8'), atMs),
  });
  const { ok, checks, notProven, gaps } = verification;
  output.result({ ok, checks, notProven, gaps, file: file! });
  for (const check of checks)
    output.line(`${check.ok ? 'ok  ' : 'FAIL'}  ${check.part}${check.detail ? `: ${check.detail}` : ''}`);
  output.line();
  output.line(verdictLine(file!, ok, gaps.length));
  for (const limit of notProven) output.line(`not proven: ${limit}`);
  if (!ok) return EXIT.signature;
  return gaps.length === 0 ? EXIT.ok : EXIT.incomplete;
}

function verdictLine(file: string, ok: boolean, gapCount: number): string {
  if (!ok) return `${file}: DOES NOT VERIFY`;
  return gapCount === 0
    ? `${file}: every signature holds`
    : `${file}: every signature holds, BUT ${gapCount} ${gapCount === 1 ? 'part is' : 'parts are'} missing, or signed at another time than the report says`;
}

export async function readInput(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const why = isDenied(cause) ? await deniedWords(file) : messageOf(cause);
    throw new ParleyError('caller/unreadable-file', `cannot read ${file}: ${why}`, { cause });
  }
}
