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
import { linkOf } from '../../pair-scene.ts';

const NODES = ['pe1', 'p2', 'pe3'];

test('loss that probes met and both ends’ counters bear out names the sending interface, with the cable to check', () => {
  const { findings } = diagnose(exchange({ nodes: NODES, seed: 7, loss: { 'p2>pe3': 0.05 } }));
  const [found, ...rest] = findings;
  assert.deepEqual([found?.fault, found?.resource, rest.length], ['packet_loss', 'interface/p2/eth1', 0]);
  assert.equal(found?.remedy?.node, 'p2');
  assert.equal(found?.remedy?.summary, 'check cable, optics and whatever lies between P-2 eth1 and PE-3 eth0');
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
