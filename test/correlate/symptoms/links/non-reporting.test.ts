// Links of a router whose agent gives no state: which of them loses packets, as the probes that its neighbours sent through it tell.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile, Fact } from '#correlate/engine/facts.ts';
import { linkPacketCorruption } from '#correlate/faults/link/link-packet-corruption.ts';
import { packetLoss } from '#correlate/faults/link/packet-loss.ts';
import type { World } from '#correlate/network/world.ts';
import { nonReportingSymptoms } from '#correlate/symptoms/links/non-reporting.ts';
import type { NonReportingLink } from '#model/links/non-reporting-links.ts';

const linkOf = (node: string, port: string): NonReportingLink => ({
  near: { node, ifname: 'eth9' },
  address: `fd00:${port}::`,
  mac: '02:00:00:00:00:01',
  router: 's1',
  port,
});
const A = linkOf('a', 'eth1');
const B = linkOf('b', 'eth2');
const C = linkOf('c', 'eth3');

/** Of 300 probes. */
const run = (from: NonReportingLink, to: NonReportingLink, lost: number, again = false): Fact => ({
  subject: `path/${from.near.node}>s1>${to.near.node}`,
  predicate: 'non-reporting-transit',
  value: { from, to, sent: 300, lost, again },
  source: [`${from.near.node}${to.near.node}`],
});

function worldWith(fallenAgoMs?: number): World {
  const events = fallenAgoMs === undefined ? [] : [{ agoMs: fallenAgoMs, kind: 'carrier', subject: 'eth9', up: true }];
  return {
    nodes: ['a', 'b', 'c', 's-1'],
    links: [],
    views: new Map([['a', { node: 'a', state: { history: { events } } }]]),
  } as unknown as World;
}

/** The second look met the same. */
function twice(facts: readonly Fact[]): readonly Fact[] {
  return [
    ...facts,
    ...facts.flatMap((fact) =>
      fact.predicate === 'non-reporting-transit' ? { ...fact, value: { ...fact.value, again: true } } : [],
    ),
  ];
}

function fileOf(facts: readonly Fact[], others: readonly object[] = [], world = worldWith()): CaseFile {
  const symptoms = [...nonReportingSymptoms(world, facts), ...others];
  return { path: [], facts, world, symptoms, expected: [] } as unknown as CaseFile;
}

const lost = (facts: readonly Fact[], others: readonly object[] = [], world = worldWith()) =>
  packetLoss.propose(fileOf(twice(facts), others, world), []).map(({ fault, resource }) => [fault, resource]);
const told = (facts: readonly Fact[], world = worldWith()) =>
  nonReportingSymptoms(world, twice(facts)).map(({ id }) => id);

const WELL = [run(A, A, 0), run(B, B, 0), run(A, B, 0), run(B, A, 0)];
const TOWARDS = [run(A, A, 20), run(B, B, 0), run(A, B, 24), run(B, A, 0)];

test('nothing lost is no symptom', () => {
  assert.deepEqual(told(WELL), []);
  assert.deepEqual(told([]), []);
});

test('loss of all that goes to the non-reporting router over one link names its neighbour’s end', () => {
  assert.deepEqual(lost(TOWARDS), [['packet_loss', 'interface/a/eth9']]);
});

test('loss of all that comes from it over one link names its own end', () => {
  const facts = [run(A, A, 20), run(B, B, 0), run(A, B, 0), run(B, A, 24)];
  assert.deepEqual(lost(facts), [['packet_loss', 'interface/s-1/eth1']]);
  const port = { ...A, port: undefined } as unknown as NonReportingLink;
  assert.deepEqual(lost([run(port, port, 20), run(B, B, 0), run(port, B, 0), run(B, port, 24)]), []);
});

test('loss both ways on one link names both ends', () => {
  const facts = [run(A, A, 44), run(B, B, 0), run(A, B, 24), run(B, A, 24)];
  assert.deepEqual(lost(facts), [
    ['packet_loss', 'interface/a/eth9'],
    ['packet_loss', 'interface/s-1/eth1'],
  ]);
});

