// From a topology to names: which namespaces, ports, folders and user ids a lab will have. Pure; all of it is written down before
// anything is created.
import { join } from 'node:path';
import type { CableRecord, LabRecord, NodeRecord, ProcessMark } from './registry.ts';
import type { Topology } from './topology.ts';

/** Longest prefix of namespace names. */
export const PREFIX_CHARS = 9;
const FIRST_UID = 61_001;

export type PlanInit = {
  readonly name: string;
  readonly prefix: string;
  readonly status: 'starting' | 'running';
  readonly owner: ProcessMark;
  readonly timers: 'fast' | 'default';
  readonly agents: LabRecord['agents'];
  readonly seed: number;
  readonly folder: string;
  /** Routers that run no agent. */
  readonly withoutAgent?: readonly string[];
};

/** Namespaces of cables are called so with a number: nodes of a foreign network may be called `c1` as well. */
const CABLE_MARKS = ['c', 'k', 'w', 'cable'] as const;

export function planLab(topology: Topology, planned: PlanInit): LabRecord {
  const { withoutAgent = [], ...init } = planned;
  const nodes = topology.nodes.map(
    (node, index): NodeRecord => ({
      name: node.name,
      role: node.role,
      services: node.services,
      ...(withoutAgent.includes(node.name) ? { agent: false } : {}),
      namespace: `${init.prefix}${node.name}`,
      uid: FIRST_UID + index,
      folder: join(init.folder, node.name),
    }),
  );
  const mark = CABLE_MARKS.find(
    (each) => !nodes.some(({ name }) => name.startsWith(each) && /^\d+$/.test(name.slice(each.length))),
  );
  const cables = topology.links.map(
    (link, index): CableRecord => ({
      namespace: `${init.prefix}${mark ?? CABLE_MARKS[0]}${index + 1}`,
      portA: 'port0',
      portB: 'port1',
      a: link.a,
      b: link.b,
      mtu: link.mtu,
    }),
  );
  return { schemaVersion: 1, topologyFile: topology.file, ...init, nodes, cables };
}

/** `srv6-three` and `1f3a` make `srv6-1f3a-`, cut to 9 characters: at most four letters of the name, four hex digits, a hyphen. */
export function defaultPrefix(name: string, randomHex: string): string {
  return `${name.replaceAll('-', '').slice(0, 4)}${randomHex.slice(0, 4)}-`;
}

/** The cable between two interfaces named in either order, with its ports in the order they were named. */
export function findCable(
  lab: Pick<LabRecord, 'cables'>,
  text: string,
): { readonly cable: CableRecord; readonly portOfFirst: string; readonly portOfSecond: string } | undefined {
  const [first = '', second = ''] = text.split('--');
  for (const cable of lab.cables) {
    const a = `${cable.a.node}:${cable.a.ifname}`;
    const b = `${cable.b.node}:${cable.b.ifname}`;
    if (first === a && second === b) return { cable, portOfFirst: cable.portA, portOfSecond: cable.portB };
    if (first === b && second === a) return { cable, portOfFirst: cable.portB, portOfSecond: cable.portA };
  }
  return undefined;
}

/** Every namespace of a lab. */
export function namespacesOf(lab: Pick<LabRecord, 'nodes' | 'cables'>): string[] {
  return [...lab.nodes.map((node) => node.namespace), ...lab.cables.map((cable) => cable.namespace)];
}
