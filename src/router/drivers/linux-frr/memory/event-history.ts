// The node's own memory of events: every few seconds carrier changes, adjacencies and sessions are compared with the sample before,
// and what changed is kept for a quarter of an hour; beside them the LLDP neighbours, the hosts on the ports, and how many packets
// each interface had counted. Whole states are kept in state-history.ts. Bounded in events and samples.
import { LIMITS } from '#base/limits.ts';
import type { History, HistoryEvent } from '#model/router/control-plane.ts';
import type { Host, Served } from '#model/router/hosts.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

export type Sample = {
  /** Interface → carrier changes since start. */
  readonly carriers: ReadonlyMap<
    string,
    { readonly changes: number; readonly up: boolean; readonly settings?: string }
  >;
  /** `eth1 0000.0000.0002` → up; undefined when the protocol could not be asked. */
  readonly adjacencies: ReadonlyMap<string, boolean> | undefined;
  readonly sessions: ReadonlyMap<string, boolean> | undefined;
  /** Interface → who LLDP hears there. */
  readonly heard: ReadonlyMap<string, { readonly name: string; readonly port?: string }> | undefined;
  /** Rows of the ARP table that have a MAC address. */
  readonly hosts?: readonly Host[];
  /** Services that hosts were seen to serve since the sample before. */
  readonly services?: readonly Omit<Served, 'agoMs'>[];
  /** Interface → packets received and sent since start. */
  readonly traffic?: ReadonlyMap<string, readonly [rxPackets: number, txPackets: number]>;
  /** When they were read, if not with the rest. */
  readonly trafficAtMs?: number;
};

export type EventHistory = {
  add(sample: Sample, atMs: number): void;
  /** What is remembered at `nowMs`. */
  history(nowMs: number, withPast?: boolean): History;
};

type Kept = Omit<HistoryEvent, 'agoMs'> & { readonly atMs: number };
type KeptTraffic = { readonly atMs: number; readonly traffic: Sample['traffic'] & {} };

export function createEventHistory(): EventHistory {
  let last: Sample | undefined;
  let firstMs: number | undefined;
  let events: Kept[] = [];
  let counted: KeptTraffic[] = [];
  const heard = new Map<string, { readonly name: string; readonly port?: string }>();
  const hosts = new Map<string, Host>();
  const services = new Map<string, { readonly row: Omit<Served, 'agoMs'>; readonly atMs: number }>();

  const note = (event: Kept) => {
    events.push(event);
    if (events.length > DRIVER_LIMITS.historyEvents) events.shift();
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
      if (sample.traffic !== undefined)
        counted = [...counted, { atMs: sample.trafficAtMs ?? atMs, traffic: sample.traffic }]
          .filter((entry) => atMs - entry.atMs <= DRIVER_LIMITS.trafficMs)
          .slice(-LIMITS.trafficSamples);
      for (const [ifname, who] of sample.heard ?? []) heard.set(ifname, who);
      for (const host of sample.hosts ?? []) {
        const key = `${host.ifname} ${host.address}`;
        // Who had it first keeps it: a newcomer is what has to be noticed.
        if (!hosts.has(key) && hosts.size < LIMITS.hosts) hosts.set(key, host);
      }
      for (const row of sample.services ?? []) {
        const key = JSON.stringify([row.ifname, row.address, row.service, row.port]);
        if (services.has(key) || services.size < LIMITS.hosts) services.set(key, { row, atMs });
      }
      for (const [key, { atMs: seenMs }] of services) if (atMs - seenMs > DRIVER_LIMITS.historyMs) services.delete(key);
      events = events.filter((event) => atMs - event.atMs <= DRIVER_LIMITS.historyMs);
      last = {
        ...sample,
        adjacencies: sample.adjacencies ?? last?.adjacencies,
        sessions: sample.sessions ?? last?.sessions,
      };
    },
    history(nowMs, withPast = false) {
      return {
        spanMs: firstMs === undefined ? 0 : Math.round(Math.min(nowMs - firstMs, DRIVER_LIMITS.historyMs)),
        events: events.map(({ atMs, ...event }) => ({ agoMs: Math.max(0, Math.round(nowMs - atMs)), ...event })),
        lastHeard: [...heard].map(([ifname, who]) => ({ ifname, ...who })),
        ...(withPast ? { traffic: trafficOf(counted, nowMs) } : {}),
        hosts: [...hosts.values()],
        services: [...services.values()].map(({ row, atMs }) => ({
          ...row,
          agoMs: Math.max(0, Math.round(nowMs - atMs)),
        })),
      };
    },
  };
}

/** Oldest first, interface by interface: all of them at the same moments. */
function trafficOf(counted: readonly KeptTraffic[], nowMs: number): History['traffic'] & {} {
  const names = [...new Set(counted.flatMap(({ traffic }) => [...traffic.keys()]))];
  return names.map((ifname) => ({
    ifname,
    samples: counted.flatMap(({ atMs, traffic }) => {
      const row = traffic.get(ifname);
      return row === undefined ? [] : [[Math.max(0, Math.round(nowMs - atMs)), row[0], row[1]] as const];
    }),
  }));
}
