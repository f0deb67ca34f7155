// agent_contradicted: counters that an agent reports and that no neighbour's bear out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { agentContradicted } from '#correlate/faults/nodes/agent-contradicted.ts';
import { contradictionSymptom } from '#correlate/symptoms/links/contradiction.ts';
import { withInterface } from '../../recording.ts';
import { all, type Change, drawn, named, ring } from '../../ring.ts';
import { caseOf, lossOf, onLink } from '../proposing.ts';

/** After the probes a counter of one interface is larger by so many packets. */
const counting =
  (at: string, ifname: string, counter: 'rxPackets' | 'txPackets'): Change =>
  (state, node, phase) =>
    node !== at || phase !== 'after'
      ? state
      : withInterface(state, ifname, ({ counters }) => ({
          counters: { ...counters, [counter]: String(BigInt(counters[counter]) + 90_000n) },
        }));

test('an agent that two neighbours contradict is named', () => {
  for (const counter of ['rxPackets', 'txPackets'] as const) {
    const input = ring(all(counting('r3', 'eth1', counter), counting('r3', 'eth2', counter)));
    assert.deepEqual(drawn(input), [['agent_contradicted node/r3', undefined]]);
    const [finding] = diagnose(input).findings;
    assert.equal(finding?.remedy?.summary, 'find out what is wrong with the agent of r3: its neighbours say otherwise');
  }
});

test('one report against another names no node', () => {
  const input = ring(counting('r3', 'eth1', 'rxPackets'));
  assert.deepEqual(named(input), []);
  assert.equal(diagnose(input).verdict.kind, 'inconclusive');
});

test('a neighbour that is at odds with another as well is no witness', () => {
  const both = all(counting('r3', 'eth1', 'txPackets'), counting('r3', 'eth2', 'txPackets'));
  assert.deepEqual(named(ring(both)), ['agent_contradicted node/r3']);
  // r4 reports a carrier towards r1 that changed six times, which r1 did not see.
  const falls: Change = (state, node, phase) =>
    node === 'r4' && phase === 'after'
      ? withInterface(state, 'eth2', ({ carrierChanges }) => ({ carrierChanges: carrierChanges + 6 }))
      : state;
  assert.deepEqual(named(ring(all(both, falls))), []);
});

test('losses that the agent itself measured over those links are told with it, those of its neighbours are not', () => {
  const odds = (pair: string) => onLink(contradictionSymptom.kind, pair, { id: `odds ${pair}`, source: [`s ${pair}`] });
  const losses = [
    lossOf('a', 'b'),
    lossOf('b', 'a', 30, { measuredBy: 'a' }),
    lossOf('a', 'b', 7, { measuredBy: 'b' }),
    lossOf('a', 'd', 5),
    lossOf('b', 'c'),
  ];
  const [found, ...rest] = agentContradicted.propose(caseOf([odds('a-b'), odds('d-a')]), losses);
  assert.deepEqual(rest, []);
  assert.deepEqual(
    found?.explains.map(({ symptom, lost }) => [symptom, lost]),
    [
      ['odds a-b', 1],
      ['odds d-a', 1],
      ['loss a>b', 40],
      ['loss b>a', 30],
      ['loss a>d', 5],
    ],
  );
  const { resource, score, evidence, details } = found!;
  assert.deepEqual([resource, score, evidence], ['node/a', 4, ['s a-b', 's d-a']]);
  assert.deepEqual(details['by'], ['{b}', '{d}']);
});

test('two contradictions with one neighbour are one witness, and of three neighbours those at odds with others are none', () => {
  const odds = (pair: string, id = pair) => onLink(contradictionSymptom.kind, pair, { id });
  const named = (...symptoms: readonly ReturnType<typeof odds>[]) =>
    agentContradicted
      .propose(caseOf(symptoms), [])
      .map(({ resource, explains }) => [...[resource, explains.map(({ symptom }) => symptom).join()]]);
  assert.deepEqual(named(odds('a-b', 'one'), odds('a-b', 'two')), []);
  assert.deepEqual(named(odds('a-b'), odds('a-d'), odds('b-c')), []);
  assert.deepEqual(named(odds('a-b'), odds('a-d'), odds('a-c'), odds('c-x')), [['node/a', 'a-b,a-d']]);
});
