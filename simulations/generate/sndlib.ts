// Backbones of SNDlib: one router per node, one point-to-point link per edge, one host per router; IS-IS with one metric, or OSPF.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ParleyError } from '#base/error.ts';
import { type Network, type Protocol, planNetwork } from './network.ts';

const FOLDER = join(import.meta.dirname, '../topologies/sndlib');

export function sndlibNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

export function sndlib(graph: string, protocol: Exclude<Protocol, 'bgp'> = 'isis', name: string = graph): Network {
  const file = join(FOLDER, `${graph}.json`);
  if (!existsSync(file))
    throw new ParleyError('caller/graph', `expected one of ${sndlibNames().join(', ')}, got ${graph}`);
  const read = JSON.parse(readFileSync(file, 'utf8')) as { nodes: string[]; links: [string, string][] };
  return planNetwork({
    name,
    protocol,
    routers: read.nodes.map((node) => ({ name: routerName(node), hostCount: 1 })),
    edges: read.links.map(([a, b]) => [routerName(a), routerName(b)] as const),
  });
}

/** `de1.de` becomes `de1-de`, `7` becomes `n7`: a name that files, host names and namespaces can carry. */
export function routerName(node: string): string {
  const plain = node
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return /^\d/.test(plain) ? `n${plain}` : plain;
}
