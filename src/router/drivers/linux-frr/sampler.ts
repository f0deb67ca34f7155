// Feeds the node's two memories: the kernel's carrier and packet counts from /sys and who LLDP hears go into the ring of events at
// every turn; the whole state goes into the ring of states as often as it is cheap, and its adjacencies and sessions into the
// events. Starts no program of its own; a read that fails leaves that part of the sample out.
import { readdir, readFile } from 'node:fs/promises';
import { LIMITS } from '#base/limits.ts';
import type { History } from '#model/control-plane.ts';
import type { NodeState } from '#model/router-port.ts';
import { hostPorts } from '#model/station-places.ts';
import type { Station } from '#model/stations.ts';
import type { DhcpSign } from '#model/watched-dhcp.ts';
import type { HelperClient } from '../../helper/client.ts';
import type { HostSigns } from '../../helper/served.ts';
import { createFilterMemory } from './filter-memory.ts';
import { createHeardMemory, readHeard } from './heard-memory.ts';
import { createRing, type Sample } from './history.ts';
import { parseNeighbours } from './neighbours.ts';

/** The whole state is read at most so seldom that the node rests this many times as long as it took. */
const REST = 20;
/** Samples after the start that are all whole, until it is known what is usual here. */
const FIRST_TURNS = 3;

/** Counts that took longer to read than this say nothing. */
const SLOW_READ_MS = 150;

export type Sampler = {
  history(withPast?: boolean): History;
  /** Fetches what has passed by since the last sample. */
  listen(): Promise<void>;
  stop(): void;
};

/** LLDP is asked in every n-th sample: its answer costs more than the kernel's counts. */
const LLDP_EVERY = 6;

/** `remember` reads and keeps the whole state; it is called now and then, and as soon as an interface, or what was typed into the ARP table, has changed. */
export function startSampler(
  helper: HelperClient,
  remember: () => Promise<NodeState>,
  onHeard: (signs: HostSigns) => void,
  onDhcp: (signs: readonly DhcpSign[]) => void,
): Sampler {
  const ring = createRing();
  const filters = createFilterMemory();
  const memory = createHeardMemory();
  let running = false;
  let lastMark = '';
  let tookMs = 0;
  let rememberedMs = Number.NEGATIVE_INFINITY;
  let turn = 0;
  let ports: readonly string[] = [];
  let served: Sample['services'] & {} = [];
  const fetched = new Set<'served' | 'heard'>();
  /** The helper outlives its agents: what waits at the first fetch passed before this one listened, nobody knows when. */
  const isLeftOver = (what: 'served' | 'heard') => {
    const isFirst = !fetched.has(what);
    fetched.add(what);
    return isFirst;
  };
  const listen = async () => {
    const found = ports.length === 0 ? undefined : await optional(() => helper.call('served', { ifnames: [...ports] }));
    if (found === undefined || isLeftOver('served')) return;
    const passed = found as unknown as HostSigns;
    served = [...served, ...passed.services].slice(-LIMITS.stations);
    onHeard(passed);
  };
  const sample = async () => {
    if (running) return;
    running = true;
    try {
      await listen();
      const { typed, ...taken } = await readSample(helper, turn++, served);
      served = [];
      const heard = ports.length === 0 ? undefined : await optional(() => readHeard(helper, ports));
      const startedMs = performance.now();
      if (heard !== undefined && !isLeftOver('heard')) {
        memory.add(heard.rows, startedMs);
        onDhcp(heard.signs);
      }
      const mark = JSON.stringify([[...taken.carriers], typed]);
      const due = startedMs - rememberedMs >= Math.max(LIMITS.pastSampleMs, tookMs * REST);
      if (!due && mark === lastMark && turn > FIRST_TURNS) {
        ring.add(taken, startedMs);
        return;
      }
      [lastMark, rememberedMs] = [mark, startedMs];
      const state = await optional(remember);
      tookMs = performance.now() - startedMs;
      if (state !== undefined) {
        ports = hostPorts(state.inventory)
          .map(({ name }) => name)
          .slice(0, LIMITS.stationPorts);
        filters.add(state.filters, performance.now());
      }
      ring.add(state === undefined ? taken : { ...taken, ...protocolsOf(state) }, startedMs);
    } finally {
      running = false;
    }
  };
  const timer = setInterval(() => void sample().catch(() => {}), LIMITS.historySampleMs);
  timer.unref();
  void sample().catch(() => {});
  return {
    history: (withPast) => {
      const nowMs = performance.now();
      const kept = { filterDrops: filters.drops(nowMs), heard: memory.heard(nowMs) };
      return { ...ring.history(nowMs, withPast), ...kept };
    },
    listen,
    stop: () => clearInterval(timer),
  };
}

