// link_packet_corruption: echoes over one link are lost and the receiving node counts wrong checksums; of a time that is over rounds of
// probes say so. Damage without a loss on a link, and loss without damage, name no link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile, Fact } from '#correlate/engine/facts.ts';
import { linkPacketCorruption } from '#correlate/faults/link/link-packet-corruption.ts';
import type { World } from '#correlate/network/world.ts';
import { wrongChecksums as damageIn } from '#correlate/symptoms/wrong-checksums.ts';
import { linkOf } from '../../pair-scene.ts';
import { wrongChecksums } from '../forwarding/forwarding-scene.ts';

const LINK = linkOf('a-b');

/** `lost` of 50 echoes from a to b's own address on their link. */
function worldWith(lost: number): World {
  return {
    ...{ nodes: ['a', 'b'], links: [LINK] },
    views: new Map(['a', 'b'].map((node) => [node, { node, sources: [`s-${node}`] }])),
    owners: new Map([['198.18.0.1', [{ node: 'b', ifname: 'to-a' }]]]),
    reach: [{ from: 'a', destination: '198.18.0.1', sent: 50, received: 50 - lost, rttMs: 1, source: 'e1' }],
  } as unknown as World;
}

function named(lost: number, facts: readonly Fact[]) {
  const file = { path: [], facts, world: worldWith(lost), symptoms: damageIn(facts) } as unknown as CaseFile;
  return linkPacketCorruption
    .propose(file, [])
    .map(({ resource, confidence, details, remedy }) => [
      ...[resource, confidence, details['from'], details['checksumErrors'], remedy?.node, remedy?.summary],
    ]);
}

test('echoes lost over a link whose other end counts as many wrong checksums name it, as likely', () => {
  assert.deepEqual(named(20, [wrongChecksums('b', 20, 'UdpInCsumErrors')]), [
    [LINK.key, 'likely', 'a', 20, 'a', 'check cable, optics and whatever lies between {a} to-b and {b} to-a'],
  ]);
});

test('fewer than half as many, those of other packets, those at the sender, and no loss at all name no link', () => {
  assert.deepEqual(named(20, [wrongChecksums('b', 9, 'UdpInCsumErrors')]), []);
  assert.deepEqual(named(20, [wrongChecksums('b', 20, 'TcpInCsumErrors')]), []);
  assert.deepEqual(named(20, []), []);
  assert.deepEqual(named(0, [wrongChecksums('b', 20, 'UdpInCsumErrors')]), []);
});

test('rounds of probes in which packets arrived damaged name the link, as likely; undamaged they do not', () => {
  const over = (damaged?: number) => {
    const value = { link: LINK, from: LINK.from, to: LINK.to, sent: 200, lost: 20, share: 0.1, seconds: 12 };
    const fact = { predicate: 'monitored-loss', value: damaged === undefined ? value : { ...value, damaged } } as Fact;
    const world = worldWith(0);
    const past = { agoMs: 20_000, now: world, kept: { memory: 'probe-rounds' as const, node: 'a' } };
    return linkPacketCorruption.detect!({ world, facts: [fact], past }).map(({ subject, confidence }) => [
      subject,
      confidence,
    ]);
  };
  assert.deepEqual(over(18), [[LINK.key, 'likely']]);
  assert.deepEqual(over(), []);
});
