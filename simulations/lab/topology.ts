// Reads containerlab topology files: the documented subset that namespace labs run. Keys of containerlab that labs do not use are
// ignored with a note; any other key is refused with its path, and all problems come at once.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { bad, ok, type Result } from '#base/result.ts';
import { isNodeName, type LinkEnd } from '#model/names.ts';

export type NodeRole = 'router' | 'host';

/** What a host offers to others; `env: { NODE_SERVICES: 'dns http' }`. What dhcp gives to whom is the topology's to say, by `exec`. */
export type NodeService = 'dns' | 'http' | 'dhcp';

export type TopologyNode = {
  readonly name: string;
  readonly image: string | undefined;
  /** `host`: no routing, no LLDP, no agent; by `env: { NODE_ROLE: host }`. */
  readonly role: NodeRole;
  readonly services: readonly NodeService[];
  /** Files that the node finds under `/etc/frr/`, by their name there. */
  readonly frrFiles: { readonly [name: string]: string };
  /** Commands that run inside the node once it is there. */
  readonly exec: readonly string[];
};

export type TopologyLink = { readonly a: LinkEnd; readonly b: LinkEnd; readonly mtu: number };

export type Topology = {
  readonly name: string;
  readonly file: string;
  readonly nodes: readonly TopologyNode[];
  readonly links: readonly TopologyLink[];
  /** What was ignored, for the person who wrote the file. */
  readonly notes: readonly string[];
};

/** MTU of core links: SRv6 adds 80 octets and more to a customer's 1500. */
export const CORE_MTU = 9_000;

/** Keys of containerlab's node definition that mean nothing to a namespace lab. */
const UNUSED_NODE_KEYS = [
  'license type group startup-config startup-delay enforce-startup-config auto-remove ports user entrypoint cmd publish',
  'labels runtime mgmt_ipv4 mgmt_ipv6 network-mode cpu memory cpu-set sandbox kernel extras config wait-for SANs',
].flatMap((line) => line.split(' '));
const UNUSED_TOP_KEYS = ['prefix', 'mgmt'];

const unused = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, z.unknown().optional()]));
const nodeShape = {
  kind: z.literal('linux').optional(),
  image: z.string().optional(),
  binds: z.array(z.string().regex(/^[^:]+:\/[^:]+(:\w+)?$/, 'expected host-path:/path/inside')).optional(),
  exec: z.array(z.string().min(1)).optional(),
  env: z
    .strictObject({
      NODE_ROLE: z.enum(['router', 'host']).optional(),
      NODE_SERVICES: z
        .string()
        .regex(/^(dns|http|dhcp)( (dns|http|dhcp))*$/, 'expected dns, http and dhcp, separated by spaces')
        .optional(),
    })
    .optional(),
  ...unused(UNUSED_NODE_KEYS),
};
const nodeSchema = z.strictObject(nodeShape).nullable();
const endpoint = z
  .string()
  .regex(/^[^\s:]+:eth[1-9][0-9]{0,2}$/, 'expected node:ethN with N from 1 (eth0 is for management)');
const fileSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'expected lower case letters, digits and hyphens'),
  topology: z.strictObject({
    defaults: nodeSchema.optional(),
    kinds: z.strictObject({ linux: nodeSchema.optional() }).optional(),
    nodes: z.record(z.string().refine(isNodeName, 'expected a node name'), nodeSchema),
    links: z
      .array(
        z.strictObject({
          endpoints: z.tuple([endpoint, endpoint]),
          vars: z.strictObject({ mtu: z.int().min(1_280).max(9_000).optional() }).optional(),
        }),
      )
      .default([]),
  }),
  ...unused(UNUSED_TOP_KEYS),
});
type NodeEntry = z.infer<typeof nodeSchema>;

