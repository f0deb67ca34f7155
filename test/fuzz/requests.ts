// Mutated requests to the device as MCP server: framing, JSON, schema, cursors and URIs. Counts how many reached a handler, and
// fails on a crash, an unhandled rejection, a request that hangs, or memory that stays. The seed replays a run.
import { createConnection, createServer, type Socket } from 'node:net';
import { loadPrompts } from '#agent/parts/prompts.ts';
import { createDeviceDefinitions } from '#agent/tools/device.ts';
import { createSystemClock } from '#base/clock.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { randomHex, systemRandom } from '#base/random.ts';
import { createFrameDecoder, encodeFrame } from '#codec/frame.ts';
import { type Catalog, createCatalog } from '#mcp/catalog/catalog.ts';
import { createMcpServer } from '#mcp/server.ts';
import { createUnauditedGate } from '../fakes/call-handler.ts';
import { createFakeDevice } from '../fakes/device.ts';

export type FuzzResult = {
  readonly seed: number;
  readonly requests: number;
  readonly answered: number;
  /** Requests of which a handler, and not only the parser or the schema, saw something. */
  readonly handled: number;
  readonly sessions: number;
  readonly unhandled: number;
  readonly hung: number;
  readonly heapGrowthBytes: number;
};

/** Longest wait for one answer before it counts as hung. */
const HANG_MS = 10_000;
const BATCH = 32;

export async function fuzzRequests(init: { readonly count: number; readonly seed: number }): Promise<FuzzResult> {
  const random = mulberry32(init.seed);
  let handled = 0;
  let unhandled = 0;
  const onUnhandled = () => {
    unhandled++;
  };
  process.on('unhandledRejection', onUnhandled);
  const { port, close } = await serve(() => {
    handled++;
  });
  let answered = 0;
  let hung = 0;
  let sessions = 0;
  let sent = 0;
  let heapBefore = 0;
  try {
    while (sent < init.count) {
      // What a first stretch leaves behind is caches; growth is counted from there.
      if (heapBefore === 0 && sent >= Math.min(init.count / 4, 20_000)) heapBefore = heapNow();
      const session = await openSession(port, sessions++ % 2 === 0);
      while (sent < init.count && session.open) {
        const batch = Math.min(BATCH, init.count - sent);
        sent += batch;
        const outcome = await session.exchange(Array.from({ length: batch }, () => mutated(random)));
        answered += outcome.answered;
        if (outcome.hung) hung++;
      }
      session.close();
    }
    // The caller's calls start in order, so an answer to one more says that all of them have started.
    const last = await openSession(port, false);
    if (!(await last.call(SEEDS[1]!))) hung++;
    last.close();
    return {
      seed: init.seed,
      requests: sent,
      answered,
      handled,
      sessions,
      unhandled,
      hung,
      heapGrowthBytes: heapNow() - heapBefore,
    };
  } finally {
    await close();
    process.off('unhandledRejection', onUnhandled);
  }
}

