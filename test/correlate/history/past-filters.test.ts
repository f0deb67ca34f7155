// Filters that are gone, as r2 remembers its own states; and those that are still there, that most nodes have, or that nobody missed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { FilterMatch, FilterRule, NodeState } from '#model/router/router-port.ts';
import { ruleOf } from '../filter-scene.ts';
import { HOST1, type Scene, sceneOf } from '../scope-scene.ts';
import { DNS, HTTP, ICMP, is, served } from '../service-scene.ts';

const FORWARD = { chain: 'forward', path: ['forward'], hook: 'forward' } as const;

/** 40 to 20 seconds ago r2 had these rules; now it has `still`. */
const remembering =
  (rules: readonly FilterRule[], still: readonly FilterRule[] = []) =>
  (state: NodeState): NodeState => ({
    ...state,
    filters: still,
    past: [{ fromAgoMs: 40_000, untilAgoMs: 20_000, state: { ...state, filters: rules } }],
  });
const forwarding = (matches: readonly FilterMatch[], change: Partial<FilterRule> = {}) =>
  ruleOf(matches, '0', { ...FORWARD, ...change });

function over(states: Scene['states'] & {}, sinceMs: number | undefined = 120_000): readonly string[] {
  const { intent, ...rest } = sceneOf({ states });
  const { findings } = diagnose({ ...rest, intent: { ...intent, ...(sinceMs === undefined ? {} : { sinceMs }) } });
  return findings.map(({ fault, resource, confidence, details }) =>
    [fault, resource, confidence, ...(details['over'] === true ? ['over', details['agoSeconds']] : [])].join(' '),
  );
}

test('a service that a host serves, and that a rule was against, names the rule’s node', () => {
  const r3 = served('tcp', 80);
  assert.deepEqual(over({ r2: remembering([forwarding(HTTP)]), r3 }), ['http_acl_block node/r2 likely over 20']);
  assert.deepEqual(over({ r2: remembering([forwarding(DNS)]), r3: served('udp', 53) }), [
    'dns_port_blocked node/r2 likely over 20',
  ]);
  assert.deepEqual(over({ r2: remembering([forwarding(ICMP)]) }), ['icmp_acl_block node/r2 likely over 20']);
});

test('a rule that is still there, that is older than the question, or of a service that nobody serves, is not', () => {
  const [rule, r3] = [forwarding(HTTP), served('tcp', 80)];
  assert.deepEqual(over({ r2: remembering([rule], [rule]), r3 }), []);
  assert.deepEqual(over({ r2: remembering([rule]), r3 }, 10_000), []);
  assert.deepEqual(over({ r2: remembering([rule]) }), []);
  assert.deepEqual(over({ r2: remembering([forwarding([...ICMP, is('icmp-type', 'echo-request')])]) }), []);
});

test('a rule for some senders, for the rest, or like that of most nodes, did its job', () => {
  const r3 = served('tcp', 80);
  const some = forwarding([...HTTP, is('source', '203.0.113.0/24')]);
  assert.deepEqual(over({ r2: remembering([some]), r3 }), []);
  assert.deepEqual(over({ r2: remembering([forwarding(HTTP, { matchesRest: true })]), r3 }), []);
  const first = forwarding([...HTTP, is('source', HOST1.address)], { handle: 3, verdict: 'accept' });
  assert.deepEqual(over({ r2: remembering([first, forwarding(HTTP)]), r3 }), []);
  const same = (state: NodeState): NodeState => ({ ...state, filters: [forwarding(HTTP)] });
  const both = { r1: same, r3: (state: NodeState) => same(r3(state)) };
  assert.deepEqual(
    over({ ...both, r2: remembering([forwarding(HTTP)]) }).filter((each) => each.includes('over')),
    [],
  );
});

test('a rule against all that is sent to a network of the scope, or against SRv6, is acl_misconfig', () => {
  const network = forwarding([is('destination', '198.19.3.0/24')]);
  assert.deepEqual(over({ r2: remembering([network]) }), ['acl_misconfig node/r2 likely over 20']);
  const steered = forwarding([is('next-header', 'ipv6-route')], { family: 'ip6' });
  assert.deepEqual(over({ r2: remembering([steered]) }), ['acl_misconfig node/r2 likely over 20']);
  const elsewhere = forwarding([is('destination', '203.0.113.0/24')]);
  assert.deepEqual(over({ r2: remembering([elsewhere]) }), []);
});
