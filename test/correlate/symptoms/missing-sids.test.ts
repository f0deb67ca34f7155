// SIDs that heads send to and no node has: whose they should be, and which kinds a head lacks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingSids } from '#correlate/symptoms/missing-sids.ts';
import { pairWorld } from '../pair-scene.ts';

const locator = (prefix: string) => ({ prefix, kind: 'blackhole' });
const steers = (prefix: string, ...segments: readonly string[]) => ({ prefix, kind: 'unicast', segments });
const node = (staticRoutes: readonly object[], sids: readonly (readonly [string, string])[] = []) => ({
  now: { staticRoutes, inventory: { interfaces: [], sids: sids.map(([sid, behavior]) => ({ sid, behavior })) } },
});
const SID = 'fd00:5a:3::d6';

test('a SID that heads send to and no node has is missed at the node whose locator it is', () => {
  const found = (c: object, lookups: object = new Map()) =>
    missingSids(
      pairWorld(['a-b'], { a: node([steers('fd00:c:3::/64', SID)]), b: node([]), c: c as never }, { lookups }),
    ).map(({ id, subject, detail }) => [id, subject, detail]);
  assert.deepEqual(found(node([locator('fd00:5a:3::/48')])), [
    [`srv6:${SID}`, 'node/c', { sid: SID, heads: ['a'], owner: 'c', prefix: 'fd00:c:3::/64' }],
  ]);
  assert.deepEqual(found(node([locator('fd00:5a:3::/48')], [[SID, 'End.DT6']])), []);
  assert.deepEqual(found(node([])), [], 'it may belong to a node that was not asked');
  const lookup = (kind: string) => new Map([['a', new Map([[SID, { kind }]])]]);
  for (const kind of ['none', 'unreachable'])
    assert.deepEqual(found(node([]), lookup(kind)), [
      [`srv6:${SID}`, 'node/a', { sid: SID, heads: ['a'], prefix: 'fd00:c:3::/64' }],
    ]);
  assert.deepEqual(found(node([]), lookup('unicast')), []);
});

test('a SID that looks up in a table without a route is missed where others send to it', () => {
  const [full, empty] = [{}, { table: '100', emptyTable: true }].map((lookup) => ({
    now: { staticRoutes: [], inventory: { interfaces: [], sids: [{ sid: SID, behavior: 'End.DT6', ...lookup }] } },
  }));
  const found = (head: object, c: object) =>
    missingSids(pairWorld(['a-b'], { a: head as never, b: node([]), c: c as never }));
  const sending = node([steers('fd00:c:3::/64', SID)]);
  assert.deepEqual(
    found(sending, empty!).map(({ id, subject, detail }) => [id, subject, detail]),
    [[`srv6:${SID}`, 'node/c', { sid: SID, heads: ['a'], emptyTable: '100', owner: 'c', prefix: 'fd00:c:3::/64' }]],
  );
  assert.match(found(sending, empty!)[0]?.text ?? '', /sends to SID fd00:5a:3::d6, which looks up in table 100 of /);
  assert.deepEqual(found(sending, full!), []);
  assert.deepEqual(found(node([]), empty!), [], 'to which none sends');
});

test('a locator is as narrow as /40, or /32 with SIDs of its node in it; the narrowest counts, and one alone', () => {
  const owner = (...nodes: readonly object[]) => {
    const states = Object.fromEntries(nodes.map((each, index) => [`n${index}`, each]));
    return missingSids(pairWorld([], { a: node([steers('fd00:c:3::/64', SID)]), ...states } as never)).map(
      ({ detail }) => detail.owner,
    );
  };
  assert.deepEqual(owner(node([locator('fd00:5a::/40')])), ['n0']);
  assert.deepEqual(owner(node([locator('fd00:5a::/39')])), []);
  assert.deepEqual(owner(node([locator('fd00:5a::/32')], [['fd00:5a:9::1', 'End']])), ['n0']);
  assert.deepEqual(owner(node([locator('fd00:5a::/32')], [['fd00:5b:9::1', 'End']])), []);
  assert.deepEqual(owner(node([locator('fd00:5a::/31')], [['fd00:5a:9::1', 'End']])), []);
  assert.deepEqual(owner(node([locator('fd00:5a::/40')]), node([locator('fd00:5a:3::/48')])), ['n1']);
  assert.deepEqual(owner(node([locator('fd00:5a:3::/48')]), node([locator('fd00:5a:3::/48')])), []);
  assert.deepEqual(owner(node([{ ...locator('fd00:5a:3::/48'), kind: 'unicast' }])), []);
});

test('a head without a kind of SID that all other heads have lacks it', () => {
  const head = (number: number, ...behaviors: readonly string[]) =>
    node(
      [locator(`fd00:5a:${number}::/48`), steers('fd00:c::/64', 'fd00:5a:1::e')],
      behaviors.map((behavior, index) => [`fd00:5a:${number}::${index === 0 ? 'e' : index}`, behavior] as const),
    );
  const lacking = (...heads: readonly object[]) =>
    missingSids(pairWorld([], Object.fromEntries(heads.map((each, index) => [`n${index}`, each])) as never)).map(
      ({ id }) => id,
    );
  const full = (number: number) => head(number, 'End', 'End.DT6');
  assert.deepEqual(lacking(full(1), full(2), head(3, 'End')), ['srv6:lacks/n2/End.DT6']);
  assert.deepEqual(lacking(full(1), head(3, 'End')), [], 'two others must agree');
  assert.deepEqual(lacking(full(1), full(2), full(3)), []);
  assert.deepEqual(lacking(full(1), head(2, 'End'), head(3, 'End')), []);
  assert.deepEqual(lacking(full(1), full(2), head(3)), [], 'a node without any SID has another part to play');
  assert.deepEqual(
    lacking(full(1), full(2), head(3, 'End', 'End.DT4')),
    [],
    'so has one that decapsulates what no other does',
  );
  assert.deepEqual(
    lacking(full(1), full(2), node([locator('fd00:5a:3::/48')], [['fd00:5a:3::e', 'End']])),
    [],
    'or that steers nothing',
  );
});
