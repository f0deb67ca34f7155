// Filters against addresses, which drop what goes to hosts though their router answers. Along a path: diagnose.test.ts, own-filter.test.ts;
// for addresses that nobody here has: foreign-filters.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { dropping, named, sceneOf } from '../../scope-scene.ts';
import { is, SILENT_ECHO } from '../../service-scene.ts';

test('a filter against an address drops what goes to its hosts, though its router answers', () => {
  const toHosts = [is('network', 'ip'), is('destination', '198.19.3.0/24')];
  assert.deepEqual(named({ states: { r3: dropping(toHosts) }, serviceProbes: SILENT_ECHO }), ['acl_misconfig node/r3']);
});

test('the rule, what it selects and what it dropped are told', () => {
  const toHosts = [is('network', 'ip'), is('destination', '198.19.3.0/24')];
  const [finding] = diagnose(sceneOf({ states: { r3: dropping(toHosts) }, serviceProbes: SILENT_ECHO })).findings;
  assert.deepEqual(
    ['acl', 'direction', 'droppedPackets', 'probesLost', 'selects'].map((name) => finding?.details[name]),
    ['ACL forward', 'forward', 12, 3, 'network ip, destination 198.19.3.0/24'],
  );
  assert.equal(finding?.hypothesis, 'r3 forward ACL forward');
  assert.deepEqual(finding?.remedy, { node: 'r3', summary: 'ACL forward of r3 drops what it should forward' });
});

test('a filter against an address that most nodes have is meant', () => {
  const toHosts = [is('network', 'ip'), is('destination', '198.19.3.0/24')];
  const states = { r1: dropping(toHosts), r2: dropping(toHosts), r3: dropping(toHosts) };
  assert.deepEqual(named({ states, serviceProbes: SILENT_ECHO }), []);
});
