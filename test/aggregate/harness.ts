// Aggregators, clients and servers in one process, over links in memory, on a clock that tests move.
import { type Aggregator, type AggregatorInit, createAggregator, type LeafInit } from '#aggregate/aggregator.ts';
import { DEFAULT_BUDGET } from '#aggregate/gates/budgets.ts';
import type { SlotRules } from '#aggregate/tree/slot.ts';
import { type Link, UNSET } from '#aggregate/wire/link.ts';
import { type Answer, decodeMessage, type IncomingRequest, resultAnswer } from '#aggregate/wire/message.ts';
import { createPeer, type Peer } from '#aggregate/wire/peer.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { bad } from '#base/result.ts';
import type { Party } from '#model/identity.ts';
import { createFakeClock, type FakeClock, settle } from '../fakes/clock.ts';

/** Two ends of one connection; what one sends the other receives a turn later. */
export function linkPair(): [Link, Link] {
  const ends: Link[] = [];
  const closed = [false, false];
  const finish = (side: number, reason?: string) => {
    if (closed[side]) return;
    closed[side] = true;
    ends[side]!.ended(reason);
  };
  for (const side of [0, 1]) {
    ends.push({
      ...UNSET,
      send(text) {
        queueMicrotask(() => {
          const message = decodeMessage(Buffer.from(text));
          if (closed[1 - side]) return;
          if (message.ok) ends[1 - side]!.receive(message.value);
          else finish(1 - side, message.reason);
        });
      },
      start() {},
      close(reason) {
        finish(side, reason);
        queueMicrotask(() => finish(1 - side));
      },
      get closed() {
        return closed[side]!;
      },
    });
  }
  return [ends[0]!, ends[1]!];
}

export type FakeServer = {
  /** A new connection to it, as a leaf is opened. */
  connect(): Link;
  /** Connections that are open; the test may end them. */
  readonly peers: Set<Peer>;
  readonly calls: JsonObject[];
  tools: readonly JsonObject[];
  /** Answers a call; default: the name of the tool and its arguments as text. */
  onCall: (params: JsonObject, request: IncomingRequest, peer: Peer) => Promise<Answer> | Answer;
  more: Record<string, (request: IncomingRequest) => Answer>;
  isDown: boolean;
  /** Hears of cancelled calls. */
  onCancelled: (params: JsonObject) => void;
};

export const READ_TOOL: JsonObject = {
  name: 'look',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};
export const CUT_TOOL: JsonObject = {
  name: 'cut',
  inputSchema: { type: 'object' },
  annotations: { destructiveHint: true },
};

export function createFakeServer(clock: FakeClock, tools: readonly JsonObject[] = [READ_TOOL]): FakeServer {
  const server: FakeServer = {
    peers: new Set(),
    calls: [],
    tools,
    onCall: (params) =>
      resultAnswer({ content: [{ type: 'text', text: JSON.stringify([params['name'], params['arguments']]) }] }),
    more: {},
    isDown: false,
    onCancelled: () => {},
    connect() {
      const [own, theirs] = linkPair();
      const peer = createPeer(own, clock);
      answerAs(server, peer);
      server.peers.add(peer);
      peer.onEnd = () => server.peers.delete(peer);
      if (server.isDown) queueMicrotask(() => peer.close());
      return theirs;
    },
  };
  return server;
}

/** Makes a peer answer as the server does, also one that has registered itself. */
export function answerAs(server: FakeServer, peer: Peer): void {
  peer.onRequest = async (request, signal) => {
    signal.addEventListener('abort', () => server.onCancelled({ requestId: request.id }));
    const more = server.more[request.method];
    if (more !== undefined) return more(request);
    switch (request.method) {
      case 'initialize':
        return resultAnswer({
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'fake', version: '1' },
        });
      case 'tools/list':
        return resultAnswer({ tools: server.tools });
      case 'tools/call':
        server.calls.push(request.params);
        return server.onCall(request.params, request, peer);
      default:
        return resultAnswer({});
    }
  };
}

