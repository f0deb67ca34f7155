// Nodes that gave no state, and whether every neighbour that had heard them lost them; and checksum counters, node by node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentNodes } from '#correlate/symptoms/silent-nodes.ts';
import { wrongChecksums } from '#correlate/symptoms/wrong-checksums.ts';
import { fact } from '../fact-scene.ts';
import { pairWorld } from '../pair-scene.ts';

const OUTCOME = { node: 'z-1', status: 'timed-out', reason: 'no answer in time' };
const hearing = (ifname: string, operUp: boolean, name = 'z-1') => ({
  now: {
    history: { lastHeard: [{ ifname, name }] },
    inventory: {
      interfaces: [
        { name: ifname, operUp },
        { name: 'other', operUp: true },
      ],
    },
  },
});
function silent(states: Parameters<typeof pairWorld>[1], outcomes: readonly object[] = [OUTCOME], node = 'z-1') {
  const world = pairWorld([], states, { nodes: [...Object.keys(states), node] });
  return silentNodes(world, outcomes as never).map(({ id, text, nodes, source, detail }) => ({
    ...{ id, text, nodes, source, detail },
  }));
}

test('a node that every neighbour lost is silent, with what each of them reports', () => {
  assert.deepEqual(silent({ a: hearing('e1', false), b: hearing('e2', false, 'Z1') }), [
    {
      ...{ id: 'silent:z-1', text: '{z-1} does not answer (no answer in time), and {a} e1, {b} e2 lost it' },
      ...{ nodes: ['z-1', 'a', 'b'], source: ['state of a', 'state of b'] },
      detail: { witnesses: ['interface/a/e1', 'interface/b/e2'] },
    },
  ]);
});

test('one neighbour that still hears it, or none that ever did, is no symptom; nor is a node that was not asked', () => {
  assert.deepEqual(silent({ a: hearing('e1', false), b: hearing('e2', true) }), []);
  assert.deepEqual(silent({ a: hearing('e1', true) }), []);
  assert.deepEqual(silent({ a: hearing('e1', false, 'y-1') }), []);
  assert.deepEqual(silent({ a: hearing('e1', false) }, []), []);
  assert.deepEqual(silent({ a: hearing('e1', false) }, [{ ...OUTCOME, node: 'a' }]), []);
  assert.deepEqual(silent({ 'z-1': hearing('e1', false) }), [], 'it gave its state');
});

test('the reason is that of a call that failed', () => {
  const why = (...outcomes: readonly object[]) =>
    /\((.*)\)/.exec(silent({ a: hearing('e1', false) }, outcomes)[0]!.text)?.[1];
  assert.equal(why({ ...OUTCOME, status: 'answered', reason: 'x' }, OUTCOME), 'no answer in time');
  assert.equal(why({ ...OUTCOME, node: 'a', reason: 'x' }, OUTCOME), 'no answer in time');
  assert.equal(why({ node: 'z-1', status: 'refused' }), 'no answer');
});

test('checksum counters of one node are one symptom, each counter added up', () => {
  const rose = (node: string, counter: string, packets: number, predicate = 'node-errors') =>
    fact(predicate, { node, counter, packets }, [`${node} ${counter}`]);
  const found = wrongChecksums([
    rose('a', 'Udp6InCsumErrors', 3),
    rose('a', 'Udp6InCsumErrors', 4, 'extended-damage'),
    rose('a', 'TcpInCsumErrors', 1),
    rose('b', 'IpExtInCsumErrors', 2),
    rose('b', 'Ip6InDiscards', 9),
    rose('c', 'UdpInErrors', 9),
    rose('c', 'Icmp6InCsumErrors', 5, 'late-probes'),
  ]);
  assert.deepEqual(
    found.map(({ id, detail, source }) => [id, detail, source.length]),
    [
      ['corrupt:a', { Udp6InCsumErrors: 7, TcpInCsumErrors: 1 }, 3],
      ['corrupt:b', { IpExtInCsumErrors: 2 }, 1],
    ],
  );
  assert.equal(found[0]?.text, '{a}: Udp6InCsumErrors rose by 7, TcpInCsumErrors rose by 1');
  for (const counter of ['UdpInCsumErrors', 'IcmpInCsumErrors', 'Icmp6InCsumErrors', 'UdpLiteInCsumErrors'])
    assert.equal(wrongChecksums([rose('a', counter, 1)]).length, 1, counter);
});
