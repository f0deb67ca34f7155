// What is left for the extended round: links whose lost probes nothing explains, and links that damaged packets may have crossed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ranked } from '#correlate/engine/rank.ts';
import { unsettledIn } from '#correlate/unsettled.ts';
import { caseOf, lossOf, onLink, ringWorld, symptom } from './faults/proposing.ts';
import { linkOf } from './pair-scene.ts';

const ranked = (change: Partial<Ranked>): Ranked => ({
  ...{ chosen: [], lost: [], unexplained: [], open: [], ambiguous: [] },
  ...change,
});
const over = (pair: string, lost: number, change: object = {}) => {
  const { key, from, to } = linkOf(pair);
  return lossOf(from.node, to.node, lost, { link: key, ...change });
};
const names = ({ from, to }: { readonly from: { readonly node: string }; readonly to: { readonly node: string } }) =>
  `${from.node}${to.node}`;
const lossy = (unexplained: Ranked['unexplained'], symptoms: Parameters<typeof caseOf>[0] = []) =>
  unsettledIn(caseOf(symptoms), ranked({ unexplained })).losses.map(({ link, share, ...rest }) => [
    ...[names(link), share, rest.megabits],
  ]);

test('links that lost probes come with the larger share of their two directions, the worst first', () => {
  const back = { ...over('a-b', 90), id: 'back' };
  assert.deepEqual(lossy([over('a-b', 20), back, over('b-c', 50)]), [
    ['ab', 0.09, undefined],
    ['bc', 0.05, undefined],
  ]);
});

test('what was never sent was not lost on the way, and where none was sent or no direction is known there is no share', () => {
  assert.deepEqual(lossy([over('a-b', 500, { refused: 500 })]), [['ab', 0, undefined]]);
  assert.deepEqual(lossy([over('a-b', 300, { refused: 200 })]), [['ab', 0.125, undefined]]);
  assert.deepEqual(lossy([over('a-b', 1_000, { refused: 1_000 })]), []);
  assert.deepEqual(lossy([over('a-b', 20, { directionKnown: false })]), []);
  assert.deepEqual(lossy([over('a-b', 20, { link: 'link/elsewhere' })]), []);
  assert.deepEqual(lossy([lossOf('a', 'b')]), []);
});

test('a narrow link would lose many probes because of us', () => {
  assert.deepEqual(lossy([over('a-b', 20), over('b-c', 20)], [onLink('narrow', 'a-b')]), [['bc', 0.02, undefined]]);
});

/** Links that damage is looked for on: nodes that counted so much, and IPv4 echoes over links, of which some were lost. */
function damaged(
  counted: Readonly<Record<string, object>>,
  echoes: readonly (readonly [string, number, number])[] = [],
) {
  const owners = new Map(['a-b', 'b-c', 'c-d', 'd-a'].map((pair) => [pair, [linkOf(pair).to]]));
  const reach = echoes.map(([destination, sent, received]) => ({
    ...{ from: linkOf(destination).from.node, destination, sent, received, rttMs: 1, source: 'e' },
  }));
  const open = Object.entries(counted).map(([node, detail]) => symptom('corrupt', { id: node, nodes: [node], detail }));
  const file = caseOf([], ringWorld({ owners, reach }));
  return unsettledIn(file, ranked({ open })).damage.map(names);
}

test('links of nodes that counted damage: those that lost echoes first, then those whose ends counted most', () => {
  assert.deepEqual(damaged({}), []);
  assert.deepEqual(damaged({ b: { x: 3 } }), ['ab', 'bc']);
  assert.deepEqual(damaged({ b: { x: 3 } }, [['b-c', 100, 99]]), ['bc', 'ab']);
  assert.deepEqual(
    damaged({ b: { x: 3 } }, [
      ['b-c', 100, 99],
      ['a-b', 10, 9],
    ]),
    ['ab', 'bc'],
  );
  assert.deepEqual(damaged({ b: { x: 1, y: 1 }, d: { x: 3 }, c: { x: 0 } }), ['cd', 'da', 'ab', 'bc']);
  assert.deepEqual(damaged({ a: { x: 1 }, b: { x: 2 } }), ['ab', 'bc', 'da']);
  assert.deepEqual(damaged({ c: { x: 0 } }), []);
});

test('other symptoms that nothing explains say nothing of damage', () => {
  const open = [symptom('slow', { nodes: ['b'], detail: { x: 3 } })];
  assert.deepEqual(unsettledIn(caseOf([]), ranked({ open })).damage, []);
});
