// Fetches report files and their list from an agent, piece by piece: either may be larger than a message.
import { existsSync } from 'node:fs';
import { ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import { REPORT_URN } from '#model/report.ts';
import type { StoreStatus } from '#report/store-database.ts';

export function reportUriOf(id: string): string {
  return id.startsWith(REPORT_URN) ? id : `${REPORT_URN}${id}`;
}

/** The id of a name that may be a URN. */
export function reportIdOf(name: string): string {
  return name.startsWith(REPORT_URN) ? name.slice(REPORT_URN.length) : name;
}

/** Names of reports on the node win over files of the same name here: write `./last` for the file. */
const NAME_OF_NODE = /^(?:last|[0-9a-f]{16})$/;

/** True for the name of a file, false for that of a report on the node. */
export function isReportFile(name: string): boolean {
  return !NAME_OF_NODE.test(name) && !name.startsWith(REPORT_URN) && existsSync(name);
}

/** The sealed report file's text. */
export async function fetchReport(client: OperatorClient, uri: string): Promise<string> {
  const id = uri.slice(REPORT_URN.length);
  const pieces: string[] = [];
  let offset: number | undefined = 0;
  let chars = 0;
  while (offset !== undefined) {
    const piece = await client.callTool('parley-report-fetch', { id, offset });
    const text = String(piece['text']);
    pieces.push(text);
    chars += text.length;
    const next = piece['nextOffset'];
    if (next !== undefined && (next !== chars || chars > LIMITS.reportBytes))
      throw new ParleyError('peer/protocol', `expected the report from character ${chars} on, got ${String(next)}`);
    offset = next as number | undefined;
  }
  return pieces.join('');
}

export async function saveReport(client: OperatorClient, uri: string, file: string): Promise<void> {
  await writeFileDurably(file, await fetchReport(client, uri), 0o640);
}

/** Summaries page by page, newest first, and how full the store is; an agent of an earlier version does not say that. */
export async function listReports(
  client: Pick<OperatorClient, 'callTool'>,
): Promise<{ readonly reports: readonly JsonObject[]; readonly store?: StoreStatus }> {
  const reports: JsonObject[] = [];
  let page: JsonObject = {};
  let store: StoreStatus | undefined;
  do {
    const cursor = page['nextCursor'];
    page = await client.callTool('parley-report-list', cursor === undefined ? {} : { cursor });
    store ??= page['store'] as StoreStatus | undefined;
    reports.push(...((page['reports'] ?? []) as readonly JsonObject[]));
  } while (page['nextCursor'] !== undefined && reports.length < LIMITS.reportCount);
  return store === undefined ? { reports } : { reports, store };
}
