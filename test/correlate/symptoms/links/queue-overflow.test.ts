// Queues that overflow: how many packets, of how many, in which kind of queue.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queueSymptoms } from '#correlate/symptoms/links/queue-overflow.ts';
import { pairWorld } from '../../pair-scene.ts';

type Queue = Readonly<Record<string, string | number>>;
const QUEUE: Queue = { ifname: 'to-b', kind: 'tbf', handle: '1:', parent: 'root', drops: '100', packets: '5000' };
const found = (before: readonly Queue[] | undefined, after: readonly Queue[]) =>
  queueSymptoms(
    pairWorld(['a-b'], {
      a: { now: {}, after: { qdiscs: after }, ...(before === undefined ? {} : { before: { qdiscs: before } }) },
      b: { now: {} },
    }),
  );
const moved = (drops: number, sent?: number, change: Queue = {}) => {
  const first = { ...QUEUE, ...change };
  const later: Queue = { ...first, drops: String(100 + drops) };
  const { packets: _, ...uncounted } = later;
  return found([first], [sent === undefined ? uncounted : { ...uncounted, packets: String(5_000 + sent) }]);
};

test('twenty dropped packets in the window, and two in a hundred of what wanted to leave', () => {
  assert.deepEqual([moved(20).length, moved(19).length], [1, 0]);
  assert.deepEqual([moved(20, 980).length, moved(20, 981).length], [1, 0]);
  const [symptom] = moved(20, 980);
  assert.deepEqual(symptom?.detail, { node: 'a', ifname: 'to-b', queue: 'tbf', drops: 20 });
  assert.deepEqual([symptom?.subject, symptom?.kind, symptom?.nodes], ['interface/a/to-b', 'queue', ['a']]);
  assert.match(symptom?.text ?? '', /dropped 20 packets in the window and sent 980$/);
  assert.match(moved(20)[0]?.text ?? '', /dropped 20 packets in the window$/);
});

test('queues that drop on purpose do their work', () => {
  for (const kind of ['fq', 'fq_codel', 'codel', 'cake', 'pie', 'fq_pie', 'red', 'gred', 'sfq', 'choke', 'sfb'])
    assert.deepEqual(moved(500, 0, { kind }), [], kind);
  for (const kind of ['pfifo_fast', 'htb', 'netem']) assert.equal(moved(500, 0, { kind }).length, 1, kind);
});

test('hooks of filters queue nothing: what they count is a filter’s', () => {
  for (const kind of ['clsact', 'ingress']) assert.deepEqual(moved(500, 0, { kind }), [], kind);
});

test('a queue is held against itself, and one that was not there before says nothing', () => {
  const later = { ...QUEUE, drops: '500' };
  for (const change of [{ ifname: 'to-c' }, { kind: 'htb' }, { handle: '2:' }, { parent: '1:1' }])
    assert.deepEqual(found([{ ...QUEUE, ...change }], [later]), [], JSON.stringify(change));
  assert.deepEqual(found(undefined, [later]), []);
  assert.deepEqual(found([later], [QUEUE]), [], 'counters that started anew');
});

test('several queues of one port are one symptom', () => {
  const two = [QUEUE, { ...QUEUE, handle: '2:' }];
  assert.equal(
    found(
      two,
      two.map((each) => ({ ...each, drops: '500' })),
    ).length,
    1,
  );
});
