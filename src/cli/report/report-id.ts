// Which report of a node an operator means: "last", the id, its URN, or the first characters of the id. Only the node's own list decides; a
// beginning that fits several is refused with their ids.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import { listReports, reportIdOf } from './fetch-report.ts';

const BEGINNING = /^[0-9a-f]{4,15}$/;

/** Ids that an error lists. */
const NAMED = 5;

type Asked = Pick<OperatorClient, 'callTool'>;

/** The whole id. A name of another form is passed on, for the node to refuse. Rejects with `caller/no-report`, `caller/unknown-report` or `caller/usage`. */
export async function wholeIdOf(client: Asked, name: string): Promise<string> {
  if (name === 'last') return newestReportId(client);
  const id = reportIdOf(name);
  return BEGINNING.test(id) ? beginningWith(client, id) : id;
}

/** Rejects with `caller/no-report` where the node has none. */
async function newestReportId(client: Asked): Promise<string> {
  const page = await client.callTool('parley-report-list', { limit: 1 });
  const id = ((page['reports'] ?? []) as readonly JsonObject[])[0]?.['id'];
  if (typeof id === 'string') return id;
  throw new ParleyError('caller/no-report', 'expected a report on this node, got none: ask a question first');
}

async function beginningWith(client: Asked, beginning: string): Promise<string> {
  const { reports } = await listReports(client);
  const alike = reports.map(({ id }) => String(id)).filter((id) => id.startsWith(beginning));
  const [only] = alike;
  if (only === undefined)
    throw new ParleyError(
      'caller/unknown-report',
      `expected a report of this node, none has an id that begins with ${beginning}: see "parley report list"`,
    );
  if (alike.length === 1) return only;
  throw new ParleyError(
    'caller/usage',
    `expected more of the id, ${alike.length} reports have one that begins with ${beginning}`,
    { data: { alike: alike.slice(0, NAMED) } },
  );
}
