// Networks of hosts behind the two ends of a path: what filters of its nodes do to what hosts there send, and probes from an end's own address there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { doubtsOf } from '#correlate/doubts.ts';
import { networkProof } from '#correlate/health/proof-networks.ts';
import { stepsOf } from '#correlate/packet-filter/followed-steps.ts';
import { standInOf } from '#correlate/packet-filter/stand-ins.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { changesBetween } from '#model/settings/changes.ts';
import { along, PATH } from '../path-scene.ts';
import { type Scene, stateOf } from '../scope-scene.ts';

type Change = NonNullable<Scene['states']>[string];

function rule(verdict: FilterRule['verdict'], more: Partial<FilterRule> = {}): FilterRule {
  return {
    ...{ family: 'inet', table: 'fw', chain: 'f', path: ['f'], hook: 'forward', handle: 1, verdict },
    ...{ outInterfaces: [], inInterfaces: [], matches: [], matchesRest: false },
    ...more,
  };
}
const POLICY = rule('other', { ends: 'drop', handle: 0 });
const letting = (...values: readonly string[]) => rule('accept', { matches: [{ field: 'source', values }] });
/** r2 has these rules, and remembers these changes of them. */
const filtering =
  (filters: readonly FilterRule[], ...changes: readonly object[]): Change =>
  (state) =>
    ({
      ...state,
      filters,
      history: {
        ...state.history!,
        settings: changes.map((each) => ({ kind: 'filter', subject: 'inet fw f', ...each })),
      },
    }) as unknown as NodeState;
const DATA = { path: ['f'], inInterfaces: [], outInterfaces: [], matchesRest: false };
const taking = (verdict: 'accept' | 'drop', ...values: readonly string[]) => ({
  ...DATA,
  ...{ verdict, matches: values.length === 0 ? [] : [{ field: 'source', values }] },
});
const was = (...wasRules: readonly object[]) => ({
  ...{ setting: 'accept 01234567', agoMs: 60_000, was: 'accept', is: 'accept, source 198.19.3.0/24' },
  ...(wasRules.length === 0 ? {} : { wasRules }),
});
const V4 = { family: 'ip' } as const;
const said = (r2: Change, more: Scene = {}) => {
  const input = along({ ...more, states: { ...more.states, r2 } });
  const { planned } = caseFileOf(input.intent, input.nodeNames, input.evidence, input.outcomes);
  return { ...planned, kind: diagnose(input).verdict.kind };
};
const about = (lines: readonly string[]) => lines.filter((line) => /of inet fw f|of ip fw f|packet filters/.test(line));

