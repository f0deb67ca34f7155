// The links of a scope, and the two sides of one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endsFrom, scopeLinks } from '#measure/scope-links.ts';
import { stateOf } from '../correlate/scope-scene.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));

test('each link is there once', () => {
  assert.deepEqual(
    scopeLinks(STATES).map(({ from, to }) => [from, to].map(({ node, ifname }) => `${node}:${ifname}`)),
    [
      ['r1:eth2', 'r2:eth1'],
      ['r2:eth2', 'r3:eth1'],
    ],
  );
});

test('the side of the node that is asked about comes first', () => {
  const [link] = scopeLinks(STATES);
  assert.deepEqual(
    endsFrom(link!, 'r2').map(({ end, address }) => [end.node, address]),
    [
      ['r2', 'fd00:1:1::1'],
      ['r1', 'fd00:1:1::'],
    ],
  );
  assert.deepEqual(
    endsFrom(link!, 'r1').map(({ end }) => end.node),
    ['r1', 'r2'],
  );
});
