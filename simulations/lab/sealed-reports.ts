// The sealed report of a question to a node of a lab, as that node gives it: what a replay needs to conclude it again without the network.
import { CONTROL_SOCKET } from './node-files.ts';
import { runInNode } from './node-processes.ts';
import type { NodeRecord } from './registry.ts';

const FETCH_MS = 20_000;

/** `uri` as an answer names it. The text comes piece by piece. Rejects where the node has no such report. */
export async function sealedReportOf(node: NodeRecord, uri: string): Promise<string> {
  const id = uri.split('/').at(-1)!;
  let text = '';
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const call = ['call', 'parley-report-fetch', JSON.stringify({ id, offset }), '--json', '--socket', CONTROL_SOCKET];
    const { stdout } = await runInNode(node, ['node', '/opt/parley/dist/main.js', ...call], { timeoutMs: FETCH_MS });
    const piece = JSON.parse(stdout) as { readonly text: string; readonly nextOffset?: number };
    text += piece.text;
    offset = piece.nextOffset;
  }
  return text;
}
