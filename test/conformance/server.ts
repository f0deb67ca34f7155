// A test build of our own server: the loopback endpoint with the suite's fixtures mounted in the catalog, the agent's own gate
// and call handler behind it, and no token, which only a test build can leave out.
import { createSystemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import type { Loopback } from '#mcp/http/loopback.ts';
import { createMcpServer } from '#mcp/server.ts';
import { createUnauditedGate } from '../fakes/call-handler.ts';
import { FIXTURE_PROMPTS, FIXTURE_RESOURCES, FIXTURE_TOOLS } from './fixtures.ts';

/** What the official suite is run against. */
export type TestedServer = { readonly url: string; close(): Promise<void> };

export async function startFixtureServer(): Promise<TestedServer> {
  const clock = createSystemClock();
  const catalog = createCatalog({ tools: FIXTURE_TOOLS, resources: FIXTURE_RESOURCES, prompts: FIXTURE_PROMPTS });
  const gate = createUnauditedGate('fixture', () => catalog, clock);
  const server = createMcpServer({
    serverInfo: { name: 'parley-conformance', version: '0.1.0' },
    node: 'fixture',
    port: 0,
    capabilities: [],
    catalog,
    gate,
    log: silentLog,
    onRefused: () => {},
    onSession: () => {},
    random: systemRandom,
    clock,
  });
  const loopback: Loopback = await server.listenLoopback({
    port: 0,
    party: { kind: 'operator', domain: 'lab', name: 'local' },
    token: undefined,
  });
  return {
    url: `http://127.0.0.1:${loopback.port}/mcp`,
    close: async () => {
      await loopback.close();
      server.close();
    },
  };
}
