// `parley get PATH`: YANG data of a node; of a device that has none, what its command line says about the same thing (NET-3).
// `parley get network:///…`: a resource, page by page to its end however large (NET-6), with --json an object a page.
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
      output.progress(`this device has no YANG; its command "${answer.command}" says:`);
      output.line(answer.text.trimEnd());
    } else output.line(JSON.stringify(answer.data, undefined, 2));
    return EXIT.ok;
  });
}

/** More than any node gives in one page: each gives as much as it has room for. */
const MOST = 10_000;

/** Large tables come as lines where people read them: a quarter of the bytes, and one line a route. */
async function printResource(client: OperatorClient, uri: string, output: Output): Promise<number> {
  const request = { limit: MOST, ...(output.json ? {} : { accept: 'text/csv' }) };
  let page = 0;
  let head = '';
  for await (const body of client.readPages(uri, request)) {
    page++;
    output.result({ uri, page, body });
    if (typeof body !== 'string') output.line(JSON.stringify(body, undefined, 2));
    else {
      // Each page of lines begins with the same head.
      if (page === 1) head = body.slice(0, body.indexOf('\n') + 1);
      output.line((page > 1 && body.startsWith(head) ? body.slice(head.length) : body).trimEnd());
    }
  }
  return EXIT.ok;
}
