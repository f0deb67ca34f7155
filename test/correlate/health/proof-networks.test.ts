// Networks of hosts behind the two ends of a path: what filters of its nodes do to what hosts there send, and probes from an end's own address there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { doubtsOf } from '#correlate/doubts.ts';
import type { Fact } from '#correlate/engine/facts.ts';
import { networkProof } from '#correlate/health/proof-networks.ts';
import { stepsOf } from '#correlate/packet-filter/followed-steps.ts';
import { standInOf } from '#correlate/packet-filter/stand-ins.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { along, PATH } from '../path-scene.ts';
import {
  about,
  type Change,
  filtering,
  letting,
  ofTable,
  POLICY,
  probed,
  rule,
  said,
  unchanged,
  V4,
} from './network-scene.ts';

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
    proven: [
      'not looked at: what packet filters of {r2} do to packets of hosts: they have more rules than are followed',
    ],
    lacking: [],
  });
});

test('what another node dropped all the time is no matter of the next one; networks beyond the first four are said', () => {
  const came = { subject: 'ip fw f', setting: '2'.repeat(16), is: 'drop', agoMs: 60_000 };
  const fresh = filtering([ofTable('drop', { ruleSha256: '2'.repeat(64) })], came);
  assert.equal(about(said(fresh).lacking).length, 1);
  const walled: Change = (state) => ({ ...state, filters: [ofTable('drop', { ruleSha256: '1'.repeat(64) })] });
  assert.deepEqual(about(said(fresh, { states: { r1: walled } }).lacking), []);
  const wide: Change = (state) => {
    const { interfaces } = state.inventory;
    const port = interfaces.at(-1)!;
    const more = [5, 6, 7, 8].map((at) => ({
      ...port,
      ...{ name: `vlan${at}`, addresses: [`198.19.1${at}.1/24`] },
      counters: { ...port.counters, rxPackets: at === 8 ? '100000' : '0' },
    }));
    return { ...state, inventory: { ...state.inventory, interfaces: [...interfaces, ...more] } };
  };
  const { proven, lacking } = said(fresh, { states: { r1: wide } });
  assert.deepEqual(
    proven.filter((line) => /beyond four/.test(line)),
    ['not looked at: networks of hosts behind {r1} beyond four of each family (1)'],
  );
  assert.equal(
    about(lacking).some((line) => line.includes('drops what hosts of 198.19.18.1/24 on vlan8 ')),
    true,
    'the one in use is the first',
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

test('a router that never told its packet filters keeps no path open: that they were not looked at is said', () => {
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
  assert.deepEqual(lines(device('linux-frr', 'filters')), [
    0,
    ['not looked at: what packet filters of {r2} do to packets of hosts (no word of them)'],
  ]);
  const before = (...parts: readonly string[]): Change => {
    const failing = device('linux-frr', 'filters');
    return (state, when) =>
      ({
        ...failing(state, when),
        past: [{ fromAgoMs: 9_000, untilAgoMs: 8_000, state: device('linux-frr', ...parts)(state, when) }],
      }) as unknown as NodeState;
  };
  assert.deepEqual([lines(before()), lines(before('filters'))[0]], [[1, []], 0], 'what was told before is wanted');
});

test('a set that could not be read is no proof of a permission, unless probes from the network passed it; one of what is dropped is said', () => {
  const permitted = [
    rule('accept', { ...V4, handle: 7, matchesRest: true, unread: ['ip saddr @inside'] }),
    { ...POLICY, ...V4 },
  ];
  const { kind, lacking } = said(filtering(permitted));
  assert.equal(kind, 'inconclusive');
  assert.deepEqual(about(lacking), [
    '{r2}: whether it lets what hosts of 198.19.1.1/24 on eth3 behind {r1} send to 198.19.3.1/24 on eth3 behind {r3}; what hosts of 198.19.3.1/24 on eth3 behind {r3} send to 198.19.1.1/24 on eth3 behind {r1} through is not known: a set of ip fw f on {r2} that could not be read (ip saddr @inside)',
  ]);
  const passed = said(filtering(permitted), { more: [probed('r1', 5), probed('r3', 5)] });
  assert.deepEqual(about(passed.lacking), []);
  assert.deepEqual(about(passed.proven), [
    'not looked at: a set of ip fw f on {r2} that could not be read (ip saddr @inside); probes from 198.19.1.1/24 on eth3, 198.19.3.1/24 on eth3 passed it',
  ]);
  const dropping = (unread: string) =>
    said(filtering([rule('drop', { ...V4, handle: 7, matchesRest: true, unread: [unread] })]));
  assert.equal(about(dropping('ip saddr != @inside').lacking).length, 1, 'whatever is in no element is dropped');
  assert.equal(about(dropping('xtables ! --match-set inside src').lacking).length, 1);
  const blocked = dropping('ip saddr @blocked');
  assert.deepEqual(
    [about(blocked.lacking), about(blocked.proven)],
    [
      [],
      [
        'not looked at: a set of ip fw f on {r2} that could not be read (ip saddr @blocked), which decides whether what hosts of 198.19.1.1/24 on eth3 behind {r1} send to 198.19.3.1/24 on eth3 behind {r3}; what hosts of 198.19.3.1/24 on eth3 behind {r3} send to 198.19.1.1/24 on eth3 behind {r1} gets through',
      ],
    ],
  );
});

test('filters of which a part could not be read, and could before, are no proof; those of an older program are not followed', () => {
  const missing =
    (part: string): Change =>
    (state) =>
      ({
        ...state,
        filters: [{ ...POLICY, ...V4 }],
        missing: [{ part, reason: 'nft failed' }],
        past: [{ fromAgoMs: 9_000, untilAgoMs: 8_000, state }],
      }) as unknown as NodeState;
  const line =
    '{r2}: its packet filters could not be read (nft failed), and could before: what they do to packets of hosts is not known';
  assert.deepEqual(about(said(missing('filters')).lacking), [line]);
  assert.deepEqual(about(said(missing('filters')).proven), [], 'of a part of the rules nothing is said');
  assert.deepEqual(about(said(missing('xtables')).lacking), [line]);
  const older: Change = (state) => {
    const { filtersInOrder: _, ...rest } = state;
    return { ...rest, filters: [rule('drop', { ...V4, chain: 'g', path: ['f', 'g'], ruleSha256: '1'.repeat(64) })] };
  };
  const { lacking, proven } = said(older);
  assert.deepEqual(
    [about(lacking), about(proven)],
    [
      [],
      [
        'not looked at: what packet filters of {r2} do to packets of hosts (its program does not tell all rules that decide, in their order)',
      ],
    ],
  );
});

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

test('networks of a lossy path are looked at again where a limiter of one end may have taken what was lost', () => {
  const again = (unread: string) => {
    const limiter = rule('drop', {
      chain: 'in',
      path: ['in'],
      hook: 'input',
      matches: [{ field: 'protocol', values: ['udp'] }],
      matchesRest: true,
      unread: [unread],
    });
    const limiting: Change = ({ past: _, ...state }) => ({ ...state, filters: [limiter] }) as NodeState;
    const input = along({ states: { r1: limiting }, more: [probed('r1', 0)] });
    const file = caseFileOf(input.intent, PATH, input.evidence, input.outcomes);
    const way = { from: 'r3', to: 'r1', measuredBy: 'r1', directionKnown: true };
    const counts = { sent: 1_000, reflected: 1_000, received: 100, duplicates: 0, sendErrors: 0 };
    const value = { ...way, ...counts, scope: 'path', lost: 900, lostAtMost: 900, probe: { segments: [] } };
    const lost = { subject: 'path/r3>r1', predicate: 'probe-loss', value, source: [] } as unknown as Fact;
    const full = { ...way, packetBytes: 1_500, sent: 48, lost: 42 };
    const fact = { subject: 'path/r3>r1', predicate: 'full-size', value: full, source: [] } as unknown as Fact;
    return doubtsOf({ ...file, facts: [...file.facts, lost, fact] }, new Map(), []).networks?.length;
  };
  assert.deepEqual([again('limit rate over 100/second'), again('ct state invalid')], [1, 0]);
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

test('a rule that takes a share, as a rate, is no reason for a loss of all', () => {
  const more = { more: [probed('r1', 0), probed('r1', 0, 'confirmation', 100)] };
  const lost = (r2: Change) => said(r2, more).lacking.filter((line) => /did not come back/.test(line));
  const guard = rule('drop', { ...V4, matchesRest: true, unread: ['limit rate over 10000/second'] });
  const line =
    '{r1} → 198.19.3.1 of {r3}: 105 of 105 probes from 198.19.1.1 did not come back; hosts of 198.19.1.1/24 may get no answer either';
  assert.deepEqual(lost(filtering([])), [line]);
  assert.deepEqual(lost(filtering([guard])), [
    `${line}; a rule of {r2} of which a part is not understood may have taken some`,
  ]);
});
