// Filters against ARP beside neighbours that cannot be resolved; and such neighbours without one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { filtered } from '../../filter-scene.ts';

/** r1 cannot resolve r2's address on their link, eth1 of both. */
const unresolved = (state: NodeState, node: string): NodeState =>
  node === 'r1' ? { ...state, neighbourTable: [{ address: '198.18.1.1', ifname: 'eth1', state: 'FAILED' }] } : state;
const accused = (...input: Parameters<typeof filtered>) =>
  diagnose(filtered(...input)).findings.filter(({ fault }) => fault === 'arp_acl_block');
const ARP = { family: 'arp' } as const;

test('a router whose filter drops ARP explains that its neighbour cannot resolve it', () => {
  const [finding] = accused([], 7, unresolved, ARP);
  assert.deepEqual([finding?.resource, finding?.details['droppedPackets']], ['node/r2', 7]);
  assert.match(String(finding?.remedy?.summary), /^let ARP through on r2/);
});

test('a rule that dropped nothing does not, nor one against something else', () => {
  assert.deepEqual(accused([], 0, unresolved, ARP), []);
  assert.deepEqual(accused([{ field: 'protocol', values: ['udp'] }], 7, unresolved), []);
});
