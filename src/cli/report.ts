// `parley report list | show | export | verify`. Verification needs no agent and no network (CARD-6).
import { readFile } from 'node:fs/promises';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { AppliedRemedy } from '#model/intent.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { callersWordOf, verifySealedReport } from '#report/verify.ts';

import { type AgentOptions, asLocalError, withClient } from './connect.ts';
import { EXIT } from './exit-codes.ts';
import { listReports, reportUriOf, saveReport } from './fetch-report.ts';
import { createOutput, table } from './output.ts';

export async function listCommand(options: AgentOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  return withClient(options, async (client) => {
    const reports = await listReports(client).catch((error) => {
      throw asLocalError(error);
    });
    output.result({ reports });
    const rows = reports.map((report) =>
      ['id', 'created', 'verdict', 'hypothesis', 'intent'].map((key) => String(report[key] ?? '')),
    );
    output.line(table(['id', 'created', 'verdict', 'hypothesis', 'intent'], rows));
    return EXIT.ok;
  });
}

export async function showCommand(options: AgentOptions, [id]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  return withClient(options, async (client) => {
    const body = (await client.readResource(reportUriOf(id!)).catch((error) => {
      throw asLocalError(error);
    })) as JsonObject;
    const { sealed: _sealed, evidence, ...shown } = body;
    const pieces = Array.isArray(evidence) ? evidence.length : 0;
    const notProven = notProvenIn(body['intent']);
    output.result({ report: body, ...(notProven.length === 0 ? {} : { notProven }) });
    output.line(JSON.stringify({ ...shown, evidence: `${pieces} pieces` }, undefined, 2));
    for (const limit of notProven) output.line(`not proven: ${limit}`);
    return EXIT.ok;
  });
}

/** What stands in a report as its caller said it. */
export function notProvenIn(intent: JsonValue | undefined): readonly string[] {
  const remedy = isJsonObject(intent) ? intent['remedy'] : undefined;
  return isJsonObject(remedy) ? [callersWordOf(remedy as unknown as AppliedRemedy)] : [];
}

export async function exportCommand(options: AgentOptions, [id, file]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  return withClient(options, async (client) => {
    await saveReport(client, reportUriOf(id!), file!).catch((error) => {
      throw asLocalError(error);
    });
    output.result({ file: file! });
    output.line(`written to ${file}`);
    return EXIT.ok;
  });
}

/** Exit code 0 when every part holds, 5 when any does not. */
export async function verifyCommand(
  options: { readonly ca: string; readonly json?: boolean },
  [file]: readonly string[],
): Promise<number> {
  const output = createOutput(options.json ?? false);
  const [bytes, caPem] = await Promise.all([readInput(file!), readInput(options.ca)]);
  const verification = await verifySealedReport(bytes, {
    verifyChain: (chain, atMs) => verifyChain(chain, caPem.toString('utf8'), atMs),
  });
  const { ok, checks, notProven } = verification;
  output.result({ ok, checks, notProven, file: file! });
  for (const check of checks)
    output.line(`${check.ok ? 'ok  ' : 'FAIL'}  ${check.part}${check.detail ? `: ${check.detail}` : ''}`);
  output.line();
  output.line(ok ? `${file}: every signature holds` : `${file}: DOES NOT VERIFY`);
  for (const limit of notProven) output.line(`not proven: ${limit}`);
  return ok ? EXIT.ok : EXIT.signature;
}

export async function readInput(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new ParleyError('caller/unreadable-file', `cannot read ${file}`, { cause });
  }
}
