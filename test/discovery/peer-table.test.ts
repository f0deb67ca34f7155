// The peer table: hints beside each other, remarks where they contradict, and no room for a flood of names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPeerTable } from '#discovery/peer-table.ts';
import type { PeerHint } from '#model/peer.ts';
import { createFakeClock } from '../fakes/clock.ts';

const A = 'aa'.repeat(32);
const B = 'bb'.repeat(32);
const NOW = 1_767_225_600_000;
const hint = (over: Partial<PeerHint> = {}): PeerHint => ({
  source: 'lldp',
  node: 'p2',
  addresses: ['fd00::2'],
  port: 9514,
  thumbprint: A,
  heardOn: 'eth1',
  hops: 0,
  heardAtMs: NOW,
  ...over,
});
const tableOf = (over = {}) => createPeerTable({ node: 'pe1', clock: createFakeClock(), ...over });
const verified = (thumbprint: string, atMs = NOW) => ({ thumbprint, address: 'fd00::2', port: 9514, atMs });
const remarksOf = (table: ReturnType<typeof tableOf>, node: string) =>
  table.find(node)?.remarks.map((each) => `${each.kind}: ${each.detail}`);

test('keeps one hint for each source and orders them as they should be dialled [CARD-2]', () => {
  const table = tableOf();
  table.add(hint({ source: 'peer-exchange', toldBy: 'pe3', hops: 2 }));
  table.add(hint());
  table.add(hint({ heardAtMs: NOW + 1 }));
  table.add(hint({ heardOn: 'eth2' }));
  table.add(hint({ source: 'static', addresses: ['fd00::3'] }));
  assert.deepEqual(
    table.find('p2')?.hints.map((each) => [each.source, each.heardOn, each.heardAtMs - NOW]),
    [
      ['static', 'eth1', 0],
      ['lldp', 'eth1', 1],
      ['lldp', 'eth2', 0],
      ['peer-exchange', 'eth1', 0],
    ],
  );
  assert.deepEqual(table.find('p2')?.remarks, []);
});

test('two claimants for one name are both kept and remarked, and nothing is stopped [TS-13]', () => {
  const table = tableOf();
  table.add(hint());
  table.add(hint({ heardOn: 'eth2', thumbprint: B }));
  assert.equal(table.find('p2')?.hints.length, 2);
  assert.deepEqual(remarksOf(table, 'p2'), [
    'lying: two claimants for one name: eth1 aaaaaaaaaaaaaaaa, eth2 bbbbbbbbbbbbbbbb',
  ]);
  table.add(hint({ heardOn: 'eth2', thumbprint: B }));
  table.add(hint());
  assert.equal(table.find('p2')?.remarks.length, 1);
});

test('an announced rotation is neither a lie nor a second claim [TS-13]', () => {
  const table = tableOf();
  table.add(hint({ nextThumbprint: B }));
  table.add(hint({ thumbprint: B }));
  assert.deepEqual(
    table.find('p2')?.hints.map((each) => each.thumbprint),
    [B],
  );
  assert.deepEqual(table.find('p2')?.remarks, []);
});

test('after mutual TLS a false thumbprint is lying, one on its way out is outdated, and both stay hints [TS-13]', () => {
  const table = tableOf();
  table.add(hint());
  table.add(hint({ heardOn: 'eth2', thumbprint: B, nextThumbprint: A }));
  table.verified('p2', verified(A));
  assert.deepEqual(remarksOf(table, 'p2'), ["outdated: eth2: thumbprint bbbbbbbbbbbbbbbb is not the certificate's"]);
  table.add(hint({ heardOn: 'eth3', thumbprint: B }));
  assert.deepEqual(remarksOf(table, 'p2'), [
    "outdated: eth2: thumbprint bbbbbbbbbbbbbbbb is not the certificate's",
    "lying: eth3: thumbprint bbbbbbbbbbbbbbbb is not the certificate's",
  ]);
  assert.equal(table.find('p2')?.hints.length, 3);
  const old = tableOf();
  old.add(hint({ heardAtMs: NOW - 300_001 }));
  old.verified('p2', verified(B));
  assert.deepEqual(remarksOf(old, 'p2'), ["outdated: eth1: thumbprint aaaaaaaaaaaaaaaa is not the certificate's"]);
});

test("a neighbour with this node's own name is remarked and is no peer [TS-13]", () => {
  const table = tableOf();
  table.add(hint({ node: 'pe1' }));
  assert.deepEqual(table.find('pe1')?.hints, []);
  assert.deepEqual(remarksOf(table, 'pe1'), ['lying: eth1: announces the name of this node']);
});

test('a node that announces itself is no longer silent [TS-13]', () => {
  const table = tableOf();
  table.remark('p2', { kind: 'silent', detail: 'eth1: announces no agent', atMs: NOW });
  assert.deepEqual(remarksOf(table, 'p2'), ['silent: eth1: announces no agent']);
  table.add(hint());
  assert.deepEqual(remarksOf(table, 'p2'), []);
});

test('makes room at the cost of the longest unused among the unverified only [CARD-2]', () => {
  const table = tableOf({ maxPeers: 3 });
  table.add(hint({ node: 'real' }));
  table.verified('real', verified(A));
  table.add(hint({ node: 'static', source: 'static' }));
  for (let count = 0; count < 100; count++) table.add(hint({ node: `forged-${count}` }));
  assert.deepEqual(
    table.list().map((each) => each.node),
    ['forged-99', 'real', 'static'],
  );
  table.verified('forged-99', verified(A));
  table.add(hint({ node: 'late' }));
  table.remark('late', { kind: 'silent', detail: 'x', atMs: NOW });
  assert.equal(table.find('late'), undefined);
});

