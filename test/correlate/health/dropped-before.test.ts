// What filters of a path's nodes do to what hosts behind its ends send, against what these nodes remember of their rules.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import {
  about,
  type Change,
  changed,
  filtering,
  letting,
  ofTable,
  POLICY,
  rule,
  said,
  taking,
  V4,
  was,
} from './network-scene.ts';

test('what a node of the path let through before, and drops now, keeps the path from being healthy', () => {
  const rules = [letting('198.19.3.0/24'), { ...POLICY, ...V4 }].map((each) => ({ ...each, ...V4 }));
  const subject = { subject: 'ip fw f' };
  const line =
    '{r2}: the policy of ip fw f drops what hosts of 198.19.1.1/24 on eth3 behind {r1} send to 198.19.3.1/24 on eth3 behind {r3}';
  const lost = said(filtering(rules, { ...was(taking('accept', '198.19.1.0/24', '198.19.3.0/24')), ...subject }));
  assert.deepEqual([lost.kind, about(lost.lacking)], ['inconclusive', [`${line}, and let it through before`]]);
  const echoes = { ...rule('accept', { matches: [{ field: 'protocol', values: ['icmp'] }] }), ...V4 };
  const spared = said(
    filtering([echoes, ...rules], { ...was(taking('accept', '198.19.1.0/24', '198.19.3.0/24')), ...subject }),
  );
  assert.deepEqual(about(spared.lacking), [`${line}, and let it through before`], 'echoes spare no network');
  const always = said(filtering(rules, { ...was(taking('accept', '198.19.9.0/24')), ...subject }));
  assert.deepEqual(
    [about(always.lacking), about(always.proven)],
    [[], [`${line}, and no change that it remembers tells that it let it through before`]],
  );
  const fresh = said(filtering(rules, { ...subject, setting: 'policy', is: 'policy drop', agoMs: 60_000 }));
  assert.deepEqual(about(fresh.lacking), [`${line}, by what was not there before`]);
  const open = said(filtering([letting('198.19.1.0/24', '198.19.3.0/24'), POLICY].map((each) => ({ ...each, ...V4 }))));
  assert.deepEqual([about(open.lacking), about(open.proven)], [[], []]);
});

test('a memory that has only words of the rules that changed, or rules that are not wholly known, proves nothing', () => {
  const rules = [
    { ...letting('198.19.3.0/24'), ...V4 },
    { ...POLICY, ...V4 },
  ];
  const unknown =
    '{r2}: the policy of ip fw f drops what hosts of 198.19.1.1/24 on eth3 behind {r1} send to 198.19.3.1/24 on eth3 behind {r3}; its rules changed, and whether it let it through before is not known';
  const lackingAfter = (...changes: readonly object[]) => {
    const { kind, lacking } = said(filtering(rules, ...changes.map((each) => ({ ...each, subject: 'ip fw f' }))));
    return [kind, about(lacking)];
  };
  assert.deepEqual(lackingAfter(was()), ['inconclusive', [unknown]]);
  assert.deepEqual(lackingAfter(was({ ...taking('accept', '198.19.1.0/24'), matchesRest: true })), [
    'inconclusive',
    [unknown],
  ]);
  // Of another base chain, behind a rule that drops it, or there for a moment: it was never let through.
  const none = said(filtering(rules)).kind;
  for (const changes of [
    [was({ ...taking('accept', '198.19.1.0/24'), path: ['other'] })],
    [was(taking('drop', '198.19.0.0/16'), taking('accept', '198.19.1.0/24'))],
    [was(taking('accept', '198.19.1.0/24')), { setting: 'accept 01234567', agoMs: 65_000, is: 'accept' }],
  ])
    assert.deepEqual(lackingAfter(...changes), [none, []]);
});

test('a rule that was edited and dropped the packets before as well is not new; one that took others is', () => {
  const all = rule('drop', {
    ...V4,
    ruleSha256: 'b'.repeat(64),
    matches: [{ field: 'source', values: ['198.19.1.0/24'] }],
  });
  const edits = (...before: readonly string[]) => [
    { subject: 'ip fw f', setting: 'b'.repeat(16), is: 'drop', agoMs: 60_000 },
    { subject: 'ip fw f', setting: 'a'.repeat(16), was: 'drop', wasRules: [taking('drop', ...before)], agoMs: 60_000 },
  ];
  assert.deepEqual(about(said(filtering([all], ...edits('198.19.0.0/16'))).lacking), []);
  assert.equal(about(said(filtering([all], ...edits('198.19.7.0/24'))).lacking).length, 1);
});