test('of three neighbours those whose probes all came through clear theirs', () => {
  const facts = [run(A, B, 20), run(A, C, 20), run(B, C, 0), run(C, B, 0), run(B, A, 0), run(C, A, 0)];
  assert.deepEqual(lost(facts), [['packet_loss', 'interface/a/eth9']]);
});

test('what several directions explain, or none alone, is told and accuses nobody', () => {
  const everywhere = [run(A, A, 20), run(B, B, 20), run(A, B, 20), run(B, A, 20)];
  const onlyAcross = [run(A, A, 0), run(B, B, 0), run(A, B, 20), run(B, A, 0)];
  const twoFaults = [run(A, A, 20), run(B, B, 20), run(A, B, 0), run(B, A, 20)];
  const oneRun = [run(A, A, 20)];
  for (const facts of [everywhere, onlyAcross, twoFaults, oneRun]) {
    assert.deepEqual(lost(facts), []);
    assert.deepEqual(told(facts), ['silent-link:s1']);
  }
});

test('a stray accuses nobody', () => {
  assert.deepEqual(told([run(A, A, 1), run(B, B, 0), run(A, B, 2), run(B, A, 0)]), []);
});

test('a link whose carrier changed lately loses packets by itself', () => {
  assert.deepEqual(lost(TOWARDS, [], worldWith(30_000)), []);
  assert.deepEqual(lost(TOWARDS, [], worldWith(90_000)), [['packet_loss', 'interface/a/eth9']]);
});

test('a queue or a filter of that end that dropped as many leaves it open', () => {
  assert.deepEqual(lost(TOWARDS, [{ kind: 'queue', nodes: ['a'], detail: { node: 'a' } }]), []);
  const filter = { predicate: 'filter-hits', value: { node: 'a', packets: 80 }, source: [] } as unknown as Fact;
  assert.deepEqual(lost([...TOWARDS, filter]), []);
});

test('probes that arrive damaged at the end of the way name the link, and are no loss', () => {
  const corrupt = (node: string, errors: number) => ({
    ...{ id: `corrupt:${node}`, kind: 'corrupt', nodes: [node], source: [] },
    detail: { Udp6InCsumErrors: errors },
  });
  const damage = [corrupt('a', 38), corrupt('b', 46)];
  assert.deepEqual(lost(TOWARDS, damage), []);
  const named = linkPacketCorruption.propose(fileOf(twice(TOWARDS), damage), []);
  assert.deepEqual(
    named.map(({ fault, resource, explains }) => [fault, resource, explains.map(({ symptom }) => symptom)]),
    [['link_packet_corruption', 'link/a:eth9--s-1:eth1', ['silent-link:a:eth9 true', 'corrupt:a', 'corrupt:b']]],
  );
  assert.deepEqual(linkPacketCorruption.propose(fileOf(twice(TOWARDS), [corrupt('b', 3)]), []), []);
  assert.deepEqual(linkPacketCorruption.propose(fileOf(twice(TOWARDS)), []), []);
});

test('what the second look does not meet is forgotten, and what it meets elsewhere accuses nobody', () => {
  const again = (facts: readonly Fact[]) => twice(facts).slice(facts.length);
  const both = (second: readonly Fact[]) =>
    nonReportingSymptoms(worldWith(), [...TOWARDS, ...second]).map(({ id }) => id);
  assert.deepEqual(both(again(WELL)), []);
  assert.deepEqual(both(again(TOWARDS)), ['silent-link:a:eth9 true']);
  assert.deepEqual(both([]), ['silent-link:s1']);
  assert.deepEqual(both(again([run(A, A, 0), run(B, B, 20), run(A, B, 0), run(B, A, 24)])), ['silent-link:s1']);
});

test('a node that had no time for what arrived is no lossy link', () => {
  const overrun = (node: string): Fact => ({
    subject: `node/${node}`,
    predicate: 'node-errors',
    value: { node, counter: 'Udp6RcvbufErrors', packets: 12 },
    source: [],
  });
  assert.deepEqual(lost([...TOWARDS, overrun('b')]), []);
  assert.deepEqual(lost([...TOWARDS, overrun('c')]), [['packet_loss', 'interface/a/eth9']]);
});
