// What r1 of scope-scene.ts keeps of its hosts, and the findings of a question about the last two minutes.
import { diagnose } from '#correlate/diagnose.ts';
import type { HistoryEvent } from '#model/router/control-plane.ts';
import type { HostLook, LookedPort, WatchedHosts } from '#model/router/host-history.ts';
import type { NodeState, PastState } from '#model/router/router-port.ts';
import { HOST1, type Scene, sceneOf, wellOn } from './scope-scene.ts';

export const NOTHING: WatchedHosts = { hostsMs: 300_000, servicesMs: 300_000, asks: [], names: [], looks: [] };

export type Memory = Partial<WatchedHosts> & {
  readonly events?: readonly HistoryEvent[];
  readonly past?: readonly PastState[];
};

export function remembering({ events = [], past, ...watched }: Memory) {
  return (state: NodeState): NodeState => ({
    ...state,
    ...(past === undefined ? {} : { past }),
    history: { ...state.history!, events, watchedHosts: { ...NOTHING, ...watched } },
  });
}

/** `fault resource over seconds` of every finding about the last two minutes, or about now. */
export function found(memory: Memory, scene: Scene = {}, sinceMs: number | undefined = 120_000): readonly string[] {
  const input = sceneOf({ ...scene, states: { r1: remembering(memory), ...scene.states } });
  const intent = sinceMs === undefined ? input.intent : { ...input.intent, sinceMs };
  return diagnose({ ...input, intent }).findings.map(({ fault, resource, details }) =>
    [fault, resource, ...(details['over'] === true ? ['over', details['agoSeconds']] : [])].join(' '),
  );
}

export const PORT = { ...wellOn('r1'), asked: [HOST1.address, '198.19.1.1'] };

export const look = (...ports: readonly Partial<LookedPort>[]): HostLook => ({
  ...{ fromAgoMs: 40_000, untilAgoMs: 30_000 },
  ports: ports.map((port) => ({ ...PORT, ...port })),
  tries: [],
});

export const SILENT = { answers: [], echoed: [] };
