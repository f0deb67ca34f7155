// agent_contradicted: counters that an agent reports and that no neighbour's bear out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { withInterface } from '../../recording.ts';
import { all, type Change, drawn, named, ring } from '../../ring.ts';

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
    assert.equal(finding?.remedy?.summary, 'see what is wrong with the agent of r3: its neighbours say otherwise');
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
