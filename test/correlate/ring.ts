// The healthy recording of four FRR routers in a ring, changed as its nodes would report it, and what is found then.
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import type { IsisCircuit } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { changed, recorded } from './recording.ts';

export type Change = (state: NodeState, node: string, phase: string) => NodeState;

/** Both readings of every node, changed; `sinceMs` asks about the past as well. */
export function ring(change: Change = (state) => state, sinceMs?: number): DiagnoseInput {
  const input = changed(recorded('healthy'), { state: change });
  return sinceMs === undefined ? input : { ...input, intent: { ...input.intent, sinceMs } };
}

/** The change at some nodes, and none at others. */
export const at =
  (nodes: readonly string[], change: (state: NodeState) => NodeState): Change =>
  (state, node) =>
    nodes.includes(node) ? change(state) : state;

/** The node remembers that a setting was otherwise. */
export const remembering =
  (...settings: readonly SettingChange[]) =>
  (state: NodeState): NodeState => ({ ...state, history: { ...state.history!, settings } });

/** The recording of a policy that keeps r3's prefix back, of which its neighbours heard a minute before. */
export const withheldSince = (): DiagnoseInput =>
  changed(recorded('policy'), {
    state: at(
      ['r3'],
      remembering({ kind: 'announced', subject: '198.19.3.0/24', was: 'all', is: 'none', agoMs: 60_000 }),
    ),
  });

/** One change after the other. */
export const all =
  (...changes: readonly Change[]): Change =>
  (state, node, phase) =>
    changes.reduce((known, change) => change(known, node, phase), state);

/** `fault resource` of every finding. */
export const named = (input: DiagnoseInput): readonly string[] =>
  diagnose(input).findings.map(({ fault, resource }) => `${fault} ${resource}`);

type Drawn = readonly [found: string, change: unknown, decide?: string];

/** Every finding with the exact change of its remedy, or what an operator must decide first. */
export const drawn = (input: DiagnoseInput): readonly Drawn[] =>
  diagnose(input).findings.map(({ fault, resource, remedy }) => {
    const { change, decide } = remedy ?? {};
    return decide === undefined ? [`${fault} ${resource}`, change] : [`${fault} ${resource}`, change, decide];
  });

export const lines = (...own: readonly string[]) => ({ lines: own });

/** Why what was proposed is no finding, `fault resource` → reason. */
export const rejected = (input: DiagnoseInput): Readonly<Record<string, string>> =>
  Object.fromEntries(
    diagnose(input)
      .candidates.filter(({ chosen }) => !chosen)
      .map(({ fault, resource, why }) => [`${fault} ${resource}`, why]),
  );

/** IS-IS over r1 eth1 – r2 eth1 is lost at both ends. */
export const cut: Change = at(['r1', 'r2'], (state) => ({
  ...state,
  adjacencies: state.adjacencies.filter(({ ifname }) => ifname !== 'eth1'),
}));

/** Circuits of some nodes, each changed, or taken away. */
export const circuits = (
  nodes: readonly string[],
  change: (row: IsisCircuit) => Partial<IsisCircuit> | undefined,
  router: Partial<NodeState['isis']> = {},
): Change =>
  at(nodes, (state) => {
    const own = state.isis!.circuits.flatMap((row) => {
      const now = change(row);
      return now === undefined ? [] : [{ ...row, ...now }];
    });
    return { ...state, isis: { ...state.isis!, tag: 'core', ...router, circuits: own } };
  });

/** The circuit of r1 towards r2. */
export const r1Circuit = (
  change: (row: IsisCircuit) => Partial<IsisCircuit> | undefined,
  router: Partial<NodeState['isis']> = {},
): Change => circuits(['r1'], (row) => (row.ifname === 'eth1' ? change(row) : row), router);
