// The healthy baseline of a lab: every adjacency up at both ends, all loopbacks reach each other, LLDP sees what the cables connect,
// agents answer. Each check says what is still missing; nothing is assumed.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTROL_SOCKET } from './node-files.ts';
import { pathInNode, runInNode } from './node-processes.ts';
import { agentNodes, type LabRecord, type NodeRecord } from './registry.ts';
import { missingServices } from './services.ts';
import { missingPings } from './sweep.ts';
import { askDaemon } from './vty.ts';
import { waitUntil } from './wait.ts';

/** Bounds of the wait; `default` timers need a hello or LLDP interval of tens of seconds. */
const BASELINE_MS = { fast: 30_000, default: 180_000 } as const;
/** Added for each node: they share this machine's processors. */
const BASELINE_MS_PER_NODE = 1_000;
/** Port 9514 in /proc/net/tcp6, state 0A: listening. */
const LISTENING = /:252A [0-9A-F]+:0000 0A /;

export type BaselineStep = { readonly step: string; readonly ms: number };

/** One part of what makes a lab healthy: `missing` says what it still waits for, nothing when the part holds. */
export type BaselineCheck = { readonly step: string; readonly missing: () => Promise<string | undefined> };

/** Waits for each part in turn; `say` hears how long each took. */
export async function waitForBaseline(
  lab: LabRecord,
  say: (line: string) => void,
  signal?: AbortSignal,
  checks: readonly BaselineCheck[] = baselineOf(lab),
): Promise<BaselineStep[]> {
  const steps: BaselineStep[] = [];
  const timeoutMs = BASELINE_MS[lab.timers] + BASELINE_MS_PER_NODE * lab.nodes.length;
  for (const { step, missing } of checks) {
    const options = { timeoutMs, intervalMs: 100, ...(signal ? { signal } : {}) };
    const ms = Math.round(await waitUntil(step, missing, options));
    steps.push({ step, ms });
    say(`${step} (${ms} ms)`);
  }
  return steps;
}

/** What holds in every network of the lab's own: each router runs its protocols on every link to another router. */
function baselineOf(lab: LabRecord): readonly BaselineCheck[] {
  const routers = lab.nodes.filter((node) => node.role === 'router');
  const hosts = lab.nodes.filter((node) => node.role === 'host');
  const seen = lab.agents === 'real' ? 'LLDP neighbours and their agents seen' : 'LLDP neighbours seen';
  return [
    { step: 'adjacencies up', missing: () => firstMissing(routers, (node) => missingAdjacencies(lab, node)) },
    { step: 'loopbacks reachable', missing: () => missingPings(lab, routers, 'lo') },
    { step: 'hosts reachable', missing: () => missingPings(lab, hosts, 'eth1') },
    { step: 'services answering', missing: () => missingServices(lab) },
    ...agentsAnswering(lab),
    { step: seen, missing: () => firstMissing(routers, (node) => missingNeighbours(lab, node)) },
  ];
}

/** Every agent of the lab listens; nothing to wait for where none runs. */
export function agentsAnswering(lab: LabRecord): readonly BaselineCheck[] {
  const nodes = agentNodes(lab);
  return nodes.length === 0 ? [] : [{ step: 'agents answering', missing: () => firstMissing(nodes, missingAgent) }];
}

/** What `router` still misses of its routing protocols' neighbours: whichever of IS-IS, OSPF and BGP it runs. */
async function missingAdjacencies(lab: LabRecord, node: NodeRecord): Promise<string | undefined> {
  const expected = interfacesOf(lab, node);
  if (expected.length === 0) return undefined;
  for (const { daemon, command, missing } of ADJACENCIES) {
    const socket = pathInNode(node, `/run/frr/${daemon}.vty`);
    if (!existsSync(socket)) continue;
    const reply = await askDaemon(socket, command).catch((error: Error) => error.message);
    const found = missing(reply, expected);
    if (found.length > 0) return `${node.name}: ${daemon} on ${found.join(' ')}`;
  }
  return undefined;
}

