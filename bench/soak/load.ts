// Mixed load on the agents of a lab through their own control sockets, as operators and programs put it there: questions, reads, pings and
// traces, and on one node changes that are confirmed or taken back. Counts what was answered, refused and lost.
import { messageOf, ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { type OperatorClient, openOperatorClient } from '#mcp/client/operator-client.ts';
import { dialLocal } from '#mtls/local-socket.ts';
import { CONTROL_SOCKET } from '../../simulations/lab/node-files.ts';
import { pathInNode } from '../../simulations/lab/node-processes.ts';
import type { NodeRecord } from '../../simulations/lab/registry.ts';
import { pause, waitUntil } from '../../simulations/lab/wait.ts';

export type LoadCounts = {
  answered: number;
  /** By the agent, with a reason: at a bound of its own, for example. */
  refused: number;
  /** Without an answer. */
  lost: number;
  readonly byKind: Record<string, number>;
  readonly reasons: Map<string, number>;
};

type Operation = {
  readonly kind: string;
  readonly share: number;
  run(client: OperatorClient, turn: number): Promise<unknown>;
};

const CALL_MS = 120_000;
const call = (client: OperatorClient, name: string, args: JsonObject) =>
  client.callTool(name, args, { timeoutMs: CALL_MS });

const READS: readonly Operation[] = [
  { kind: 'state', share: 30, run: (client) => call(client, 'parley-node-state', {}) },
  { kind: 'past', share: 5, run: (client) => call(client, 'parley-node-state', { parts: 'past' }) },
  { kind: 'read', share: 25, run: (client) => client.readResource('network:///interfaces') },
  {
    kind: 'show',
    share: 15,
    run: (client) => call(client, 'network.cli.exec', { cmd: 'show isis neighbor detail json' }),
  },
  { kind: 'list', share: 5, run: async (client) => [await client.listTools(), await client.listResources()] },
];

const PROBES: readonly Operation[] = [
  { kind: 'ping', share: 8, run: (client) => call(client, 'ping', { destination: '127.0.0.1', count: 2 }) },
  { kind: 'reports', share: 4, run: (client) => call(client, 'parley-report-list', {}) },
];

/** From one end of the lab to the other, and about all of it. */
const QUESTIONS = [
  'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2',
  'What is wrong?',
  'What changed in the last hour?',
];
const ASKING: Operation = {
  kind: 'question',
  share: 6,
  run: (client, turn) => call(client, 'parley-ask', { intent: QUESTIONS[turn % QUESTIONS.length]! }),
};

/** Two of three are confirmed; one is taken back before. */
const CHANGING: Operation = {
  kind: 'change',
  share: 4,
  async run(client, turn) {
    await call(client, 'network.cli.configure', { commands: ['interface eth1', ` description soak ${turn}`] });
    await call(client, 'network.commit', { confirmed: 60 });
    await (turn % 3 === 0 ? call(client, 'network.rollback', {}) : call(client, 'network.commit', { confirm: true }));
  },
};

/** Until each agent knows all others: a question names nodes that are two hops away. */
export async function untilPeersAreKnown(nodes: readonly NodeRecord[]): Promise<void> {
  for (const node of nodes) {
    const others = nodes.map(({ name }) => name).filter((name) => name !== node.name);
    const missing = async () => {
      const client = await openOperatorClient(await dialLocal(pathInNode(node, CONTROL_SOCKET)));
      const { peers } = await client.callTool('parley-peers', {}).finally(() => client.close());
      const known = new Set((peers as readonly JsonObject[]).map((peer) => peer['node']));
      return others.filter((name) => !known.has(name)).join(', ') || undefined;
    };
    await waitUntil(`${node.name} knows all agents`, missing, { timeoutMs: 60_000 });
  }
}

/** Puts load on one node as long as `goesOn` says so; the session stays open for some operations, and is then opened anew. */
export async function putLoad(
  node: NodeRecord,
  init: {
    readonly changes: boolean;
    readonly random: () => number;
    readonly counts: LoadCounts;
    readonly goesOn: () => boolean;
  },
): Promise<void> {
  const { changes, random, counts, goesOn } = init;
  const operations = [...READS, ...PROBES, ASKING, ...(changes ? [CHANGING] : [])];
  // One entry for each part of the whole that an operation has.
  const shares = operations.flatMap((operation) => Array<Operation>(operation.share).fill(operation));
  const pick = () => shares[Math.floor(random() * shares.length)]!;
  for (let turn = 0; goesOn(); ) {
    const client = await counted(counts, 'session', async () =>
      openOperatorClient(await dialLocal(pathInNode(node, CONTROL_SOCKET))),
    );
    if (client === undefined) {
      await pause(REOPEN_MS);
      continue;
    }
    try {
      for (let inSession = 0; inSession < OPERATIONS_OF_A_SESSION && goesOn() && !client.closed; inSession++) {
        const operation = pick();
        turn += 1;
        await counted(counts, operation.kind, () => operation.run(client, turn));
      }
    } finally {
      await client.close();
    }
  }
}

const OPERATIONS_OF_A_SESSION = 40;
/** Rest after a session that could not be opened. */
const REOPEN_MS = 1_000;

/** Undefined where it failed. */
async function counted<Value>(counts: LoadCounts, kind: string, run: () => Promise<Value>): Promise<Value | undefined> {
  counts.byKind[kind] = (counts.byKind[kind] ?? 0) + 1;
  try {
    const value = await run();
    counts.answered += 1;
    return value;
  } catch (error) {
    const isRefused = error instanceof ParleyError && error.code === 'peer/refused';
    if (isRefused) counts.refused += 1;
    else counts.lost += 1;
    const reason = `${kind}: ${messageOf(error).slice(0, 160)}`;
    counts.reasons.set(reason, (counts.reasons.get(reason) ?? 0) + 1);
    return undefined;
  }
}

export function newCounts(): LoadCounts {
  return { answered: 0, refused: 0, lost: 0, byKind: {}, reasons: new Map() };
}
