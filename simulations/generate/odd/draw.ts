// A case from a seed: a heterogeneous network with its oddities, the flows of its hosts, the questions, and the truth: nothing wrong, or one
// fault by one means. The network is the same either way. Pure.

import { seededRandom } from '../random.ts';
import { MECHANISMS } from './faults/all.ts';
import type { Drawn } from './faults/mechanism.ts';
import { askable, flowsOf, measuredOf, type RouterCheck, routerChecksOf } from './flows.ts';
import { isConnected, wayBetween } from './graph.ts';
import type { Draft, Family, Flow, Router, ShapeName } from './model.ts';
import { between, newDraft, routerNamed, sample } from './model.ts';
import { ODDITIES } from './oddities/all.ts';
import { SHAPES } from './shapes.ts';

export type Question = {
  readonly node: string;
  readonly q: string;
  /** The flow that it asks about; nothing where it asks about everything. */
  readonly flow?: Flow;
};

export type OddCase = {
  readonly id: string;
  readonly draft: Draft;
  /** What hosts do: checked before and after. */
  readonly flows: readonly Flow[];
  /** Of these, what is measured before and during a fault. */
  readonly measured: readonly Flow[];
  readonly routerChecks: readonly RouterCheck[];
  readonly questions: readonly Question[];
  /** Nothing: the network is healthy. */
  readonly fault?: Drawn & { readonly name: string; readonly by: string };
};

export type DrawInit = {
  readonly seed: number;
  /** From 0: which case of that seed. */
  readonly index: number;
  readonly isHealthy: boolean;
  readonly shapes?: readonly ShapeName[];
  /** Means to draw from, by their fault or `fault: by`; all unless given. */
  readonly faults?: readonly string[];
};

const [LEAST_ODDITIES, MOST_ODDITIES] = [2, 5];
/** Shapes in turn, so that a few cases already have all of them. */
const TURN = 7_919;

export function drawCase(init: DrawInit): OddCase {
  const random = seededRandom(init.seed * TURN + init.index);
  const shapes = SHAPES.filter(({ name }) => init.shapes?.includes(name) ?? true);
  const shape = shapes[(init.seed + init.index + Math.floor(init.index / shapes.length)) % shapes.length]!;
  const family: Family = random.pick(shape.families);
  const id = `odd-${init.seed}-${init.index}`;
  const draft = newDraft({ name: id, shape: shape.name, family, random });
  shape.make(draft);
  const wanted = between(random, LEAST_ODDITIES, MOST_ODDITIES);
  for (const oddity of sample(random, ODDITIES, ODDITIES.length)) {
    if (draft.oddities.length === wanted) break;
    if (oddity.add(draft)) draft.oddities.push(oddity.name);
  }
  if (!isConnected(draft)) throw new RangeError(`expected ${id} to be connected`);
  const flows = flowsOf(draft);
  const measured = measuredOf(draft, flows);
  const questions = questionsOf(draft, measured);
  const fault = init.isHealthy ? undefined : faultIn(draft, init.faults);
  const checks = { flows, measured, routerChecks: routerChecksOf(draft) };
  return { id, draft, ...checks, questions, ...(fault === undefined ? {} : { fault }) };
}

function faultIn(draft: Draft, only: readonly string[] | undefined): OddCase['fault'] {
  const known = MECHANISMS.filter(
    ({ fault, by }) => only === undefined || only.includes(fault) || only.includes(`${fault}: ${by}`),
  );
  // The fault first, then by which means: a fault with many means comes no more often than one with a single one.
  for (const name of sample(draft.random, [...new Set(known.map(({ fault }) => fault))], known.length))
    for (const mechanism of sample(
      draft.random,
      known.filter(({ fault }) => fault === name),
      known.length,
    )) {
      const drawn = mechanism.draw(draft);
      if (drawn !== undefined) return { ...drawn, name, by: mechanism.by };
    }
  throw new RangeError(`expected a place for a fault in ${draft.name}`);
}

/** "What is wrong?" at any router with an agent, and one about two hosts. */
function questionsOf(draft: Draft, flows: readonly Flow[]): readonly Question[] {
  const { random } = draft;
  const asked = random.pick(draft.routers.filter(({ hasAgent }) => hasAgent)).name;
  const general: Question = { node: asked, q: 'What is wrong?' };
  const edgeOf = (name: string): Router => routerNamed(draft, draft.hosts.find((host) => host.name === name)!.router);
  const flow = askable(draft, flows).find(({ from }) => edgeOf(from).hasAgent);
  if (flow === undefined) return [general];
  const node = edgeOf(flow.from).name;
  const way = wayBetween(draft, node, edgeOf(flow.to).name);
  const isOurs = way.every((name) => routerNamed(draft, name).hasAgent);
  const q =
    isOurs && random.next() < 0.4
      ? `is the path ${way.join(' -> ')} dropping packets?`
      : `Why can ${node} not reach ${flow.address}?`;
  return [general, { node, q, flow }];
}
