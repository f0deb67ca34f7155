// srv6_hmac_mismatch: r3 drops SRv6 packets without an HMAC, and r1 puts none on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { named, sceneOf } from '../../scope-scene.ts';
import { forwardingOf, withForwarding } from '../forwarding/forwarding-scope.ts';

const demandingOn =
  (...ifnames: readonly string[]) =>
  (state: NodeState) =>
    forwardingOf(state, {
      interfaces: forwardingOf(state).interfaces.map((row) =>
        ifnames.includes(row.ifname) ? { ...row, srv6Hmac: true as const } : row,
      ),
    });
/** Heads whose routes put on a header without HMAC. */
const unsigned = (state: NodeState): NodeState => ({
  ...state,
  staticRoutes: state.staticRoutes!.map((route) =>
    route.segments === undefined ? route : { ...route, unsigned: true },
  ),
});

test('a node that demands an HMAC on all its links is named with the heads that put none on', () => {
  const scene = withForwarding({ r3: demandingOn('eth1') }, { states: { r1: unsigned, r3: unsigned } });
  assert.deepEqual(named(scene), ['srv6_hmac_mismatch node/r3']);
  assert.equal(
    diagnose(sceneOf(scene)).findings[0]?.details['what'],
    'r3 drops SRv6 packets without an HMAC that come in by eth1 (seg6_require_hmac), and r1 puts none on what is sent to its SID fd00:5a:3::d6',
  );
});

test('heads with the key, a node to whose SIDs none sends, and a demand on hosts’ ports alone accuse no node', () => {
  assert.deepEqual(named(withForwarding({ r3: demandingOn('eth1') })), [], 'heads that put it on, or none at all');
  const both = { states: { r1: unsigned, r3: unsigned } };
  assert.deepEqual(named(withForwarding({ r3: demandingOn('eth3') }, both)), [], 'the port of hosts');
  assert.deepEqual(named(withForwarding({ r2: demandingOn('eth1', 'eth2') }, both)), [], 'a node between the heads');
  assert.deepEqual(named(withForwarding({}, both)), []);
});
