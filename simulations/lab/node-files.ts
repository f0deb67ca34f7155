// The files a node finds at its start: FRR's, lldpd needs none, and the agent's configuration. Written to the node's own folder.
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { NodeRecord } from './registry.ts';
import type { TopologyNode } from './topology.ts';

export type NodeFilesInit = {
  readonly node: NodeRecord;
  readonly topology: TopologyNode;
  readonly timers: 'fast' | 'default';
  readonly agent?: {
    readonly domain: string;
    readonly clock: AgentClock;
    readonly identityDir: string;
    readonly logLevel: string;
    /** The node may be configured by the operator on the node itself: without consent, or with that of an admin. */
    readonly configurable?: 'off' | 'required';
    /** The CA with which this node renews the certificates of others. */
    readonly registrarDir?: string;
    /** Nodes that renew this one's certificate. */
    readonly registrars?: readonly string[];
  };
};

/** Each agent's clock is wrong in its own way, so that a rule that subtracts two nodes' clocks fails in labs. */
export type AgentClock = { readonly offsetMs: number; readonly driftPpm: number };

/** Lines of frr.conf that make protocols fast; `timers: default` leaves them out. */
const FAST_TIMERS =
  /^\s*(isis hello-(?:interval|multiplier)|lsp-gen-interval|spf-interval|timers (?:bgp|throttle)|neighbor \S+ timers|ip(?:v6)? ospf6? (?:hello|dead)-interval)\b.*\n/gm;

export async function writeNodeFiles(init: NodeFilesInit): Promise<void> {
  const { folder } = init.node;
  await Promise.all(
    ['root', 'etc/frr', 'etc/parley', 'log', 'state'].map((part) => mkdir(join(folder, part), { recursive: true })),
  );
  await writeFile(join(folder, 'etc/frr/vtysh.conf'), 'service integrated-vtysh-config\n');
  await writeFile(join(folder, 'etc/frr/daemons'), '');
  for (const [name, from] of Object.entries(init.topology.frrFiles)) {
    const text = await readFile(from, 'utf8');
    await writeFile(
      join(folder, 'etc/frr', name),
      name === 'frr.conf' && init.timers === 'default' ? withDefaultTimers(text) : text,
    );
  }
  if (!init.agent) return;
  await cp(init.agent.identityDir, join(folder, 'etc/parley/identity'), { recursive: true });
  // Of a folder of root's, not the agent's: it says whose signature lets a change be made, or a backup out.
  await mkdir(join(folder, HELPER_AUTHORITY), { recursive: true });
  await cp(join(init.agent.identityDir, 'ca.pem'), join(folder, HELPER_AUTHORITY, 'ca.pem'));
  const authority = { node: init.node.name, consent: init.agent.configurable ?? 'required' };
  await writeFile(join(folder, HELPER_AUTHORITY, 'consent.yaml'), stringify(authority));
  if (init.agent.registrarDir !== undefined)
    await cp(init.agent.registrarDir, join(folder, 'state', REGISTRAR), { recursive: true });
  await writeFile(join(folder, 'etc/parley/agent.yml'), agentConfig(init.node.name, init.agent));
}

export function withDefaultTimers(frrConf: string): string {
  return frrConf.replaceAll(FAST_TIMERS, '');
}

/** Offsets within ± 500 ms and drifts within ± 50 ppm, the same for the same seed and node. */
export function clockOf(seed: number, nodeIndex: number): AgentClock {
  const random = mulberry32(seed * 1_000 + nodeIndex);
  return { offsetMs: Math.round(random() * 1_000 - 500), driftPpm: Math.round(random() * 100 - 50) };
}

function agentConfig(node: string, agent: NonNullable<NodeFilesInit['agent']>): string {
  return stringify({
    node,
    domain: agent.domain,
    listen: { host: '::', port: 9514 },
    control: { socket: CONTROL_SOCKET, group: 'parley' },
    identity: { dir: '/etc/parley/identity' },
    state: STATE,
    ...(agent.registrarDir === undefined ? {} : { registrar: { dir: `${STATE}/${REGISTRAR}` } }),
    ...(agent.registrars === undefined
      ? {}
      : { renewal: { registrars: agent.registrars.filter((name) => name !== node) } }),
    driver: {
      kind: 'linux-frr',
      helper: HELPER_SOCKET,
      ...(agent.configurable !== undefined ? { configHelper: CONFIG_SOCKET } : {}),
    },
    ...(agent.configurable !== undefined
      ? { access: { roles: { local: 'admin' } }, configure: { consent: agent.configurable } }
      : {}),
    discovery: { lldp: true, static: [] },
    clock: agent.clock,
    log: { level: agent.logLevel, file: '/var/log/parley/agent.log' },
  });
}

const STATE = '/var/lib/parley';
const REGISTRAR = 'registrar';
export const CONTROL_SOCKET = '/run/parley/control.sock';
export const HELPER_SOCKET = '/run/parley-helper/helper.sock';
export const HELPER_AUTHORITY = '/etc/parley-config';
export const CONFIG_SOCKET = '/run/parley-config/config.sock';

/** A small seeded generator (mulberry32): labs must be repeatable, not unpredictable. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
