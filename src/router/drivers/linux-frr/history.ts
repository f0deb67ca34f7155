// The node's own memory: every few seconds carrier changes, adjacencies and sessions are compared with the sample before,
// and what changed is kept for a quarter of an hour. A fault that is over can then still be found. Bounded in events.
import { LIMITS } from '#base/limits.ts';
import type { History, HistoryEvent, PastControl } from '#model/control-plane.ts';
import type { Station } from '#model/stations.ts';

export type Sample = {
  /** Interface → carrier changes since start. */
  readonly carriers: ReadonlyMap<
    string,
    { readonly changes: number; readonly up: boolean; readonly settings?: string }
  >;
  /** `eth1 0000.0000.0002` → up; undefined when the protocol could not be asked. */
  readonly adjacencies: ReadonlyMap<string, boolean> | undefined;
  readonly sessions: ReadonlyMap<string, boolean> | undefined;
  /** How the protocols are configured and what they do; undefined when nobody was asked. */
  readonly control?: ControlSample;
  /** Interface → who LLDP hears there. */
  readonly heard: ReadonlyMap<string, { readonly name: string; readonly port?: string }> | undefined;
  /** Rows of the ARP table that have a MAC address. */
  readonly stations?: readonly Station[];
};

export type ControlSample = Omit<PastControl, 'fromAgoMs' | 'untilAgoMs'>;

export type Ring = {
  add(sample: Sample, atMs: number): void;
  /** What is remembered at `nowMs`. */
  history(nowMs: number, withPast?: boolean): History;
};

type Kept = Omit<HistoryEvent, 'agoMs'> & { readonly atMs: number };
type KeptControl = {
  readonly control: ControlSample;
  readonly print: string;
  readonly fromMs: number;
  untilMs: number;
};

export function createRing(): Ring {
  let last: Sample | undefined;
  let firstMs: number | undefined;
  let events: Kept[] = [];
  const past: KeptControl[] = [];
  const heard = new Map<string, { readonly name: string; readonly port?: string }>();
  const stations = new Map<string, Station>();

  const note = (event: Kept) => {
    events.push(event);
    if (events.length > LIMITS.historyEvents) events.shift();
  };
  const compareCarriers = (sample: Sample, before: Sample, atMs: number) => {
    for (const [subject, now] of sample.carriers) {
      const changes = now.changes - (before.carriers.get(subject)?.changes ?? now.changes);
      if (changes > 0) note({ kind: 'carrier', subject, up: now.up, changes, atMs });
    }
  };
  const compareStates = (
    kind: 'adjacency' | 'session',
    now: ReadonlyMap<string, boolean> | undefined,
    before: ReadonlyMap<string, boolean> | undefined,
    atMs: number,
  ) => {
    if (now === undefined || before === undefined) return;
    for (const subject of new Set([...now.keys(), ...before.keys()])) {
      const [up, was] = [now.get(subject) ?? false, before.get(subject) ?? false];
      if (up !== was) note({ kind, subject, up, changes: 1, atMs });
    }
  };
  return {
    add(sample, atMs) {
      firstMs ??= atMs;
      if (last !== undefined) {
        compareCarriers(sample, last, atMs);
        compareStates('adjacency', sample.adjacencies, last.adjacencies, atMs);
        compareStates('session', sample.sessions, last.sessions, atMs);
      }
      if (sample.control !== undefined) remember(past, sample.control, atMs);
      for (const [ifname, who] of sample.heard ?? []) heard.set(ifname, who);
      for (const station of sample.stations ?? []) {
        const key = `${station.ifname} ${station.address}`;
        // Who had it first keeps it: a newcomer is what has to be noticed.
        if (!stations.has(key) && stations.size < LIMITS.stations) stations.set(key, station);
      }
      events = events.filter((event) => atMs - event.atMs <= LIMITS.historyMs);
      last = {
        ...sample,
        adjacencies: sample.adjacencies ?? last?.adjacencies,
        sessions: sample.sessions ?? last?.sessions,
      };
    },
    history(nowMs, withPast = false) {
      return {
        spanMs: firstMs === undefined ? 0 : Math.round(Math.min(nowMs - firstMs, LIMITS.historyMs)),
        events: events.map(({ atMs, ...event }) => ({ agoMs: Math.max(0, Math.round(nowMs - atMs)), ...event })),
        lastHeard: [...heard].map(([ifname, who]) => ({ ifname, ...who })),
        ...(withPast ? { past: past.slice(0, -1).map((kept) => pastOf(kept, nowMs)) } : {}),
        stations: [...stations.values()],
      };
    },
  };
}

/** The last entry is how things are now; a state that differs from it begins a new one. */
function remember(past: KeptControl[], control: ControlSample, atMs: number): void {
  const print = printOf(control);
  const last = past.at(-1);
  if (last !== undefined && last.print === print) last.untilMs = atMs;
  else past.push({ control, print, fromMs: atMs, untilMs: atMs });
  while (past.length > LIMITS.historyPast + 1 || (past.length > 1 && atMs - past[0]!.untilMs > LIMITS.historyMs))
    past.shift();
}

function pastOf({ control, fromMs, untilMs }: KeptControl, nowMs: number): PastControl {
  const ago = (ms: number) => Math.max(0, Math.round(nowMs - ms));
  return { ...control, fromAgoMs: ago(fromMs), untilAgoMs: ago(untilMs) };
}

/** Counters and reasons move all the time; only what is configured and what is up makes a state. */
function printOf({ isis, bgp, bfd, ospf, adjacencies }: ControlSample): string {
  return JSON.stringify([
    isis === undefined ? null : { ...isis, circuits: isis.circuits.map((circuit) => ({ ...circuit, rejects: '' })) },
    bgp === undefined ? null : [bgp.asn, bgp.networks, bgp.redistribute],
    (bgp?.sessions ?? []).map((row) => [
      row.peer,
      row.remoteAs,
      row.state === 'Established',
      row.policies,
      row.shutdown,
    ]),
    (bfd ?? []).map((row) => [row.peer, row.ifname ?? '', row.status]).sort(),
    (ospf ?? []).map((row) => [
      ...[row.ifname, row.area, row.network, row.helloMs ?? 0, row.deadMs ?? 0, row.passive],
      row.neighbours.map((entry) => [entry.routerId, entry.state]),
    ]),
    adjacencies.map((entry) => [entry.ifname, entry.systemId, entry.up]).sort(),
  ]);
}
