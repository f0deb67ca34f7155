// Networks of hosts behind the two ends of a path: what filters of its nodes do to what hosts there send, and probes from an end's own address there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { doubtsOf } from '#correlate/doubts.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { along, PATH } from '../path-scene.ts';
import type { Scene } from '../scope-scene.ts';

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
const was = (...networks: readonly string[]) => ({
  ...{ setting: 'accept 01234567', agoMs: 60_000, was: `accept, source ${networks.join(' ')}` },
  is: 'accept, source 198.19.3.0/24',
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
  const lost = said(filtering(rules, { ...was('198.19.1.0/24', '198.19.3.0/24'), ...subject }));
  assert.deepEqual([lost.kind, about(lost.lacking)], ['inconclusive', [`${line}, and let it through before`]]);
  const always = said(filtering(rules, { ...was('198.19.9.0/24'), ...subject }));
  assert.deepEqual([about(always.lacking), about(always.proven)], [[], [`${line}, as for as long as it remembers`]]);
  const fresh = said(filtering(rules, { ...subject, setting: 'policy', is: 'policy drop', agoMs: 60_000 }));
  assert.deepEqual(about(fresh.lacking), [`${line}, by what was not there before`]);
  const open = said(filtering([letting('198.19.1.0/24', '198.19.3.0/24'), POLICY].map((each) => ({ ...each, ...V4 }))));
  assert.deepEqual([about(open.lacking), about(open.proven)], [[], []]);
});

test('a rule that spares a service, or a share, drops no network', () => {
  const port = rule('drop', { ...V4, matches: [{ field: 'protocol', values: ['tcp'] }] });
  const policer = rule('drop', { ...V4, matchesRest: true, unread: ['limit rate over 10/second'] });
  for (const each of [port, policer]) assert.deepEqual(about(said(filtering([each])).proven), []);
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
  const missing: Change = (state) => ({ ...state, missing: [{ part: 'filters', reason: 'nft failed' }] });
  assert.deepEqual(about(said(missing).lacking), [
    '{r2}: its packet filters could not be read (nft failed): what they do to packets of hosts is not known',
  ]);
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
  const translated = said(unchanged, { lookups: none, more: [probed('r1', 0), sibling] });
  assert.equal(
    translated.lacking.some((each) => /5 of 5 probes from 198\.19\.1\.1 did not come back/.test(each)),
    true,
  );
});

test('hosts of one node of the path that ask a server of another in vain keep it from being healthy', () => {
  const asking = { port: 80, okTimes: 5, okAgoMs: 40_000, times: 3, sinceAgoMs: 20_000, lastAgoMs: 2_000 };
  // Hosts of one port alone may have a fault of their own.
  const clients = [
    { ifname: 'eth3', okIfname: 'eth3', client: '198.19.1.10' },
    { ifname: 'eth4', okIfname: 'eth4', client: '198.19.1.12' },
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
    said(unchanged, { states: { r1: vain(server) } }).lacking.filter((each) => /in vain/.test(each)).length;
  assert.deepEqual(['198.19.3.10', '198.19.1.11', '203.0.113.9'].map(lines), [1, 0, 0]);
});
