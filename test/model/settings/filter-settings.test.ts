// What a packet filter lets through as a setting of its node: in words, and as data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { changesBetween, compareSettings } from '#model/settings/changes.ts';
import { settingsOf } from '#model/settings/node-settings.ts';
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

const demand = (field: 'source' | 'destination', ...values: readonly string[]) => ({ field, values });
const POLICY: FilterRule = { ...RULE, handle: 0, verdict: 'other', ends: 'drop', inInterfaces: [], matches: [] };
const dataOf = (...was: readonly FilterRule[]) =>
  changesBetween(stateWith([...was, POLICY]), stateWith([POLICY])).map(({ setting = '', wasRules }) => [
    setting.split(' ')[0],
    wasRules?.map(({ verdict, ends, matches, matchesRest }) => [
      verdict,
      ...(ends === undefined ? [] : [ends]),
      matches.map(({ values }) => values.join(' ')).join('; '),
      ...(matchesRest ? ['more'] : []),
    ]),
  ]);
const plain = { matchesRest: false };

test('what let packets through is remembered as data, in order with what kept packets from it', () => {
  const rules: readonly FilterRule[] = [
    { ...RULE, ...plain, verdict: 'drop', ruleSha256: 'a'.repeat(64), matches: [demand('source', '192.0.2.0/24')] },
    {
      ...RULE,
      verdict: 'drop',
      ruleSha256: 'b'.repeat(64),
      matches: [],
      matchesRest: true,
      unread: ['ct state invalid'],
    },
    { ...RULE, verdict: 'accept', matches: [], matchesRest: true, unread: ['ct state established,related'] },
    { ...RULE, ...plain, verdict: 'other', ends: 'return', matches: [demand('destination', '203.0.113.9')] },
    { ...RULE, verdict: 'other', ends: 'unknown', matches: [], matchesRest: true, unread: ['meta mark 5'] },
    {
      ...RULE,
      verdict: 'accept',
      matches: [demand('source', '198.19.1.0/24')],
      matchesRest: true,
      unread: ['ct state new'],
    },
    { ...RULE, ...plain, verdict: 'accept', matches: [demand('destination', '203.0.113.1')] },
    { ...RULE, ...plain, verdict: 'drop', ruleSha256: 'c'.repeat(64), matches: [demand('source', '198.51.100.0/24')] },
  ];
  const kept = [
    ['drop', '192.0.2.0/24'],
    ['other', 'return', '203.0.113.9'],
    ['other', 'unknown', '', 'more'],
  ];
  assert.deepEqual(dataOf(...rules), [
    ['aaaaaaaaaaaaaaaa', [['drop', '192.0.2.0/24']]],
    ['bbbbbbbbbbbbbbbb', []],
    ['cccccccccccccccc', [['drop', '198.51.100.0/24']]],
    ['accept', [['drop', '192.0.2.0/24']]],
    ['accept', [...kept, ['accept', '198.19.1.0/24']]],
    ['accept', [...kept, ['accept', '203.0.113.1']]],
    ['leave', kept.slice(0, 2)],
    ['leave', kept],
  ]);
});

test('rules of a chain that stand in another order are a change, where that decides of a packet', () => {
  const of = (verdict: 'accept' | 'drop', network: string, more: Partial<FilterRule> = {}): FilterRule => ({
    ...{ ...RULE, ...plain, verdict, matches: [demand('source', network)] },
    ...(verdict === 'drop' ? { ruleSha256: network.padEnd(64, '0') } : {}),
    ...more,
  });
  const [open, wide, shut, other] = [
    of('accept', '198.19.1.0/24'),
    of('accept', '198.19.2.0/24'),
    of('drop', '198.19.0.0/16'),
    of('drop', '192.0.2.0/24'),
  ];
  const leave: FilterRule = { ...RULE, ...plain, verdict: 'other', ends: 'return', matches: [] };
  const change = (was: readonly FilterRule[], is: readonly FilterRule[]) =>
    changesBetween(stateWith([...was, POLICY]), stateWith([...is, POLICY])).map((each) => [
      each.setting?.split(' ')[0],
      each.is,
      each.wasRules?.length,
    ]);
  const words = 'accept, from eth1, source 198.19.1.0/24 (its rules stand in another order)';
  assert.deepEqual(change([open, shut], [shut, open]), [['accept', words, 1]]);
  assert.deepEqual(change([shut, open], [open, shut]), [['accept', words, 2]]);
  assert.deepEqual(change([shut, other, open, wide], [other, shut, wide, open]), []);
  assert.deepEqual(
    change([open, shut], [other, open, shut]).map(([, is]) => is),
    ['drop, from eth1, source 192.0.2.0/24'],
    'a rule that came is a change of its own',
  );
  assert.deepEqual(
    change([leave, shut], [shut, leave]).map(([setting]) => setting),
    ['leave'],
  );
  const early = (rule: FilterRule) => ({ ...rule, hook: 'prerouting' });
  assert.equal(change([open, shut].map(early), [shut, open].map(early)).length, 1);
});