/** Parses the text of a topology file that lies (or would lie) at `file`. The reason of a refusal has one problem a line. */
export function parseTopology(text: string, file: string): Result<Topology> {
  let yaml: unknown;
  try {
    yaml = parseYaml(text);
  } catch (error) {
    return bad(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = fileSchema.safeParse(yaml);
  if (!parsed.success) return bad(problemsOf(parsed.error).join('\n'));
  const { topology, name } = parsed.data;
  const notes: string[] = [];
  for (const key of UNUSED_TOP_KEYS) if (key in parsed.data) notes.push(`${key}: not used by namespace labs`);
  const shared = [topology.defaults ?? null, topology.kinds?.linux ?? null];
  const nodes = Object.entries(topology.nodes).map(([node, entry]) =>
    readNode(node, [...shared, entry], dirname(file), notes),
  );
  const links = topology.links.map(({ endpoints, vars }) => ({
    a: readEnd(endpoints[0]),
    b: readEnd(endpoints[1]),
    mtu: vars?.mtu ?? CORE_MTU,
  }));
  const problems = linkProblems(nodes, links);
  return problems.length > 0 ? bad(problems.join('\n')) : ok({ name, file, nodes, links, notes });
}

export async function loadTopology(file: string): Promise<Result<Topology>> {
  const path = resolve(file);
  const text = await readFile(path, 'utf8').catch((error: Error) => error);
  return typeof text === 'string' ? parseTopology(text, path) : bad(`${path}: ${text.message}`);
}

/** One line a problem, each with its path: `topology.nodes.pe1.imagee: unknown key`. */
export function problemsOf(error: z.ZodError): string[] {
  return error.issues.flatMap((issue) => {
    const at = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${[...at, key].join('.')}: unknown key`);
    return [`${at.join('.') || '(file)'}: ${issue.message}`];
  });
}

/** `pe1:eth1` as a link end. */
export function readEnd(text: string): LinkEnd {
  const [node = '', ifname = ''] = text.split(':');
  return { node, ifname };
}

function readNode(name: string, layers: readonly NodeEntry[], folder: string, notes: string[]): TopologyNode {
  const merged: Record<string, unknown> = {};
  for (const layer of layers) Object.assign(merged, layer ?? {});
  const frrFiles: Record<string, string> = {};
  for (const bind of layers.flatMap((layer) => layer?.binds ?? [])) {
    const [from = '', to = ''] = bind.split(':');
    const inside = /^\/etc\/frr\/([a-z.]+)$/.exec(to)?.[1];
    if (inside === undefined) notes.push(`topology.nodes.${name}.binds: ${to} is not under /etc/frr, not used`);
    else frrFiles[inside] = resolve(folder, from);
  }
  for (const key of UNUSED_NODE_KEYS)
    if (key in merged) notes.push(`topology.nodes.${name}.${key}: not used by namespace labs`);
  const exec = layers.flatMap((layer) => layer?.exec ?? []);
  const role = layers.map((layer) => layer?.env?.NODE_ROLE).findLast((value) => value !== undefined) ?? 'router';
  const services = (layers.map((layer) => layer?.env?.NODE_SERVICES).findLast((value) => value !== undefined) ?? '')
    .split(' ')
    .filter((service): service is NodeService => service !== '');
  return { name, image: merged['image'] as string | undefined, role, services, frrFiles, exec };
}

function linkProblems(nodes: readonly TopologyNode[], links: readonly TopologyLink[]): string[] {
  const names = new Set(nodes.map((node) => node.name));
  const used = new Set<string>();
  const problems: string[] = [];
  for (const [index, link] of links.entries()) {
    for (const [side, end] of [link.a, link.b].entries()) {
      const at = `topology.links.${index}.endpoints.${side}`;
      const key = `${end.node}:${end.ifname}`;
      if (!names.has(end.node)) problems.push(`${at}: there is no node ${end.node}`);
      if (used.has(key)) problems.push(`${at}: ${key} is used twice`);
      used.add(key);
    }
  }
  return problems;
}
