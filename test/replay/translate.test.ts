// A case of an earlier program in today's names: requests, answers, outcomes, ids and words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesOf } from '../../scripts/replay/compare.ts';
import { renamedMembers } from '../../scripts/replay/old-names.ts';
import { TABLES, type Tables, translated } from '../../scripts/replay/translate.ts';
import { CASE, DIAGNOSIS } from './scene.ts';

const NEW_NAMES: Tables['names'] = {
  tools: { 'parley-knock': 'parley-service-probe' },
  kinds: { knock: 'service-probe' },
  arguments: {
    'parley-knock': { members: { knocks: 'probes' }, words: { 'knocks.*.service': { echo: 'icmp-echo' } } },
  },
  bodies: { knock: { members: { 'results.*.answered': 'isAnswered' } } },
};

test('without entries in the tables a case stays as it is, but for its purposes', () => {
  const empty = { names: { tools: {}, kinds: {}, arguments: {}, bodies: {} }, words: [], detailMembers: {} };
  const same = translated(CASE, { ...TABLES, ...empty });
  const bare = <T extends object>({ purpose: _, ...rest }: T & { readonly purpose?: unknown }) => rest;
  assert.deepEqual({ ...same, outcomes: same.outcomes.map(bare), evidence: same.evidence.map(bare) }, CASE);
});

test('calls of a report without purposes have those that the planners wrote into their ids', () => {
  const { evidence, outcomes } = translated(CASE);
  const probe = { kind: 'service-probe', reason: 'filters', round: 'first' };
  assert.deepEqual(evidence[0]!.purpose, probe);
  assert.deepEqual(
    outcomes.map(({ purpose }) => purpose),
    [{ kind: 'state', when: 'before' }, probe, { kind: 'state', when: 'after' }],
  );
  const said = { ...CASE.evidence[0]!, purpose: { kind: 'service-probe', reason: 'seen', round: 'first' } as const };
  assert.deepEqual(translated({ ...CASE, evidence: [said] }).evidence[0]!.purpose, said.purpose);
});

test('tools, kinds, members and words of one tool get their names of today', () => {
  const { evidence, outcomes } = translated(CASE, { ...TABLES, names: NEW_NAMES });
  assert.deepEqual(evidence[0]!.kind, 'service-probe');
  assert.deepEqual(evidence[0]!.request.params, {
    name: 'parley-service-probe',
    arguments: { probes: [{ destination: '192.0.2.9', service: 'icmp-echo' }], knock: 'knock' },
  });
  assert.deepEqual(evidence[0]!.body, { results: [{ destination: '192.0.2.9', service: 'echo', isAnswered: true }] });
  assert.deepEqual(
    outcomes.map(({ name }) => name),
    ['parley-node-state', 'parley-service-probe', 'parley-node-state'],
  );
});

test('a resource gets its URI of today', () => {
  const request = { method: 'resources/read', params: { uri: 'urn:example:old' } };
  const old = { ...CASE, evidence: [{ ...CASE.evidence[0]!, request }] };
  const names = { ...NEW_NAMES, tools: { 'urn:example:old': 'urn:example:now' } };
  assert.deepEqual(translated(old, { ...TABLES, names }).evidence[0]!.request.params, { uri: 'urn:example:now' });
});

test('a member is renamed at its place alone, or wherever it stands', () => {
  const value = { knock: 1, ports: [{ knock: 2 }, { inner: { knock: 3 } }] };
  assert.deepEqual(renamedMembers(value, { members: { 'ports.*.knock': 'probe' } }), {
    ...{ knock: 1, ports: [{ probe: 2 }, { inner: { knock: 3 } }] },
  });
  assert.deepEqual(renamedMembers(value, { members: { '**.knock': 'probe' } }), {
    ...{ probe: 1, ports: [{ probe: 2 }, { inner: { probe: 3 } }] },
  });
  assert.deepEqual(renamedMembers(value, undefined), value);
});

test('rejects a name that another member has', () => {
  assert.throws(
    () => renamedMembers({ knock: 1, probe: 2 }, { members: { knock: 'probe' } }),
    /no member probe beside/,
  );
});

test('evidence ids are replaced in calls, findings and texts alike', () => {
  const ids = new Map([...CASE.outcomes.entries()].map(([at, { callId }]) => [callId, `call-${at + 1}`]));
  const now = translated(CASE, { ...TABLES, idOf: (id) => ids.get(id)! });
  assert.deepEqual(
    now.outcomes.map(({ callId }) => callId),
    ['call-1', 'call-2', 'call-3'],
  );
  assert.deepEqual(now.evidence[0]!.id, 'call-2');
  assert.deepEqual(
    now.expected.findings.map(({ evidence }) => evidence),
    [['call-1', 'call-3'], ['call-2']],
  );
  assert.equal(now.expected.candidates[1]!.why, 'explains less; against it: call-2, call-3');
});

test('rejects one id for two calls', () => {
  assert.throws(() => translated(CASE, { ...TABLES, idOf: () => 'call' }), /one id for two/);
});

test('words are changed in every text of the diagnosis, and in nothing that is no text', () => {
  const words = [
    ['is shut', 'is administratively down'],
    [/\bP-(\d)\b/g, 'P$1'],
    ['confirmed', 'seen'],
  ] as const;
  const { expected } = translated(CASE, { ...TABLES, words, detailMembers: { changes: 'changeCount' } });
  assert.deepEqual(expected.verdict.reasons, ['PE-1 eth1 is administratively down', 'not proven: P2 gave no state']);
  assert.equal(expected.hypothesis, 'PE-1 eth1 is administratively down; P2 drops 192.0.2.0/24');
  assert.equal(expected.sentence, 'eth1 of PE-1 is administratively down.');
  assert.deepEqual(expected.findings[0]!.details, {
    ...{ changeCount: 2, how: 'shut', line: 'interface eth1 is administratively down' },
  });
  assert.deepEqual(expected.links![0]!.confidence, 'seen');
  assert.deepEqual(expected.findings[0]!.remedy!.change, DIAGNOSIS.findings[0]!.remedy!.change);
  assert.deepEqual(expected.segments, DIAGNOSIS.segments);
});

test('a changed word that the table knows is no difference', () => {
  const told = DIAGNOSIS.verdict.reasons.map((reason) => reason.replace('not proven', 'unknown'));
  const actual = { ...DIAGNOSIS, verdict: { ...DIAGNOSIS.verdict, reasons: told } };
  assert.deepEqual(
    differencesOf(CASE.expected, actual).map(({ kind }) => kind),
    ['words'],
  );
  const { expected } = translated(CASE, { ...TABLES, words: [['not proven', 'unknown']] });
  assert.deepEqual(differencesOf(expected, actual), []);
});
