// What a packet filter lets through as a setting of its node, in words and read back from them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { changesBetween } from '#model/settings/changes.ts';
import { passingRulesIn } from '#model/settings/filter-settings.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const RULE: FilterRule = {
  ...{ family: 'inet', table: 'edge', chain: 'forward', path: ['forward'], hook: 'forward', handle: 7 },
  ...{ verdict: 'accept', outInterfaces: [], inInterfaces: ['eth1'] },
};
const stateWith = (filters: readonly FilterRule[]): NodeState => ({ ...stateOf(1), filters });

test('what a chain that drops the rest lets through is a setting, whatever its handles; without it, it decides nothing', () => {
  const policy: FilterRule = { ...RULE, handle: 0, verdict: 'other', ends: 'drop', inInterfaces: [], matches: [] };
  const letting = (handle: number, ...values: readonly string[]): FilterRule => ({
    ...RULE,
    handle,
    matches: [{ field: 'source', values }],
  });
  const both = letting(3, '198.19.1.0/24', '198.19.2.0/24');
  const change = (was: readonly FilterRule[], is: readonly FilterRule[]) =>
    changesBetween(stateWith(was), stateWith(is)).map((each) => [each.subject, each.was, each.is]);
  const words = (...networks: readonly string[]) => `accept, from eth1, source ${networks.join(' ')}`;
  assert.deepEqual(change([both, policy], [letting(9, '198.19.1.0/24'), policy]), [
    ['inet edge forward', words('198.19.1.0/24', '198.19.2.0/24'), words('198.19.1.0/24')],
  ]);
  assert.deepEqual(change([both, policy], [{ ...both, handle: 8 }, policy]), []);
  assert.deepEqual(change([both], [letting(9, '198.19.1.0/24')]), []);
  assert.deepEqual(change([{ ...both, changing: true }, policy], [policy]), []);
  assert.deepEqual(change([], [policy]), [['inet edge forward', undefined, 'policy drop']]);
  const many = (last: string) => letting(3, ...Array.from({ length: 40 }, (_, at) => `198.18.${at}.0/24`), last);
  const [[, long = ''] = []] = change([many('192.0.2.1'), policy], [many('192.0.2.2'), policy]);
  assert.match(long, /^accept, from eth1, source 198\.18\.0\.0\/24 .*… \([0-9a-f]{8}\)$/);
});

test('rules are read back from the words of a setting, as far as these go', () => {
  const [one, other] = passingRulesIn('accept, from eth1, source not 198.19.1.0/24 198.19.2.0/24; accept, to eth2');
  assert.deepEqual(one, {
    ...{ inInterfaces: ['eth1'], outInterfaces: [], matchesRest: false },
    matches: [{ field: 'source', values: ['198.19.1.0/24', '198.19.2.0/24'], negated: true }],
  });
  assert.deepEqual(other, { inInterfaces: [], outInterfaces: ['eth2'], matches: [], matchesRest: false });
});
