// How many octets a node sends and receives over mutual TLS while a question is answered: read from the kernel's own account of each
// connection, before and after. Connections that ended in between are not counted.
import { runInNetwork } from '../../simulations/lab/node-processes.ts';

const AGENTS_PORT = 9_514;

/** Octets of each connection to or from the agents' port, by its two ends. */
export async function agentBytes(namespace: string): Promise<ReadonlyMap<string, number>> {
  const filter = `( sport = :${AGENTS_PORT} or dport = :${AGENTS_PORT} )`;
  const said = await runInNetwork(namespace, ['ss', '-HtinO', 'state', 'established', filter]);
  return parseAgentBytes(said.stdout);
}

export function parseAgentBytes(text: string): ReadonlyMap<string, number> {
  const read = (line: string, name: string) => Number(new RegExp(`\\b${name}:(\\d+)`).exec(line)?.[1] ?? 0);
  return new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => [
        line.trim().split(/\s+/).slice(2, 4).join(' '),
        read(line, 'bytes_sent') + read(line, 'bytes_received'),
      ]),
  );
}

export function grownBy(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  return [...after].reduce((sum, [ends, bytes]) => sum + Math.max(0, bytes - (before.get(ends) ?? 0)), 0);
}
