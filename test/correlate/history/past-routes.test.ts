// Faults of SRv6 that are over and left nothing but a route that had not been there: named where the node itself found no other way
// then, and where nothing else explains that it found none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState, PastState, RouteAnswer } from '#model/router/router-port.ts';
import { type Scene, sceneOf } from '../scope-scene.ts';

type Change = (state: NodeState) => NodeState;

/** Healthy now; eight to four seconds ago the nodes were as `then` changes them. */
function overIn(then: Readonly<Record<string, Change>>, lookups: Scene['lookups'] = {}): readonly string[] {
  const states = Object.fromEntries(
    Object.entries(then).map(([node, change]) => [
      node,
      (state: NodeState, phase: string): NodeState => {
        const past: readonly PastState[] = [{ fromAgoMs: 8_000, untilAgoMs: 4_000, state: change(state) }];
        return phase === 'after' ? { ...state, past } : state;
      },
    ]),
  );
  const input = sceneOf({ states, lookups });
  const { findings } = diagnose({ ...input, intent: { ...input.intent, sinceMs: 120_000 } });
  return findings.map(
    ({ fault, resource, details }) => `${fault} ${resource} ${details['over'] === true ? 'over' : ''}`,
  );
}

const bare: Change = (state) => ({
  ...state,
  staticRoutes: (state.staticRoutes ?? []).filter((route) => route.segments === undefined),
});
const unannounced: Change = (state) => ({
  ...state,
  staticRoutes: (state.staticRoutes ?? []).filter((route) => route.kind !== 'blackhole'),
});
const lacking =
  (...noWayTo: readonly string[]): Change =>
  (state) => ({ ...state, noWayTo });

test('a head that had stopped to put a network into SRv6, and had no other way to it', () => {
  assert.deepEqual(overIn({ r3: (state) => lacking('fd00:c:1::')(bare(state)) }), [
    'srv6_encapsulation_missing node/r3 over',
  ]);
});

test('the same head had another way then, or did not look: nothing is known to have been wrong', () => {
  assert.deepEqual(overIn({ r3: (state) => lacking()(bare(state)) }), []);
  assert.deepEqual(overIn({ r3: (state) => lacking('fd00:c:9::')(bare(state)) }), []);
  assert.deepEqual(overIn({ r3: bare }), []);
});

test('a narrower route than the one that was gone is not taken for it', () => {
  const narrower: RouteAnswer = { destination: 'fd00:c:1::1', kind: 'unicast', ifname: 'eth1', protocol: 'isis' };
  assert.deepEqual(overIn({ r3: (state) => lacking('fd00:c:1::')(bare(state)) }, { r3: [narrower] }), []);
});

test('a node that had not announced its locator, so that a head had no way to its SID', () => {
  assert.deepEqual(overIn({ r1: lacking('fd00:5a:3::d6'), r3: unannounced }), ['srv6_locator_missing node/r3 over']);
});

test('a head had no way to a SID whose locator was set all the time: not the locator’s fault', () => {
  assert.deepEqual(overIn({ r1: lacking('fd00:5a:3::d6') }), []);
});

test('a locator that was not set while every head had a way to its SIDs did no harm', () => {
  assert.deepEqual(overIn({ r3: unannounced }), []);
  assert.deepEqual(overIn({ r1: lacking('fd00:c:9::'), r3: unannounced }), []);
});