async function readSample(
  helper: HelperClient,
  turn: number,
  services: Sample['services'] & {},
): Promise<Sample & { readonly typed: readonly string[] }> {
  const [arp, links, heard] = await Promise.all([
    readFile('/proc/net/arp', 'utf8').catch(() => ''),
    readLinks(),
    turn % LLDP_EVERY === 0
      ? optional(async () => heardFrom(String(await helper.call('lldp-neighbours', {}))))
      : undefined,
  ]);
  const [stations, typed] = [parseArpTable(arp), permanentRows(arp)];
  return { stations, typed, ...links, adjacencies: undefined, sessions: undefined, heard, services };
}

/** What could not be read is not gone. */
function protocolsOf({ adjacencies, bgp, missing }: NodeState): Pick<Sample, 'adjacencies' | 'sessions'> {
  const read = !missing.some(({ part }) => part === 'adjacencies');
  return {
    adjacencies: read
      ? new Map(adjacencies.map((row) => [`${row.ifname} ${row.systemId}`, row.state === 'up']))
      : undefined,
    sessions: bgp && new Map(bgp.sessions.map((row) => [row.peer, row.state === 'Established'])),
  };
}

/** Rows of the kernel's ARP table that somebody typed. */
export function permanentRows(text: string): readonly string[] {
  const rows = text.split('\n').slice(1);
  const typed = rows.map((line) => line.trim().split(/\s+/)).filter(([, , flags = '']) => (Number(flags) & 4) !== 0);
  return typed.map(([address, , , mac, , ifname]) => `${ifname} ${address} ${mac}`).sort();
}

/**
 * `IP address  HW type  Flags  HW address  Mask  Device`; flag 2 is a row that is complete, 4 a permanent one: that is what somebody
 * typed, not who was heard.
 */
export function parseArpTable(text: string): readonly Station[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [address = '', , flags = '', mac = '', , ifname = ''] = line.trim().split(/\s+/);
      const complete = (Number(flags) & 2) !== 0 && (Number(flags) & 4) === 0;
      return complete && mac !== '00:00:00:00:00:00' && ifname !== ''
        ? [{ ifname, address, mac: mac.toLowerCase() }]
        : [];
    });
}

async function readLinks(): Promise<Pick<Sample, 'carriers' | 'traffic' | 'trafficAtMs'>> {
  const names = await readdir('/sys/class/net');
  const startedMs = performance.now();
  const rows = await Promise.all(
    names.map(async (name) => {
      const read = (file: string, absent: string) =>
        readFile(`/sys/class/net/${name}/${file}`, 'utf8').then(
          (text) => text.trim(),
          () => absent,
        );
      const [changes, state, mtu, flags, rx, tx] = await Promise.all([
        read('carrier_changes', '0'),
        read('operstate', 'unknown'),
        read('mtu', ''),
        read('flags', ''),
        read('statistics/rx_packets', ''),
        read('statistics/tx_packets', ''),
      ]);
      return { name, changes: Number(changes), up: state !== 'down', settings: `${mtu} ${flags}`, rx, tx };
    }),
  );
  const endedMs = performance.now();
  return {
    // Read slowly, they are of no single moment.
    ...(endedMs - startedMs > SLOW_READ_MS ? {} : { traffic: trafficIn(rows), trafficAtMs: startedMs }),
    carriers: new Map(rows.map(({ name, changes, up, settings }) => [name, { changes, up, settings }])),
  };
}

function trafficIn(
  rows: readonly { readonly name: string; readonly rx: string; readonly tx: string }[],
): NonNullable<Sample['traffic']> {
  return new Map(
    rows
      .filter(({ name, rx, tx }) => name !== 'lo' && rx !== '' && tx !== '')
      .map(({ name, rx, tx }) => [name, [Number(rx), Number(tx)]]),
  );
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
