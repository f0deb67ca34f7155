// An agent that reports what is not so, about its counters or its probes, on the healthy recording of four routers in a ring: nobody
// else is accused for it. Two neighbours that contradict it name it, one word against another names nobody, and what both ends saw
// is named as ever.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { changed, lookedAgain, recorded, said, withInterface } from './recording.ts';

const healthy = recorded('healthy');
const AGAIN = 1_000;

/** Counts of one interface after the probes, changed by so many packets. */
function counting(
  input: DiagnoseInput,
  node: string,
  ifname: string,
  by: Readonly<Partial<Record<'rxPackets' | 'txPackets', number>>>,
): DiagnoseInput {
  const told = (state: NodeState) =>
    withInterface(state, ifname, ({ counters }) => ({
      counters: {
        ...counters,
        ...Object.fromEntries(
          Object.entries(by).map(([name, packets]) => [
            name,
            String(BigInt(counters[name as 'rxPackets']) + BigInt(packets)),
          ]),
        ),
      },
    }));
  return changed(input, {
    state: (state, at, phase) => (at === node && phase === 'after' ? told(state) : state),
  });
}

/** What the second look sends, both ends count: 1,000 probes and as many reflections each way and from each end. */
const again = (link: string, lost: Parameters<typeof lookedAgain>[3]) => (input: DiagnoseInput) => {
  const [one = '', other = ''] = link.split('/');
  const ends = [one, other].map((end) => end.split(':') as [string, string]);
  const counted = ends.reduce(
    (each, [node, ifname]) => counting(each, node, ifname, { rxPackets: 2 * AGAIN, txPackets: 2 * AGAIN }),
    input,
  );
  return lookedAgain(counted, link, AGAIN, lost);
};

const firstLoses = (prober: string, link: string, back: number) => (input: DiagnoseInput) =>
  changed(input, {
    probe: (result, { id, node }) =>
      node === prober && id === `probe/${link}/link` ? { ...result, received: result.received - back } : result,
  });

const after = (...steps: readonly ((input: DiagnoseInput) => DiagnoseInput)[]) =>
  steps.reduce((input, step) => step(input), healthy);

const falls = (node: string, ifname: string) => (input: DiagnoseInput) =>
  changed(input, {
    state: (state, at, phase) =>
      at === node && phase === 'after'
        ? withInterface(state, ifname, (entry) => ({ carrierChanges: entry.carrierChanges + 6 }))
        : state,
  });

const R1_R2 = 'r1:eth1/r2:eth1';
const R1_R4 = 'r1:eth2/r4:eth2';

test('probes and counters of one end alone accuse nobody: both ends are named as undecided', () => {
  const input = after(firstLoses('r1', R1_R2, 30), again(R1_R2, { r1: { out: 0, back: 150 } }), (each) =>
    counting(each, 'r1', 'eth1', { rxPackets: -180 }),
  );
  assert.deepEqual(said(input), ['inconclusive']);
  assert.match(
    diagnose(input).verdict.reasons.join('\n'),
    /r2 → r1: 180 of 1200 probes lost, .*r1 says so, and of the 1000 probes of r2 over the same link 0 were lost this way/,
  );
});

test('without a look from the other end nobody is accused', () => {
  const input = after(firstLoses('r1', R1_R2, 30), (each) => counting(each, 'r1', 'eth1', { rxPackets: -30 }));
  assert.deepEqual(said(input), ['inconclusive']);
});

test('a loss that the probes of both ends met is named', () => {
  const input = after(
    firstLoses('r1', R1_R2, 30),
    again(R1_R2, { r1: { out: 0, back: 150 }, r2: { out: 140, back: 0 } }),
    (each) => counting(each, 'r1', 'eth1', { rxPackets: -320 }),
  );
  assert.deepEqual(said(input), ['fault', 'packet_loss interface/r2/eth1']);
});

test('an agent whose probes and counters two neighbours contradict is named, and nobody else', () => {
  const input = after(
    firstLoses('r1', R1_R2, 30),
    again(R1_R2, { r1: { out: 0, back: 150 } }),
    (each) => counting(each, 'r1', 'eth1', { rxPackets: -180 }),
    firstLoses('r1', R1_R4, 30),
    again(R1_R4, { r1: { out: 0, back: 150 } }),
    (each) => counting(each, 'r1', 'eth2', { rxPackets: -180 }),
  );
  assert.deepEqual(said(input), ['fault', 'agent_contradicted node/r1']);
});

test('counters that no probe bears out name their agent where two neighbours contradict them', () => {
  for (const by of [{ rxPackets: 90_000 }, { txPackets: 90_000 }]) {
    const one = counting(healthy, 'r3', 'eth1', by);
    assert.deepEqual(said(one), ['inconclusive']);
    assert.match(diagnose(one).verdict.reasons.join('\n'), /r2 eth2 – r3 eth1: r\d counted \d+ packets sent, r\d \d+/);
    assert.deepEqual(said(counting(one, 'r3', 'eth2', by)), ['fault', 'agent_contradicted node/r3']);
  }
});

test('two ends that are each at odds with another as well name nobody', () => {
  const one = counting(counting(healthy, 'r3', 'eth1', { txPackets: 90_000 }), 'r3', 'eth2', { txPackets: 90_000 });
  assert.deepEqual(said(one), ['fault', 'agent_contradicted node/r3']);
  assert.deepEqual(said(falls('r4', 'eth2')(one)), ['inconclusive']);
});

test('a carrier that only one end saw fall is no flapping link; two neighbours that saw nothing name the agent', () => {
  assert.deepEqual(said(after(falls('r1', 'eth1'))), ['inconclusive']);
  assert.deepEqual(said(after(falls('r1', 'eth1'), falls('r2', 'eth1'))), ['fault', 'link_flap link/r1:eth1--r2:eth1']);
  assert.deepEqual(said(after(falls('r1', 'eth1'), falls('r1', 'eth2'))), ['fault', 'agent_contradicted node/r1']);
});
