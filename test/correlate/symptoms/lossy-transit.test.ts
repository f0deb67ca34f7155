// A node that loses what it forwards: all ways through it lose, its links do not; where nothing came back, another node passes the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lossyTransits } from '#correlate/symptoms/lossy-transit.ts';
import { fact, loss } from '../fact-scene.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';

const PAIRS = ['a-m', 'b-m', 'c-m', 'a-n', 'b-n'];
const WORLD = pairWorld(PAIRS, Object.fromEntries(['a', 'b', 'c', 'm', 'n'].map((node) => [node, { now: {} }])));
const run = (from: string, through: string, to: string, lost: number) =>
  fact('transit', { from, through, to, sent: 200, lost });
const link = (pair: string, lost = 0) => {
  const { key, from, to } = linkOf(pair);
  return loss({ link: key, from: from.node, to: to.node, lost });
};
const CLEAN = PAIRS.map((pair) => link(pair));
const found = (...facts: Parameters<typeof lossyTransits>[1]) =>
  lossyTransits(WORLD, facts).map(({ id, detail }) => [id, detail['sent'], detail['lost']]);

test('every way through the node loses a share, and no link of it', () => {
  const both = [run('a', 'm', 'b', 40), run('b', 'm', 'c', 30)];
  assert.deepEqual(found(...CLEAN, ...both), [['transit:m', 400, 70]]);
  assert.deepEqual(found(...CLEAN, run('a', 'm', 'b', 40), run('b', 'm', 'c', 0)), [], 'one way is well');
  assert.deepEqual(found(...both), [], 'its links were not measured');
  assert.deepEqual(found(...CLEAN.slice(0, 2), link('c-m', 90), ...both), [], 'a link of it loses');
  assert.deepEqual(found(...CLEAN, run('a', 'm', 'b', 3)), [], 'too few');
});

test('where nothing came back, the same must pass another node', () => {
  const dead = run('a', 'm', 'b', 200);
  assert.deepEqual(found(...CLEAN, dead), [], 'there may be no route between the two');
  assert.deepEqual(found(...CLEAN, dead, run('a', 'n', 'b', 0)), [['transit:m', 200, 200]]);
  assert.deepEqual(found(...CLEAN, dead, run('a', 'n', 'b', 200)), []);
});
