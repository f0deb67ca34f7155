// Feeds the node's ring of samples: reads the kernel's carrier counts from /sys and asks the routing daemons through the
// helper. Starts no program; a read that fails leaves that part of the sample out.
import { readdir, readFile } from 'node:fs/promises';
import { LIMITS } from '#base/limits.ts';
import type { History } from '#model/control-plane.ts';
import type { Station } from '#model/stations.ts';
import type { HelperClient } from '../../helper/client.ts';
import { parseAdjacencies } from './adjacencies.ts';
import { type Asking, readControlPlane } from './control-plane.ts';
import { type ControlSample, createRing, type Sample } from './history.ts';
import { parseNeighbours } from './neighbours.ts';

/** The whole state is read at most so seldom that the node rests this many times as long as it took. */
const REST = 20;
/** Samples after the start that are all whole, until it is known what is usual here. */
const FIRST_TURNS = 3;

export type Sampler = { history(withPast?: boolean): History; stop(): void };

/** Daemons and LLDP are asked in every n-th sample: their answers cost more than the kernel's counts. */
const DAEMONS_EVERY = 2;
const LLDP_EVERY = 6;

/** `remember` keeps the whole state; it is called now and then, and as soon as an interface has changed. */
export function startSampler(helper: HelperClient, remember: () => Promise<void>): Sampler {
  const ring = createRing();
  let running = false;
  let lastMark = '';
  let tookMs = 0;
  let rememberedMs = Number.NEGATIVE_INFINITY;
  let turn = 0;
  const sample = async () => {
    if (running) return;
    running = true;
    try {
      const taken = await readSample(helper, turn++);
      ring.add(taken, performance.now());
      const mark = JSON.stringify([...taken.carriers]);
      const startedMs = performance.now();
      const due = startedMs - rememberedMs >= Math.max(LIMITS.pastSampleMs, tookMs * REST);
      if (!due && mark === lastMark && turn > FIRST_TURNS) return;
      [lastMark, rememberedMs] = [mark, startedMs];
      await remember();
      tookMs = performance.now() - startedMs;
    } finally {
      running = false;
    }
  };
  const timer = setInterval(() => void sample().catch(() => {}), LIMITS.historySampleMs);
  timer.unref();
  void sample().catch(() => {});
  return {
    history: (withPast) => ring.history(performance.now(), withPast),
    stop: () => clearInterval(timer),
  };
}

async function readSample(helper: HelperClient, turn: number): Promise<Sample> {
  const [stations, carriers, control, heard] = await Promise.all([
    readStations(),
    readCarriers(),
    turn % DAEMONS_EVERY === 0 ? optional(() => readControl(helper)) : undefined,
    turn % LLDP_EVERY === 0
      ? optional(async () => heardFrom(String(await helper.call('lldp-neighbours', {}))))
      : undefined,
  ]);
  const adjacencies = control && new Map(control.adjacencies.map((row) => [`${row.ifname} ${row.systemId}`, row.up]));
  const sessions = control?.bgp && new Map(control.bgp.sessions.map((row) => [row.peer, row.state === 'Established']));
  return { stations, carriers, adjacencies, sessions, heard, ...(control === undefined ? {} : { control }) };
}

async function readControl(helper: HelperClient): Promise<ControlSample> {
  const asking: Asking = {
    ask: (operation, args) => helper.call(operation, { ...args }),
    part: async (_name, absent, read) => (await optional(read)) ?? absent,
  };
  const tree = optional(async () => String(await helper.call('frr', { query: 'isis-interfaces' })));
  const [{ isis, bgp, bfd, ospf }, text] = await Promise.all([readControlPlane(asking, []), tree]);
  const parsed = text === undefined ? undefined : parseAdjacencies(text, new Map());
  const rows = parsed?.ok === true ? parsed.value : [];
  return {
    ...(isis === undefined ? {} : { isis }),
    ...(bgp === undefined ? {} : { bgp }),
    ...(bfd === undefined ? {} : { bfd }),
    ...(ospf === undefined ? {} : { ospf }),
    adjacencies: rows.map(({ ifname, systemId, state }) => ({ ifname, systemId, up: state === 'up' })),
  };
}

/** The kernel's ARP table as a file; permanent rows are what somebody typed, not who was heard. */
async function readStations(): Promise<readonly Station[]> {
  return parseArpTable(await readFile('/proc/net/arp', 'utf8').catch(() => ''));
}

/** `IP address  HW type  Flags  HW address  Mask  Device`; flag 2 is a row that is complete, 4 a permanent one. */
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

async function readCarriers(): Promise<Sample['carriers']> {
  const names = await readdir('/sys/class/net');
  const rows = await Promise.all(
    names.map(async (name) => {
      const [changes, state, mtu, flags] = await Promise.all([
        readFile(`/sys/class/net/${name}/carrier_changes`, 'utf8').catch(() => '0'),
        readFile(`/sys/class/net/${name}/operstate`, 'utf8').catch(() => 'unknown'),
        readFile(`/sys/class/net/${name}/mtu`, 'utf8').catch(() => ''),
        readFile(`/sys/class/net/${name}/flags`, 'utf8').catch(() => ''),
      ]);
      const settings = `${mtu.trim()} ${flags.trim()}`;
      return [name, { changes: Number(changes), up: state.trim() !== 'down', settings }] as const;
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
