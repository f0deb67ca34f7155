// Probes lost over a link while both ends' counters account for the packets: a longer look, with counters read in quiet around it, says
// whether the link loses a little, or a node was busy for a moment, or neither is proven.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { type DiagnoseInput, diagnose, unsettled, weigh } from '#correlate/diagnose.ts';
import { callFor } from '#measure/call.ts';
import { MEASURE_LIMITS } from '#measure/limits.ts';
import { planExtendedMeasurement } from '#measure/links/extended-measurement.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Link } from '#model/links/links.ts';
import type { LinkEnd } from '#model/names.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { changed, countedInQuiet, endOf, lookedAgain, lossy, recorded, said } from '../recording.ts';

const LINK = 'r1:eth1/r2:eth1';
const NONE = { out: 0, back: 0 };

const long = (
  input: DiagnoseInput,
  lost: Parameters<typeof lookedAgain>[3],
  onWire: Readonly<Record<string, number>>,
) => countedInQuiet(lookedAgain(input, LINK, 3_000, lost, 'extended'), LINK, 6_040, onWire);

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
  const input = lossy(LINK, SMALL);
  assert.deepEqual(said(input), ['inconclusive']);
  const [suspect, ...others] = unsettled(weigh(input)).losses;
  assert.deepEqual(others, []);
  assert.equal(Math.round(suspect!.share * 10_000), 160);
  const states = statesOf(input);
  const steps = planExtendedMeasurement(states, [suspect!]).map((calls) =>
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
    planExtendedMeasurement(states, [{ ...suspect!, share: 0.1 }])[1]?.map(({ arguments: args }) => args['Count']),
    [1_000, 1_000],
  );
  assert.deepEqual(planExtendedMeasurement(states, []), []);
});

test('a small loss that both ends’ probes and quiet counters show is named, at the end that sends', () => {
  const input = long(lossy(LINK, SMALL), { r1: { out: 40, back: 0 }, r2: { out: 0, back: 37 } }, { r1: 79 });
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
  const input = long(lossy(LINK, both), { r1: { out: 40, back: 38 }, r2: { out: 41, back: 37 } }, { r1: 79, r2: 80 });
  assert.deepEqual(said(input), ['fault', 'packet_loss interface/r1/eth1', 'packet_loss interface/r2/eth1']);
});

test('a moment in which a busy node lost probes is no fault of a healthy network, and is told', () => {
  const input = long(lossy(LINK, { r1: { out: 113, back: 0 } }), { r1: NONE, r2: NONE }, {});
  assert.deepEqual(said(input), ['healthy']);
  assert.match(
    diagnose(input).verdict.reasons.join('\n'),
    /r1 → r2: 1087 of 1200 probes arrived; both ends’ counters account for the rest and a longer look lost none: a node was busy/,
  );
});

test('a clean longer look excuses nothing that the counters of the whole time lack', () => {
  const input = long(lossy(LINK, { r1: { out: 113, back: 0 } }, 113), { r1: NONE, r2: NONE }, {});
  assert.notDeepEqual(said(input), ['healthy']);
});

test('one end’s word in the longer look, or probes without counters, name nobody', () => {
  const one = long(lossy(LINK, SMALL), { r1: { out: 40, back: 0 }, r2: NONE }, { r1: 79 });
  assert.deepEqual(said(one), ['inconclusive']);
  const inside = long(lossy(LINK, SMALL), { r1: { out: 40, back: 0 }, r2: { out: 0, back: 37 } }, {});
  assert.deepEqual(said(inside), ['inconclusive']);
});

