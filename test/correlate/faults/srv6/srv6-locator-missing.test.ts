// srv6_locator_missing: a node has a SID, and a head that reaches the node has no route to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { srv6LocatorMissing } from '#correlate/faults/srv6/srv6-locator-missing.ts';
import { named, sceneOf } from '../../scope-scene.ts';
import { type Head, srv6World } from './srv6-scene.ts';

const none = (destination: string) => ({ destination, kind: 'none' as const });

test('the node whose locator is not announced is named', () => {
  const scene = { lookups: { r1: [none('fd00:5a:3::d6')] } };
  assert.deepEqual(named(scene), ['srv6_locator_missing node/r3']);
  const [finding] = diagnose(sceneOf(scene)).findings;
  assert.deepEqual(finding?.remedy, {
    node: 'r3',
    summary: 'announce the locator of SID fd00:5a:3::d6 again from r3',
  });
  assert.equal(
    finding?.details['what'],
    'r1 has no route to SID fd00:5a:3::d6 of r3, who has it: its locator is not announced',
  );
});

test('a head that does not reach the node at all has lost more than a locator', () => {
  const lost = ['fd00:5a:3::d6', 'fd00:0:0:3::1', '198.19.255.3', '198.19.3.1', 'fd00:c:3::1'].map(none);
  assert.deepEqual(
    named({ lookups: { r1: lost } }).filter((each) => each.startsWith('srv6_locator_missing')),
    [],
  );
});

test('a head with a route to the SID misses nothing', () => {
  assert.deepEqual(named({}), []);
});

const SID = 'fd00:5a:b::e';
const B: Head = { sids: [SID], loopbacks: ['198.19.255.2/32', 'fd00::b/128'] };
const head = (change: Head = {}): Head => ({
  ...{ steers: { 'fd00:9::/64': [SID] }, finds: { [SID]: 'none', 'fd00::b': 'unicast' } },
  ...change,
});
const missing = (heads: Readonly<Record<string, Head>>) =>
  srv6LocatorMissing.detect!({ world: srv6World(heads), facts: [] }).map(({ subject, text, confidence, nodes }) => [
    subject,
    confidence,
    nodes.join(),
    text,
  ]);

test('heads that reach the node and not its SID are told together', () => {
  const text = (heads: string) => `${heads} no route to SID ${SID} of {b}, who has it: its locator is not announced`;
  assert.deepEqual(missing({ a: head(), b: B }), [['node/b', 'certain', 'a,b', text('{a} has')]]);
  assert.deepEqual(missing({ a: head(), b: B, c: head() }), [['node/b', 'certain', 'a,c,b', text('{a}, {c} have')]]);
});

test('a SID that is routed, unknown, its own, or of a node that is not reached over IPv6, is none', () => {
  const finds = (sid: string, loopback: string) => ({ finds: { [SID]: sid, 'fd00::b': loopback } });
  assert.deepEqual(missing({ a: head(finds('unicast', 'unicast')), b: B }), []);
  assert.deepEqual(missing({ a: head(finds('none', 'none')), b: B }), []);
  assert.deepEqual(missing({ a: head(), b: { ...B, sids: [] } }), []);
  assert.deepEqual(missing({ b: { ...head(), ...B } }), []);
  const four = { finds: { [SID]: 'none', '198.19.255.2': 'unicast' } };
  assert.deepEqual(missing({ a: head(four), b: { ...B, loopbacks: ['198.19.255.2/32'] } }), []);
});
