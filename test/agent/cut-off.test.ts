// A node that is cut off by a shut link while its agent answers, as over a management network: no question calls that healthy, and the one that names
// both sides gets the link.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import { type AgentBed, upAgents } from './agent-bed.ts';

let bed: AgentBed;
let client: OperatorClient;
before(async () => {
  bed = await upAgents(['pe1', 'p2', 'pe3'], {}, { here: true });
  client = await bed.local('pe1');
});
after(async () => {
  await client?.close();
  await bed?.down();
});

type Answer = {
  readonly verdict: { readonly kind: string; readonly reasons: readonly string[] };
  readonly findings: readonly { readonly fault: string; readonly resource: string; readonly confidence: string }[];
};
const ask = async (intent: string) =>
  (await client.callTool('parley-ask', { intent }, { timeoutMs: 30_000 })) as unknown as Answer;

for (const node of ['pe1', 'p2'] as const) {
  test(`pe1 behind a link that is shut at ${node} is cut off: not healthy, and the link is named to who asks why`, async () => {
    bed.network.apply({ kind: 'repair' });
    bed.network.apply({ kind: 'link', node, ifname: 'eth1', up: false });
    const { verdict, findings } = await ask('What is wrong?');
    assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
    assert.match(verdict.reasons[0]!, /cut off from each other: none of \d+ probes .* eth1 is shut down/);
    assert.deepEqual(
      (await ask('Why can pe1 not reach pe3?')).findings.map(({ fault, resource, confidence }) => [
        fault,
        resource,
        confidence,
      ]),
      [['link_down', 'link/p2:eth1--pe1:eth1', 'likely']],
    );
    assert.deepEqual((await ask('Why can p2 not reach pe3?')).findings, []);
  });
}