test('bounds hints and remarks of one peer', () => {
  const table = tableOf();
  for (let count = 0; count < 40; count++) {
    table.add(hint({ heardOn: `eth${count}`, heardAtMs: NOW + count }));
    table.remark('p2', { kind: 'malformed', detail: `eth${count}`, atMs: NOW });
  }
  assert.equal(table.find('p2')?.hints.length, 16);
  assert.equal(table.find('p2')?.hints[0]?.heardOn, 'eth39');
  assert.equal(table.find('p2')?.remarks.length, 16);
});

test("finds a peer by the operator's spelling when it is the only one [CARD-7]", () => {
  const table = tableOf();
  table.add(hint({ node: 'pe-3' }));
  assert.equal(table.find('PE3')?.node, 'pe-3');
  table.add(hint({ node: 'pe_3' }));
  assert.equal(table.find('PE3'), undefined);
  assert.equal(table.find('pe-3')?.node, 'pe-3');
});

test('a forged name never stands in for one that is spelled alike and was proven or configured [TS-13]', () => {
  const table = tableOf();
  table.add(hint({ node: 'pe-3', heardOn: 'eth2' }));
  table.add(hint({ node: 'pe3' }));
  assert.equal(table.resolve('PE-3')?.node, 'pe-3');
  assert.equal(table.resolve('PE_3'), undefined);
  table.verified('pe-3', verified(A));
  for (const spelling of ['PE-3', 'pe3', 'PE_3']) assert.equal(table.resolve(spelling)?.node, 'pe-3', spelling);
  table.add(hint({ node: 'p-4', source: 'static' }));
  table.add(hint({ node: 'p4' }));
  assert.equal(table.resolve('p4')?.node, 'p-4');
});

test('forged claims push out one another, never the static peer or what another port hears [TS-13]', () => {
  const table = tableOf();
  const claim = (count: number) => count.toString(16).padStart(2, '0').repeat(32);
  table.add(hint({ source: 'static', addresses: ['fd00::22'], heardAtMs: NOW - 9 }));
  table.add(hint({ heardOn: 'eth2', addresses: ['fd00::2'], heardAtMs: NOW - 9 }));
  for (let count = 1; count <= 16; count++)
    table.add(hint({ thumbprint: claim(count), addresses: ['fd00::bad'], heardAtMs: NOW + count }));
  assert.deepEqual(
    table.find('p2')?.hints.map((each) => `${each.source} ${each.heardOn} ${each.addresses[0]}`),
    [
      'static eth1 fd00::22',
      'lldp eth1 fd00::bad',
      'lldp eth1 fd00::bad',
      'lldp eth1 fd00::bad',
      'lldp eth1 fd00::bad',
      'lldp eth2 fd00::2',
    ],
  );
});

test('waits for a peer until it is known or the wait is over [CARD-2]', async () => {
  const table = tableOf();
  const abort = new AbortController();
  const found = table.waitFor('pe3', abort.signal);
  const never = table.waitFor('pe9', abort.signal);
  table.remark('pe3', { kind: 'silent', detail: 'x', atMs: NOW });
  assert.equal(await Promise.race([found, Promise.resolve('waiting')]), 'waiting');
  table.add(hint({ node: 'pe3' }));
  assert.equal(await found, true);
  assert.equal(await table.waitFor('pe3', abort.signal), true);
  abort.abort();
  assert.equal(await never, false);
  assert.equal(await table.waitFor('pe9', abort.signal), false);
});

test('what it hands out is a snapshot', () => {
  const table = tableOf();
  table.add(hint());
  const before = table.find('p2');
  table.add(hint({ heardOn: 'eth2' }));
  assert.equal(before?.hints.length, 1);
});

test('refuses names that are none', () => {
  const table = tableOf();
  table.add(hint({ node: 'no name' }));
  assert.deepEqual(table.list(), []);
});

test('a session ends the remark that a peer was silent, and no other', () => {
  const table = tableOf();
  table.add(hint());
  table.remark('p2', { kind: 'silent', detail: 'peer exchange: no session', atMs: NOW });
  table.remark('p2', { kind: 'malformed', detail: 'eth1: version 9', atMs: NOW });
  table.verified('p2', verified(A));
  assert.deepEqual(remarksOf(table, 'p2'), ['malformed: eth1: version 9']);
});

test('a remembered peer is known, gives way to a session, and makes room only when no unproven one is left', () => {
  const table = tableOf({ maxPeers: 2 });
  const remembered = { address: 'fd00::2', port: 9514, atMs: NOW };
  table.remember('p2', remembered);
  assert.deepEqual(table.resolve('P-2')?.remembered, remembered);
  table.retract('p2', { source: 'lldp', heardOn: 'eth1' });
  table.add(hint({ node: 'p3' }));
  table.add(hint({ node: 'p4' }));
  assert.deepEqual(
    table.list().map(({ node }) => node),
    ['p2', 'p4'],
  );
  table.verified('p4', verified(A));
  table.add(hint({ node: 'p5' }));
  assert.deepEqual(
    table.list().map(({ node }) => node),
    ['p4', 'p5'],
  );
  table.remember('p4', remembered);
  assert.equal(table.find('p4')?.remembered, undefined);
  const other = tableOf();
  other.remember('p2', remembered);
  other.forgetBefore(NOW);
  assert.equal(other.find('p2')?.remembered?.atMs, NOW);
  other.add(hint({ node: 'p2', thumbprint: B }));
  assert.deepEqual(remarksOf(other, 'p2'), [], 'a new certificate since is no lie');
  other.verified('p2', verified(B));
  assert.equal(other.find('p2')?.remembered, undefined);
  other.remember('p9', remembered);
  other.forgetBefore(NOW + 1);
  assert.equal(other.find('p9'), undefined);
});
