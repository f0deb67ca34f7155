// Every planned call: its tool, capability, phase and id follow from its purpose.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callFor } from '#measure/call.ts';
import type { PlannedPurpose } from '#model/purpose.ts';

const END = { node: 'r1', ifname: 'eth1' };
const rowOf = (purpose: PlannedPurpose) => {
  const { id, kind, name, capability, evidence, phase } = callFor('r1', purpose, {}, 1);
  return [id, kind, name, capability, evidence, phase];
};

test('a state needs the capability of counters alone, before and after', () => {
  const common = ['tool', 'parley-node-state', 'ietf-interface-counters', 'state'];
  assert.deepEqual(rowOf({ kind: 'state', when: 'after' }), ['after/r1/parley-node-state', ...common, 'after']);
  assert.deepEqual(rowOf({ kind: 'counters', reading: 'first' }), ['deepen/r1/counts/first', ...common, 'deepen']);
  assert.deepEqual(rowOf({ kind: 'logs' }), ['deepen/r1/log', ...common, 'deepen']);
});

test('whatever makes a node send needs a capability of its own [TS-14]', () => {
  const relay = { kind: 'relay', node: 'r2', of: { kind: 'state', when: 'before' } } as const;
  const rows = [
    [{ kind: 'path-probe', from: 'r1', to: 'r2' }, 'ietf-srv6-ping', 'probe'],
    [{ kind: 'lookups', part: 1, round: 'first' }, 'parley-lookups', 'lookups'],
    [{ kind: 'reach', round: 'first' }, 'parley-reach', 'reach'],
    [relay, 'parley-relay', 'relayed'],
    [{ kind: 'host-scan', aim: 'known' }, 'parley-host-scan', 'host-scan'],
    [{ kind: 'service-probe', reason: 'seen', round: 'first' }, 'parley-service-probe', 'service-probe'],
    [{ kind: 'dhcp', round: 'first' }, 'parley-dhcp', 'dhcp'],
    [{ kind: 'probe-capture' }, 'parley-capture', 'capture'],
  ] as const;
  for (const [purpose, tool, evidence] of rows)
    assert.deepEqual(rowOf(purpose).slice(2, 5), [tool, tool, evidence], purpose.kind);
});

test('the statistics of the draft are a resource [TS-15]', () => {
  const [id, kind, name, capability] = rowOf({ kind: 'sid-statistics' });
  assert.deepEqual([id, kind, capability], ['probe/r1/sid-statistics', 'resource', 'ietf-interface-counters']);
  assert.match(String(name), /interface=SID Endpoint\/statistics$/);
});

test('a round is a phase: the first is measured at once, what confirms it afterwards', () => {
  const phaseOf = (purpose: PlannedPurpose) => callFor('r1', purpose, {}, 1).phase;
  const [first, later]: readonly (readonly PlannedPurpose[])[] = [
    [
      { kind: 'link-probe', from: END, to: END, round: 'first' },
      { kind: 'link-train', from: END, to: END, train: 1 },
      { kind: 'host-scan', aim: 'known' },
      { kind: 'relay', node: 'r2', of: { kind: 'host-scan', aim: 'known' } },
      { kind: 'plain-links' },
    ],
    [
      { kind: 'link-probe', from: END, to: END, round: 'confirmation' },
      { kind: 'link-probe', from: END, to: END, round: 'extended' },
      { kind: 'link-train', from: END, to: END, train: 2 },
      { kind: 'host-scan', aim: 'search' },
      { kind: 'relay', node: 'r2', of: { kind: 'host-scan', aim: 'search' } },
      { kind: 'loop', visits: ['r2', 'r1'] },
    ],
  ] as const;
  assert.deepEqual([...new Set(first!.map(phaseOf))], ['probe']);
  assert.deepEqual([...new Set(later!.map(phaseOf))], ['deepen']);
  assert.equal(phaseOf({ kind: 'path-lookup', destination: '192.0.2.1' }), 'before');
  assert.equal(phaseOf({ kind: 'relay', node: 'r2', of: { kind: 'state', when: 'after' } }), 'after');
});
