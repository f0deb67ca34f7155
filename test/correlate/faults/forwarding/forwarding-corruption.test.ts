// device_forwarding_packet_corruption: a node through which probes arrive damaged, and rules that did so and are gone. Damage that its
// packets cannot have done is left for other faults.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { CaseFile, Fact } from '#correlate/engine/facts.ts';
import { merged, rank } from '#correlate/engine/rank.ts';
import { forwardingCorruption } from '#correlate/faults/forwarding/forwarding-corruption.ts';
import { linkPacketCorruption } from '#correlate/faults/link/link-packet-corruption.ts';
import type { World } from '#correlate/network/world.ts';
import { wrongChecksums as damageIn } from '#correlate/symptoms/wrong-checksums.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { linkOf, PAIRS } from '../../pair-scene.ts';
import { sceneOf } from '../../scope-scene.ts';
import { crossing, lossOver, remembered, rule, worldWith, wrongChecksums } from './forwarding-scene.ts';

const SPOILS = rule('forward', ['udp checksum = 57005']);
const R1 = ['node/r1'];
const now = (filters: readonly FilterRule[], facts: readonly Fact[] = []) =>
  forwardingCorruption.detect!({ world: worldWith(filters), facts }).map(({ subject }) => subject);

test('a node through which probes arrive damaged spoils what it forwards, whether or not a rule says so', () => {
  const damage = [crossing(24), wrongChecksums('r2', 15), wrongChecksums('r0', 9)];
  assert.deepEqual(now([SPOILS], damage), R1);
  assert.deepEqual(now([], damage), R1);
});

test('a rule that would overwrite checksums, and does not, is no fault', () => {
  assert.deepEqual(now([SPOILS]), []);
  assert.deepEqual(now([SPOILS], [crossing(0)]), []);
  assert.deepEqual(now([rule('output', ['udp checksum = 0'])], [crossing(0)]), []);
});

test('probes through a node that are lost undamaged, or over a link that loses packets, do not accuse it', () => {
  assert.deepEqual(now([SPOILS], [crossing(24)]), []);
  assert.deepEqual(now([SPOILS], [crossing(24), wrongChecksums('r2', 24, 'TcpInCsumErrors')]), []);
  assert.deepEqual(now([SPOILS], [crossing(24), wrongChecksums('r2', 24), lossOver('r1', 'r2', 20)]), []);
});

/** The ring a – b – c – d: `echoes` lost of 50 from a to b's own address on their link. */
function ring(facts: readonly Fact[], echoes: number, lookups: World['lookups'] = new Map()): CaseFile {
  const view = (node: string) => [node, { node, state: { filters: [] }, sources: [`s-${node}`] }] as const;
  const world = {
    ...{ nodes: ['a', 'b', 'c', 'd'], whole: true, links: PAIRS.map(linkOf), lookups },
    views: new Map(['a', 'b', 'c', 'd'].map(view)),
    owners: new Map([['198.18.0.1', [{ node: 'b', ifname: 'to-a' }]]]),
    reach: [{ from: 'a', destination: '198.18.0.1', sent: 50, received: 50 - echoes, rttMs: 1, source: 'e1' }],
  } as unknown as World;
  const symptoms = [...forwardingCorruption.detect!({ world, facts }), ...damageIn(facts)];
  const planned = { proven: [], lacking: [], unanswered: [] };
  return { path: [], facts, world, symptoms, expected: [], planned };
}

function named(file: CaseFile): readonly string[] {
  const proposals = [forwardingCorruption, linkPacketCorruption].flatMap((fault) => fault.propose(file, []));
  const { chosen, open } = rank(merged(proposals), [], file.symptoms);
  return [...chosen.map(({ fault, resource }) => `${fault} ${resource}`), ...open.map(({ id }) => id)].sort();
}

/** Probes from a through d to c are damaged. */
const BY_D = [crossing(24, 'a', 'd', 'c'), wrongChecksums('a', 10), wrongChecksums('c', 14)];
const D = 'device_forwarding_packet_corruption node/d';

test('two faults at once are both named: the node that damages what it forwards, and a link elsewhere that damages echoes', () => {
  const byLink = [...BY_D, wrongChecksums('b', 20, 'UdpInCsumErrors')];
  assert.deepEqual(named(ring(byLink, 20)), [D, 'link_packet_corruption link/a:to-b--b:to-a']);
});

test('damage beyond the node is its own doing where nothing else shows', () => {
  assert.deepEqual(named(ring(BY_D, 0)), [D]);
  assert.deepEqual(named(ring([...BY_D, wrongChecksums('b', 20, 'UdpInCsumErrors')], 0)), [D]);
});

test('damage that its packets do not reach by any lookup, or at itself, is not explained by it', () => {
  const answer = { destination: '198.18.0.1', kind: 'unicast', ifname: 'to-b', protocol: 'isis' } as const;
  const direct = new Map(['a', 'c'].map((node) => [node, new Map([['198.18.0.1', answer]])]));
  const damaged = [...BY_D, wrongChecksums('b', 20, 'UdpInCsumErrors')];
  assert.deepEqual(named(ring(damaged, 0, direct)), ['corrupt:b', D]);
  assert.deepEqual(named(ring([...BY_D, wrongChecksums('d', 9)], 0)), ['corrupt:d', D]);
});

test('of a rule that is gone its own counter tells; one that stands, met nothing or writes no checksum did no harm', () => {
  const then = (filters: readonly FilterRule[], today: readonly FilterRule[] = []) =>
    forwardingCorruption.detect!(remembered(filters, today)).map(({ subject, confidence }) => [subject, confidence]);
  assert.deepEqual(then([SPOILS]), [['node/r1', 'likely']]);
  assert.deepEqual(then([{ ...SPOILS, packets: '0' }]), []);
  assert.deepEqual(then([SPOILS], [{ ...SPOILS, handle: 7 }]), []);
  assert.deepEqual(then([rule('forward', ['udp checksum = 0'])]), []);
  assert.deepEqual(then([rule('input', ['udp checksum = 57005'])]), []);
});

/** r1 had `then` in these spans. */
function over(then: readonly (readonly [number, number, FilterRule])[], sinceMs: number | null = 120_000) {
  const r1 = (state: NodeState): NodeState => ({
    ...state,
    filters: [],
    past: then.map(([fromAgoMs, untilAgoMs, one]) => ({ fromAgoMs, untilAgoMs, state: { ...state, filters: [one] } })),
  });
  const input = sceneOf({ states: { r1 } });
  const intent = sinceMs === null ? input.intent : { ...input.intent, sinceMs };
  return diagnose({ ...input, intent }).findings.map(({ fault, resource, confidence, details }) => [
    ...[fault, resource, confidence],
    ...[details['over'], details['agoSeconds'], details['packets']],
  ]);
}

test('what is over is likely, and over since the last state that had it', () => {
  const fault = 'device_forwarding_packet_corruption';
  assert.deepEqual(over([[40_000, 20_000, SPOILS]]), [[fault, 'node/r1', 'likely', true, 20, 9]]);
  assert.deepEqual(over([[40_000, 20_000, SPOILS]], 10_000), []);
  assert.deepEqual(over([[40_000, 20_000, SPOILS]], null), []);
  const twice = over([
    [40_000, 20_000, { ...SPOILS, packets: '90' }],
    [100_000, 60_000, SPOILS],
  ]);
  assert.deepEqual(twice, [[fault, 'node/r1', 'likely', true, 20, 90]]);
});
