// The healthy baseline of a lab: every adjacency up at both ends, all loopbacks reach each other, LLDP sees what the cables connect,
// agents answer. Each check says what is still missing; nothing is assumed.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTROL_SOCKET } from './node-files.ts';
import { pathInNode, runInNetwork, runInNode } from './node-processes.ts';
import type { LabRecord, NodeRecord } from './registry.ts';
import { askDaemon } from './vty.ts';
import { waitUntil } from './wait.ts';

/** Bounds of the wait; `default` timers need a hello or LLDP interval of tens of seconds. */
const BASELINE_MS = { fast: 30_000, default: 120_000 } as const;
/** Port 9514 in /proc/net/tcp6, state 0A: listening. */
const LISTENING = /:252A [0-9A-F]+:0000 0A /;

export type BaselineStep = { readonly step: string; readonly ms: number };

/** Waits for each part in turn; `say` hears how long each took. */
export async function waitForBaseline(
  lab: LabRecord,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<BaselineStep[]> {
  const steps: BaselineStep[] = [];
  const checks: [string, () => Promise<string | undefined>][] = [
    ['adjacencies up', () => firstMissing(lab.nodes, (node) => missingAdjacencies(lab, node))],
    ['loopbacks reachable', () => missingLoopbacks(lab)],
    ['LLDP neighbours seen', () => firstMissing(lab.nodes, (node) => missingNeighbours(lab, node))],
  ];
  if (lab.agents !== 'none') checks.push(['agents answering', () => firstMissing(lab.nodes, missingAgent)]);
  if (lab.agents === 'real') {
    checks.push([
      'agents announced to their neighbours',
      () => firstMissing(lab.nodes, (node) => missingAnnouncements(lab, node)),
    ]);
  }
  for (const [step, probe] of checks) {
    const options = { timeoutMs: BASELINE_MS[lab.timers], intervalMs: 100, ...(signal ? { signal } : {}) };
    const ms = Math.round(await waitUntil(step, probe, options));
    steps.push({ step, ms });
    say(`${step} (${ms} ms)`);
  }
  return steps;
}

async function missingAdjacencies(lab: LabRecord, node: NodeRecord): Promise<string | undefined> {
  const expected = interfacesOf(lab, node);
  if (expected.length === 0) return undefined;
  const socket = pathInNode(node, '/run/frr/isisd.vty');
  if (!existsSync(socket)) return undefined;
  const reply = await askDaemon(socket, 'show isis neighbor').catch((error: Error) => error.message);
  const up = new Set(
    reply
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === 'Up')
      .map((columns) => columns[1]),
  );
  const missing = expected.filter((ifname) => !up.has(ifname));
  return missing.length === 0 ? undefined : `${node.name}: IS-IS on ${missing.join(' ')}`;
}

async function missingLoopbacks(lab: LabRecord): Promise<string | undefined> {
  const loopbacks = await Promise.all(lab.nodes.map(loopbacksOf));
  return firstMissing(lab.nodes, async (node) => {
    const index = lab.nodes.indexOf(node);
    const others = loopbacks.filter((_, other) => other !== index).flat();
    const script = others.map((address) => `ping -c 1 -W 0.3 ${address} > /dev/null || echo ${address} &`).join('\n');
    const said = await runInNetwork(node.namespace, ['bash', '-c', `${script}\nwait`]);
    const missing = said.stdout.split('\n').filter(Boolean);
    return missing.length === 0 ? undefined : `${node.name} to ${missing.join(' ')}`;
  });
}

/** Global addresses of `lo` in both families. */
export async function loopbacksOf(node: NodeRecord): Promise<string[]> {
  const said = await runInNetwork(node.namespace, ['ip', '-j', 'address', 'show', 'dev', 'lo']);
  const [link] = JSON.parse(said.stdout || '[]') as { addr_info?: { local?: string; scope?: string }[] }[];
  return (link?.addr_info ?? []).filter((entry) => entry.scope === 'global').map((entry) => entry.local ?? '');
}

async function missingNeighbours(lab: LabRecord, node: NodeRecord): Promise<string | undefined> {
  const expected = interfacesOf(lab, node);
  if (expected.length === 0) return undefined;
  const said = await runInNode(node, ['lldpcli', '-f', 'json0', 'show', 'neighbors']);
  const seen = new Set([...said.stdout.matchAll(/"name": "(eth\d+)"/g)].map((match) => match[1]));
  const missing = expected.filter((ifname) => !seen.has(ifname));
  return missing.length === 0 ? undefined : `${node.name}: LLDP on ${missing.join(' ')}`;
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

/** Each neighbour's LLDP frames carry a TLV that lldpd itself does not know: the agent's. */
async function missingAnnouncements(lab: LabRecord, node: NodeRecord): Promise<string | undefined> {
  const said = await runInNode(node, ['lldpcli', '-f', 'json0', 'show', 'neighbors', 'details']);
  const heard = said.stdout.split('"unknown-tlvs"').length - 1;
  const expected = interfacesOf(lab, node).length;
  return heard >= expected ? undefined : `${node.name}: ${heard} of ${expected} neighbours announce an agent`;
}

function lastLines(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim().split('\n').slice(-6).join(' | ');
  } catch {
    return '';
  }
}

export function interfacesOf(lab: Pick<LabRecord, 'cables'>, node: Pick<NodeRecord, 'name'>): string[] {
  return lab.cables.flatMap(({ a, b }) => [a, b].filter((end) => end.node === node.name).map((end) => end.ifname));
}

async function firstMissing(
  nodes: readonly NodeRecord[],
  probe: (node: NodeRecord) => Promise<string | undefined>,
): Promise<string | undefined> {
  const missing = await Promise.all(nodes.map(probe));
  return missing.find((entry) => entry !== undefined);
}