test('of rules or values beyond the bounds no data are remembered, and of those within them all', () => {
  const accept = (...values: readonly string[]): FilterRule => ({
    ...RULE,
    ...plain,
    matches: [demand('source', ...values)],
  });
  const networks = (count: number) => Array.from({ length: count }, (_, at) => `198.18.${at}.0/24`);
  const sizes = (...rules: readonly FilterRule[]) => dataOf(...rules).map(([, data]) => data?.length);
  assert.deepEqual(sizes(...networks(32).map((network) => accept(network))), [32]);
  assert.deepEqual(sizes(...networks(33).map((network) => accept(network))), [undefined]);
  // With the interface that each rule names.
  assert.deepEqual(sizes(accept(...networks(63)), accept(...networks(63))), [2]);
  assert.deepEqual(sizes(accept(...networks(64)), accept(...networks(63))), [undefined]);
  const drops = Array.from({ length: 70 }, (_, at): FilterRule => {
    const ruleSha256 = at.toString(16).padStart(64, '0').split('').reverse().join('');
    return { ...RULE, ...plain, verdict: 'drop', ruleSha256, matches: [demand('source', ...networks(63))] };
  });
  assert.equal(sizes(...drops).filter((size) => size !== undefined).length, 64);
});

test('a rule that drops and is longer than its words differs where the whole does, and not from what an earlier program told of it', () => {
  const blocked = (...values: readonly string[]): FilterRule => ({
    ...{ ...RULE, ...plain, verdict: 'drop', ruleSha256: 'd'.repeat(64) },
    matches: [demand('source', ...values)],
  });
  const networks = Array.from({ length: 40 }, (_, at) => `198.18.${at}.0/24`);
  const settingsWith = (rule: FilterRule) => settingsOf(stateWith([rule]));
  const is = settingsWith(blocked(...networks, '192.0.2.1'));
  assert.equal(compareSettings(settingsWith(blocked(...networks, '192.0.2.2')), is).differences.length, 1);
  const earlier = (value: string) => ({
    ...is,
    rows: is.rows.map((row) => (row.kind === 'filter' ? { ...row, value } : row)),
  });
  const words = `${`drop, from eth1, source ${networks.join(' ')} 192.0.2.1`.slice(0, 255)}…`;
  assert.equal(compareSettings(earlier(words), is).differences.length, 0);
  assert.equal(compareSettings(earlier(words.replace('198.18.0.0', '198.18.0.1')), is).differences.length, 1);
});

test('what earlier programs did not tell, fields in rows and what xtables writes, is no change when it is told first', () => {
  const row = { field: 'row' as const, values: ['source 192.0.2.1 . destination 192.0.2.2'] };
  const sources = [demand('source', '192.0.2.1', '192.0.2.3'), demand('destination', '192.0.2.2', '192.0.2.4')];
  const dropping: FilterRule = { ...RULE, verdict: 'drop', ruleSha256: 'e'.repeat(64), matches: [...sources, row] };
  const writing: FilterRule = {
    ...{ ...RULE, hook: 'postrouting', handle: 4, verdict: 'other' },
    ...{ matches: [], rewrites: ['source = not told'] },
  };
  const is = settingsOf(stateWith([dropping, writing]));
  const old = settingsOf(stateWith([{ ...dropping, matches: sources }]));
  const before = { ...old, met: old.met.filter((each) => each !== 'read translations') };
  assert.deepEqual(compareSettings(before, is).differences, []);
  assert.equal(compareSettings(old, is).differences.length, 1, 'a rule that came');
});

test('a rule that two base chains lead to is one setting, with its data of each', () => {
  const of = (base: string, hook: string): FilterRule => ({
    ...{ ...RULE, ...plain, verdict: 'drop', chain: 'bad', path: [base, 'bad'], hook },
    ...{ ruleSha256: 'f'.repeat(64), matches: [demand('source', '198.19.1.0/24')] },
  });
  const rowsOf = (...rules: readonly FilterRule[]) =>
    settingsOf(stateWith(rules)).rows.flatMap(({ kind, rules: data }) =>
      kind === 'filter' ? [data?.map(({ path }) => path[0])] : [],
    );
  assert.deepEqual(rowsOf(of('f', 'forward'), of('p', 'postrouting'), of('i', 'input')), [['f', 'p']]);
  assert.deepEqual(rowsOf(of('i', 'input')), [undefined]);
});

test('a rule that limits the segments of TCP is remembered: its loss is a change, and none that an earlier program did not tell', () => {
  const clamp: FilterRule = {
    ...{ ...RULE, handle: 4, verdict: 'other', inInterfaces: [], outInterfaces: ['vx7'] },
    ...{ matches: [], rewrites: ['tcp option maxseg size = 1340'] },
  };
  const [is, none] = [settingsOf(stateWith([clamp])), settingsOf(stateWith([]))];
  assert.deepEqual(
    compareSettings(is, none).differences.map(({ change }) => [change.was, change.is]),
    [['tcp option maxseg size = 1340, to vx7', undefined]],
  );
  assert.equal(compareSettings(none, is).differences.length, 1, 'a rule that came');
  const before = { ...none, met: none.met.filter((each) => each !== 'read segment-sizes') };
  assert.deepEqual(compareSettings(before, is).differences, []);
});
