// Echoes as long as the MTU that do not come back over a link: both ends' probes of the lengths below tell which way they are lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packetLoss } from '#correlate/faults/link/packet-loss.ts';
import { lengthFacts } from '#correlate/observe/length-probes.ts';
import type { Evidence } from '#model/evidence.ts';
import { fact } from '../../fact-scene.ts';
import { linkOf, pairWorld } from '../../pair-scene.ts';
import { caseOf, onLink } from '../proposing.ts';

const LINK = linkOf('a-b');
type Ways = { readonly out: number; readonly back: number };

/** A run of the second look of one end, of which so many of 24 were lost each way. */
const run = (measuredBy: string, { out, back }: Ways) =>
  fact('link-lengths', {
    ...{ link: LINK.key, round: 'confirmation', measuredBy, headerBytes: 48 },
    ...{ tested: [1_100, 1_463], lost: out + back > 0 ? [1_113, 1_463] : [] },
    ...{ out: { sent: 24, lost: out }, back: { sent: 24 - out, lost: back } },
  });
const wires = (lacking: number, back = 0) => [
  fact('wire', { ...ends(LINK.from, LINK.to), ...counted(lacking) }),
  fact('wire', { ...ends(LINK.to, LINK.from), ...counted(back) }),
];
const ends = (from: object, to: object) => ({ from, to, comparable: true });
const counted = (lacking: number) => ({
  ...{ txPackets: 1_000, rxPackets: 1_000 - lacking, estimate: lacking, lostAtLeast: 0, lostAtMost: 500 },
});

const SYMPTOMS = [
  onLink('class', 'a-b', { detail: { traffic: 'large-icmp', sent: 96, lost: 96, lossPercent: 100 } }),
  onLink('mtu', 'a-b', { detail: { from: 1_500, to: 1_500, large: true } }),
  onLink('isis', 'a-b', { detail: { from: 'up', to: 'none' } }),
  onLink('isis', 'c-d', { id: 'elsewhere', detail: {} }),
];
const found = (runs: readonly ReturnType<typeof run>[], facts = wires(60), symptoms = SYMPTOMS) =>
  packetLoss
    .propose(caseOf(symptoms, undefined, [...runs, ...facts]), [])
    .map(({ resource, confidence, explains, details }) => [
      ...[resource, confidence, explains.map((share) => share.symptom).join(), details['lengths']],
    ]);
/** a → b loses nearly all of them. */
const LOSSY = [run('a', { out: 23, back: 0 }), run('b', { out: 0, back: 24 })];

test('the sending interface is likely to lose them, and what both ends pad to that length is explained with them', () => {
  assert.deepEqual(found(LOSSY), [['interface/a/to-b', 'likely', 'class,mtu,isis', '1113 to 1463']]);
  const other = [run('a', { out: 0, back: 24 }), run('b', { out: 23, back: 0 })];
  assert.deepEqual(found(other, wires(0, 60))[0]?.[0], 'interface/b/to-a');
});

test('where one end alone lost them, the counters do not lack them, or small echoes are lost, no end is named', () => {
  assert.deepEqual(found([LOSSY[0]!]), []);
  assert.deepEqual(found([LOSSY[0]!, run('b', { out: 0, back: 0 })]), []);
  assert.deepEqual(found(LOSSY, wires(10)), []);
  const small = onLink('class', 'a-b', { detail: { traffic: 'icmp', sent: 96, lost: 96, lossPercent: 100 } });
  assert.deepEqual(found(LOSSY, wires(60), [small]), []);
});

test('a run of which nothing came back tells a direction where the reflector counted what came to it', () => {
  const addresses = { from: 'fd00::a', to: 'fd00::b' };
  const link = { ...LINK, link: { ...LINK.link, addresses } };
  const world = pairWorld([], { a: { now: {} }, b: { now: {} } }, { links: [link] });
  const payloads = [1_100, 1_200, 1_300];
  const told = (reflected: number | undefined) => {
    const purpose = { kind: 'length-probe', from: LINK.from, to: LINK.to, round: 'confirmation' };
    const args = { Count: 3, eachPayloadBytes: payloads, payloadBytes: 64, destination: 'fd00::b', segments: [] };
    const body = {
      ...{ sent: 3, received: 0, duplicates: 0, rttMs: null, sendErrors: 0, lostPayloadBytes: payloads },
      ...(reflected === undefined ? {} : { reflected }),
    };
    const request = { method: 'tools/call', params: { arguments: args } };
    const evidence = { id: 'e', node: 'a', kind: 'probe', phase: 'deepen', purpose, request, body };
    return lengthFacts(world, [evidence as unknown as Evidence]).map(({ value }) => {
      const { out, back } = value as unknown as { readonly out: object; readonly back: object };
      return [out, back];
    });
  };
  assert.deepEqual(told(3), [
    [
      { sent: 3, lost: 0 },
      { sent: 3, lost: 3 },
    ],
  ]);
  assert.deepEqual(told(0), []);
  assert.deepEqual(told(undefined), []);
});
