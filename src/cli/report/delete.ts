// `parley report delete`: by id, or by age and verdict, part by part. The node puts every report that goes into its audit trail.
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, printable, table } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';
import { reportIdOf } from './fetch-report.ts';
import { wholeIdOf } from './report-id.ts';

type DeleteOptions = AgentOptions & { readonly olderThan?: string; readonly verdict?: string };

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const HEADINGS = ['id', 'created', 'kind', 'acknowledged'] as const;

export async function deleteCommand(options: DeleteOptions, ids: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  deletionOf(options, ids);
  return withClient(options, async (client) => {
    const names = await Promise.all(ids.map((id) => wholeIdOf(client, id))).catch((error) => {
      throw asLocalError(error);
    });
    const args = deletionOf(options, names);
    const removed: JsonObject[] = [];
    let more = true;
    while (more && removed.length < LIMITS.reportCount) {
      const part = await client.callTool('parley-report-delete', args).catch((error) => {
        throw asLocalError(error);
      });
      removed.push(...(part['removed'] as readonly JsonObject[]));
      more = part['more'] === true;
    }
    const missing = names.filter((name) => removed.every(({ id }) => id !== name));
    output.result({ removed, ...(missing.length === 0 ? {} : { missing }) });
    const rows = removed.map((each) => HEADINGS.map((key) => printable(String(each[key] ?? ''))));
    if (removed.length > 0) output.line(table([...HEADINGS], rows));
    output.line(`${removed.length} ${removed.length === 1 ? 'report' : 'reports'} deleted`);
    for (const name of missing) output.line(`not there   ${printable(name)}`);
    return missing.length === 0 ? EXIT.ok : EXIT.incomplete;
  });
}

/** The tool's arguments. Without ids, an age or a verdict nothing is deleted: no call means everything. */
export function deletionOf(options: Pick<DeleteOptions, 'olderThan' | 'verdict'>, ids: readonly string[]): JsonObject {
  const { olderThan, verdict } = options;
  if (ids.length > 0) {
    if (olderThan === undefined && verdict === undefined) return { ids: ids.map(reportIdOf) };
    throw usage('either ids, or --older-than and --verdict', 'both');
  }
  if (olderThan === undefined && verdict === undefined) throw usage('ids, --older-than or --verdict', 'none');
  return {
    ...(verdict === undefined ? {} : { verdict }),
    ...(olderThan === undefined ? {} : { olderThanMs: spanMsOf(olderThan) }),
  };
}

function spanMsOf(text: string): number {
  const [, count, unit] = /^(\d{1,4})(m|h|d)$/.exec(text) ?? [];
  if (count === undefined) throw usage('--older-than with a span such as 90m, 12h or 30d', text);
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
