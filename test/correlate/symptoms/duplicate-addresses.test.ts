// Addresses that two nodes of the ring have on ports to hosts: which of them are meant to be in several places.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { at, remembering, ring } from '../ring.ts';

const withPort = (address: string, mac?: string) => (state: NodeState) => {
  const like = state.inventory.interfaces.find(({ kind }) => kind === 'physical')!;
  const port = { ...like, name: 'lan9', addresses: [address], ...(mac === undefined ? {} : { mac }) };
  return { ...state, inventory: { ...state.inventory, interfaces: [...state.inventory.interfaces, port] } };
};
const duplicates = (address: string, mac?: string) =>
  diagnose(ring(at(['r1', 'r3'], withPort(address, mac)))).verdict.reasons.filter((line) =>
    line.includes(`${address.split('/')[0]} is on`),
  );

test('an address that two nodes have is a symptom', () => {
  assert.equal(duplicates('203.0.113.1/24').length, 1);
});

test('a private network behind each of two nodes, to which no other node has a route, is meant (RFC 1918)', () => {
  for (const block of ['192.168', '10.1', '172.16', '172.31'])
    assert.deepEqual(duplicates(`${block}.9.1/24`), [], block);
  for (const block of ['192.169', '172.32', '172.15']) assert.equal(duplicates(`${block}.9.1/24`).length, 1, block);
});

test('the virtual address of VRRP is on all routers of the group (RFC 9568)', () => {
  assert.deepEqual(duplicates('203.0.113.1/24', '00:00:5e:00:01:07'), []);
});

test('a gateway whose address another node has for one machine alone is meant, unless that node has it since lately', () => {
  const told = (bare: (state: NodeState) => NodeState) =>
    diagnose(
      ring((state, node) =>
        node === 'r1'
          ? withPort('203.0.113.1/24')(state)
          : node === 'r3'
            ? bare(withPort('203.0.113.1/32')(state))
            : state,
      ),
    ).verdict.reasons.filter((line) => line.includes('203.0.113.1 is on'));
  assert.deepEqual(
    told((state) => state),
    [],
  );
  const change = { kind: 'address', subject: 'lan9', was: '203.0.113.9/32', is: '203.0.113.1/32', agoMs: 9 } as const;
  assert.equal(told(remembering(change)).length, 1);
});
