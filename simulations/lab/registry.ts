// The lab's own book: every namespace, process and folder is written down, durably, before it is created, so that `down` and the
// clean-up after a crash remove exactly those and nothing else. A loop over all namespaces would destroy other labs.

import { readFileSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ParleyError } from '#base/error.ts';
import { syncFolder, writeFileDurably } from '#base/files.ts';

/** A process by number and start time: a number alone is given again to somebody else. */
export type ProcessMark = { readonly pid: number; readonly startTicks: string };

export type NodeRecord = {
  readonly name: string;
  /** A host has no routing, no LLDP and no agent. */
  readonly role: 'router' | 'host';
  readonly services: readonly ('dns' | 'http' | 'dhcp')[];
  /** False: a router that runs no agent. */
  readonly agent?: false;
  readonly namespace: string;
  readonly uid: number;
  readonly folder: string;
  /** The node's process 1 as this machine numbers it; set after start. */
  readonly init?: ProcessMark;
};

export type CableRecord = {
  readonly namespace: string;
  /** Ports towards end `a` and end `b`, named without a hint at what they lead to. */
  readonly portA: string;
  readonly portB: string;
  readonly a: { readonly node: string; readonly ifname: string };
  readonly b: { readonly node: string; readonly ifname: string };
  readonly mtu: number;
};

export type LabRecord = {
  readonly schemaVersion: 1;
  readonly name: string;
  readonly prefix: string;
  /** `up` labs live on after their command ended; the others are stale as soon as their owner is gone. */
  readonly status: 'starting' | 'running' | 'up';
  readonly owner: ProcessMark;
  readonly topologyFile: string;
  readonly timers: 'fast' | 'default';
  readonly agents: 'none' | 'real' | 'stand-in';
  readonly seed: number;
  readonly folder: string;
  readonly nodes: readonly NodeRecord[];
  readonly cables: readonly CableRecord[];
};

/** Where labs are written down unless `PARLEY_LAB_DIR` says otherwise. */
export const DEFAULT_LAB_DIR = '/var/lib/parley-lab';

export function labDir(): string {
  return process.env['PARLEY_LAB_DIR'] ?? DEFAULT_LAB_DIR;
}

export type Registry = {
  /** Refuses a name that is already taken. */
  create(record: LabRecord): Promise<void>;
  update(record: LabRecord): Promise<void>;
  find(name: string): Promise<LabRecord | undefined>;
  list(): Promise<readonly LabRecord[]>;
  /** Last step of going down: the folder and the entry itself. */
  forget(record: LabRecord): Promise<void>;
  /** Folder of one lab. */
  folderOf(name: string): string;
};

export function createRegistry(dir: string): Registry {
  const entryOf = (name: string) => join(dir, `${name}.json`);
  const find = async (name: string) => {
    const text = await readFile(entryOf(name), 'utf8').catch(() => undefined);
    return text === undefined || text === '' ? undefined : (JSON.parse(text) as LabRecord);
  };
  return {
    create: async (record) => {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      await claim(entryOf(record.name), record);
      await mkdir(record.folder, { recursive: true, mode: 0o711 });
    },
    update: (record) => writeFileDurably(entryOf(record.name), JSON.stringify(record, null, 2)),
    find,
    list: async () => {
      const files = await readdir(dir).catch(() => []);
      const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
      const records = await Promise.all(names.sort().map(find));
      return records.filter((record) => record !== undefined);
    },
    forget: async (record) => {
      await rm(record.folder, { recursive: true, force: true });
      await rm(entryOf(record.name), { force: true });
      await syncFolder(dir);
    },
    folderOf: (name) => join(dir, `${name}.d`),
  };
}

/** Nodes of the lab that run an agent. */
export function agentNodes(lab: Pick<LabRecord, 'nodes' | 'agents'>): readonly NodeRecord[] {
  return lab.agents === 'none' ? [] : lab.nodes.filter((node) => node.role === 'router' && node.agent !== false);
}

/** Throws `caller/unknown-node` for a node that the lab does not have. */
export function nodeOf({ nodes }: Pick<LabRecord, 'nodes'>, name: string): NodeRecord {
  const node = nodes.find((entry) => entry.name === name);
  if (node) return node;
  throw new ParleyError(
    'caller/unknown-node',
    `expected one of ${nodes.map((entry) => entry.name).join(', ')}, got ${name}`,
  );
}

/** Marks a living process; undefined when there is none of that number. */
export function markProcess(pid: number): ProcessMark | undefined {
  const startTicks = startTicksOf(pid);
  return startTicks === undefined ? undefined : { pid, startTicks };
}

/** True while that very process lives. */
export function isAlive(mark: ProcessMark | undefined): boolean {
  return mark !== undefined && startTicksOf(mark.pid) === mark.startTicks;
}

/** True when nobody will ever take this lab down: its owner died before it was up, or its nodes are gone. */
export function isStale(record: LabRecord): boolean {
  if (record.status === 'up') return record.nodes.every((node) => !isAlive(node.init));
  return !isAlive(record.owner);
}

/** Field 22 of /proc/<pid>/stat; a zombie counts as gone. */
function startTicksOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Written whole under another name first: a crash leaves no empty entry that blocks the name. */
async function claim(path: string, record: LabRecord): Promise<void> {
  const draft = `${path}.${process.pid}.draft`;
  await writeFileDurably(draft, JSON.stringify(record, null, 2));
  try {
    await link(draft, path);
  } catch (error) {
    throw new ParleyError(
      'caller/lab-exists',
      `expected a free lab name, ${record.name} is taken (lab down ${record.name}, or --name)`,
      {
        cause: error,
      },
    );
  } finally {
    await rm(draft, { force: true });
  }
}
