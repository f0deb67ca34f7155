// Questions that ask for data: which table each gets, that it has no verdict of health, and what is said of nodes that did not answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { DataTopic, Intent } from '#model/intent.ts';
import { changed, recorded } from '../recording.ts';

/** The recorded network, asked for data of r1 or of all its nodes. */
function asked(topic: DataTopic, more: Partial<Intent> = {}, isSilent: (node: string) => boolean = () => false) {
  const input = changed(recorded('healthy'), {
    state: (state) => ({ ...state, missing: [] }),
  });
  const intent: Intent = { ...input.intent, kind: 'data', topic, path: [], ...more };
  const evidence = input.evidence.filter(({ node }) => !isSilent(node));
  return diagnose({ ...input, evidence, intent });
}

const R1 = { path: [{ as: 'r1', key: 'r1' }] };

test('neighbours of one node, by protocol, and no verdict of health', () => {
  const { verdict, findings, table } = asked('neighbours', { ...R1, protocol: 'isis' });
  assert.equal(verdict.kind, 'answered');
  assert.deepEqual(findings, []);
  assert.deepEqual(table?.columns, ['node', 'protocol', 'interface', 'neighbour', 'state']);
  assert.ok(table!.rows.length > 0);
  for (const [node, protocol, , , state] of table!.rows)
    assert.deepEqual([node, protocol, state?.startsWith('up')], ['r1', 'IS-IS', true]);
});

test('interfaces and counters of one interface alone', () => {
  const all = asked('interfaces', R1).table!;
  const [name = ''] = all.rows.map(([, ifname]) => ifname!);
  const one = asked('counters', { ...R1, ifname: name }).table!;
  assert.deepEqual(
    one.rows.map(([node, ifname]) => [node, ifname]),
    [['r1', name]],
  );
  assert.ok(all.rows.length > 1);
});

test('where an address is: the node that has it, or nothing', () => {
  const own = asked('interfaces', R1).table!.rows.flatMap(([, ifname, , , addresses = '']) =>
    addresses === '-' ? [] : [[ifname, addresses.split(', ')[0]!.split('/')[0]!] as const],
  );
  const [[ifname, address] = []] = own;
  assert.deepEqual(asked('where', { destination: address! }).table!.rows[0]?.slice(0, 3), [
    'r1',
    ifname,
    'its own address',
  ]);
  const nowhere = asked('where', { destination: '203.0.113.9' });
  assert.deepEqual([nowhere.table?.rows, nowhere.verdict.kind], [[], 'answered']);
});

test('traffic is a rate between two readings of one node', () => {
  const { table } = asked('traffic', R1);
  for (const cells of table!.rows) {
    assert.match(cells[2]!, /^\d+\.\d [kMG]bit\/s$/);
    assert.match(cells.at(-1)!, /^\d+\.\d s$/);
  }
});

test('a node that did not answer is named, and the answer is inconclusive', () => {
  const { verdict, table } = asked('uptime', R1, (node) => node === 'r1');
  assert.equal(verdict.kind, 'inconclusive');
  assert.deepEqual(table?.notKnown, ['r1 did not answer']);
});
