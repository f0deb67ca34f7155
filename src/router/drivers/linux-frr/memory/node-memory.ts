// What a Linux node remembers of itself without having been asked: events and states, what passed on its ports, and what its monitors measured.
// One memory a driver. It reads nothing of the device itself: the whole state is read by `read`, the rest comes from the helper.
import type { Clock } from '#base/clock.ts';
import { hostPorts } from '#model/hosts/host-places.ts';
import type { History } from '#model/router/control-plane.ts';
import type { Remembered, RememberedRequest } from '#model/router/remembered-days.ts';
import type { KeptState, NodeCounters, NodeState, PastState, RouteAnswer } from '#model/router/router-port.ts';
import type { ReadHelper } from '../../../protocol/typed-operations.ts';
import { createDhcpMonitor } from '../host-monitor/dhcp-monitor.ts';
import { startHostMonitor } from '../host-monitor/host-monitor.ts';
import { startLinkMonitor } from '../link-monitor/link-monitor.ts';
import { watchTargets } from '../link-monitor/monitored-links.ts';
import { type DayRecorder, noteStart, startDayRecorder } from './day-recorder.ts';
import { createPrefixTurns } from './prefix-turns.ts';
import type { RouteWatch } from './route-events.ts';
import { createSampler } from './sampler.ts';
import { createSettingMemory } from './setting-memory.ts';
import { createPastRing } from './state-history.ts';
import type { DayStore } from './store/day-store.ts';

export type NodeMemoryInit = {
  readonly node: string;
  readonly helper: ReadHelper;
  readonly clock: Clock;
  /** What the node monitors by itself. */
  readonly monitor: { readonly links: boolean; readonly hosts: boolean; readonly services: boolean };
  /** False: it monitors no hosts, listens to none, and what it reads of them is not kept. */
  readonly rememberHosts?: boolean;
  /** Reads the whole state; `history` is the part of it that this memory knows. */
  readonly read: (history: () => Promise<History>) => Promise<NodeState>;
  /** The kernel's own counters, once a round of the link monitor. */
  readonly counters: () => Promise<NodeCounters>;
  /** Where this node forwards what is for these addresses. */
  readonly routes: (destinations: readonly string[]) => Promise<readonly RouteAnswer[]>;
  /** Reports that a route set by hand has changed. */
  readonly routeEvents?: RouteWatch;
  /** Without it, or without its disk, this memory begins with the agent and ends with it. */
  readonly days?: DayStore;
};

export type NodeMemory = {
  /** What happened before now; with `past` also the rounds and scans themselves. */
  history(past: boolean): Promise<History>;
  /** A whole state that was asked for at `beganMs` and could be read without gaps. */
  keep(state: NodeState, beganMs: number): void;
  /** The last whole state that was read, for whatever reason; undefined until one was. */
  latest(): KeptState | undefined;
  /** States that this node was in and that differ from `now`, newest first. */
  past(now: NodeState): readonly PastState[];
  /** What it remembers of days, and of the minute that is not on disk yet; absent without a disk. */
  readonly remembered?: (request: RememberedRequest, signal?: AbortSignal) => Promise<Remembered>;
  /** Resolves when everything is on disk that was to be. */
  stop(): Promise<void>;
};