test('what a node of the path let through before, and drops now, keeps the path from being healthy', () => {
  const rules = [letting('198.19.3.0/24'), { ...POLICY, ...V4 }].map((each) => ({ ...each, ...V4 }));
  const subject = { subject: 'ip fw f' };
  const line =
    '{r2}: the policy of ip fw f drops what hosts of 198.19.1.1/24 on eth3 behind {r1} send to 198.19.3.1/24 on eth3 behind {r3}';
  const lost = said(filtering(rules, { ...was(taking('accept', '198.19.1.0/24', '198.19.3.0/24')), ...subject }));
  assert.deepEqual([lost.kind, about(lost.lacking)], ['inconclusive', [`${line}, and let it through before`]]);
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

test('what a node of the way translates is not what the others see: their rules against it say nothing', () => {
  const rules = [
    { ...letting('198.19.3.0/24'), ...V4 },
    { ...POLICY, ...V4 },
  ];
  const fresh = { subject: 'ip fw f', setting: 'policy', is: 'policy drop', agoMs: 60_000 };
  const writing =
    (more: Partial<FilterRule>): Change =>
    (state) => ({
      ...state,
      filters: [
        rule('other', { ...V4, table: 'nat', path: ['nat'], hook: 'postrouting', rewrites: ['source = own'], ...more }),
      ],
    });
  const lines = (more: Partial<FilterRule>) =>
    about(said(filtering(rules, fresh), { states: { r1: writing(more) } }).lacking);
  assert.deepEqual(lines({}), []);
  assert.deepEqual(lines({ matchesRest: true, unread: ['meta mark 5'] }), [], 'that it may is enough');
  assert.equal(lines({ matches: [{ field: 'source', values: ['198.19.9.0/24'] }] }).length, 1, 'another network');
  assert.equal(lines({ hook: 'input' }).length, 1);
});

test('a rule that spares a service, or a share, drops no network', () => {
  const port = rule('drop', { ...V4, matches: [{ field: 'protocol', values: ['tcp'] }] });
  const policer = rule('drop', { ...V4, matchesRest: true, unread: ['limit rate over 10/second'] });
  assert.deepEqual(about(said(filtering([port])).proven), []);
  const unsure = said(filtering([policer]));
  assert.deepEqual(
    [about(unsure.lacking), about(unsure.proven)],
    [
      [],
      [
        'not looked at: whether {r2} lets what hosts of 198.19.1.1/24 on eth3 behind {r1} send to 198.19.3.1/24 on eth3 behind {r3}; what hosts of 198.19.3.1/24 on eth3 behind {r3} send to 198.19.1.1/24 on eth3 behind {r1} through depends on a rule of ip fw f that is not wholly understood (limit rate over 10/second)',
      ],
    ],
  );
  assert.deepEqual(about(said(filtering([policer]), { more: [probed('r1', 5), probed('r3', 5)] }).proven), []);
});

test('of a node with more rules than one answer follows it is not known what they do', () => {
  const input = along({ states: { r2: filtering([{ ...POLICY, ...V4 }]) } });
  const { world } = caseFileOf(input.intent, input.nodeNames, input.evidence, input.outcomes);
  assert.equal(stepsOf({ ...world }, 'r2').left, 2_000_000, 'a third of all');
  const proofWith = (left: number) => {
    const mine = { ...world };
    stepsOf(mine, 'r2').left = left;
    return networkProof(mine, []);
  };
  assert.deepEqual(proofWith(2_000_000).lacking, []);
  assert.deepEqual(proofWith(5), {
    proven: [],
    lacking: [
      '{r2}: its packet filters have more rules than are followed: what they do to packets of hosts is not known',
    ],
  });
});

const changed =
  (before: readonly FilterRule[], after: readonly FilterRule[]): Change =>
  (state, when) => {
    const [was, is] = [before, after].map((filters) => ({ ...stateOf(2), filters }));
    const changes = changesBetween(was!, is!).map((each) => ({ ...each, agoMs: 3_600_000 }));
    return filtering(after, ...changes)(state, when);
  };
const ofTable = (verdict: FilterRule['verdict'], more: Partial<FilterRule> = {}) => rule(verdict, { ...V4, ...more });

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

test('what a node does not remember, of other hooks or of too many rules, is not said to have been so', () => {
  const missed = (r2: Change) => said(r2).lacking.filter((line) => /does not remember such rules/.test(line)).length;
  const accept = ofTable('accept', { handle: 2, matches: [{ field: 'source', values: ['198.19.3.0/24'] }] });
  const policy = { ...POLICY, ...V4 };
  const early = (each: FilterRule) => ({ ...each, hook: 'prerouting' });
  assert.equal(missed(filtering([accept, policy].map(early))), 1);
  const others = Array.from({ length: 511 }, (_, at) =>
    ofTable('accept', { handle: at + 9, matches: [{ field: 'source', values: ['192.0.2.1'] }] }),
  );
  assert.equal(missed(filtering([accept, ...others, policy])), 1);
  assert.equal(missed(filtering([accept, policy])), 0);
});

test('what another node dropped all the time is no matter of the next one; networks beyond the first four are said', () => {
  const came = { subject: 'ip fw f', setting: '2'.repeat(16), is: 'drop', agoMs: 60_000 };
  const fresh = filtering([ofTable('drop', { ruleSha256: '2'.repeat(64) })], came);
  assert.equal(about(said(fresh).lacking).length, 1);
  const walled: Change = (state) => ({ ...state, filters: [ofTable('drop', { ruleSha256: '1'.repeat(64) })] });
  assert.deepEqual(about(said(fresh, { states: { r1: walled } }).lacking), []);
  const wide: Change = (state) => {
    const { interfaces } = state.inventory;
    const more = [5, 6, 7, 8].map((at) => ({
      ...interfaces.at(-1)!,
      name: `vlan${at}`,
      addresses: [`198.19.1${at}.1/24`],
    }));
    return { ...state, inventory: { ...state.inventory, interfaces: [...interfaces, ...more] } };
  };
  const { proven } = said(unchanged, { states: { r1: wide } });
  assert.deepEqual(
    proven.filter((line) => /after the first four/.test(line)),
    ['not looked at: networks of hosts behind {r1} after the first four (2)'],
  );
});

test('rules against spoofing and for addresses of routers drop no network: another address stands for its hosts', () => {
  const came = (setting: string) => ({ subject: 'ip fw f', setting, is: 'drop', agoMs: 60_000 });
  const routers = rule('drop', {
    ...{ ...V4, ruleSha256: '1'.repeat(64) },
    matches: [{ field: 'destination', values: ['198.19.3.1', '198.19.1.1', '198.19.3.71', '198.18.0.0/16'] }],
  });
  assert.deepEqual(about(said(filtering([routers], came('1'.repeat(16)))).lacking), []);
  assert.deepEqual(about(said(filtering([routers])).proven), []);
  const spoofed = rule('drop', {
    ...{ ...V4, ruleSha256: '2'.repeat(64) },
    matches: [{ field: 'source', values: ['198.19.1.1'] }],
  });
  assert.deepEqual(about(said(filtering([spoofed], came('2'.repeat(16)))).lacking), []);
  const all = { ...spoofed, matches: [{ field: 'source' as const, values: ['198.19.1.0/24'] }] };
  assert.equal(about(said(filtering([all], came('2'.repeat(16)))).lacking).length, 1);
  const { world } = caseFileOf(PLAIN.intent, PLAIN.nodeNames, PLAIN.evidence, PLAIN.outcomes);
  const standing = ['198.19.1.1/24', '198.19.9.2/30', '198.19.9.2/31', '198.19.9.2/32', 'fd00::1/64', '198.19.9.2/25'];
  assert.deepEqual(
    standing.map((network) => standInOf(world, network)),
    ['198.19.1.71', '198.19.9.1', '198.19.9.3', '198.19.9.2', 'fd00:0:0:0:4000:0:0:7', '198.19.9.39'],
  );
});
const PLAIN = along({});

test('a probe that a filter for routers themselves drops, or may drop, says nothing of hosts', () => {
  const chain = { ...V4, chain: 'in', path: ['in'], hook: 'input' };
  const denying =
    (...rules: readonly FilterRule[]): Change =>
    (state) => ({ ...state, filters: [...rules, { ...POLICY, ...chain }] });
  const lines = (r3: Change, received = 0) => {
    const { lacking, proven } = said(unchanged, { states: { r3 }, more: [probed('r1', received)] });
    const isOf = (line: string) => /probes from 198\.19\.1\.1|^not tested: /.test(line);
    return [lacking.filter(isOf).length, proven.filter(isOf).map((line) => line.split(`, `).slice(1).join(', '))];
  };
  const why = ['as packet filters of {r3} drop such probes, or may'];
  assert.deepEqual(lines(denying()), [0, why]);
  assert.deepEqual(
    lines(denying(rule('accept', { ...chain, matchesRest: true, unread: ['limit rate 5/second'] })), 3),
    [0, why],
  );
  assert.deepEqual(lines(denying(rule('accept', { ...chain, matches: [{ field: 'protocol', values: ['udp'] }] }))), [
    1,
    [],
  ]);
  assert.deepEqual(lines(unchanged), [1, []]);
  const input = along({ states: { r3: denying() }, more: [probed('r1', 0)] });
  const file = caseFileOf(input.intent, PATH, input.evidence, input.outcomes);
  assert.deepEqual(doubtsOf(file, new Map(), []).networks, [], 'it is not looked at again');
});

test('a router of a kind that never tells its packet filters keeps no path open: that they were not looked at is said', () => {
  const device =
    (driver: 'netconf' | 'linux-frr', ...parts: readonly string[]): Change =>
    (state) => ({
      ...state,
      inventory: { ...state.inventory, driver },
      filters: [],
      missing: parts.map((part) => ({ part, reason: 'no word of them' })),
    });
  const lines = (r2: Change) => {
    const { lacking, proven } = said(r2);
    return [about(lacking).length, proven.filter((each) => /packet filters of/.test(each))];
  };
  assert.deepEqual(lines(device('netconf', 'neighbours', 'filters')), [
    0,
    ['not looked at: what packet filters of {r2} do to packets of hosts (no word of them)'],
  ]);
  assert.deepEqual(lines(device('netconf', 'filters', 'traffic-control')), [1, []]);
  assert.deepEqual(lines(device('linux-frr', 'filters')), [1, []]);
});

test('a set that could not be read is no proof, unless probes from the network passed it', () => {
  const rules = [rule('drop', { ...V4, handle: 7, matchesRest: true, unread: ['ip saddr @blocked'] })];
  const { kind, lacking } = said(filtering(rules));
  assert.equal(kind, 'inconclusive');
  assert.deepEqual(about(lacking), [
    '{r2}: whether it lets what hosts of 198.19.1.1/24 on eth3 behind {r1} send to 198.19.3.1/24 on eth3 behind {r3} through is not known: a set of ip fw f on {r2} that could not be read (ip saddr @blocked)',
    '{r2}: whether it lets what hosts of 198.19.3.1/24 on eth3 behind {r3} send to 198.19.1.1/24 on eth3 behind {r1} through is not known: a set of ip fw f on {r2} that could not be read (ip saddr @blocked)',
  ]);
  const passed = said(filtering(rules), { more: [probed('r1', 5), probed('r3', 5)] });
  assert.deepEqual(about(passed.lacking), []);
  assert.equal(about(passed.proven).filter((line) => line.startsWith('not looked at: ')).length, 2);
  const missing =
    (part: string): Change =>
    (state) => ({ ...state, filters: [{ ...POLICY, ...V4 }], missing: [{ part, reason: 'nft failed' }] });
  const line = '{r2}: its packet filters could not be read (nft failed): what they do to packets of hosts is not known';
  assert.deepEqual(about(said(missing('filters')).lacking), [line]);
  assert.deepEqual(about(said(missing('filters')).proven), [], 'of a part of the rules nothing is said');
  assert.deepEqual(about(said(missing('xtables')).lacking), [line]);
});

const probed = (node: 'r1' | 'r3', received: number, round: 'first' | 'confirmation' = 'first', sent = 5) => ({
  node,
  purpose: { kind: 'network-reach', sender: `198.19.${node.slice(1)}.1`, round } as const,
  body: {
    results: [{ destination: `198.19.${node === 'r1' ? 3 : 1}.1`, sent, received, rttMs: received > 0 ? 1 : null }],
  },
});
const unchanged: Change = (state) => state;

test('probes from networks of hosts that were answered are part of the proof; lost ones are looked at again, and lacking', () => {
  const well = said(unchanged, { more: [probed('r1', 5), probed('r3', 5)] });
  assert.ok(
    well.proven.includes(
      '{r1}: 5 of 5 probes from 198.19.1.1, its addresses on networks of hosts, to those of {r3} came back',
    ),
    well.proven.join('\n'),
  );
  const line = (sent: number) =>
    `{r1} → 198.19.3.1 of {r3}: ${sent} of ${sent} probes from 198.19.1.1 did not come back; hosts of 198.19.1.1/24 may get no answer either`;
  const lost = said(unchanged, { more: [probed('r1', 0), probed('r1', 0, 'confirmation', 100)] });
  assert.deepEqual([lost.kind, lost.lacking.includes(line(105))], ['inconclusive', true]);
  const stray = said(unchanged, { more: [probed('r1', 4), probed('r1', 100, 'confirmation', 100)] });
  assert.equal(
    stray.lacking.some((each) => /from 198\.19\.1\.1/.test(each)),
    false,
  );
  const input = along({ more: [probed('r1', 3), probed('r3', 5)] });
  const file = caseFileOf(input.intent, PATH, input.evidence, input.outcomes);
  const pairs = (doubtsOf(file, new Map(), []).networks ?? []).map((each) => [
    each.from,
    each.sender,
    each.destination,
  ]);
  assert.deepEqual(pairs, [['r1', '198.19.1.1', '198.19.3.1']]);
});

test('what has no way back, or a table of its own, is owed no answer; what was answered without one is', () => {
  const none = { r3: [{ destination: '198.19.1.1', kind: 'none' as const }] };
  const untested = /^not tested: \{r1\} → 198\.19\.3\.1 of \{r3\} from 198\.19\.1\.1,/;
  const lost = said(unchanged, { lookups: none, more: [probed('r1', 0)] });
  assert.deepEqual(
    [lost.lacking.filter((each) => /198\.19\.1\.1/.test(each)), lost.proven.some((each) => untested.test(each))],
    [[], true],
  );
  const own = { family: 'ipv4', priority: 100, action: 'table', table: 100, from: '198.19.1.0/24' };
  const chosen: Change = (state) =>
    ({ ...state, forwarding: { policyRules: [own], interfaces: [] } }) as unknown as NodeState;
  const steered = said(chosen, { more: [probed('r1', 0)] });
  assert.equal(
    steered.proven.some((each) => untested.test(each)),
    true,
  );
  const inwards = [
    rule('accept', { ...V4, matches: [{ field: 'source', values: ['198.19.1.0/24'] }] }),
    { ...POLICY, ...V4 },
  ];
  const walled = said(filtering(inwards), { more: [probed('r1', 0)] });
  assert.equal(
    walled.lacking.some((each) => /5 of 5 probes from 198\.19\.1\.1 did not come back/.test(each)),
    true,
    'that the other network may begin no connection excuses no lost answer',
  );
  const unowed = along({ lookups: none, more: [probed('r1', 0)] });
  const file = caseFileOf(unowed.intent, PATH, unowed.evidence, unowed.outcomes);
  assert.deepEqual(doubtsOf(file, new Map(), []).networks, [], 'nothing is looked at again in vain');
  const sibling = {
    ...probed('r1', 5),
    purpose: { kind: 'network-reach', sender: '198.19.9.1', round: 'first' } as const,
  };
  const writing =
    (...values: readonly string[]): Change =>
    (state) => ({
      ...state,
      filters: [
        rule('other', { hook: 'postrouting', rewrites: ['source = own'], matches: [{ field: 'source', values }] }),
      ],
    });
  const owed = (r1: Change) =>
    said(unchanged, { states: { r1 }, lookups: none, more: [probed('r1', 0), sibling] }).lacking.some((each) =>
      /5 of 5 probes from 198\.19\.1\.1 did not come back/.test(each),
    );
  assert.equal(owed(writing('198.19.0.0/16')), true, 'another source is written into these as well');
  assert.equal(owed(writing('198.19.9.0/24')), false, 'into those of the other network alone');
  assert.equal(owed(unchanged), false);
});

test('hosts of one node of the path that ask a server of another in vain keep it from being healthy', () => {
  const asking = { port: 80, okTimes: 5, okAgoMs: 40_000, times: 3, sinceAgoMs: 20_000, lastAgoMs: 2_000 };
  // Hosts of one network alone may have a fault of their own.
  const clients = [
    { ifname: 'eth3', okIfname: 'eth3', client: '198.19.1.10' },
    { ifname: 'eth4', okIfname: 'eth4', client: '198.19.8.12' },
  ];
  const vain =
    (server: string): Change =>
    (state) => ({
      ...state,
      history: {
        ...state.history!,
        watchedHosts: {
          ...{ asks: [], names: [] },
          unanswered: clients.map((client) => ({ ...asking, ...client, server })),
        },
      },
    });
  const lines = (server: string) =>
    said(unchanged, { states: { r1: vain(server) } }).lacking.filter((each) => /sent requests again/.test(each)).length;
  assert.deepEqual(['198.19.3.10', '198.19.1.11', '203.0.113.9'].map(lines), [1, 0, 0]);
});
