// Feeds the node's two memories: the kernel's carrier and packet counts from /sys and who LLDP hears go into the history of events at
// every turn; the whole state goes into the history of states as often as it is cheap, and its adjacencies and sessions into the
// events. Starts no program of its own; a read that fails leaves that part of the sample out.
import { readdir, readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { type Clock, STOPPED } from '#base/clock.ts';
import { every } from '#base/every.ts';
import { kernelValue } from '#base/kernel-file.ts';
import { LIMITS } from '#base/limits.ts';
import { hostPorts, userPorts } from '#model/hosts/host-places.ts';
import type { History } from '#model/router/control-plane.ts';
import type { Host } from '#model/router/hosts.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';
import type { ReadHelper } from '../../../protocol/typed-operations.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { parseNeighbours } from '../lldp-neighbours.ts';
import { createFilterMemory } from '../nftables/filter-memory.ts';
import { createEventHistory, type Sample } from './event-history.ts';
import { createEarlyLooks } from './on-demand-snapshots.ts';
import { createPortSigns, type Subscriber } from './port-signs.ts';
import type { RouteWatch } from './route-events.ts';

/**
 * From one reading of the whole state to the next pass so many times what the last one took, so that readings cost a fortieth of the time. Where a
 * reading takes more than half a second, `longestRestMs` ends the rest sooner, and readings cost more: while a daemon hangs, or for good.
 */
const REST = 40;
/**
 * Readings before their time, because a route has changed, may cost a twentieth: what a person has just set is what a question will be about. A
 * budget that is used up is full again after twenty seconds, the longest rest.
 */
const EARLY_REST = 20;
/** Samples after the start that are all whole, until it is known what is usual here. */
const FIRST_TURNS = 3;

/** Counts that took longer to read than this say nothing. */
const SLOW_READ_MS = 150;

export type SamplerInit = {
  readonly helper: ReadHelper;
  readonly clock: Clock;
  /** False: nothing is listened to on ports to hosts, and nothing of hosts is kept. */
  readonly rememberHosts?: boolean;
  /** Without it a route that changes is seen at the next regular reading. */
  readonly routes?: RouteWatch;
};

export type Sampler = {
  /** Hands every later sample's signs to `subscriber`. */
  subscribe(subscriber: Subscriber): void;
  /**
   * Takes samples until it is stopped. `remember` reads and keeps the whole state; it is called now and then, and as soon as an interface, a typed
   * row of the ARP table, or, as far as the allowance for early readings goes, a route that was set by hand has changed.
   */
  start(remember: () => Promise<NodeState>): void;
  history(withPast?: boolean): History;
  /** Fetches what has passed by since the last sample. */
  listen(): Promise<void>;
  /**
   * The whole state, which a caller asked for at `beganMs`: the node need not read it again so soon, unless its own last is newer. A node that
   * rests long because its own last reading was slow learns from it that readings are quick again.
   */
  seen(state: NodeState, beganMs: number): void;
  stop(): void;
};

/** LLDP is asked in every n-th sample: its answer costs more than the kernel's counts. */
const LLDP_EVERY = 6;

export function createSampler({ helper, clock, routes, rememberHosts = true }: SamplerInit): Sampler {
  const history = createEventHistory();
  const filters = createFilterMemory();
  const signs = createPortSigns(helper, clock);
  const stopped = new AbortController();
  let [running, lastMark, isRouteNews] = [false, '', false];
  const earlyLooks = createEarlyLooks(EARLY_REST);
  let [tookMs, lookedMs] = [0, Number.NEGATIVE_INFINITY];
  let rememberedMs = Number.NEGATIVE_INFINITY;
  let turn = 0;
  let told: NodeState | undefined;
  let portsToHosts: readonly string[] = [];
  const learn = (state: NodeState) => {
    portsToHosts = namesOf(hostPorts(state.inventory));
    if (rememberHosts) signs.listenOn(namesOf(userPorts(state.inventory)));
    // What could not be read has not been emptied.
    if (!state.missing.some(({ part }) => part === 'filters')) filters.add(state.filters, clock.monotonicMs());
  };
  let remember: () => Promise<NodeState> = () => Promise.reject(STOPPED);
  const look = async (mark: string, startedMs: number) => {
    [lastMark, rememberedMs, isRouteNews] = [mark, startedMs, false];
    const state = await optional(remember);
    lookedMs = clock.monotonicMs();
    tookMs = lookedMs - startedMs;
    if (state !== undefined) learn(state);
    return state;
  };
  const sample = async () => {
    if (running) return;
    running = true;
    try {
      await signs.listen();
      const { typed, ...read } = await readSample({ helper, clock }, turn++, signs.takeServices());
      const taken = rememberHosts ? read : sampleWithoutHosts(read, portsToHosts);
      await signs.listenToRequests();
      const startedMs = clock.monotonicMs();
      const mark = JSON.stringify([[...taken.carriers], typed]);
      const due = startedMs - rememberedMs >= restMs(tookMs);
      isRouteNews = routes?.changed() || isRouteNews;
      const isAtTime = due || mark !== lastMark || turn <= FIRST_TURNS;
      const isEarly = !isAtTime && isRouteNews && earlyLooks.take(tookMs, startedMs);
      const state = isAtTime || isEarly ? await look(mark, startedMs) : told;
      told = undefined;
      history.add(state === undefined ? taken : { ...taken, ...protocolsOf(state) }, startedMs);
    } finally {
      running = false;
    }
  };
  return {
    subscribe: signs.subscribe,
    start(read) {
      remember = read;
      void every(clock, DRIVER_LIMITS.historySampleMs, stopped.signal, sample);
      void sample().catch(() => {});
    },
    history: (withPast) => {
      const nowMs = clock.monotonicMs();
      const kept = { filterDrops: filters.drops(nowMs), heard: signs.requests(nowMs) };
      return { ...history.history(nowMs, withPast), ...kept };
    },
    listen: signs.listen,
    seen(state, beganMs) {
      if (beganMs < lookedMs) return;
      const nowMs = clock.monotonicMs();
      [told, rememberedMs] = [state, nowMs];
      // A question reads other things beside it, and may have taken longer for that.
      tookMs = Math.min(tookMs, nowMs - beganMs);
      learn(state);
    },
    stop() {
      stopped.abort(STOPPED);
      routes?.close();
    },
  };
}

/** From the beginning of a reading to that of the next. */
function restMs(tookMs: number): number {
  return Math.min(DRIVER_LIMITS.longestRestMs, Math.max(DRIVER_LIMITS.pastSampleMs, tookMs * REST));
}

/** Who LLDP hears on a port to hosts may be a host; before the first state no port is known for one that leads to none. */
function sampleWithoutHosts({ hosts: _, services: __, heard, ...rest }: Sample, ports: readonly string[]): Sample {
  const others = ports.length === 0 ? [] : [...(heard ?? [])].filter(([ifname]) => !ports.includes(ifname));
  return { ...rest, heard: heard && new Map(others) };
}

function namesOf(ports: readonly InterfaceState[]): readonly string[] {
  return ports.map(({ name }) => name).slice(0, LIMITS.hostPorts);
}

async function readSample(
  { helper, clock }: { readonly helper: ReadHelper; readonly clock: Clock },
  turn: number,
  services: Sample['services'] & {},
): Promise<Sample & { readonly typed: readonly string[] }> {
  const [arp, links, heard] = await Promise.all([
    readFile('/proc/net/arp', 'utf8').catch(() => ''),
    readLinks(clock),
    turn % LLDP_EVERY === 0 ? optional(async () => heardFrom(await helper.call('lldp-neighbours', {}))) : undefined,
  ]);
  const [hosts, typed] = [parseArpTable(arp), permanentRows(arp)];
  return { hosts, typed, ...links, adjacencies: undefined, sessions: undefined, heard, services };
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

/** Rows of the kernel's ARP table that an operator set. */
export function permanentRows(text: string): readonly string[] {
  const rows = text.split('\n').slice(1);
  const typed = rows.map((line) => line.trim().split(/\s+/)).filter(([, , flags = '']) => (Number(flags) & 4) !== 0);
  return typed.map(([address, , , mac, , ifname]) => `${ifname} ${address} ${mac}`).sort();
}

/**
 * `IP address  HW type  Flags  HW address  Mask  Device`; flag 2 is a row that is complete, 4 a permanent one: that is what an operator
 * typed, not who was heard.
 */
export function parseArpTable(text: string): readonly Host[] {
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

/** Of so many interfaces before others have their turn. */
const LINKS_AT_ONCE = 64;

async function readLinks(clock: Clock): Promise<Pick<Sample, 'carriers' | 'traffic' | 'trafficAtMs'>> {
  const names = await readdir('/sys/class/net');
  const startedMs = clock.monotonicMs();
  const rows: ReturnType<typeof linkAt>[] = [];
  for (const name of names) {
    rows.push(linkAt(name));
    if (rows.length % LINKS_AT_ONCE === 0) await setImmediate();
  }
  const endedMs = clock.monotonicMs();
  return {
    // Read slowly, they are of no single moment.
    ...(endedMs - startedMs > SLOW_READ_MS ? {} : { traffic: trafficIn(rows), trafficAtMs: startedMs }),
    carriers: new Map(rows.map(({ name, changes, up, settings }) => [name, { changes, up, settings }])),
  };
}

function linkAt(name: string) {
  const read = (file: string) => kernelValue(`/sys/class/net/${name}/${file}`);
  return {
    name,
    changes: Number(read('carrier_changes') ?? 0),
    up: read('operstate') !== 'down',
    settings: `${read('mtu') ?? ''} ${read('flags') ?? ''}`,
    rx: read('statistics/rx_packets') ?? '',
    tx: read('statistics/tx_packets') ?? '',
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