test('a set of a rule that drops, with one network more, is a change; where its elements of before are not known, so is the rest', () => {
  const blocked = rule('drop', {
    ...V4,
    ruleSha256: 'e'.repeat(64),
    matches: [{ field: 'source', values: ['198.19.1.0/24'] }],
  });
  const grown = (...wasRules: readonly object[]) => ({
    ...{ subject: 'ip fw f', setting: 'e'.repeat(16), was: 'drop', is: 'drop, source', agoMs: 3_600_000 },
    ...(wasRules.length === 0 ? {} : { wasRules }),
  });
  const lines = (...rules: readonly FilterRule[]) =>
    [grown(taking('drop', '198.19.7.0/24')), grown(), grown(taking('drop', '198.19.1.0/25'))].map((change) =>
      about(said(filtering(rules, change)).lacking).map((line) => line.split(/, and /).at(-1)),
    );
  assert.deepEqual(lines(blocked), [['let it through before'], ['whether it let it through before is not known'], []]);
  assert.deepEqual(lines(blocked, { ...POLICY, ...V4 }), [[], [], []], 'the policy dropped it as well');
});

test('a new rule that drops what the policy dropped before stops nothing', () => {
  const logged = rule('drop', { ...V4, ruleSha256: 'f'.repeat(64) });
  const came = { subject: 'ip fw f', setting: 'f'.repeat(16), is: 'drop', agoMs: 60_000 };
  assert.equal(about(said(filtering([logged], came)).lacking).length, 1);
  assert.deepEqual(about(said(filtering([logged, { ...POLICY, ...V4 }], came)).lacking), []);
});

test('a permission for a host that has gone, as of a container that was stopped, is missed by no network', () => {
  const rules = [
    rule('accept', { ...V4, matches: [{ field: 'destination', values: ['198.19.3.77'] }] }),
    { ...POLICY, ...V4 },
  ];
  const gone = {
    ...was({ ...taking('accept'), matches: [{ field: 'destination', values: ['198.19.3.55'] }] }),
    subject: 'ip fw f',
  };
  const heard =
    (answeredAgoMs: number): Change =>
    (state) => ({
      ...state,
      history: {
        ...state.history!,
        hosts: [{ ifname: 'eth3', address: '198.19.3.55', mac: '02:00:00:00:00:55', answeredAgoMs }],
      },
    });
  const lines = (answeredAgoMs: number) =>
    about(said(filtering(rules, gone), { states: { r3: heard(answeredAgoMs) } }).lacking).length;
  assert.deepEqual([lines(120_001), lines(5_000)], [0, 1]);
});

test('what another chain dropped all the time was never let through', () => {
  const [mine, other] = ['fw', 'guard'].map((table) => ({
    ...rule('drop', { ...V4, matches: [{ field: 'source', values: ['198.19.1.0/24'] }] }),
    ...{ table, ruleSha256: (table === 'fw' ? 'c' : 'd').repeat(64) },
  }));
  const came = { subject: 'ip fw f', setting: 'c'.repeat(16), is: 'drop', agoMs: 60_000 };
  assert.equal(about(said(filtering([mine!], came)).lacking).length, 1);
  assert.deepEqual(about(said(filtering([mine!, other!], came)).lacking), []);
});

test('whole states of the last minutes tell what a node let through, in the order of its rules', () => {
  const open = [letting('198.19.1.0/24', '198.19.3.0/24'), POLICY].map((each) => ({ ...each, ...V4 }));
  const shut = [letting('198.19.3.0/24'), POLICY].map((each) => ({ ...each, ...V4 }));
  const seen =
    (filters: readonly FilterRule[], forMs: number): Change =>
    (state) =>
      ({
        ...filtering(shut)(state, 'after'),
        past: [{ fromAgoMs: 60_000 + forMs, untilAgoMs: 60_000, state: { ...state, filters } }],
      }) as unknown as NodeState;
  assert.equal(about(said(seen(open, 30_000)).lacking).length, 1);
  assert.deepEqual(about(said(seen(open, 1_000)).lacking), [], 'while it was loaded');
  assert.deepEqual(about(said(seen(shut, 30_000)).lacking), []);
});

