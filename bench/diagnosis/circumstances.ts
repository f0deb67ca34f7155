// An agent that is silent or lies, added to a case: never the one that is asked. Its node forwards as ever, and is no fault of the
// network; a lie has to leave everybody else unaccused. Pure.
import { networkOf } from '../../simulations/generate/sizes.ts';
import type { Random } from '../../simulations/lab/faults/fault.ts';
import { LIES } from '../../simulations/lab/faults/lies.ts';
import type { Pair } from '../../simulations/lab/scoring.ts';
import type { Case } from './cases.ts';
import { nodesOf } from './resources.ts';

export type Circumstance = {
  readonly kind: 'silent' | 'lying';
  readonly node: string;
  /** `dead`, `hangs`, or the lie. */
  readonly how: string;
};

const HOW = { silent: ['dead', 'hangs'], lying: LIES } as const;

export function withCircumstance(entry: Case, kind: Circumstance['kind'], random: Random): Case {
  const others = networkOf(entry.size).routers.filter((router) => router.name !== entry.ask.node);
  // A liar at the faulty node itself would only make the same loss look larger.
  const honest = kind === 'silent' ? [] : entry.truth.pairs.flatMap((pair) => nodesOf(pair.resource));
  const eligible = others.filter((router) => !honest.includes(router.name));
  const router = random.pick(eligible.length > 0 ? eligible : others);
  const how = random.pick<string>(HOW[kind]);
  const interfaces = random.next() < 0.5 ? [random.pick(router.core).ifname] : [];
  const parameters = kind === 'silent' ? { node: router.name, how } : { node: router.name, lie: how, interfaces };
  const fault = kind === 'silent' ? 'agent_silent' : 'agent_lying';
  return {
    ...entry,
    inject: [...entry.inject, { where: 'fault', fault, parameters }],
    circumstance: { kind, node: router.name, how },
  };
}

/** What was said about others than the liar and is not so. */
export function accusedInnocent(liar: string, predicted: readonly Pair[], truth: readonly Pair[]): Pair[] {
  const key = (pair: Pair) => `${pair.resource} ${pair.fault}`;
  const known = new Set(truth.map(key));
  return predicted.filter((pair) => !known.has(key(pair)) && nodesOf(pair.resource).some((node) => node !== liar));
}

/**
 * One of the case's faults is at the node whose agent is silent, or at a host that has no other router: by where it was put, before anything
 * was asked. A link of that node is not among them: its other end sees it.
 */
export function isAtSilentNode({ size, truth, circumstance }: Seen): boolean {
  if (circumstance?.kind !== 'silent') return false;
  const behind = new Set(
    networkOf(size)
      .hosts.filter(({ router }) => router === circumstance.node)
      .map(({ host }) => host),
  );
  return truth.some(({ resource }) =>
    nodesOf(resource).every((node) => node === circumstance.node || behind.has(node)),
  );
}

type Seen = { readonly size: string; readonly truth: readonly Pair[]; readonly circumstance?: Circumstance };
