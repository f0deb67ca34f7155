// The second look at a link that may be narrow: several trains, one after the other, so that no single moment decides.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planLinkConfirmation, planLinkProbes } from '#measure/links/link-probes.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import { stateOf } from '../../correlate/scope-scene.ts';
import { node, port } from '../../model/links/link-scene.ts';

const states = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
const [link] = scopeLinks(states);
const nobody = { lossy: [], dead: [], slow: [], narrow: [] };
const again = (heldMs: number) => planLinkConfirmation(states, { ...nobody, narrow: [{ link: link!, heldMs }] }, 1_000);

test('the trains over one link are sent one after the other, from either end in turn, the one first that sent none before', () => {
  assert.deepEqual(
    again(7.5).map(({ id, node, phase, afterMs }) => [id.split('/').slice(3).join('/'), node, phase, afterMs]),
    [
      ['large/2', 'r2', 'deepen', undefined],
      ['large/3', 'r1', 'deepen', 120],
      ['large/4', 'r2', 'deepen', 240],
      ['large/5', 'r1', 'deepen', 360],
      ['large/6', 'r2', 'deepen', 480],
      ['large/7', 'r1', 'deepen', 600],
    ],
  );
});

test('where a train takes long the next waits for it, and as many fewer are sent as the time is up', () => {
  assert.deepEqual(
    again(330).map(({ afterMs }) => afterMs),
    [undefined, 660, 1_320],
  );
});

test('trains over several links begin one after the other, and none later than the time that a second look has', () => {
  const narrow = Array.from({ length: 9 }, () => ({ link: link!, heldMs: 7.5 }));
  const calls = planLinkConfirmation(states, { ...nobody, narrow }, 1_000);
  const begins = calls.filter(({ id }) => id.endsWith('large/2')).map(({ afterMs = 0 }) => afterMs);
  assert.deepEqual(begins, [0, 30, 60, 90, 120, 150, 180, 210, 240]);
  const slow = planLinkConfirmation(
    states,
    { ...nobody, narrow: narrow.map((each) => ({ ...each, heldMs: 450 })) },
    1_000,
  );
  assert.equal(Math.max(...slow.map(({ afterMs = 0 }) => afterMs)), 1_800);
  assert.equal(slow.length, 9 * 2 + 1);
});

test('a train is bounded in bytes, and all of it goes at once', () => {
  const [first] = again(7.5);
  const { Count, payloadBytes, train } = first!.arguments;
  assert.deepEqual([Count, payloadBytes, train], [45, 1_452, true]);
});

test('a link that lost packets and may be narrow is probed again after its trains, and with less than it passes', () => {
  const runs = (narrow: readonly object[]) =>
    planLinkConfirmation(states, { ...nobody, lossy: [link!], narrow: narrow as [] }, 1_000)
      .filter(({ id }) => id.endsWith('/again'))
      .map(({ node, afterMs, arguments: { Count, intervalMs } }) => [node, afterMs, Count, intervalMs]);
  assert.deepEqual(runs([]), [
    ['r1', undefined, 1_000, 1],
    ['r2', undefined, 1_000, 1],
  ]);
  const doubt = { link: scopeLinks(states)[0], heldMs: 264, megabits: 1 };
  assert.deepEqual(runs([doubt]), [
    ['r1', 2_400, 148, 8.064],
    ['r2', 2_400, 148, 8.064],
  ]);
  assert.deepEqual(runs([{ ...doubt, megabits: 50 }])[0], ['r1', 2_400, 1_000, 1]);
});

test('a link over which no small probes go takes none from the others', () => {
  const networks = Array.from({ length: 60 }, (_, index) => [`198.18.${index}.0/31`, `198.18.${index}.1/31`]);
  const links = [['2001:db8::/127', '2001:db8::1/127'], ...networks];
  const spokes = links.map(([, its], index) => [`s${index}`, node([port('eth0', [its!])])] as const);
  const hub = node(links.map(([own], index) => port(`eth${index}`, [own!])));
  const small = planLinkProbes(new Map([['hub', hub], ...spokes]), new Map()).filter(
    ({ purpose }) => purpose.kind === 'link-probe',
  );
  assert.deepEqual(
    small.map(({ node: from, arguments: { Count } }) => [from, Count]),
    [['s0', 200]],
  );
});