type Adjacency = {
  readonly daemon: string;
  readonly command: string;
  missing(reply: string, expected: readonly string[]): readonly string[];
};

const ADJACENCIES: readonly Adjacency[] = [
  { daemon: 'isisd', command: 'show isis neighbor', missing: notIn(/\sUp\s/) },
  { daemon: 'ospfd', command: 'show ip ospf neighbor', missing: notIn(/\sFull/) },
  { daemon: 'ospf6d', command: 'show ipv6 ospf6 neighbor', missing: notIn(/\sFull/) },
  { daemon: 'bgpd', command: 'show bgp summary json', missing: notEstablished },
];

/** Expected interfaces that no line of the right state names. */
function notIn(state: RegExp): Adjacency['missing'] {
  return (reply, expected) => {
    const lines = reply.split('\n').filter((line) => state.test(line));
    const up = new Set(lines.map((line) => /\beth\d+/.exec(line)?.[0]));
    return expected.filter((ifname) => !up.has(ifname));
  };
}

type BgpSummary = { readonly [family: string]: { readonly peers?: { readonly [peer: string]: { state?: string } } } };

function notEstablished(reply: string): string[] {
  if (!reply.startsWith('{')) return [reply.slice(0, 80)];
  const peers = Object.values(JSON.parse(reply) as BgpSummary).flatMap((family) => Object.entries(family.peers ?? {}));
  if (peers.length === 0) return ['no peer'];
  return peers.filter(([, peer]) => peer.state !== 'Established').map(([address]) => address);
}

/** Neighbours that LLDP sees; where agents run, each announces its own by a TLV that lldpd itself does not know. */
async function missingNeighbours(lab: LabRecord, node: NodeRecord): Promise<string | undefined> {
  const expected = interfacesOf(lab, node);
  if (expected.length === 0) return undefined;
  const said = await runInNode(node, ['lldpcli', '-f', 'json0', 'show', 'neighbors', 'details']);
  const seen = new Set([...said.stdout.matchAll(/"name": "(eth\d+)"/g)].map((match) => match[1]));
  const missing = expected.filter((ifname) => !seen.has(ifname));
  if (missing.length > 0) return `${node.name}: LLDP on ${missing.join(' ')}`;
  if (lab.agents !== 'real') return undefined;
  const heard = said.stdout.split('"unknown-tlvs"').length - 1;
  return heard >= expected.length
    ? undefined
    : `${node.name}: ${heard} of ${expected.length} neighbours announce an agent`;
}

async function missingAgent(node: NodeRecord): Promise<string | undefined> {
  const answers = existsSync(pathInNode(node, CONTROL_SOCKET));
  const listens = LISTENING.test(readFileSync(`/proc/${node.init!.pid}/net/tcp6`, 'utf8'));
  if (answers && listens) return undefined;
  const logs = ['parley/agent.out', 'parley/agent.log', 'parley-helper.out'].map((log) =>
    lastLines(join(node.folder, 'log', log)),
  );
  return `${node.name}: ${answers ? 'port 9514' : CONTROL_SOCKET} (${logs.filter(Boolean).join(' | ')})`;
}

function lastLines(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim().split('\n').slice(-6).join(' | ');
  } catch {
    return '';
  }
}

/** A router's interfaces whose other end is a router too. */
export function interfacesOf(lab: Pick<LabRecord, 'cables' | 'nodes'>, node: Pick<NodeRecord, 'name'>): string[] {
  const hosts = new Set(lab.nodes.filter((entry) => entry.role === 'host').map((entry) => entry.name));
  return lab.cables
    .filter(({ a, b }) => !hosts.has(a.node) && !hosts.has(b.node))
    .flatMap(({ a, b }) => [a, b].filter((end) => end.node === node.name).map((end) => end.ifname));
}

async function firstMissing(
  nodes: readonly NodeRecord[],
  probe: (node: NodeRecord) => Promise<string | undefined>,
): Promise<string | undefined> {
  const missing = await Promise.all(nodes.map(probe));
  return missing.find((entry) => entry !== undefined);
}
