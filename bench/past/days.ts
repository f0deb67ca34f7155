// Seven days as the memory of three nodes on a path has them: a record a minute, settings that change now and then, and incidents at given times.
// Everything comes from a seed.
import { deltaBetween } from '#router/drivers/linux-frr/memory/store/replay.ts';
import { encodeLine, headLine } from '#router/drivers/linux-frr/memory/store/segment.ts';
import { mulberry32 } from '../../simulations/lab/node-files.ts';

export const NODES = ['pe1', 'p2', 'pe3'] as const;
export type PastIncident = {
  readonly kind: 'carrier' | 'loss';
  /** Node → interface. */
  readonly ends: Readonly<Record<string, string>>;
  readonly atMs: number;
  readonly minutes: number;
};

const PORTS: Readonly<Record<(typeof NODES)[number], readonly string[]>> = {
  pe1: ['eth1'],
  p2: ['eth1', 'eth2'],
  pe3: ['eth1'],
};
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** 20 probes in two seconds. */
const PROBES = 600;
/** An operator changes a metric about so often a day. */
const CHANGES_A_DAY = 20;

export type DaysInit = {
  readonly node: (typeof NODES)[number];
  readonly incidents: readonly PastIncident[];
  readonly seed: number;
  readonly untilMs: number;
  readonly days: number;
};

/** One segment a day, by name. */
export function segmentsOf({ node, incidents, seed, untilMs, days }: DaysInit): ReadonlyMap<string, string> {
  const random = mulberry32(seed);
  const segments = new Map<string, string>();
  let metric = 10;
  for (let day = 0; day < days; day++) {
    const beganMs = untilMs - (days - day) * DAY_MINUTES * MINUTE_MS;
    const rowsOf = () => [
      { kind: 'metric' as const, subject: 'eth1', setting: 'isis', value: String(metric), needs: [] },
    ];
    let known = { rows: rowsOf(), met: [], daemonUpMs: {} };
    const lines = [headLine(beganMs), encodeLine(JSON.stringify({ k: 'settings', atMs: beganMs, ...known }))];
    for (let minute = 1; minute <= DAY_MINUTES; minute++) {
      const atMs = beganMs + minute * MINUTE_MS;
      if (random() < CHANGES_A_DAY / DAY_MINUTES) {
        const was = String(metric);
        metric = 10 + Math.floor(random() * 90);
        const next = { ...known, rows: rowsOf() };
        const delta = deltaBetween(known, next, atMs);
        const change = { kind: 'metric', subject: 'eth1', setting: 'isis', was, is: String(metric) };
        if (delta !== undefined)
          lines.push(encodeLine(JSON.stringify({ k: 'change', atMs, change })), encodeLine(JSON.stringify(delta)));
        known = next;
      }
      lines.push(encodeLine(JSON.stringify(minuteOf(node, incidents, { atMs, random, uptimeMs: minute * MINUTE_MS }))));
    }
    segments.set(`${String(day + 1).padStart(8, '0')}.log`, lines.join(''));
  }
  return segments;
}

function minuteOf(
  node: (typeof NODES)[number],
  incidents: readonly PastIncident[],
  { atMs, random, uptimeMs }: { readonly atMs: number; readonly random: () => number; readonly uptimeMs: number },
) {
  const ports = PORTS[node];
  const events: (readonly [number, string, string, number, number])[] = [];
  const links = ports.map((ifname) => {
    const mine = incidents.filter(({ ends }) => ends[node] === ifname);
    const isIn = ({ atMs: beganMs, minutes }: PastIncident) => atMs > beganMs && atMs <= beganMs + minutes * MINUTE_MS;
    for (const { atMs: beganMs, minutes } of mine.filter(({ kind }) => kind === 'carrier'))
      for (const [momentMs, up] of [
        [beganMs, 0],
        [beganMs + minutes * MINUTE_MS, 1],
      ] as const)
        if (momentMs > atMs - MINUTE_MS && momentMs <= atMs) events.push([atMs - momentMs, 'carrier', ifname, up, 1]);
    const isDown = mine.some((each) => each.kind === 'carrier' && isIn(each));
    const isLossy = mine.some((each) => each.kind === 'loss' && isIn(each));
    const stray = random() < 0.02 ? 1 : 0;
    const lost = isDown ? PROBES : isLossy ? Math.round(PROBES * 0.03) : stray;
    return [ifname, PROBES, PROBES - lost, isDown ? 0 : 200, isDown ? 0 : 310, isDown ? 0 : 900] as const;
  });
  return {
    ...{ k: 'minute', atMs, boot: 'bench', uptimeMs, daemonUpMs: {}, waits: [], links },
    ports: ports.map(
      (ifname) => [ifname, ...[5e6, 5e6, 5e9, 5e9].map((most) => Math.floor(random() * most)), 0, 0] as const,
    ),
    ...{ portsMs: MINUTE_MS, events },
  };
}