export function createNodeMemory(init: NodeMemoryInit): NodeMemory {
  const { helper, clock, routes, days, rememberHosts = true } = init;
  const monitor = rememberHosts ? init.monitor : { ...init.monitor, hosts: false, services: false };
  const states = createPastRing();
  const settings = createSettingMemory({
    clock,
    ...(days === undefined ? {} : { earlier: days.earlier, onChange: days.note }),
  });
  const turns = createPrefixTurns();
  noteStart(init.node, settings, days);
  let latest: NodeState | undefined;
  let latestMs = 0;
  const add = (read: NodeState, beganMs: number) => {
    const state = rememberHosts ? read : stateWithoutHosts(read);
    [latest, latestMs] = [state, clock.monotonicMs()];
    states.add(state, latestMs, beganMs);
    settings.add(state, beganMs);
    turns.add(state, latestMs);
    return read;
  };
  const sampler = createSampler({
    helper,
    clock,
    rememberHosts,
    ...(init.routeEvents === undefined ? {} : { routes: init.routeEvents }),
  });
  const targets = () => (latest === undefined ? [] : watchTargets(latest));
  const links = monitor.links ? startLinkMonitor(helper, clock, targets, init.counters) : undefined;
  const known = () => latest && { state: latest, history: sampler.history() };
  const hosts = startHostMonitor({ helper, clock, ...monitor, known, routes });
  const dhcp = createDhcpMonitor({ helper, known: () => latest, routes, nowMs: () => clock.monotonicMs() });
  sampler.subscribe({
    hosts: (signs) => hosts.heard(signs),
    dhcp: (signs) => {
      if (monitor.services) dhcp.heard(signs);
    },
  });
  const history = async (past: boolean): Promise<History> => {
    await sampler.listen();
    const sampled = sampler.history(past);
    return {
      ...sampled,
      hosts: hosts.aged(sampled.hosts ?? []),
      ...settings.history(),
      ...turns.history(clock.monotonicMs()),
      ...states.readings(clock.monotonicMs()),
      ...links?.history(past),
      ...(monitor.hosts || monitor.services ? { watchedHosts: hosts.watched(past) } : {}),
      ...(monitor.services ? { watchedDhcp: dhcp.watched(past) } : {}),
    };
  };
  sampler.start(async () => {
    const beganMs = clock.monotonicMs();
    return add(await init.read(() => history(false)), beganMs);
  });
  const recorder: DayRecorder | undefined =
    days &&
    startDayRecorder({
      ...{ clock, days, settings },
      state: () => latest,
      links: () => links?.history(true).watch ?? [],
      events: () => sampler.history().events,
    });
  return {
    history,
    keep: (state, beganMs) => sampler.seen(add(state, beganMs), beganMs),
    latest: () => latest && { state: latest, ageMs: Math.max(0, Math.round(clock.monotonicMs() - latestMs)) },
    past: (now) => states.past(now, clock.monotonicMs()),
    ...(days === undefined
      ? {}
      : {
          remembered: async (request, signal) => {
            const past = await days.past(request, signal);
            const { events, settings: changes = [] } = { ...sampler.history(), ...settings.history() };
            return withNewest(past, { events, changes }, request);
          },
        }),
    async stop() {
      sampler.stop();
      links?.stop();
      hosts.stop();
      await recorder?.stop();
    },
  };
}

/** Events and changes after the newest that is on disk: they are written once a minute. */
function withNewest(
  past: Remembered,
  { events, changes }: Pick<Remembered, 'events' | 'changes'>,
  { sinceMs, untilMs }: RememberedRequest,
): Remembered {
  const isAsked = ({ agoMs }: { readonly agoMs: number }) => agoMs <= sinceMs && agoMs >= untilMs;
  const newer = <Row extends { readonly agoMs: number }>(
    known: readonly Row[],
    rows: readonly Row[],
    slackMs: number,
  ) => rows.filter((row) => isAsked(row) && row.agoMs < (known[0]?.agoMs ?? Number.POSITIVE_INFINITY) - slackMs);
  const byAge = (one: { readonly agoMs: number }, other: { readonly agoMs: number }) => one.agoMs - other.agoMs;
  return {
    ...past,
    events: [...newer(past.events, events, SAME_MS).toSorted(byAge), ...past.events],
    changes: [...newer(past.changes, changes, SAME_MS), ...past.changes],
  };
}

/** The two clocks by which an age is told may differ by so much. */
const SAME_MS = 1_000;

/** A state without the hosts on the node's ports: neither the kernel's table of them nor who LLDP hears there. */
function stateWithoutHosts({ neighbourTable: _, history: __, neighbours, ...state }: NodeState): NodeState {
  const ports = new Set(hostPorts(state.inventory).map(({ name }) => name));
  return { ...state, neighbours: neighbours.filter(({ ifname }) => !ports.has(ifname)) };
}
