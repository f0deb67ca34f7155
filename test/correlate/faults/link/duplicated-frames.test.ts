// Frames that arrive twice: what probes of both ends and the counters say together, and what only looks like it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile, Fact } from '#correlate/engine/facts.ts';
import { duplicatedFrames } from '#correlate/faults/link/duplicated-frames.ts';
import { contradictionSymptom } from '#correlate/symptoms/links/contradiction.ts';
import { linkOf, pairWorld } from '../../pair-scene.ts';

const LINK = linkOf('a-b');
const WORLD = pairWorld(['a-b', 'b-c'], { a: { now: {} }, b: { now: {} }, c: { now: {} } });

const returned = (from: string, to: string, duplicates: number, more: object = { link: LINK.key }): Fact => ({
  ...{ subject: `path/${from}>${to}`, predicate: 'returned-probes' },
  ...{ value: { from, to, received: 400, duplicates, ...more }, source: [`probes of ${from}`] },
});
const wire = (txPackets: number, rxPackets: number, more: object = { comparable: false, gained: true }): Fact =>
  ({
    ...{ subject: 'wire', predicate: 'wire', source: ['wire'] },
    value: { from: LINK.from, to: LINK.to, txPackets, rxPackets, ...more },
  }) as unknown as Fact;

function found(facts: readonly Fact[], more: CaseFile['symptoms'] = []) {
  const symptoms = [...duplicatedFrames.detect!({ world: WORLD, facts }), ...more];
  return duplicatedFrames.propose({ world: WORLD, facts, symptoms, path: [] } as unknown as CaseFile, []);
}

test('probes of both ends come back twice and the receiver counts more than was sent: certain, with the direction', () => {
  const [proposal, ...rest] = found([returned('a', 'b', 118), returned('b', 'a', 121), wire(1_700, 2_190)]);
  assert.deepEqual(
    [proposal?.resource, proposal?.confidence, proposal?.details['direction'], rest],
    [LINK.key, 'certain', '{a} to-b → {b} to-a', []],
  );
  assert.equal(
    proposal!.details['what'],
    '{a} to-b – {b} to-a: 239 of 800 probes came back twice (29.9 %); {a} to-b → {b} to-a: 1700 sent, 2190 received',
  );
  assert.deepEqual(proposal!.evidence, ['probes of a', 'probes of b', 'wire']);
});

test('copies that no counter shows, or that one end alone could probe, are likely', () => {
  const even = wire(1_700, 1_700, { comparable: true });
  const [unseen] = found([returned('a', 'b', 118), returned('b', 'a', 121), even]);
  assert.deepEqual([unseen?.confidence, unseen?.details['direction']], ['likely', undefined]);
  assert.equal(found([returned('a', 'b', 118), wire(1_700, 2_190)])[0]?.confidence, 'likely');
  // So little may lie between the readings of two nodes.
  const slack = wire(1_700, 1_750, { comparable: true });
  assert.equal(found([returned('a', 'b', 8), returned('b', 'a', 8), slack])[0]?.details['direction'], undefined);
});

test('one end’s word without counters accuses no link, and copies over a bond may be meant', () => {
  assert.match(found([returned('a', 'b', 118)])[0]?.withheld ?? '', /^one end alone/);
  const port = (name: string, kind: string) => ({ name, kind, adminUp: true, operUp: true, mtu: 1_500, addresses: [] });
  const states = { a: { now: { inventory: { interfaces: [port('to-b', 'other')], loopbacks: [] } } }, b: { now: {} } };
  const facts = [returned('a', 'b', 118), returned('b', 'a', 121)];
  const [symptom] = duplicatedFrames.detect!({ world: pairWorld(['a-b'], states), facts });
  assert.match(symptom?.remark ?? '', /may be meant$/);
});

test('one end whose probes came back once contradicts the other', () => {
  assert.deepEqual(found([returned('a', 'b', 118), returned('b', 'a', 0), wire(1_700, 2_190)]), []);
});

test('few copies, a small share, and few probes say nothing', () => {
  assert.deepEqual(found([returned('a', 'b', 4), returned('b', 'a', 4)]), []);
  assert.deepEqual(found([returned('a', 'b', 5, { link: LINK.key, received: 501 })]), []);
  assert.deepEqual(found([returned('a', 'b', 60, { link: LINK.key, received: 99 })]), []);
});

test('probes of a path count for the one link between two nodes, and never for another link', () => {
  assert.equal(found([returned('a', 'b', 118, {}), returned('b', 'a', 118, {})])[0]?.resource, LINK.key);
  assert.deepEqual(found([returned('a', 'c', 118, {}), returned('c', 'a', 118, {})]), []);
  assert.equal(
    found([
      returned('b', 'c', 118, { link: linkOf('b-c').key }),
      returned('c', 'b', 118, { link: linkOf('b-c').key }),
    ])[0]?.resource,
    linkOf('b-c').key,
  );
});

test('counters that differ by the copies contradict no agent', () => {
  const contradiction = contradictionSymptom.raise({
    ...{ id: 'contradiction:ab', subject: LINK.key, text: '', source: [], nodes: ['a', 'b'], link: LINK },
    detail: { what: 'packets' },
  });
  const told = [returned('a', 'b', 118), returned('b', 'a', 121)];
  const [proposal] = found([...told, wire(1_700, 2_190)], [contradiction]);
  assert.equal(found(told, [contradiction])[0]?.explains.length, 1, 'without counters that show the copies');
  assert.deepEqual(
    proposal?.explains.map(({ symptom }) => symptom),
    [`duplicated_frames:${LINK.key}`, 'contradiction:ab'],
  );
});
