// `parley get PATH`: YANG data of a node, or the equivalent show command's output where the device has no YANG (NET-3).
// `parley get network:///…`: a resource of any size, page by page (NET-6); with --json one object per page.
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import { readData } from '#mcp/client/read-data.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, type Output } from '../terminal/output.ts';

export type GetOptions = AgentOptions & { readonly datastore?: string };

export async function getCommand(options: GetOptions, [path = '']: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const datastore = options.datastore ?? 'operational';
  return withClient(options, async (client) => {
    if (path.includes('://')) return printResource(client, path, output);
    const answer = await readData(client, path, datastore).catch((error) => {
      throw asLocalError(error);
    });
    output.result({ path, datastore, ...answer });
    if (answer.kind === 'shown') {
      output.progress(`this device has no YANG; output of "${answer.command}":`);
      output.line(answer.text.trimEnd());
    } else output.line(JSON.stringify(answer.data, undefined, 2));
    return EXIT.ok;
  });
}

/** More than any node returns in one page: each returns what fits. */
const MOST = 10_000;

/** Large tables are requested as lines for people: a quarter of the bytes, one line per route. */
async function printResource(client: OperatorClient, uri: string, output: Output): Promise<number> {
  const request = { limit: MOST, ...(output.json ? {} : { accept: 'text/csv' }) };
  let page = 0;
  let head = '';
  for await (const body of client.readPages(uri, request)) {
    page++;
    output.result({ uri, page, body });
    if (typeof body !== 'string') output.line(JSON.stringify(body, undefined, 2));
    else {
      // Each page of lines begins with the same heading.
      if (page === 1) head = body.slice(0, body.indexOf('\n') + 1);
      output.line((page > 1 && body.startsWith(head) ? body.slice(head.length) : body).trimEnd());
    }
  }
  return EXIT.ok;
}
