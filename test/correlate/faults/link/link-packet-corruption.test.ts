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
import { caseOf, lossOf, symptom } from '../proposing.ts';

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
    [LINK.key, 'likely', 'a', 20, 'a', 'check cable and optics between {a} to-b and {b} to-a'],
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

const ENDS = { [LINK.key]: LINK };
const damaged = (node: string, detail: object) => symptom('corrupt', { id: `corrupt ${node}`, nodes: [node], detail });
/** Losses of probes over a – b, with checksum counters of the given nodes; both ends probe, and count what the wire lost. */
function proposedFor(
  losses: readonly ReturnType<typeof lossOf>[],
  symptoms: readonly ReturnType<typeof symptom>[],
  facts: readonly Fact[] = [],
) {
  const world = { ...worldWith(0), links: Object.values(ENDS) } as World;
  const own = losses.map(({ fact }) => fact);
  return linkPacketCorruption
    .propose(caseOf(symptoms, world, [...own, ...facts]), losses)
    .map(({ resource, score, confidence, withheld, explains, details }) => [
      ...[resource, score, confidence, withheld === undefined, explains.map(({ symptom: id }) => id).join()],
      ...[details['from'], details['probesLost'], details['checksumErrors']],
    ]);
}
const AB = (lost = 40, change: object = {}) => lossOf('a', 'b', lost, { link: LINK.key, ...change });
const OTHER = lossOf('a', 'b', 38, { link: LINK.key, measuredBy: 'b' });

test('lost probes of IPv6 and as many wrong checksums of IPv6, half of them at least, name the link for certain', () => {
  const found = (errors: object) => proposedFor([AB()], [damaged('b', errors)]);
  const NAMED = (errors: number) => [[LINK.key, 3.5, 'certain', true, 'corrupt b,loss a>b', 'a', 40, errors]];
  assert.deepEqual(found({ Udp6InCsumErrors: 40 }), NAMED(40));
  assert.deepEqual(found({ Udp6InCsumErrors: 20 }), NAMED(20));
  assert.deepEqual(found({ Udp6InCsumErrors: 19 }), []);
  assert.deepEqual(found({ Icmp6InCsumErrors: 20 }), NAMED(20));
  assert.deepEqual(found({ UdpInCsumErrors: 40 }), []);
  assert.deepEqual(found({ Udp6InCsumErrors: 11, Icmp6InCsumErrors: 12 }), [], 'one packet may count in both');
  assert.deepEqual(proposedFor([AB()], [damaged('a', { Udp6InCsumErrors: 40 })]), [], 'damage at the sender');
  assert.deepEqual(proposedFor([lossOf('b', 'a')], [damaged('a', { Udp6InCsumErrors: 40 })])[0]?.[5], 'b');
});

test('damage that others counted is explained with it', () => {
  const all = [damaged('b', { Udp6InCsumErrors: 40 }), damaged('c', { TcpInCsumErrors: 2 })];
  assert.deepEqual(proposedFor([AB()], all)[0]?.[4], 'corrupt b,corrupt c,loss a>b');
});

test('frames that the counters of both ends lack were lost and not damaged', () => {
  const of = (change: object) =>
    proposedFor(
      [AB()],
      [damaged('b', { Udp6InCsumErrors: 40 })],
      [
        {
          ...{ subject: 'interface/a/to-b', predicate: 'wire', source: [] },
          value: {
            from: LINK.from,
            to: LINK.to,
            comparable: true,
            txPackets: 500,
            rxPackets: 479,
            estimate: 21,
            ...change,
          },
        } as unknown as Fact,
      ],
    ).length;
  assert.equal(of({}), 0);
  assert.equal(of({ rxPackets: 480 }), 1, 'half as many by the counts');
  assert.equal(of({ estimate: 20 }), 1, 'half as many by the estimate');
  assert.equal(of({ comparable: false }), 1);
  assert.equal(of({ from: { node: 'a', ifname: 'other' } }), 1);
  assert.equal(of({ from: LINK.to, to: LINK.from }), 1);
});

test('a node that alone says that probes were lost and came damaged to it is not believed', () => {
  const own = lossOf('a', 'b', 40, { link: LINK.key, measuredBy: 'b' });
  const damage = [damaged('b', { Udp6InCsumErrors: 40 })];
  assert.equal(proposedFor([own], damage)[0]?.[3], false);
  assert.equal(proposedFor([AB(), { ...OTHER, id: 'other' }], damage)[0]?.[3], true);
  assert.equal(proposedFor([AB()], damage)[0]?.[3], true);
});

test('whole probes of IPv6 speak against echoes of IPv4 that were damaged', () => {
  const whole = { ...lossOf('a', 'b', 0, { link: LINK.key }).fact, source: ['whole'] };
  const lossy = { ...lossOf('a', 'b', 1, { link: LINK.key }).fact, source: ['lossy'] };
  const elsewhere = { ...lossOf('a', 'b', 0, { link: 'link/x' }).fact, source: ['elsewhere'] };
  const facts = [wrongChecksums('b', 20, 'UdpInCsumErrors'), whole, lossy, elsewhere];
  const file = { path: [], facts, world: worldWith(20), symptoms: damageIn(facts) } as unknown as CaseFile;
  const [found] = linkPacketCorruption.propose(file, []);
  assert.deepEqual([found?.score, found?.against, found?.details['probesLost']], [3, ['whole'], 20]);
});

test('probes of both ends, lost where one node alone refused as many for their headers, name the link as likely', () => {
  const frames = (change: object = {}) =>
    ({
      ...{ subject: 'interface/a/to-b', predicate: 'wire', source: [] },
      value: { from: LINK.from, to: LINK.to, comparable: true, txPackets: 500, rxPackets: 500, estimate: 0, ...change },
    }) as unknown as Fact;
  const refused = (node: string, packets: number) =>
    ({
      ...{ subject: `node/${node}`, predicate: 'node-errors', source: ['counter'] },
      value: { node, counter: 'Ip6InHdrErrors', packets },
    }) as unknown as Fact;
  const both = [AB(), { ...OTHER, id: 'other' }];
  const found = (facts: readonly Fact[], losses: readonly ReturnType<typeof lossOf>[] = both) =>
    proposedFor(losses, [], facts).map(([resource, , confidence, , explains]) => [resource, confidence, explains]);
  const NAMED = [[LINK.key, 'likely', 'loss a>b,other']];
  assert.deepEqual(found([frames(), refused('b', 39)]), NAMED, 'half of the 78 that were lost');
  assert.deepEqual(found([frames(), refused('b', 38)]), []);
  assert.deepEqual(found([frames(), refused('a', 80)]), [], 'at the sender');
  assert.deepEqual(found([frames(), refused('b', 80), refused('c', 1)]), [], 'hop limits may run out anywhere');
  assert.deepEqual(found([refused('b', 80)]), [], 'whether frames arrived is not known');
  assert.deepEqual(found([frames({ rxPackets: 400, estimate: 100 }), refused('b', 80)]), [], 'frames were lost');
  assert.deepEqual(found([frames(), refused('b', 80)], [AB()]), [], 'one end alone says so');
});
