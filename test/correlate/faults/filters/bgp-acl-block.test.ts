// Filters against BGP, on real FRR and a minute ago; and rules whose counters stand still. Rules for some senders only are in
// observe/recent-filter-drops.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { changed, recorded } from '../../recording.ts';

test('a router whose filter drops BGP is named, with what to delete', () => {
  const [finding, ...rest] = diagnose(recorded('bgpacl')).findings;
  assert.deepEqual([finding?.fault, finding?.resource, rest], ['bgp_acl_block', 'node/router2', []]);
  assert.equal(finding?.confidence, 'certain');
  assert.match(String(finding?.remedy?.command), /^nft delete rule \S+ \S+ \S+ handle \d+/);
  assert.match(String(finding?.remedy?.summary), /^let BGP through on router2: remove its rule/);
});

test('a rule whose counter stood still while the session was down is not', () => {
  const still = changed(recorded('bgpacl'), {
    state: (state) => ({ ...state, filters: state.filters.map((rule) => ({ ...rule, packets: '9' })) }),
  });
  assert.deepEqual(
    diagnose(still).findings.filter(({ fault }) => fault === 'bgp_acl_block'),
    [],
  );
});
