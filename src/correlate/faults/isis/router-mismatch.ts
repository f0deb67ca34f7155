// The shape of an IS-IS fault of a whole router: the two routers of a link do not fit, and the one that differs from what the other
// circuits of the network have is named; where those do not decide, neither is.
import type { Remedy } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import type { IsisState } from '#model/router/control-plane.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation, type FaultCard, type FaultDefinition } from '../../engine/fault-definition.ts';
import { majority, shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { World } from '../../network/world.ts';
import { activeCircuits, type BrokenAdjacency, brokenAdjacencies, type CircuitEnd } from './circuit-ends.ts';

type RouterMismatch = Omit<FaultCard, 'resource' | 'accuses' | 'labels'> & {
  isWrong(world: World, ends: readonly [CircuitEnd, CircuitEnd]): boolean;
  words(world: World, end: CircuitEnd): string;
  /** What makes the router as its neighbours are, `usual` in the same words. */
  change(world: World, ifname: string, node: string, usual: string): Pick<Remedy, 'change' | 'decide'>;
};

type Detail = {
  readonly what: string;
  readonly here: string;
  readonly usual?: string;
  readonly node: string;
  readonly interface: string;
  readonly decided: boolean;
};

export function defineRouterMismatch(fault: RouterMismatch): FaultDefinition {
  const { isWrong, words, change, ...card } = fault;
  return defineCause<Detail>({
    ...card,
    resource: 'node',
    accuses: true,
    labels: { nika: null, netOpsBench: null },
    explain: (file) => brokenAdjacencies(file).flatMap((broken) => explanations(file, broken, fault)),
    describe: ({ what }) => what,
    remedy: ({ node, interface: ifname, usual, decided }, { world }) => ({
      node,
      summary: `configure ${nodeRef(node)} as its neighbours are${usual === undefined ? '' : `: ${usual}`}`,
      ...(decided && usual !== undefined ? change(world, ifname, node, usual) : {}),
    }),
  });
}

/** State of IS-IS at an end's router. */
export function isisAt(world: World, { end }: Pick<CircuitEnd, 'end'>): IsisState | undefined {
  return world.views.get(end.node)?.state.isis;
}

/** Levels that a circuit really speaks: its own and its router's. */
export function levelsAt(world: World, { end, circuit }: CircuitEnd): readonly string[] {
  const router = (isisAt(world, { end })?.level ?? '1-2').split('-');
  return (circuit?.level ?? '1-2').split('-').filter((level) => router.includes(level));
}

function explanations(
  { world }: CaseFile,
  { symptom, ends }: BrokenAdjacency,
  { isWrong, words }: RouterMismatch,
): readonly Explanation<Detail>[] {
  if (ends.some((each) => each.circuit === undefined || isisAt(world, each) === undefined)) return [];
  if (!isWrong(world, ends)) return [];
  const others = activeCircuits(world, [ends[0].end, ends[1].end]);
  const usual = majority(others.map((each) => words(world, each)));
  const odd = ends.filter((end) => words(world, end) !== usual);
  const decided = odd.length === 1;
  return (decided ? odd : ends).map((each) => ({
    resource: nodeResource(each.end.node),
    explains: [shareOf(symptom)],
    evidence: symptom.source,
    ...(decided ? {} : { withheld: 'the two ends differ, and nothing says which is right' }),
    detail: {
      what: symptom.text,
      here: words(world, each),
      ...(usual === undefined ? {} : { usual }),
      ...{ node: each.end.node, interface: each.end.ifname, decided },
    },
  }));
}
