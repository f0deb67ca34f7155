// Which peers of the table a question asks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentCalled, agentsOf } from '#agent/investigation/agents.ts';
import type { PeerHint, PeerRecord, PeerRemark } from '#model/peer.ts';

const hint = { source: 'lldp', node: 'r2', addresses: ['198.18.255.2'], port: 1, hops: 1, heardAtMs: 0 } as PeerHint;
const remark = (kind: PeerRemark['kind']): PeerRemark => ({ kind, detail: 'eth1', atMs: 0 });
const peersOf = (...list: readonly PeerRecord[]) => ({
  list: () => list,
  find: (name: string) => list.find(({ node }) => node === name),
});
const record = (more: Partial<PeerRecord>): PeerRecord => ({ node: 'r2', hints: [], remarks: [], ...more });

test('a neighbour that announces no agent and that no node knows as a peer is no part of a question', () => {
  const isAsked = (more: Partial<PeerRecord>) => {
    const peers = peersOf(record(more));
    assert.deepEqual(agentCalled(peers, 'r2'), agentsOf(peers));
    return agentsOf(peers).length === 1;
  };
  assert.equal(isAsked({ remarks: [remark('silent')] }), false);
  assert.equal(isAsked({ hints: [hint], remarks: [remark('silent')] }), true, 'another node told of it');
  const verified = { thumbprint: '', address: '198.18.255.2', port: 1, atMs: 0 };
  assert.equal(isAsked({ verified, remarks: [remark('silent')] }), true, 'it had a session: its agent may be dead');
  assert.equal(isAsked({ remarks: [remark('malformed')] }), true, 'what it announces cannot be used');
  assert.deepEqual(agentCalled(peersOf(), 'r2'), []);
});
