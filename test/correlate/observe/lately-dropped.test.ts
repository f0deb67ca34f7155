// Rules that dropped lately and stood still in the window: each condition under which that is believed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latelyFacts } from '#correlate/observe/recent-filter-drops.ts';
import { is } from '../service-scene.ts';

const BGP = [is('protocol', 'tcp'), is('destination-port', '179')];
const RULE = {
  ...{ family: 'inet', table: 't', chain: 'c', path: ['c'], hook: 'input', handle: 4, verdict: 'drop' },
  ...{ inInterfaces: [], outInterfaces: [], packets: '7', bytes: '0', matches: BGP, matchesRest: false },
};
type Given = {
  readonly rule?: object;
  readonly before?: readonly object[];
  readonly drops?: readonly object[];
  readonly others?: readonly object[];
};
const lately = ({ rule = {}, drops = [RULE], others = [], ...given }: Given = {}) => {
  const now = { ...RULE, ...rule };
  const filters = { before: given.before ?? [now], after: [...others, now] };
  return latelyFacts(
    'a',
    { filters: filters.before } as never,
    { filters: filters.after, history: { filterDrops: drops } } as never,
    ['s'],
  ).map(({ subject, predicate, window, value }) => [
    subject,
    predicate,
    window,
    (value as { packets?: number }).packets,
  ]);
};
const YES = [['node/a', 'filter-lately', 'lately', undefined]];

test('a rule against a protocol that its node remembers to have dropped, and that stood still since', () => {
  assert.deepEqual(lately(), YES);
  assert.deepEqual(lately({ drops: [] }), []);
  for (const change of [{ family: 'ip' }, { table: 'x' }, { chain: 'x' }, { handle: 5 }]) {
    assert.deepEqual(lately({ drops: [{ ...RULE, ...change }] }), [], JSON.stringify(change));
    assert.deepEqual(lately({ before: [{ ...RULE, ...change }] }), [], JSON.stringify(change));
  }
  assert.deepEqual(lately({ before: [{ ...RULE, packets: '6' }] }), [], 'it moved in the window');
  assert.deepEqual(lately({ rule: { packets: undefined } }), []);
  assert.deepEqual(lately({ rule: { packets: '0' }, before: [{ ...RULE, packets: undefined }] }), YES);
});

test('protocols between routers alone, for every packet of theirs', () => {
  const matching = (matches: readonly object[], change: object = {}) => lately({ rule: { matches, ...change } });
  assert.deepEqual(matching([is('protocol', 'ospf')]), YES);
  assert.deepEqual(matching([is('protocol', 'udp'), is('destination-port', '3784')]), YES);
  assert.deepEqual(matching([is('protocol', 'udp'), is('destination-port', '53')]), [], 'a service');
  assert.deepEqual(matching([]), [], 'everything');
  assert.deepEqual(matching(BGP, { matchesRest: true }), []);
  for (const field of ['source', 'destination'] as const)
    assert.deepEqual(matching([...BGP, is(field, '198.51.100.0/24')]), [], field);
  assert.deepEqual(matching([...BGP, is('sample', '2')]), []);
});

test('where another rule of that hook lets some of it through, the drops are of strangers', () => {
  const beside = (change: object) => lately({ others: [{ ...RULE, handle: 3, verdict: 'accept', ...change }] });
  assert.deepEqual(beside({}), []);
  assert.deepEqual(beside({ verdict: 'other' }), YES);
  assert.deepEqual(beside({ hook: 'output' }), YES);
  assert.deepEqual(beside({ matches: [is('protocol', 'udp')] }), YES);
  assert.deepEqual(beside({ inInterfaces: ['lo'] }), YES);
  assert.deepEqual(beside({ inInterfaces: ['lo', 'eth1'] }), []);
  assert.deepEqual(beside({ outInterfaces: ['eth1'] }), []);
});
