// Echoes to IPv6 hosts are answers of services, as those to IPv4 hosts are, and not of the reflectors of nodes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { worldOf } from '#correlate/network/world.ts';
import { callFor } from '#measure/call.ts';
import type { Evidence } from '#model/evidence.ts';

const HOST = 'fd00:c:3::99';

function seen(result: object) {
  const call = callFor('r1', { kind: 'host-echo' }, {}, 1_000);
  const body = { results: [{ destination: HOST, sent: 3, rttMs: null, ...result }] };
  const entry = { ...call, body, request: { params: { arguments: {} } } } as unknown as Evidence;
  const world = worldOf({ nodes: ['r1'], whole: false }, new Map(), new Map(), [entry]);
  return [world.serviceProbes, world.reach];
}

test('a host that answers echoes, and one that does not', () => {
  const echo = {
    from: 'r1',
    source: 'probe/r1/parley-reach/host',
    destination: HOST,
    service: 'echo',
    sent: 3,
    forProof: true,
  };
  assert.deepEqual(seen({ received: 2, traffic: 'icmp' }), [[{ ...echo, answered: true, open: true }], []]);
  assert.deepEqual(seen({ received: 0, traffic: 'icmp' }), [[{ ...echo, answered: false, open: false }], []]);
});

test('a TCP try of the second look counts as answered by whatever its kernel says, with the address that it was sent from', () => {
  const purpose = { kind: 'host-try', traffic: 'tcp', round: 'confirmation', sender: 'fd00:c:1::1' } as const;
  const call = callFor('r1', purpose, { sources: ['198.19.1.1', 'fd00:c:1::1'] }, 1_000);
  const body = { results: [{ destination: HOST, sent: 3, received: 3, rttMs: 1, traffic: 'tcp' }] };
  const entry = { ...call, body, request: { params: { arguments: call.arguments } } } as unknown as Evidence;
  const world = worldOf({ nodes: ['r1'], whole: false }, new Map(), new Map(), [entry]);
  const by = { from: 'r1', source: 'deepen/r1/parley-reach/host/tcp/from/fd00:c:1::1', sender: 'fd00:c:1::1' };
  const tried = { ...by, destination: HOST, service: 'tcp', port: 9_514, byKernel: true, forProof: true, sent: 3 };
  assert.deepEqual([world.serviceProbes, world.reach], [[{ ...tried, answered: true, open: false }], []]);
});

test('an agent that does not know echoes has sent what no host answers', () => {
  assert.deepEqual(seen({ received: 0 }), [[], []]);
});
