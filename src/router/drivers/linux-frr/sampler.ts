// Feeds the node's ring of samples: reads the kernel's carrier counts from /sys and asks the routing daemons through the
// helper. Starts no program; a read that fails leaves that part of the sample out.
import { readdir, readFile } from 'node:fs/promises';
import { LIMITS } from '#base/limits.ts';
import type { History } from '#model/control-plane.ts';
import type { HelperClient } from '../../helper/client.ts';
import { parseAdjacencies } from './adjacencies.ts';
import { parseBgp } from './daemons-json.ts';
import { createRing, type Sample } from './history.ts';
import { parseNeighbours } from './neighbours.ts';

export type Sampler = { history(): History; stop(): void };

/** LLDP is read in every n-th sample: it starts a program. */
const LLDP_EVERY = 5;

export function startSampler(helper: HelperClient): Sampler {
  const ring = createRing();
  let running = false;
  let turn = 0;
  const sample = async () => {
    if (running) return;
    running = true;
    try {
      ring.add(await readSample(helper, turn++ % LLDP_EVERY === 0), performance.now());
    } finally {
      running = false;
    }
  };
  const timer = setInterval(() => void sample().catch(() => {}), LIMITS.historySampleMs);
  timer.unref();
  void sample().catch(() => {});
  return { history: () => ring.history(performance.now()), stop: () => clearInterval(timer) };
}

async function readSample(helper: HelperClient, withLldp: boolean): Promise<Sample> {
  const [carriers, adjacencies, sessions, heard] = await Promise.all([
    readCarriers(),
    optional(async () => {
      const parsed = parseAdjacencies(String(await helper.call('frr', { query: 'isis-interfaces' })), new Map());
      if (!parsed.ok) return undefined;
      return new Map(parsed.value.map((entry) => [`${entry.ifname} ${entry.systemId}`, entry.state === 'up']));
    }),
    optional(async () => {
      const text = String(await helper.call('frr', { query: 'bgp-neighbours' }));
      const sessions = parseBgp('router bgp 1\n', text, [])?.sessions ?? [];
      return new Map(sessions.map((session) => [session.peer, session.state === 'Established']));
    }),
    withLldp ? optional(async () => heardFrom(String(await helper.call('lldp-neighbours', {})))) : undefined,
  ]);
  return { carriers, adjacencies, sessions, heard };
}

async function readCarriers(): Promise<Sample['carriers']> {
  const names = await readdir('/sys/class/net');
  const rows = await Promise.all(
    names.map(async (name) => {
      const [changes, state] = await Promise.all([
        readFile(`/sys/class/net/${name}/carrier_changes`, 'utf8').catch(() => '0'),
        readFile(`/sys/class/net/${name}/operstate`, 'utf8').catch(() => 'unknown'),
      ]);
      return [name, { changes: Number(changes), up: state.trim() !== 'down' }] as const;
    }),
  );
  return new Map(rows);
}

function heardFrom(text: string): Sample['heard'] {
  const parsed = parseNeighbours(text);
  if (!parsed.ok) return undefined;
  return new Map(
    parsed.value
      .filter((entry) => entry.systemName !== undefined)
      .map((entry) => [entry.ifname, { name: entry.systemName!, port: entry.portId }]),
  );
}

async function optional<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
