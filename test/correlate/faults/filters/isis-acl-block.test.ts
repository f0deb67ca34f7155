// Filters against IS-IS on a link whose adjacency is gone; one that is still up is in changed-recording.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { FilterMatch, NodeState } from '#model/router/router-port.ts';
import { filtered } from '../../filter-scene.ts';

const LLC: readonly FilterMatch[] = [{ field: 'llc', values: ['65278'] }];
const INGRESS = { family: 'netdev', hook: 'ingress', inInterfaces: ['eth1'] } as const;

/** No adjacency over the link of r1 and r2, which is eth1 of both. */
const apart = (state: NodeState, node: string): NodeState =>
  node === 'r1' || node === 'r2'
    ? { ...state, adjacencies: state.adjacencies.filter(({ ifname }) => ifname !== 'eth1') }
    : state;
const accused = (...input: Parameters<typeof filtered>) =>
  diagnose(filtered(...input)).findings.filter(({ fault }) => fault === 'isis_acl_block');

test('a router whose filter drops IS-IS explains that an adjacency is missing', () => {
  const [finding] = accused(LLC, 9, apart, INGRESS);
  assert.deepEqual([finding?.resource, finding?.details['droppedPackets']], ['node/r2', 9]);
  assert.equal(finding?.remedy?.command, 'nft delete rule netdev filter input handle 4');
});

test('a filter of another interface, or one whose counter stood still, does not', () => {
  assert.deepEqual(accused(LLC, 9, apart, { ...INGRESS, inInterfaces: ['eth9'] }), []);
  assert.deepEqual(accused(LLC, 0, apart, INGRESS), []);
});
