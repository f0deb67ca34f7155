// Probes lost over a link while both ends' counters account for the packets: a longer look, with counters read in quiet around it, says
// whether the link loses a little, or a node was busy for a moment, or neither is proven.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose, unsettledDamage, unsettledLosses } from '#correlate/diagnose.ts';
import { planLongLook } from '#intent/plan-long-look.ts';
import type { Evidence } from '#model/evidence.ts';
import type { NodeState } from '#model/router-port.ts';
import { changed, countedInQuiet, lookedAgain, recorded, said, withInterface } from './recording.ts';

const LINK = 'r1:eth1/r2:eth1';
const NONE = { out: 0, back: 0 };

/** The second look of both ends loses some, and both ends' counters of the whole time lack `lacking` of r1's packets. */
function lossy(lost: Parameters<typeof lookedAgain>[3], lacking = 0): DiagnoseInput {
  const counted = changed(recorded('healthy'), {
    state: (state, node, phase) =>
      phase !== 'after' || !['r1', 'r2'].includes(node)
        ? state
        : withInterface(state, 'eth1', ({ counters }) => {
            const more = (value: string, by: number) => String(BigInt(value) + BigInt(by));
            const rx = 2_000 - (node === 'r2' ? lacking : 0);
            return {
              counters: {
                ...counters,
                ...{ rxPackets: more(counters.rxPackets, rx), txPackets: more(counters.txPackets, 2_000) },
              },
            };
          }),
  });
  return lookedAgain(counted, LINK, 1_000, lost);
}

const long = (
  input: DiagnoseInput,
  lost: Parameters<typeof lookedAgain>[3],
  onWire: Readonly<Record<string, number>>,
) => countedInQuiet(lookedAgain(input, LINK, 3_000, lost, 'long'), LINK, 6_040, onWire);

const statesOf = ({ evidence }: DiagnoseInput) =>
  new Map(
    ['r1', 'r2', 'r3', 'r4'].map((node) => {
      const { body } = evidence.find(({ id }) => id === `after/${node}/parley-node-state`)!;
      return [node, body as unknown as NodeState];
    }),
  );

/** r2 counts so many damaged IPv4 packets during the longer look. */
function countedDamage(input: DiagnoseInput, packets: number): DiagnoseInput {
  const counted = countedInQuiet(input, LINK, 640, {});
  const evidence = counted.evidence.map((entry) => {
    if (entry.id !== 'deepen/r2/counts/last') return entry;
    const state = entry.body as unknown as NodeState;
    const nodeCounters = { ...state.nodeCounters, IpExtInCsumErrors: String(3 + packets) };
    return { ...entry, body: { ...state, nodeCounters } as never };
  });
  return { ...counted, evidence };
}

const SMALL = { r1: { out: 13, back: 0 }, r2: { out: 0, back: 16 } };

test('losses that the counters do not bear out are looked at for longer, with as many probes as their share needs', () => {
  const input = lossy(SMALL);
  assert.deepEqual(said(input), ['inconclusive']);
  const [suspect, ...others] = unsettledLosses(input);
  assert.deepEqual(others, []);
  assert.equal(Math.round(suspect!.share * 10_000), 160);
  const states = statesOf(input);
  const steps = planLongLook(states, [suspect!]).map((calls) =>
    calls.map(({ id, arguments: args }) => [id, args['Count']]),
  );
  assert.deepEqual(steps, [
    [
      ['deepen/r1/counts/first', undefined],
      ['deepen/r2/counts/first', undefined],
    ],
    [
      ['probe/r1:eth1/r2:eth1/long', 2_500],
      ['probe/r2:eth1/r1:eth1/long', 2_500],
    ],
    [
      ['deepen/r1/counts/last', undefined],
      ['deepen/r2/counts/last', undefined],
    ],
  ]);
  assert.deepEqual(
    planLongLook(states, [{ ...suspect!, share: 0.1 }])[1]?.map(({ arguments: args }) => args['Count']),
    [1_000, 1_000],
  );
  assert.deepEqual(planLongLook(states, []), []);
});

