// A hand-set route of a, for what b has, was changed from b to an address that no known node has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticRouteMisconfig } from '#correlate/faults/routing/static-route.ts';
import { changedNextHopSymptoms } from '#correlate/symptoms/changed-next-hops.ts';
import { caseOf } from '../faults/proposing.ts';
import { pairWorld } from '../pair-scene.ts';

const PREFIX = '198.19.1.0/24';
const ADDRESS = '198.19.1.1';
const [OF_B, STRANGE] = ['198.18.10.2', '198.18.10.20'];
const was = (value: string, agoMs = 60_000) => ({
  history: {
    settings: [{ kind: 'static-route', subject: PREFIX, setting: 'to-b', was: value, agoMs }],
    settingsSpanMs: 600_000,
  },
});

type Scene = { readonly a?: object; readonly route?: object; readonly answer?: object; readonly row?: object };

function worldOf({ a = was(`unicast via ${OF_B}`), route = {}, answer = {}, row = {} }: Scene) {
  const set = { prefix: PREFIX, kind: 'unicast', protocol: 'static', nextHop: STRANGE, ifname: 'to-b', ...route };
  const owners = new Map([
    [ADDRESS, [{ node: 'b', ifname: 'to-hosts' }]],
    [OF_B, [{ node: 'b', ifname: 'to-a' }]],
  ]);
  const lookup = {
    destination: ADDRESS,
    kind: 'unicast',
    ifname: 'to-b',
    nextHop: STRANGE,
    matched: PREFIX,
    ...answer,
  };
  return pairWorld(
    ['a-b', 'b-c'],
    { a: { now: { staticRoutes: [set], ...a } }, b: { now: {} }, c: { now: {} } },
    {
      owners,
      lookups: new Map([['a', new Map([[ADDRESS, lookup]])]]),
      reach: [{ from: 'a', destination: ADDRESS, sent: 25, received: 0, source: 'r', ...row }],
    },
  );
}
const textsOf = (scene: Scene) => changedNextHopSymptoms(worldOf(scene)).map(({ text }) => text);

test('a next hop that no node has, in place of one that leads there, and a loss: the route went astray', () => {
  const text = `{a} cannot send to ${ADDRESS} of {b}: ${PREFIX} went via ${OF_B} before, and goes via ${STRANGE}, which no known node has`;
  assert.deepEqual(textsOf({}), [text]);
  const whole = [{ prefix: PREFIX, nextHop: OF_B, kind: 'unicast' }];
  const past = [{ state: { staticRoutes: whole }, fromAgoMs: 60_000, untilAgoMs: 20_000 }];
  assert.deepEqual(textsOf({ a: { past } }), [text], 'whole states of before say so too');
});

test('without a change, without a loss, or with a next hop that a node has, nothing is said', () => {
  assert.deepEqual(textsOf({ a: {} }), [], 'no memory');
  assert.deepEqual(textsOf({ a: was(`unicast via ${STRANGE}`) }), [], 'the same next hop');
  assert.deepEqual(textsOf({ a: was('unicast via 198.18.10.21') }), [], 'another that no node has');
  assert.deepEqual(textsOf({ a: was(`unicast via ${OF_B}`, 600_000 - 5_000) }), [], 'it stood for a moment');
  assert.deepEqual(textsOf({ row: { received: 1 } }), []);
  assert.deepEqual(textsOf({ row: { sent: 0 } }), []);
  assert.deepEqual(textsOf({ row: { again: { sent: 5, received: 5 } } }), []);
  assert.deepEqual(textsOf({ row: { from: 'c' } }), []);
  assert.deepEqual(textsOf({ route: { nextHop: OF_B }, answer: { nextHop: OF_B } }), []);
  assert.deepEqual(textsOf({ answer: { nextHop: '198.18.10.9' } }), [], 'the kernel sends it another way');
  assert.deepEqual(textsOf({ route: { prefix: '198.19.2.0/24' } }), []);
  assert.deepEqual(textsOf({ route: { prefix: '0.0.0.0/0' } }), []);
});

test('the next hop that was there before is put back', () => {
  const world = worldOf({});
  const [found] = staticRouteMisconfig.propose(caseOf(changedNextHopSymptoms(world), world), []);
  assert.deepEqual([found?.resource, found?.confidence], ['node/a', 'likely']);
  const lines = [`no ip route ${PREFIX} ${STRANGE}`, `ip route ${PREFIX} ${OF_B}`];
  assert.deepEqual(found?.remedy?.change, { lines });
  assert.equal(found?.remedy?.summary, `send ${PREFIX} via ${OF_B} on {a} again`);
});
