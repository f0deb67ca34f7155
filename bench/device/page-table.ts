// Program of the device benchmark and its test: reads the IPv4 table of a node page by page over mutual TLS, looks at every route, and prints
// what it saw. Arguments: identity folder, node, `lines` (text/csv) or `yang`, routes a page (0: what the agent gives unasked).
import type { JsonValue } from '#base/json.ts';
import { dialNode } from './dial-node.ts';

const TABLE = 'network:///routing/ipv4/route-table';
const PREFIX = 'ietf-ipv4-unicast-routing:destination-prefix';

const [identity = '', node = '', form = '', limit = '0'] = process.argv.slice(2);
const request = {
  ...(form === 'lines' ? { accept: 'text/csv' } : {}),
  ...(Number(limit) > 0 ? { limit: Number(limit) } : {}),
};
const { client } = await dialNode(identity, node);
const started = performance.now();
let [pages, routes, filled, outOfOrder, longestPageMs] = [0, 0, 0, 0, 0];
let last = -1;
let pageStarted = started;
for await (const body of client.readPages(TABLE, request)) {
  longestPageMs = Math.max(longestPageMs, performance.now() - pageStarted);
  for (const prefix of prefixesOf(body)) {
    const [a = 0, b = 0, c = 0, d = 0] = prefix.split(/[./]/).map(Number);
    const address = ((a * 256 + b) * 256 + c) * 256 + d;
    if (address <= last) outOfOrder++;
    last = address;
    if (a === 10) filled++;
    routes++;
  }
  pages++;
  pageStarted = performance.now();
}
const seconds = (performance.now() - started) / 1_000;
await client.close();
process.stdout.write(`${JSON.stringify({ pages, routes, filled, outOfOrder, seconds, longestPageMs })}\n`);

function prefixesOf(body: JsonValue): string[] {
  if (typeof body === 'string')
    return body
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.slice(0, line.indexOf(',')));
  const rows = (body as { readonly 'ietf-routing:routes': readonly Record<string, string>[] })['ietf-routing:routes'];
  return rows.map((row) => row[PREFIX]!);
}
