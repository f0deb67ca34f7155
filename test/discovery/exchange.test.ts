// Peer exchange: what is told, what is believed of it, and where it ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '#base/json.ts';
import { buildPeerAnswer, foldPeerAnswer, peerAnswerJson } from '#discovery/exchange.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import { createPeersTool } from '#discovery/peers-tool.ts';
import type { PeerHint, PeerRecord } from '#model/peer.ts';
import { createFakeClock } from '../fakes/clock.ts';

const A = 'aa'.repeat(32);
const hint = (node: string, over: Partial<PeerHint> = {}): PeerHint => ({
  source: 'lldp',
  node,
  addresses: ['fd00::3'],
  port: 9514,
  thumbprint: A,
  hops: 0,
  heardAtMs: 5,
  ...over,
});
const record = (node: string, over: Partial<PeerRecord> = {}): PeerRecord => ({
  node,
  hints: [hint(node)],
  remarks: [],
  ...over,
});
const from = { toldBy: 'p2', own: 'pe1', atMs: 7 };
const told = (over: Record<string, JsonValue> = {}) => ({
  node: 'pe3',
  addresses: ['fd00::3'],
  port: 9514,
  hops: 0,
  verified: true,
  ...over,
});

test('tells what it knows, the verified first, but not the asker, itself or who has no address [CARD-2]', () => {
  const records = [
    record('p2'),
    record('pe1'),
    record('pe4'),
    record('pe3', { verified: { thumbprint: A, address: 'fd00::33', port: 9515, atMs: 1 } }),
    record('quiet', { hints: [] }),
    record('unknown@eth1'),
    record('local', { hints: [hint('local', { addresses: ['fe80::1'] })] }),
  ];
  assert.deepEqual(buildPeerAnswer('p2', records, 'pe1'), {
    node: 'p2',
    peers: [
      { node: 'pe3', addresses: ['fd00::33'], port: 9515, thumbprint: A, hops: 0, verified: true },
      { node: 'pe4', addresses: ['fd00::3'], port: 9514, thumbprint: A, hops: 0, verified: false },
    ],
    truncated: false,
  });
});

test('a node two hops away becomes a hint that says who told [CARD-2]', () => {
  const answer = peerAnswerJson(buildPeerAnswer('p2', [record('pe3')], 'pe1'));
  assert.deepEqual(foldPeerAnswer(answer, from), {
    hints: [
      {
        source: 'peer-exchange',
        node: 'pe3',
        addresses: ['fd00::3'],
        port: 9514,
        thumbprint: A,
        toldBy: 'p2',
        hops: 1,
        heardAtMs: 7,
      },
    ],
    remarks: [],
  });
});

test('ends after eight hops and at 256 entries [CARD-2]', () => {
  const far = record('far', { hints: [hint('far', { hops: 8 })] });
  const near = record('near', { hints: [hint('near', { hops: 7 })] });
  assert.deepEqual(
    buildPeerAnswer('p2', [far, near], 'pe1').peers.map((each) => [each.node, each.hops]),
    [['near', 7]],
  );
  assert.equal(foldPeerAnswer({ peers: [told({ hops: 7 })] }, from).hints[0]?.hops, 8);
  assert.deepEqual(foldPeerAnswer({ peers: [told({ hops: 8 })] }, from).hints, []);
  const many = Array.from({ length: 300 }, (_, index) => record(`n${index}`));
  const answer = buildPeerAnswer('p2', many, 'pe1');
  assert.deepEqual([answer.peers.length, answer.truncated], [256, true]);
  const folded = foldPeerAnswer(
    { peers: Array.from({ length: 300 }, (_, index) => told({ node: `n${index}` })) },
    from,
  );
  assert.equal(folded.hints.length, 256);
  assert.deepEqual(folded.remarks, [{ kind: 'malformed', detail: 'peer exchange: more than 256 entries', atMs: 7 }]);
});

test('believes nothing about itself or the teller, and skips entries that cannot be read [TS-13]', () => {
  const bad: readonly JsonValue[] = [
    null,
    told({ node: 'NOT A NODE' }),
    told({ node: 7 }),
    told({ port: 0 }),
    told({ port: 70_000 }),
    told({ port: '9514' }),
    told({ hops: -1 }),
    told({ hops: 0.5 }),
    told({ addresses: [] }),
    told({ addresses: ['127.0.0.1'] }),
    told({ addresses: ['fe80::1'] }),
    told({ addresses: Array(9).fill('fd00::1') }),
    told({ addresses: 'fd00::1' }),
    told({ thumbprint: 'xyz' }),
    told({ thumbprint: null }),
  ];
  const folded = foldPeerAnswer({ peers: [told({ node: 'pe1' }), told({ node: 'p2' }), ...bad, told()] }, from);
  assert.deepEqual(
    folded.hints.map((each) => each.node),
    ['pe3'],
  );
  assert.deepEqual(folded.remarks, [
    { kind: 'malformed', detail: 'peer exchange: 15 entries could not be read', atMs: 7 },
  ]);
  const noList = [{ kind: 'malformed', detail: 'peer exchange: no list of peers', atMs: 7 }];
  for (const answer of [null, [], 'x', {}, { peers: {} }])
    assert.deepEqual(foldPeerAnswer(answer, from), { hints: [], remarks: noList });
});

test('no answer makes the reader throw [TS-13]', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (peers) => {
      const { hints } = foldPeerAnswer({ peers: [peers, told()] } as JsonValue, from);
      assert.equal(hints.at(-1)?.node, 'pe3');
    }),
  );
});

test('the tool answers peers without themselves, and operators with everybody [CARD-2]', async () => {
  const table = createPeerTable({ node: 'p2', clock: createFakeClock() });
  table.add(hint('pe1'));
  table.add(hint('pe3'));
  const definition = createPeersTool({ node: 'p2', table });
  const ask = async (kind: 'node' | 'operator') => {
    const caller = { kind, domain: 'lab', name: 'pe1' };
    const answer = await definition.call({}, { caller, signal: new AbortController().signal, progress: () => {} });
    return (answer['peers'] as readonly { node: string }[]).map((each) => each.node);
  };
  assert.deepEqual(
    [definition.name, definition.capability, definition.mutability],
    ['parley-peers', 'parley-peers', 'read'],
  );
  assert.deepEqual(await ask('node'), ['pe3']);
  assert.deepEqual(await ask('operator'), ['pe1', 'pe3']);
});

test('an operator sees the version that each agent said, and another node does not', async () => {
  const table = createPeerTable({ node: 'p2', clock: createFakeClock() });
  table.verified('pe1', { thumbprint: A, address: 'fd00::1', port: 9514, atMs: 1, version: '0.1.0' });
  table.verified('pe3', { thumbprint: A, address: 'fd00::3', port: 9514, atMs: 1 });
  const definition = createPeersTool({ node: 'p2', table });
  const versions = async (kind: 'node' | 'operator') => {
    const caller = { kind, domain: 'lab', name: 'pe9' };
    const answer = await definition.call({}, { caller, signal: new AbortController().signal, progress: () => {} });
    return (answer['peers'] as readonly { version?: string }[]).map(({ version }) => version);
  };
  assert.deepEqual(await versions('operator'), ['0.1.0', undefined]);
  assert.deepEqual(await versions('node'), [undefined, undefined]);
});