export const OPEN: SlotRules = { trust: 'claims', unsaid: 'gate', scope: 'write' };

export function leafOf(segment: string, server: FakeServer, rules: SlotRules = OPEN): LeafInit {
  return { segment, how: 'http', isAggregator: false, rules, open: () => ({ link: server.connect() }) };
}

const ids = { next: 1 };

export function uuid(): string {
  return `00000000-0000-4000-8000-${String(ids.next++).padStart(12, '0')}`;
}

export function createTestAggregator(clock: FakeClock, init: Partial<AggregatorInit> = {}): Aggregator {
  let drawn = 0;
  return createAggregator({
    node: 'root',
    aggregatorId: uuid(),
    leaves: [],
    parents: [],
    registration: OPEN,
    owners: [],
    segments: {},
    stickyMs: 3_600_000,
    graceMs: 300_000,
    budget: { ...DEFAULT_BUDGET, callsPerMinute: 1_000_000 },
    demand: () => undefined,
    view: { names: 'dotted', compact: false },
    verifyChain: () => bad('no CA'),
    saveOwners: async () => {},
    clock,
    random: { bytes: (byteCount) => new Uint8Array(byteCount).map(() => (drawn++ * 37) & 0xff) },
    record: async () => {},
    note: () => {},
    log: silentLog,
    ...init,
  });
}

export const ALICE: Party = {
  kind: 'operator',
  domain: 'lab.example',
  name: 'alice',
  role: 'operator',
  thumbprint: 'a'.repeat(64),
};
export const NODE: Party = { kind: 'node', domain: 'lab.example', name: 'edge1', thumbprint: 'b'.repeat(64) };

export type TestClient = {
  readonly peer: Peer;
  readonly heard: { readonly method: string; readonly params: JsonObject }[];
  /** The result; rejects with the error as JSON. */
  ask(method: string, params?: JsonObject): Promise<JsonObject>;
  /** The code of the error that a call answers with; undefined for a result. */
  codeOf(method: string, params?: JsonObject): Promise<number | undefined>;
  /** Whole results as text. */
  text(method: string, params?: JsonObject): Promise<string>;
  toolNames(): Promise<readonly string[]>;
};

export function connectClient(
  aggregator: Aggregator,
  clock: FakeClock,
  party: Party = ALICE,
  names: readonly string[] = [],
): TestClient {
  const [own, theirs] = linkPair();
  aggregator.serve(theirs, party, names);
  const peer = createPeer(own, clock);
  const heard: { method: string; params: JsonObject }[] = [];
  peer.onNotification = ({ method, params }) => heard.push({ method, params });
  const raw = (method: string, params: JsonObject) =>
    peer.call({ method, paramsText: JSON.stringify(params), timeoutMs: undefined }).answer;
  return {
    peer,
    heard,
    async ask(method, params = {}) {
      const answer = await raw(method, params);
      if (answer.kind === 'error') throw new Error(answer.text);
      return JSON.parse(answer.text) as JsonObject;
    },
    async codeOf(method, params = {}) {
      const answer = await raw(method, params);
      return answer.kind === 'error' ? Number((JSON.parse(answer.text) as JsonObject)['code']) : undefined;
    },
    text: async (method, params = {}) => (await raw(method, params)).text,
    async toolNames() {
      const names: string[] = [];
      let cursor: JsonValue | undefined;
      do {
        const page: JsonObject = JSON.parse((await raw('tools/list', cursor === undefined ? {} : { cursor })).text);
        names.push(...(page['tools'] as readonly JsonObject[]).map((tool) => String(tool['name'])));
        cursor = page['nextCursor'];
      } while (cursor !== undefined);
      return names.filter((name) => name.includes('.'));
    },
  };
}

export async function startedWith(
  leaves: readonly LeafInit[],
  clock = createFakeClock(),
  init: Partial<AggregatorInit> = {},
) {
  const aggregator = createTestAggregator(clock, { leaves, ...init });
  await settle();
  await settle();
  return { aggregator, clock, client: connectClient(aggregator, clock) };
}
