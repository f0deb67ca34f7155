// Probes to addresses of nodes that did not all come back: which filters of what is for their own node account for that.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import type { Fact } from '#correlate/engine/facts.ts';
import { reachProof } from '#correlate/health/proof-reach.ts';
import { echoesTaken } from '#correlate/symptoms/unanswered-echoes.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { loss } from '../fact-scene.ts';
import { dropping, type Scene, sceneOf, stateOf } from '../scope-scene.ts';

/** r2 limits what it takes in, without a counter; `always`: for as long as it remembers. */
const limiting =
  (always: boolean, hook = 'input') =>
  (state: NodeState): NodeState => {
    const [rule] = dropping([{ field: 'protocol', values: ['udp'] }], hook)(state, 'after').filters;
    const { packets: _, ...uncounted } = rule!;
    const filters = [{ ...uncounted, matchesRest: true }];
    const then = { ...stateOf(2), filters: always ? filters : [] };
    return { ...state, filters, past: [{ fromAgoMs: 90_000, untilAgoMs: 60_000, state: then }] };
  };
const row = (received: number): NonNullable<Scene['more']> =>
  (['first', 'confirmation'] as const).map((round) => ({
    node: 'r1',
    purpose: { kind: 'reach', round },
    body: { results: [{ destination: '198.19.255.2', sent: 40, received, rttMs: 0.2 }] },
  }));
const caseOf = (
  r2: (state: NodeState, when: 'before' | 'after') => NodeState,
  received: number,
  lost: number | undefined,
) => {
  const { intent, nodeNames, evidence, outcomes } = sceneOf({ states: { r2 }, more: row(received) });
  const { world, facts } = caseFileOf(intent, nodeNames, evidence, outcomes);
  const link = world.links.find(({ from, to }) => [from.node, to.node].sort().join() === 'r1,r2')!.key;
  const probes: readonly Fact[] = lost === undefined ? [] : [loss({ link, lost })];
  return { world, facts: [...facts, ...probes] };
};
const takenBy = (...scene: Parameters<typeof caseOf>) => {
  const { world, facts } = caseOf(...scene);
  return [...echoesTaken(world, facts).values()].flatMap(({ rules }) => rules.map(({ node }) => node));
};

test('a limiter without a counter that was always there explains a share where every link of the way carried its probes', () => {
  assert.deepEqual(takenBy(limiting(true), 30, 0), ['r2']);
  const { world, facts } = caseOf(limiting(true), 30, 0);
  const { proven, lacking } = reachProof(world, facts);
  assert.deepEqual(lacking, []);
  assert.match(
    proven.join('\n'),
    /\{r1\} → 198\.19\.255\.2: 60 of 80 probes came back; input of \{r2\} may have dropped the rest: it has no counter/,
  );
});

test('a limiter that counted fewer packets than were lost explains them where both ends of the link counted as many, and it always was there', () => {
  const counting =
    (always: boolean) =>
    (state: NodeState, when: 'before' | 'after'): NodeState => {
      const limited = limiting(always)(state);
      const counted = limited.filters.map((rule) => ({ ...rule, packets: when === 'before' ? '0' : '5' }));
      const past = limited.past?.map((each) => ({
        ...each,
        state: { ...each.state, filters: each.state.filters.map((rule) => ({ ...rule, packets: '0' })) },
      }));
      return { ...limited, filters: counted, ...(past === undefined ? {} : { past }) };
    };
  const taken = (always: boolean, txPackets: number, rxPackets: number) => {
    const { world, facts } = caseOf(counting(always), 30, undefined);
    const { from, to } = world.links.find((each) => [each.from.node, each.to.node].sort().join() === 'r1,r2')!;
    const wire = (way: object, tx: number, rx: number) => ({
      ...{ subject: 'interface/r1/eth2', predicate: 'wire', source: [] },
      value: { ...way, comparable: true, txPackets: tx, rxPackets: rx, estimate: 0, lostAtLeast: 0, lostAtMost: 9 },
    });
    const wires = [
      wire({ from, to }, txPackets, rxPackets),
      wire({ from: to, to: from }, 20, 20),
    ] as unknown as readonly Fact[];
    return [...echoesTaken(world, [...facts.filter(({ predicate }) => predicate !== 'wire'), ...wires]).values()]
      .length;
  };
  assert.deepEqual(
    [taken(true, 200, 200), taken(true, 200, 150), taken(true, 29, 29), taken(false, 200, 200)],
    [1, 0, 0, 0],
  );
});

test('without such probes, with lost ones, where all is lost, or by a rule that has come or forwards, it explains nothing', () => {
  assert.deepEqual(takenBy(limiting(true), 30, undefined), []);
  assert.deepEqual(takenBy(limiting(true), 30, 3), []);
  assert.deepEqual(takenBy(limiting(true), 0, 0), []);
  assert.deepEqual(takenBy(limiting(false), 30, 0), []);
  assert.deepEqual(takenBy(limiting(true, 'forward'), 30, 0), []);
});
