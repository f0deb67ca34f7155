// Ids of calls as planners write them: each has one form, and says what the call was for.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { caseFiles, loadCase } from '../../scripts/replay/case-files.ts';
import { decodeOldCallId, formsOf, type OldPurpose } from '../../scripts/replay/old-call-ids.ts';
import { ROOT } from '../../scripts/source-files.ts';

const [a, b] = [
  { node: 'pe1', ifname: 'eth1' },
  { node: 'p2', ifname: 'eth0.7' },
];

const IDS: Readonly<Record<string, OldPurpose>> = {
  'before/pe1/parley-node-state': { form: 'state', when: 'before', node: 'pe1' },
  'after/pe1/parley-node-state': { form: 'state', when: 'after', node: 'pe1' },
  'before/pe1/parley-relay/p2': { form: 'relayed-state', when: 'before', by: 'pe1', node: 'p2' },
  'deepen/pe1/counts/first': { form: 'counters', node: 'pe1', reading: 'first' },
  'deepen/pe1/counts/last': { form: 'counters', node: 'pe1', reading: 'last' },
  'deepen/pe1/log': { form: 'log', node: 'pe1' },
  'probe/pe1/p2': { form: 'path-probe', from: 'pe1', to: 'p2' },
  'probe/pe1/p2/flows': { form: 'path-flows', from: 'pe1', to: 'p2' },
  'probe/pe1/capture-2': { form: 'path-probe', from: 'pe1', to: 'capture-2' },
  'probe/pe1/sid-statistics': { form: 'sid-statistics', node: 'pe1' },
  'probe/pe1/capture': { form: 'probe-capture', node: 'pe1' },
  'probe/pe1/capture/eth1': { form: 'handshake-capture', at: a },
  'probe/pe1/capture/flows': { form: 'handshake-capture', at: { node: 'pe1', ifname: 'flows' } },
  'probe/pe1:eth1/p2:eth0.7/link': { form: 'link-probe', from: a, to: b, round: 'first' },
  'probe/pe1:eth1/p2:eth0.7/again': { form: 'link-probe', from: a, to: b, round: 'confirmation' },
  'probe/pe1:eth1/p2:eth0.7/long': { form: 'link-probe', from: a, to: b, round: 'extended' },
  'probe/pe1:eth1/p2:eth0.7/large': { form: 'link-train', from: a, to: b, turn: 1 },
  'probe/pe1:eth1/p2:eth0.7/large/3': { form: 'link-train', from: a, to: b, turn: 3 },
  'probe/pe1:eth1/p2:eth0.7/srv6': { form: 'srv6-probe', from: a, to: b },
  'probe/pe1:eth1/p2:eth0.7/marked/46': { form: 'dscp-probe', from: a, to: b, dscp: 46 },
  'probe/pe1:eth1/p2/marked/46': { form: 'dscp-probe-out', from: a, towards: 'p2', dscp: 46 },
  'probe/pe3/cross/p2/pe1:eth1': { form: 'transit-probe', from: 'pe3', through: 'p2', to: a },
  'probe/pe1:eth1/past/p3/p2:eth0.7': { form: 'non-reporting-transit', from: a, through: 'p3', to: b, round: 'first' },
  'deepen/pe1:eth1/past/p3/pe1:eth1': {
    ...{ form: 'non-reporting-transit', from: a, through: 'p3', to: a, round: 'confirmation' },
  },
  'deepen/pe1/loop/p2/p3/pe1': { form: 'loop', node: 'pe1', visits: ['p2', 'p3', 'pe1'] },
  'probe/pe1/parley-lookups': { form: 'lookups', node: 'pe1', part: 1, round: 'first' },
  'probe/pe1/parley-lookups/2': { form: 'lookups', node: 'pe1', part: 2, round: 'first' },
  'deepen/pe1/parley-lookups/3': { form: 'lookups', node: 'pe1', part: 3, round: 'confirmation' },
  'before/pe1/parley-lookups/2001:db8::1': { form: 'path-lookup', node: 'pe1', destination: '2001:db8::1' },
  'before/pe1/parley-lookups/192.0.2.1': { form: 'path-lookup', node: 'pe1', destination: '192.0.2.1' },
  'probe/pe1/parley-reach': { form: 'reach', node: 'pe1' },
  'probe/pe1/parley-reach/links': { form: 'link-echoes', node: 'pe1', round: 'first', run: 1 },
  'deepen/pe1/parley-reach/long/2': { form: 'link-echoes', node: 'pe1', round: 'extended', run: 2 },
  'deepen/pe1/parley-reach/again/eth1': { form: 'link-echoes-again', from: a },
  'probe/pe1/parley-reach/plain': { form: 'plain-links', node: 'pe1' },
  'probe/pe1/parley-reach/asked': { form: 'asked-reach', node: 'pe1' },
  'deepen/pe1/parley-reach/again': { form: 'reach-again', node: 'pe1' },
  'probe/pe1/parley-stations': { form: 'host-scan', node: 'pe1', scan: 'known' },
  'deepen/pe1/parley-stations': { form: 'host-scan', node: 'pe1', scan: 'confirmation' },
  'deepen/pe1/parley-stations/search': { form: 'host-scan', node: 'pe1', scan: 'search' },
  'deepen/pe1/parley-stations/offered': { form: 'host-scan', node: 'pe1', scan: 'offered' },
  'probe/pe1/parley-relay/p2/parley-stations': { form: 'host-scan', node: 'p2', by: 'pe1', scan: 'known' },
  'deepen/pe1/parley-relay/p2/parley-stations/search': { form: 'host-scan', node: 'p2', by: 'pe1', scan: 'search' },
  'probe/pe1/parley-knock': { form: 'service-probe', node: 'pe1', about: 'filters' },
  'probe/pe1/parley-knock/asked': { form: 'service-probe', node: 'pe1', about: 'asked' },
  'probe/pe1/parley-knock/echo': { form: 'service-probe', node: 'pe1', about: 'asked-echo' },
  'probe/pe1/parley-knock/seen': { form: 'service-probe', node: 'pe1', about: 'seen' },
  'probe/pe1/parley-knock/names': { form: 'service-probe', node: 'pe1', about: 'misled-names' },
  'probe/pe1/parley-knock/far': { form: 'service-probe', node: 'pe1', about: 'far-echo' },
  'deepen/pe1/parley-knock/far': { form: 'service-probe', node: 'pe1', about: 'far-echo-again' },
  'deepen/pe1/parley-knock/times': { form: 'service-probe', node: 'pe1', about: 'name-times' },
  'deepen/pe1/parley-knock/offered': { form: 'service-probe', node: 'pe1', about: 'offered-names' },
  'probe/pe1/parley-dhcp': { form: 'dhcp', node: 'pe1', round: 'first' },
  'deepen/pe1/parley-dhcp': { form: 'dhcp', node: 'pe1', round: 'confirmation' },
};

