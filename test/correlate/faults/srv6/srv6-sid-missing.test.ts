// srv6_sid_missing: a SID within a node's locator that others send to and that the node does not have, or a kind of SID that all others have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { named, sceneOf, stateOf } from '../../scope-scene.ts';

/** Further hand-set routes of a node. */
const routed =
  (...routes: NonNullable<NodeState['staticRoutes']>) =>
  (state: NodeState): NodeState => ({ ...state, staticRoutes: [...(state.staticRoutes ?? []), ...routes] });
const steering = (sid: string) =>
  routed({ prefix: 'fd00:c:9::/64', kind: 'unicast', protocol: 'boot', segments: [sid] });
const throwing = (prefix: string) => routed({ prefix, kind: 'blackhole', protocol: '196' });

const R3 = ['srv6_sid_missing node/r3'];

test('the node whose locator covers the SID is named, the narrowest locator counts', () => {
  const scene = { states: { r1: steering('fd00:5a:3::99') } };
  assert.deepEqual(named(scene), R3);
  assert.deepEqual(diagnose(sceneOf(scene)).findings[0]?.remedy, {
    node: 'r3',
    summary: 'restore SID fd00:5a:3::99 on r3',
  });
  assert.deepEqual(named({ states: { r1: steering('fd00:5a:3::99'), r2: throwing('fd00:5a::/32') } }), R3);
});

test('an aggregate that is thrown away is no node’s locator', () => {
  const states = { r1: steering('fd00:77::99'), r2: throwing('fd00::/16') };
  assert.deepEqual(
    named({ states }).filter((each) => /r2/.test(each)),
    [],
  );
});

/** r2 as a head with SIDs of these kinds. */
const head =
  (...behaviors: readonly string[]) =>
  (state: NodeState): NodeState => ({
    ...state,
    inventory: {
      ...state.inventory,
      sids: behaviors.map((behavior, index) => ({ sid: `fd00:5a:2::${index + 1}`, behavior })),
    },
    staticRoutes: [...(state.staticRoutes ?? []), ...(stateOf(1).staticRoutes ?? []).slice(1)],
  });

test('a head that lacks a kind of SID that all other heads have is named, also when no node sends to it', () => {
  assert.deepEqual(named({ states: { r2: head('End') } }), ['srv6_sid_missing node/r2']);
});

test('a node that steers nothing, and a head that decapsulates what no other does, lack nothing of theirs', () => {
  const idle = (state: NodeState): NodeState => ({
    ...state,
    inventory: { ...state.inventory, sids: state.inventory.sids.filter(({ behavior }) => behavior === 'End') },
  });
  assert.deepEqual(named({ states: { r2: idle } }), []);
  assert.deepEqual(named({ states: { r2: head('End', 'End.DT4') } }), []);
});

test('a SID that looks up in a table without a route is there: what is missing is the routes', () => {
  const idle = (state: NodeState): NodeState => ({
    ...state,
    inventory: {
      ...state.inventory,
      sids: [...state.inventory.sids, { sid: 'fd00:5a:3::99', behavior: 'End.DT6', table: '100', emptyTable: true }],
    },
  });
  const { findings } = diagnose(sceneOf({ states: { r1: steering('fd00:5a:3::99'), r3: idle } }));
  assert.deepEqual(
    findings.map(({ fault, remedy }) => [fault, remedy?.summary]),
    [['srv6_sid_missing', 'restore the routes of table 100 on r3, in which SID fd00:5a:3::99 looks up']],
  );
});