function heapNow(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function serve(onHandled: () => void): Promise<{ readonly port: number; close(): Promise<void> }> {
  const clock = createSystemClock();
  const fake = createFakeDevice();
  const definitions = createDeviceDefinitions({
    node: 'r',
    router: fake.router,
    device: fake.device,
    clock,
    log: silentLog,
  });
  await definitions.refresh();
  const parts = {
    clock,
    newId: () => randomHex(systemRandom, 16),
    findTool: (name: string) => catalog.findTool(name),
    cliDialect: () => 'frr-vtysh',
    completeInterface: async () => [],
  };
  const prompts = await loadPrompts('/nonexistent', parts, silentLog);
  const catalog: Catalog = createCatalog({ tools: definitions.tools, resources: definitions.resources, prompts });
  const gate = createUnauditedGate('r', () => catalog, clock, onHandled);
  const server = createMcpServer({
    serverInfo: { name: 'fuzz', version: '0' },
    node: 'r',
    port: 0,
    capabilities: [],
    network: definitions.network,
    catalog,
    gate,
    log: silentLog,
    onRefused: () => {},
    onSession: () => {},
    random: systemRandom,
    clock,
  });
  const sockets = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    server.serveFrames(socket, { kind: 'operator', domain: 'lab', name: 'fuzz' });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as { port: number }).port,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

type Session = {
  readonly open: boolean;
  /**
   * Sends all and a ping behind them; the ping's answer, or the end of the session, ends the wait. Behind a length that is wrong
   * nothing can be understood any more: then our end of the connection must end the session.
   */
  exchange(frames: readonly Mutant[]): Promise<{ readonly answered: number; readonly hung: boolean }>;
  /** Sends one request; true when its answer came in time. */
  call(request: JsonObject): Promise<boolean>;
  close(): void;
};

async function openSession(port: number, mcp: boolean): Promise<Session> {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve) => socket.once('connect', resolve));
  const decoder = createFrameDecoder();
  let open = true;
  let answered = 0;
  let waiting: { readonly id: string; readonly done: () => void } | undefined;
  let pings = 0;
  const end = () => {
    open = false;
    waiting?.done();
  };
  socket.on('close', end);
  socket.on('end', end);
  socket.on('error', end);
  socket.on('data', (chunk) => {
    const frames = decoder.push(chunk);
    if (!frames.ok) return end();
    for (const frame of frames.value) {
      const message = JSON.parse(Buffer.from(frame).toString('utf8')) as JsonObject;
      if (message['id'] === undefined) continue;
      answered++;
      if (message['id'] === waiting?.id) waiting.done();
    }
  });
  const send = (message: JsonValue) => socket.write(encodeFrame(Buffer.from(JSON.stringify(message))));
  const experimental = mcp ? { experimental: { parley: { capabilities: [] } } } : {};
  send({
    jsonrpc: '2.0',
    id: 'i',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: experimental, clientInfo: { name: 'f', version: '0' } },
  });
  /** Waits for the answer to `id` or the end of the session; true when neither came. */
  const hangs = (id: string) =>
    new Promise<boolean>((resolve) => {
      const finish = (hung: boolean) => {
        clearTimeout(timer);
        waiting = undefined;
        resolve(hung);
      };
      const timer = setTimeout(() => finish(true), HANG_MS);
      waiting = { id, done: () => finish(false) };
      if (!open) finish(false);
    });
  return {
    get open() {
      return open;
    },
    async call(request) {
      const hung = hangs('last');
      send({ jsonrpc: '2.0', id: 'last', ...request });
      return !(await hung) && open;
    },
    async exchange(frames) {
      const before = answered;
      const id = `p${++pings}`;
      const hung = hangs(id);
      if (open) {
        for (const { bytes } of frames) socket.write(bytes);
        if (frames.some(({ unframed }) => unframed)) socket.end();
        else send({ jsonrpc: '2.0', id, method: 'ping' });
      }
      return { hung: await hung, answered: answered - before };
    },
    close: () => socket.destroy(),
  };
}