test('a small loss that both ends’ probes and quiet counters show is named, at the end that sends', () => {
  const input = long(lossy(SMALL), { r1: { out: 40, back: 0 }, r2: { out: 0, back: 37 } }, { r1: 79 });
  assert.deepEqual(said(input), ['fault', 'packet_loss interface/r1/eth1']);
  assert.deepEqual(
    diagnose(input).findings.map(({ details }) => [
      details['probesLost'],
      details['lossPercent'],
      details['txPackets'],
    ]),
    [[77, 1.3, 6_040]],
  );
});

test('both directions are two findings', () => {
  const both = { r1: { out: 13, back: 12 }, r2: { out: 14, back: 16 } };
  const input = long(lossy(both), { r1: { out: 40, back: 38 }, r2: { out: 41, back: 37 } }, { r1: 79, r2: 80 });
  assert.deepEqual(said(input), ['fault', 'packet_loss interface/r1/eth1', 'packet_loss interface/r2/eth1']);
});

test('a moment in which a busy node lost probes is no fault of a healthy network, and is told', () => {
  const input = long(lossy({ r1: { out: 113, back: 0 } }), { r1: NONE, r2: NONE }, {});
  assert.deepEqual(said(input), ['healthy']);
  assert.match(
    diagnose(input).verdict.reasons.join('\n'),
    /r1 → r2: 1087 of 1200 probes arrived; both ends’ counters account for the rest and a longer look lost none: a node was busy/,
  );
});

test('a clean longer look excuses nothing that the counters of the whole time lack', () => {
  const input = long(lossy({ r1: { out: 113, back: 0 } }, 113), { r1: NONE, r2: NONE }, {});
  assert.notDeepEqual(said(input), ['healthy']);
});

test('one end’s word in the longer look, or probes without counters, name nobody', () => {
  const one = long(lossy(SMALL), { r1: { out: 40, back: 0 }, r2: NONE }, { r1: 79 });
  assert.deepEqual(said(one), ['inconclusive']);
  const inside = long(lossy(SMALL), { r1: { out: 40, back: 0 }, r2: { out: 0, back: 37 } }, {});
  assert.deepEqual(said(inside), ['inconclusive']);
});

test('probes that came back late are told and are not lost', () => {
  const input = changed(recorded('healthy'), {
    probe: (result, { id }) => (id === `probe/${LINK}/link` ? { ...result, late: 16 } : result),
  });
  assert.deepEqual(said(input), ['healthy']);
  assert.match(
    diagnose(input).verdict.reasons.join('\n'),
    /r1 ↔ r2: 16 of 200 probes came back late and were not lost: one of the two was busy/,
  );
});

test('damage that nothing places is looked for with many IPv4 probes over the links of the node that counted it', () => {
  const damaged = (more: number) =>
    changed(recorded('healthy'), {
      state: (state, node, phase) =>
        node !== 'r2' || phase !== 'after'
          ? state
          : { ...state, nodeCounters: { ...state.nodeCounters, IpExtInCsumErrors: String(more) } },
    });
  const first = damaged(3);
  assert.deepEqual(said(first), ['inconclusive']);
  const suspects = unsettledDamage(first);
  assert.deepEqual(
    suspects.map(({ from, to }) => `${from.node} ${to.node}`),
    ['r1 r2', 'r2 r3'],
  );
  const states = statesOf(first);
  const [, echoes = []] = planLongLook(states, [], suspects);
  assert.equal(echoes.length, 12);
  assert.equal(echoes[0]?.id, 'deepen/r1/parley-reach/long/1/eth1');
  const looked = echoes.map((call) => {
    const [destination] = call.arguments['destinations'] as readonly string[];
    const lost = call.id.endsWith('r1/parley-reach/long/1/eth1') ? 7 : 0;
    const body = { results: [{ destination, sent: 100, received: 100 - lost, rttMs: 1 }] };
    const request = { method: 'tools/call', params: { name: call.name, arguments: call.arguments } };
    return { id: call.id, node: call.node, kind: 'reach', phase: 'deepen', request, body } as unknown as Evidence;
  });
  const input = { ...first, evidence: [...first.evidence, ...looked] };
  assert.deepEqual(said(countedDamage(input, 4)), ['fault', 'link_packet_corruption link/r1:eth1--r2:eth1']);
});
