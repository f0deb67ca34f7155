// Filters against BFD, whose session at that router is down; and the same filter where no session is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { FilterMatch, NodeState } from '#model/router/router-port.ts';
import { filtered } from '../../filter-scene.ts';

const BFD: readonly FilterMatch[] = [
  { field: 'protocol', values: ['udp'] },
  { field: 'destination-port', values: ['3784'] },
];

/** The session between r1 and r2 is down at both ends. */
const down = (state: NodeState, node: string): NodeState => ({
  ...state,
  bfd: (state.bfd ?? []).map((each) =>
    (node === 'r1' || node === 'r2') && each.ifname === 'eth1' ? { ...each, status: 'down' } : each,
  ),
});
const accused = (...input: Parameters<typeof filtered>) =>
  diagnose(filtered(...input)).findings.filter(({ fault }) => fault === 'bfd_acl_block');

test('a router whose filter drops BFD explains that a session is down', () => {
  const [finding] = accused(BFD, 40, down);
  assert.deepEqual([finding?.resource, finding?.details['droppedPackets']], ['node/r2', 40]);
  assert.match(String(finding?.remedy?.summary), /^let BFD through on r2/);
});

test('a rule that dropped nothing, or that takes another port, does not; nor is one accused where all sessions are up', () => {
  assert.deepEqual(accused(BFD, 0, down), []);
  assert.deepEqual(accused([BFD[0]!, { field: 'destination-port', values: ['3799'] }], 40, down), []);
  assert.deepEqual(
    accused(BFD, 40, (state) => state),
    [],
  );
});
