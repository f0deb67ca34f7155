// How a command reaches the node that owns a change: asked from the agent that was named, also where that one is far away.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSystemClock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { withNode } from '#cli/terminal/connect.ts';
import type { ToolDefinition } from '#model/definition.ts';
import { listen } from '#mtls/listen.ts';
import { createTrust } from '#mtls/trust.ts';
import { createFakeConfiguration } from '../fakes/configuration.ts';
import { createFakeDevice } from '../fakes/device.ts';
import { createDomain, type Domain } from '../mtls/domain.ts';
import { openDeviceBench } from '../network/device-bench.ts';

/** A node with a certificate, that says of itself and of others what it is told. */
async function nodeOf(t: TestContext, domain: Domain, node: string, peers: readonly JsonObject[]): Promise<number> {
  const tool: ToolDefinition = {
    name: 'parley-peers',
    title: 'Peers',
    description: 'Whom this node knows.',
    capability: 'parley-peers',
    mutability: 'read',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
    callers: ['operator'],
    honoursPaths: true,
    call: async () => ({ node, peers }),
  };
  const configured = { node, configuration: createFakeConfiguration(), tools: [tool] };
  const bench = await openDeviceBench(t, createFakeDevice(), '/nonexistent', undefined, configured);
  const clock = createSystemClock();
  const [identity, trust] = [await domain.identity(node), await createTrust({ clock })];
  const end = (socket: { destroy(): void }) => socket.destroy();
  const listener = await listen(
    { identity, trust, host: '127.0.0.1', port: 0, log: silentLog, onRefused: () => {}, clock },
    { mcp: (socket, party) => bench.server.serveFrames(socket, party), h2: end, http1: end },
  );
  t.after(() => listener.close());
  return listener.port;
}

test('a remedy of another node is taken there, by the word of the agent behind --connect and the certificate of the node', async (t) => {
  const domain = await createDomain();
  t.after(() => domain.remove());
  await domain.identity('ann', { kind: 'operator', role: 'admin' });
  const farPort = await nodeOf(t, domain, 'r2', []);
  const at = (port: number) => ({ addresses: ['127.0.0.1'], port, verified: true });
  const nearPort = await nodeOf(t, domain, 'r1', [
    { node: 'r2', ...at(farPort) },
    { node: 'r3', ...at(farPort) },
  ]);
  const options = { connect: `127.0.0.1:${nearPort}`, identity: join(domain.dir, 'ann') };
  const who = (node: string) =>
    withNode(options, node, async (client) => (await client.callTool('parley-peers', {}))['node']);
  assert.deepEqual([await who('r1'), await who('r2')], ['r1', 'r2']);
  await assert.rejects(who('r3'), { code: 'peer/wrong-identity' });
  await assert.rejects(who('r4'), { code: 'caller/unknown-node' });
});