const SEEDS: readonly JsonObject[] = [
  { method: 'tools/list', params: {} },
  { method: 'tools/call', params: { name: 'network.cli.exec', arguments: { cmd: 'show ip route 192.0.2.1 json' } } },
  {
    method: 'tools/call',
    params: {
      name: 'network.yang.get',
      arguments: { path: "/openconfig-interfaces:interfaces/interface[name='TenGigE0/0/0/0']/state", format: 'xml' },
    },
  },
  {
    method: 'tools/call',
    params: { name: 'ping', arguments: { destination: '192.0.2.1', count: 3 }, _meta: { progressToken: 1 } },
  },
  { method: 'tools/call', params: { name: 'clear-counters', arguments: {} } },
  { method: 'resources/read', params: { uri: 'network:///interface/TenGigE0/0/0/0' } },
  { method: 'resources/read', params: { uri: 'network:///interfaces', cursor: 'aS1ldGgwOTk' } },
  { method: 'resources/read', params: { uri: 'network:///log/syslog/last200', 'content-id': 'x' } },
  {
    method: 'resources/read',
    params: {
      uri: 'mcp://r/ietf-interfaces:interfaces/interface=TenGigE0%2F0%2F0%2F0/statistics',
      accept: 'application/yang-data+xml',
    },
  },
  { method: 'resources/subscribe', params: { uri: 'network:///log/syslog/last200' } },
  { method: 'resources/unsubscribe', params: { uri: 'network:///log/syslog/last200' } },
  { method: 'resources/write', params: { uri: 'network:///file/startup-config', text: 'hostname r' } },
  {
    method: 'prompts/get',
    params: { name: 'network.troubleshoot.ping-fail', arguments: { src: '192.0.2.1', dst: '192.0.2.2', vrf: 'mgmt' } },
  },
  {
    method: 'prompts/get',
    params: { name: 'network.config.add-vlan', arguments: { vlan_id: 12, name: 'a' }, previousContextId: '00' },
  },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: 'network.security.audit' }, argument: { name: 'profile', value: 'b' } },
  },
];

const WORDS: readonly JsonValue[] = [
  '',
  'x'.repeat(2_000),
  '\u0000',
  '../..',
  "']",
  '%',
  '%zz',
  '\ud800',
  ';',
  0,
  -1,
  1e308,
  2 ** 53,
  true,
  null,
  [],
  {},
  [[]],
  { a: { b: {} } },
  'network:///',
  'mcp://r/',
  '__proto__',
  'constructor',
  '{{src}}',
  '<x>',
];

let nextId = 0;

type Mutant = { readonly bytes: Uint8Array; readonly unframed: boolean };

function mutated(random: () => number): Mutant {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const message: JsonObject = { jsonrpc: '2.0', id: ++nextId, ...structuredClone(pick(SEEDS)) };
  const kind = random();
  // Enough of them stay requests that come as far as a handler: faults behind the schema must be found as well.
  if (kind < 0.6) changeOne(message['params'] as Record<string, JsonValue>, random, pick);
  if (kind < 0.05) changeOne(message as Record<string, JsonValue>, random, pick);
  const bytes = encodeFrame(Buffer.from(JSON.stringify(message).toWellFormed()));
  if (kind > 0.997) bytes[4 + Math.floor(random() * (bytes.length - 4))] = Math.floor(random() * 256);
  const unframed = kind > 0.999;
  if (unframed) bytes[Math.floor(random() * 4)] = Math.floor(random() * 256);
  return { bytes, unframed };
}

/** Replaces, removes, adds or edits one member, at any depth. */
function changeOne(holder: Record<string, JsonValue>, random: () => number, pick: <T>(list: readonly T[]) => T): void {
  const names = Object.keys(holder);
  if (names.length === 0) return;
  const name = pick(names);
  const value = holder[name]!;
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && random() < 0.8) {
    changeOne(value as Record<string, JsonValue>, random, pick);
    return;
  }
  const way = random();
  if (way < 0.3) holder[name] = pick(WORDS);
  else if (way < 0.4) delete holder[name];
  else if (way < 0.5) holder[String(pick(WORDS)).slice(0, 40) || 'extra'] = pick(WORDS);
  else if (typeof value === 'string') {
    const place = Math.floor(random() * (value.length + 1));
    holder[name] =
      `${value.slice(0, place)}${way < 0.8 ? String.fromCharCode(Math.floor(random() * 300)) : ''}${value.slice(place + (way < 0.65 ? 0 : 1))}`;
  } else if (typeof value === 'number') holder[name] = Math.floor((random() - 0.3) * 5_000);
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

if (import.meta.main) {
  const [count = '200000', seed = '1'] = process.argv.slice(2);
  const started = performance.now();
  const result = await fuzzRequests({ count: Number(count), seed: Number(seed) });
  console.log(JSON.stringify({ ...result, seconds: Math.round((performance.now() - started) / 100) / 10 }));
}
