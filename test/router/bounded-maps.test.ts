// Maps that stay small: which entry makes room for one more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedMap, makeRoom } from '#router/bounded-maps.ts';

test('the oldest entry makes room where there are as many as may be', () => {
  const kept = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  makeRoom(kept, 3);
  assert.deepEqual([...kept.keys()], ['a', 'b']);
  makeRoom(kept, 2);
  assert.deepEqual([...kept.keys()], ['b']);
  makeRoom(new Map(), 0);
});

test('an owner with very many entries loses its own oldest, and not those of others', () => {
  const dropped: string[] = [];
  const kept = createSharedMap<string>({ most: 5, mostOfOne: 3 }, (value) => dropped.push(value));
  kept.set('one', '1', 'a');
  for (const key of ['1', '2', '3', '4', '3']) kept.set('two', key, `b${key}`);
  assert.deepEqual([...kept.values()], ['a', 'b2', 'b4', 'b3']);
  assert.deepEqual(dropped, ['b1']);
  assert.deepEqual([kept.get('one', '1'), kept.get('two', '1'), kept.get('three', '1')], ['a', undefined, undefined]);
});

test('beyond all that may be, the owner that set none for the longest time loses its oldest', () => {
  const dropped: string[] = [];
  const kept = createSharedMap<string>({ most: 4, mostOfOne: 3 }, (value) => dropped.push(value));
  kept.set('one', '1', 'a1');
  kept.set('two', '1', 'b1');
  kept.set('two', '2', 'b2');
  kept.set('one', '2', 'a2');
  kept.set('three', '1', 'c1');
  assert.deepEqual(dropped, ['b1']);
  kept.delete('two', '2');
  kept.delete('two', '2');
  kept.set('three', '2', 'c2');
  assert.deepEqual([dropped, [...kept.values()]], [['b1'], ['a1', 'a2', 'c1', 'c2']]);
});
