// packet_loss by each of its sources: probes and both ends' counters, probes through a router that gives no state, and of a time that is
// over rounds of probes and counts. A loss that the counters deny, or that one end alone reports, names no link. Whole diagnoses:
// diagnose.test.ts, liars.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { CaseFile, Fact } from '#correlate/engine/facts.ts';
import type { Memory, Slice } from '#correlate/engine/fault-definition.ts';
import { packetLoss } from '#correlate/faults/link/packet-loss.ts';
import type { World } from '#correlate/network/world.ts';
import { exchange } from '../../builder.ts';
import { fact } from '../../fact-scene.ts';
import { linkOf } from '../../pair-scene.ts';
import { caseOf, ringWorld, symptom } from '../proposing.ts';

const NODES = ['pe1', 'p2', 'pe3'];

test('loss that probes met and both ends’ counters bear out names the sending interface, with the cable to check', () => {
  const { findings } = diagnose(exchange({ nodes: NODES, seed: 7, loss: { 'p2>pe3': 0.05 } }));
  const [found, ...rest] = findings;
  assert.deepEqual([found?.fault, found?.resource, rest.length], ['packet_loss', 'interface/p2/eth1', 0]);
  assert.equal(found?.remedy?.node, 'p2');
  assert.equal(found?.remedy?.summary, 'check cable and optics between P-2 eth1 and PE-3 eth0');
  assert.match(found?.hypothesis ?? '', /^P-2 eth1 → PE-3 packet loss [3-7](?:\.\d)? %$/);
});

test('lost probes that the counters account for name no link', () => {
  const dropped = (result: { readonly [key: string]: unknown }, from: string, to: string) =>
    from === 'p2' && to === 'pe3' ? { ...result, received: 940, reflected: 940 } : result;
  const { findings } = diagnose(exchange({ nodes: NODES, seed: 7, touchProbe: dropped as never }));
  assert.deepEqual(
    findings.map(({ fault }) => fault).filter((fault) => fault === 'packet_loss'),
    [],
  );
});

const LINK = linkOf('a-b');
const WORLD = {
  links: [LINK],
  views: new Map(['a', 'b'].map((node) => [node, { node, sources: [`s-${node}`] }])),
} as unknown as World;

/** One record of what a and b remember of their link, as history judges it. */
function recalled(memory: Memory, fact: Partial<Fact>) {
  const slice: Slice = {
    ...{ world: WORLD, facts: [{ subject: LINK.key, source: [], ...fact } as Fact] },
    past: { agoMs: 20_000, now: WORLD, kept: { memory, node: 'a' } },
  };
  const file = { path: [], facts: [], world: WORLD, symptoms: packetLoss.detect!(slice) } as unknown as CaseFile;
  return packetLoss
    .propose(file, [])
    .map(({ resource, confidence, headline, details }) => [
      ...[resource, confidence, headline],
      ...[details['lossPercent'], details['probesLost'] ?? details['lostPackets']],
    ]);
}

const ends = { link: LINK, from: LINK.to, to: LINK.from };
const lost = (damaged?: number): Partial<Fact> => ({
  predicate: 'monitored-loss',
  value: { ...ends, sent: 200, lost: 20, share: 0.1, seconds: 12, ...(damaged === undefined ? {} : { damaged }) },
});

test('what rounds of probes or counts of packets remember is likely, in the same words', () => {
  assert.deepEqual(packetLoss.memories, ['probe-rounds', 'packet-counts']);
  assert.deepEqual(recalled('probe-rounds', lost()), [
    ['interface/b/to-a', 'likely', '{b} to-a → {a} packet loss 10 %', 10, 20],
  ]);
  assert.deepEqual(
    recalled('packet-counts', { predicate: 'counted-loss', value: { ...ends, sent: 1_000, lost: 40 } }),
    [['interface/b/to-a', 'likely', '{b} to-a → {a} packet loss 4 %', 4, 40]],
  );
});

test('packets that arrived damaged are another fault', () => {
  assert.deepEqual(recalled('probe-rounds', lost(18)), []);
});

const placed = (change: object = {}) =>
  symptom('silent-link', {
    detail: {
      ...{ router: 's-1', node: 'a', ifname: 'to-s', towards: true, sent: 600, lost: 40, lossPercent: 6.7 },
      ...{ sender: 'interface/a/to-s', link: 'link/a:to-s--s-1:eth1', port: 'eth1', receivers: ['b'] },
      ...change,
    },
  });
const through = (symptoms: readonly ReturnType<typeof symptom>[], facts: readonly Fact[] = []) =>
  packetLoss
    .propose(caseOf(symptoms, ringWorld(), facts), [])
    .map(({ resource, confidence, headline, remedy }) => [
      resource,
      confidence,
      headline,
      remedy?.node,
      remedy?.summary,
    ]);

test('through a router that gives no state the sending end is named, and the cable to check, at the end that answers', () => {
  assert.deepEqual(through([placed()]), [
    [
      ...['interface/a/to-s', 'likely', '{a} to-s → {s-1} packet loss 6.7 %'],
      ...['a', 'check cable and optics between {a} to-s and {s-1} eth1'],
    ],
  ]);
  assert.deepEqual(through([placed({ towards: false, sender: 'interface/s-1/eth1' })]), [
    [
      ...['interface/s-1/eth1', 'likely', '{s-1} eth1 → {a} packet loss 6.7 %'],
      ...['a', 'check cable and optics between {s-1} eth1 and {a} to-s'],
    ],
  ]);
  assert.deepEqual(
    through([placed({ port: undefined })])[0]?.at(-1),
    'check cable and optics between {a} to-s and {s-1}',
  );
  assert.deepEqual(through([placed({ sender: undefined })]), []);
});

test('damage, a filter that took half as many, an overflowing queue or discarded packets at that end leave it open', () => {
  const hits = (packets: number | undefined, node = 'a') => fact('filter-hits', { node, packets });
  assert.deepEqual([through([placed()], [hits(20)]).length, through([placed()], [hits(19)]).length], [0, 1]);
  assert.equal(through([placed()], [hits(undefined)]).length, 1);
  assert.equal(through([placed()], [hits(40, 'b')]).length, 1);
  const queue = (node: string) => symptom('queue', { detail: { node } });
  assert.deepEqual([through([placed(), queue('a')]).length, through([placed(), queue('b')]).length], [0, 1]);
  const damage = (node: string) => symptom('corrupt', { nodes: [node], detail: { Udp6InCsumErrors: 1 } });
  assert.deepEqual([through([placed(), damage('b')]).length, through([placed(), damage('c')]).length], [0, 1]);
  const discarded = (counter: string, towards: boolean, node = 'a') =>
    through([placed({ towards, sender: 'interface/x/y' })], [fact('node-errors', { node, counter, packets: 1 })])
      .length;
  assert.deepEqual(
    [discarded('Ip6InDiscards', false), discarded('Ip6InDiscards', true), discarded('Ip6InDiscards', false, 'b')],
    [0, 1, 1],
  );
  assert.equal(discarded('Ip6InHdrErrors', false), 1);
});

test('of remembered counts the share is of what was sent, and never more than all', () => {
  const share = (sent: number, packets: number) =>
    recalled('packet-counts', { predicate: 'counted-loss', value: { ...ends, sent, lost: packets } })[0]?.slice(3);
  assert.deepEqual(share(1_000, 40.4), [4, 40]);
  assert.deepEqual(share(10, 40), [100, 40]);
  assert.deepEqual(share(0, 40), [100, 40]);
});