for (const [id, purpose] of Object.entries(IDS)) {
  test(`${id} is a ${purpose.form}`, () => {
    assert.deepEqual(formsOf(id), [purpose]);
    assert.deepEqual(decodeOldCallId(id), purpose);
  });
}

test('an id that no planner writes is foreign', () => {
  const foreign = [
    '',
    'probe',
    'probe/pe1',
    'probe/pe1/',
    'probe/PE1/p2',
    'during/pe1/parley-node-state',
    'deepen/pe1/p2',
    'probe/pe1/parley-stations/search',
    'deepen/pe1/parley-knock/seen',
    'probe/pe1:ge-0/0/0/p2:ge-0/0/1/link',
    'probe/pe1:eth1/p2:eth0/marked/high',
    'probe/pe1:eth1/p2:eth0/link ',
    'probe/pe1:eth1/p2:eth0/link\n',
  ];
  for (const id of foreign) {
    assert.deepEqual(formsOf(id), [], id);
    assert.deepEqual(decodeOldCallId(id), { form: 'foreign', id });
  }
});

test('every call of the kept cases has one form', () => {
  const files = caseFiles([join(ROOT, 'test/replay/cases')]);
  const ids = files.flatMap((file) => loadCase(file).case.outcomes.map(({ callId }) => callId));
  assert.ok(ids.length > 5_000, `expected thousands of calls, got ${ids.length}`);
  assert.deepEqual(
    [...new Set(ids)].filter((id) => formsOf(id).length !== 1),
    [],
  );
});
