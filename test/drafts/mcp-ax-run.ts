// The worked examples of MCP-AX over real aggregators: a stub that registers with the lowest, a gateway of another make, and a client of the highest.
import type { TestContext } from 'node:test';
import { until } from '../fakes/clock.ts';
import type { AggregatorBed } from './beds.ts';
import type { Connections } from './client/example.ts';
import { credentialsIn, type FrameClient, type Json, type JsonRecord, openFrames } from './client/frames.ts';

const WHOLE = 'infra.edge.stm32h7.dma2d_status';

/** An MCP server with one tool, as a stub of the draft; `routed` is the routing metadata of its last call. */
function serveTool(link: FrameClient, name: string) {
  const seen: { routed: JsonRecord } = { routed: {} };
  const tool = { name, description: 'State', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
  const about = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name, version: '1' } };
  link.serve(({ method, params }): Json => {
    if (method === 'initialize') return about;
    if (method === 'tools/list') return { tools: [tool] };
    if (method !== 'tools/call') return {};
    const { _meta, ...rest } = params as JsonRecord;
    const members = Object.entries({ ...rest, ...(_meta as JsonRecord) });
    seen.routed = Object.fromEntries(members.filter(([key]) => /^x-mcpax-(route|cursor)$/.test(key)));
    return { content: [{ type: 'text', text: 'idle' }] };
  });
  return seen;
}

async function openClient(t: TestContext, bed: AggregatorBed): Promise<FrameClient> {
  const client = await openFrames(bed.rootPort, credentialsIn(bed.folderOf('ann')));
  t.after(() => client.close());
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'client', version: '1' } };
  await client.ask({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  return client;
}

/** Registration at the lowest of three, calls from the highest, and the end of the stub. */
export async function registrationRun(t: TestContext, bed: AggregatorBed): Promise<Connections> {
  const stub = await openFrames(await bed.edge(), credentialsIn(bed.folderOf('stm32h7')));
  t.after(() => stub.close());
  const client = await openClient(t, bed);
  serveTool(stub, 'dma2d_status');
  const links: Readonly<Record<string, FrameClient>> = { stub, client };
  return {
    exchange: async ({ over }, send) => links[over]!.ask(send!),
    happen: async (what) => {
      if (what === 'the stub is gone') stub.close();
      await until(() => isListed(client, what === 'the stub is gone'), what);
    },
  };
}

/** A gateway that was built from the draft registers below two aggregators, and gets the calls with their route. */
export async function routeRun(t: TestContext, bed: AggregatorBed): Promise<Connections> {
  const gateway = await openFrames(bed.infraPort, credentialsIn(bed.folderOf('gateway')));
  t.after(() => gateway.close());
  const client = await openClient(t, bed);
  const seen = serveTool(gateway, 'stm32h7.dma2d_status');
  const id = '550e8400-e29b-41d4-a716-446655440001';
  const params = {
    ...{ subserver_id: id, aggregator_id: id, 'x-mcpax-subtree-ids': [id], segment: 'edge', version: '2026-05-01' },
    ...{ capabilities: { tools: true, resources: false, notifications: true }, heartbeat_interval_ms: 0 },
  };
  await gateway.ask({ jsonrpc: '2.0', id: 1, method: 'mcpax/register', params });
  await until(() => isListed(client, false), 'the tree is whole');
  return {
    exchange: async ({ over }, send) => (over === 'gateway' ? seen.routed : client.ask(send!)),
    happen: () => {},
  };
}

let asked = 100;

/** Whether the client's list has the tool, as degraded or not. */
async function isListed(client: FrameClient, isDegraded: boolean): Promise<boolean> {
  const { result } = await client.ask({ jsonrpc: '2.0', id: ++asked, method: 'tools/list', params: {} });
  const { tools } = result as { readonly tools: readonly JsonRecord[] };
  const tool = tools.find(({ name }) => name === WHOLE);
  return tool !== undefined && JSON.stringify(tool).includes('"degraded"') === isDegraded;
}