test('probes that came back late are told and are not lost', () => {
  const input = changed(recorded('healthy'), {
    probe: (result, { id }) => (id === `probe/${LINK}/link` ? { ...result, late: 16 } : result),
  });
  assert.deepEqual(said(input), ['healthy']);
  assert.match(
    (diagnose(input).remarks ?? []).map(({ text }) => text).join('\n'),
    /r1 ↔ r2: 16 of 200 probes came back late and were not lost: one of the two, or the link, was busy/,
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
  const suspects = unsettled(weigh(first)).damage;
  assert.deepEqual(
    suspects.map(({ from, to }) => `${from.node} ${to.node}`),
    ['r1 r2', 'r2 r3'],
  );
  const states = statesOf(first);
  const [, echoes = []] = planExtendedMeasurement(states, [], suspects);
  assert.deepEqual(
    echoes.map(({ id, afterMs, arguments: { destinations } }) => [id, afterMs, destinations]).slice(0, 4),
    [
      ['deepen/r1/parley-reach/long/1', 0, ['198.18.1.1']],
      ['deepen/r2/parley-reach/long/1', 22, ['198.18.1.0', '198.18.2.1']],
      ['deepen/r3/parley-reach/long/1', 44, ['198.18.2.0']],
      ['deepen/r1/parley-reach/long/2', 67, ['198.18.1.1']],
    ],
  );
  const looked = echoes.map((call) => {
    const lost = call.id === 'deepen/r1/parley-reach/long/1' ? 7 : 0;
    const results = (call.arguments['destinations'] as readonly string[]).map((destination) => {
      return { destination, sent: 100, received: 100 - lost, rttMs: 1 };
    });
    const body = { results };
    const request = { method: 'tools/call', params: { name: call.name, arguments: call.arguments } };
    const { id, purpose, node, evidence: kind, phase } = call;
    return { id, purpose, node, kind, phase, request, body } as unknown as Evidence;
  });
  const input = { ...first, evidence: [...first.evidence, ...looked] };
  assert.deepEqual(said(countedDamage(input, 4)), ['fault', 'link_packet_corruption link/r1:eth1--r2:eth1']);
});

test('what was counted during the longer look is no fact of the time before it', () => {
  const input = countedInQuiet(recorded('healthy'), LINK, 640, {});
  const moved = { IpExtInCsumErrors: '4', Udp6InCsumErrors: '40', Udp6RcvbufErrors: '400', TcpInCsumErrors: '7' };
  const evidence = input.evidence.map((entry) => {
    if (entry.id !== 'deepen/r2/counts/last') return entry;
    const state = entry.body as unknown as NodeState;
    return { ...entry, body: { ...state, nodeCounters: { ...state.nodeCounters, ...moved } } as never };
  });
  const { facts, symptoms } = caseFileOf(input.intent, input.nodeNames, evidence, input.outcomes);
  const counted = facts.filter(({ predicate }) => predicate === 'node-errors' || predicate === 'extended-damage');
  assert.deepEqual(
    counted.map(({ predicate, value, window }) => [predicate, value, window]),
    [['extended-damage', { node: 'r2', counter: 'IpExtInCsumErrors', packets: 4 }, 'first..last']],
  );
  assert.deepEqual(
    symptoms.map(({ id, detail }) => [id, detail]),
    [['corrupt:r2', { IpExtInCsumErrors: 4 }]],
  );
});

test('a link whose trains were held up, and that nothing can be held against, is looked at with less than it passes', () => {
  const input = lossy(LINK, SMALL);
  const small = input.evidence.find(({ id }) => id === `probe/${LINK}/link`)!;
  const gaps = Array.from({ length: 44 }, () => 6_000);
  const train = { sentUs: gaps.map(() => 10), reachedUs: gaps, returnedUs: gaps };
  const args = { ...(small.request.params['arguments'] as object), Count: 45, payloadBytes: 1_452, flows: 1 };
  const request = { ...small.request, params: { ...small.request.params, arguments: args } };
  const body = { ...(small.body as object), sent: 45, reflected: 45, received: 45, train };
  const [from, to] = LINK.split('/').map(endOf) as [LinkEnd, LinkEnd];
  const { id, purpose } = callFor(from.node, { kind: 'link-train', from, to, train: 1 }, {}, 0);
  const large = { ...small, id, purpose, request, body } as unknown as Evidence;
  const others = input.evidence.filter(({ id }) => !id.includes('/large'));
  const [suspect] = unsettled(weigh({ ...input, evidence: [...others, large] })).losses;
  assert.equal(suspect?.megabits, 2.02);
  const [, probes = []] = planExtendedMeasurement(statesOf(input), [suspect!]);
  assert.deepEqual(
    probes.map(({ arguments: { Count, intervalMs } }) => [Count, Math.round(Number(intervalMs) * 100) / 100]),
    [
      [751, 3.99],
      [751, 3.99],
    ],
  );
});

test('of the links of a damaged node those come first over which IPv4 was lost', () => {
  const damaged = changed(recorded('healthy'), {
    state: (state, node, phase) =>
      node !== 'r2' || phase !== 'after'
        ? state
        : { ...state, nodeCounters: { ...state.nodeCounters, IpExtInCsumErrors: '3' } },
  });
  const evidence = damaged.evidence.map((entry): Evidence => {
    if (entry.kind !== 'reach' || entry.node !== 'r2') return entry;
    const { results } = entry.body as unknown as { results: { destination: string; sent: number; received: number }[] };
    const told = results.map((row) => (row.destination === '198.18.2.1' ? { ...row, received: row.sent - 1 } : row));
    return { ...entry, body: { results: told } as never };
  });
  const links = unsettled(weigh({ ...damaged, evidence })).damage;
  assert.deepEqual(
    links.map(({ from, to }) => `${from.node} ${to.node}`),
    ['r2 r3', 'r1 r2'],
  );
});

/** A spine and its leaves: each link a network of its own. */
function star(leaves: number) {
  const port = (name: string, address: string) => ({ name, operUp: true, addresses: [`${address}/31`] });
  const state = (interfaces: readonly object[]) => ({ inventory: { interfaces } }) as unknown as NodeState;
  const numbers = Array.from({ length: leaves }, (_, index) => index + 1);
  const own = numbers.map((number) => port(`eth${number}`, `198.18.${number}.0`));
  const states = new Map([['spine', state(own)]]);
  for (const number of numbers) states.set(`leaf${number}`, state([port('eth1', `198.18.${number}.1`)]));
  const links = numbers.map((number) => ({
    from: { node: 'spine', ifname: `eth${number}` },
    to: { node: `leaf${number}`, ifname: 'eth1' },
  }));
  return { states, links: links as unknown as readonly Link[] };
}

test('every link of a node with many is looked at, and no node is asked for more runs at once than its helper takes', () => {
  const { states, links } = star(16);
  const [, echoes = []] = planExtendedMeasurement(states, [], links);
  const runsOf = (node: string) => echoes.filter((call) => call.node === node);
  assert.deepEqual([runsOf('spine').length, runsOf('leaf16').length], [3, 3]);
  const reached = runsOf('spine').map(({ arguments: { destinations } }) => (destinations as readonly string[]).length);
  assert.deepEqual(reached, [16, 16, 16]);
  assert.deepEqual(runsOf('leaf16')[0]?.arguments['destinations'], ['198.18.16.0']);
  // The leaves' runs do not all meet the spine at one moment.
  assert.equal(new Set(echoes.map(({ afterMs }) => afterMs)).size, 51);
  assert.equal(Math.max(...echoes.map(({ afterMs = 0 }) => afterMs)), 1_569);
});

test('links beyond the bound are left out, those at the end of the list', () => {
  const { states, links } = star(20);
  const [, echoes = []] = planExtendedMeasurement(states, [], links);
  const nodes = new Set(echoes.map(({ node }) => node));
  assert.deepEqual(
    [nodes.size, nodes.has('leaf16'), nodes.has('leaf17')],
    [MEASURE_LIMITS.extendedDamagedLinks + 1, true, false],
  );
});
