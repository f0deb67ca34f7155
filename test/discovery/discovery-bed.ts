// What the tests of discovery in memory share: a table, a clock, a descriptor that rotates, and how a table's remarks read.
import assert from 'node:assert/strict';
import { type Descriptor, encodeDescriptor } from '#discovery/lldp/descriptor.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import { createFakeClock } from '../fakes/clock.ts';

export const A = 'aa'.repeat(32);
export const B = 'bb'.repeat(32);

export const descriptorOf = (node: string, thumbprint = A): Descriptor => ({
  node,
  port: 9514,
  thumbprint,
  capabilitiesHash: '33'.repeat(16),
  addresses: ['fd00::2'],
});

export function hexOf(descriptor: Descriptor): string {
  const encoded = encodeDescriptor(descriptor);
  assert.ok(encoded.ok);
  return Buffer.from(encoded.value).toString('hex');
}

export function createDiscoveryBed() {
  const clock = createFakeClock();
  const table = createPeerTable({ node: 'pe1', clock });
  let own = descriptorOf('pe1');
  return {
    clock,
    table,
    own: () => own,
    remarksOf: (node: string) => table.find(node)?.remarks.map((each) => `${each.kind}: ${each.detail}`),
    rotate: (thumbprint: string) => (own = descriptorOf('pe1', thumbprint)),
  };
}