test('where rules by which packets leave a chain changed, it is not known what it let through before', () => {
  const inner = { chain: 'g', path: ['f', 'g'] };
  const leave = (...values: readonly string[]) =>
    ofTable('other', { ...inner, ends: 'return', handle: 4, matches: [{ field: 'source', values }] });
  const drop = ofTable('drop', { ...inner, handle: 5, ruleSha256: 'b'.repeat(64) });
  const ends = (before: readonly FilterRule[], after: readonly FilterRule[]) =>
    said(changed(before, after)).lacking.filter((line) => /whether it let it through before is not known/.test(line))
      .length;
  const spared = leave('198.19.1.0/24', '198.19.3.0/24');
  assert.equal(ends([spared, drop], [leave('198.19.3.0/24'), drop]), 1);
  assert.equal(ends([spared, drop], [spared, drop]), 0);
  assert.equal(
    ends([leave('198.19.7.0/24', '198.19.3.0/24'), drop], [leave('198.19.3.0/24'), drop]),
    0,
    'another network',
  );
  const accept = ofTable('accept', { matches: [{ field: 'source', values: ['198.19.1.0/24', '198.19.3.0/24'] }] });
  const came = ofTable('other', {
    ends: 'return',
    handle: 9,
    matches: [{ field: 'source', values: ['198.19.1.0/24'] }],
  });
  const policy = { ...POLICY, ...V4 };
  assert.equal(ends([accept, policy], [came, accept, policy]), 1);
});

test('of a node with too many rules to be remembered it is not said that they have been so; other hooks are remembered', () => {
  const missed = (r2: Change) => {
    const { proven, lacking } = said(r2);
    assert.deepEqual(about(lacking), []);
    return proven.filter((line) => /is not known, as it has too many rules to remember/.test(line)).length;
  };
  const accept = ofTable('accept', { handle: 2, matches: [{ field: 'source', values: ['198.19.3.0/24'] }] });
  const policy = { ...POLICY, ...V4 };
  const others = Array.from({ length: 511 }, (_, at) =>
    ofTable('accept', { handle: at + 9, matches: [{ field: 'source', values: ['192.0.2.1'] }] }),
  );
  assert.equal(missed(filtering([accept, ...others, policy])), 1);
  assert.equal(missed(filtering([accept, policy])), 0);
  const early = (each: FilterRule) => ({ ...each, hook: 'prerouting' });
  const all = { ...accept, matches: [{ field: 'source' as const, values: ['198.19.1.0/24', '198.19.3.0/24'] }] };
  const [before, after] = [
    [all, policy],
    [accept, policy],
  ].map((rules) => rules.map(early));
  assert.equal(missed(filtering(after!)), 0);
  assert.deepEqual(
    about(said(changed(before!, after!)).lacking).map((line) => line.split(', and ').at(-1)),
    ['let it through before'],
  );
});

test('a rule that drops and was moved before a permission is a change; permissions among themselves are none', () => {
  const open = ofTable('accept', { matches: [{ field: 'source', values: ['198.19.1.0/24', '198.19.3.0/24'] }] });
  const other = ofTable('accept', { handle: 2, matches: [{ field: 'source', values: ['198.19.7.0/24'] }] });
  const shut = ofTable('drop', {
    ...{ handle: 3, ruleSha256: '9'.repeat(64) },
    matches: [{ field: 'source', values: ['198.19.1.0/24'] }],
  });
  const policy = { ...POLICY, ...V4 };
  const lines = (before: readonly FilterRule[], after: readonly FilterRule[]) =>
    about(said(changed(before, after)).lacking).map((line) => line.split(', and ').at(-1));
  assert.deepEqual(lines([open, shut, policy], [shut, open, policy]), ['let it through before']);
  assert.deepEqual(lines([shut, open, policy], [shut, open, policy]), []);
  assert.deepEqual(lines([shut, open, other, policy], [shut, other, open, policy]), []);
});
