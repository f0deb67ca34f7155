// Loops over a slow link: out over it and back another way, steered by SIDs; none where there is no other way back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planLoops } from '#measure/links/loops.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import type { States } from '#measure/states.ts';
import type { NodeState } from '#model/router/router-port.ts';

/** A ring of `count` nodes: `eth1` onwards, `eth2` back. */
function ring(names: readonly string[], closed = true): States {
  const subnet = (index: number) => `fd00:${index + 1}::`;
  return new Map(
    names.map((node, index): [string, NodeState] => {
      const before = (index + names.length - 1) % names.length;
      const onward = closed || index < names.length - 1 ? [['eth1', `${subnet(index)}1/127`]] : [];
      const back = closed || index > 0 ? [['eth2', `${subnet(before)}0/127`]] : [];
      const interfaces = [...onward, ...back].map(([name, address]) => ({
        ...{ name, addresses: [address], kind: 'physical', adminUp: true, operUp: true, mtu: 9000 },
      }));
      const sids = [
        { sid: `fd00:5a:${index}::e`, behavior: 'End' },
        { sid: `fd00:5a:${index}::d6`, behavior: 'End.DT6' },
      ];
      const inventory = { node, interfaces, sids, loopbacks: [`fd00:0:0:${index}::1/128`] };
      return [node, { inventory, neighbours: [], adjacencies: [], filters: [], missing: [] } as unknown as NodeState];
    }),
  );
}

test('two loops cross a slow link of a ring, one each way, from one node that hears them itself', () => {
  const states = ring(['a', 'b', 'c', 'd']);
  const slow = scopeLinks(states).filter(({ from, to }) => from.node === 'a' && to.node === 'b');
  const calls = planLoops(states, slow);
  assert.deepEqual(
    calls.map((call) => [call.node, call.arguments['SID List'], call.arguments['segments']]),
    [
      ['a', ['b', 'c', 'd', 'a'], ['fd00:5a:1::e', 'fd00:5a:2::e', 'fd00:5a:3::e', 'fd00:5a:0::d6']],
      ['a', ['d', 'c', 'b', 'a'], ['fd00:5a:3::e', 'fd00:5a:2::e', 'fd00:5a:1::e', 'fd00:5a:0::d6']],
    ],
  );
  assert.deepEqual(
    [calls[0]?.phase, calls[0]?.arguments['source'], calls[0]?.arguments['destination']],
    ['deepen', 'fd00:0:0:0::1', 'fd00:0:0:0::1'],
  );
});

test('a loop past a node that routing has lost begins beside it, is handed to it, and comes home by the routes of others', () => {
  const states = new Map(
    [...ring(['a', 'b', 'c', 'd'])].map(([node, state]): [string, NodeState] => {
      const interfaces = state.inventory.interfaces.map((entry) => ({
        ...entry,
        mac: `02:00:${node}${node}:${entry.name.slice(-1)}0:00:00`,
      }));
      return [node, { ...state, inventory: { ...state.inventory, interfaces } }];
    }),
  );
  const slow = scopeLinks(states).filter(({ from, to }) => from.node === 'a' && to.node === 'b');
  const told = (lost: readonly string[]) =>
    planLoops(states, slow, new Set(lost)).map(({ node, arguments: args }) => [
      ...[node, args['SID List'], args['segments'], args['via']],
    ]);
  assert.deepEqual(told(['c']), [
    [
      'b',
      ['c', 'd', 'a', 'b'],
      ['fd00:5a:3::e', 'fd00:5a:0::e', 'fd00:5a:1::d6'],
      { ifname: 'eth1', mac: '02:00:cc:20:00:00' },
    ],
    [
      'd',
      ['c', 'b', 'a', 'd'],
      ['fd00:5a:1::e', 'fd00:5a:0::e', 'fd00:5a:3::d6'],
      { ifname: 'eth2', mac: '02:00:cc:10:00:00' },
    ],
  ]);
  // Also when it is an end of the slow link itself.
  assert.deepEqual(
    told(['b']).map(([node, visits]) => [node, visits]),
    [
      ['a', ['b', 'c', 'd', 'a']],
      ['c', ['b', 'a', 'd', 'c']],
    ],
  );
  assert.deepEqual(told(['b', 'c']), []);
  // Its own word that its routing is dead, where it is reached all the same.
  const dead = new Map(states).set('c', { ...states.get('c')!, daemons: [{ name: 'zebra', alive: false }] });
  assert.deepEqual(
    planLoops(dead, slow).map(({ node }) => node),
    ['b', 'd'],
  );
});

test('a link that nothing goes round has no loop', () => {
  const states = ring(['a', 'b', 'c'], false);
  assert.deepEqual(planLoops(states, scopeLinks(states).slice(0, 1)), []);
});

test('a loop crosses another slow link only where there is no other way, and each is run once', () => {
  const states = ring(['a', 'b', 'c', 'd']);
  const calls = planLoops(states, scopeLinks(states).slice(0, 2));
  assert.deepEqual(
    calls.map(({ id }) => id),
    ['deepen/a/loop/b/c/d/a', 'deepen/a/loop/d/c/b/a'],
  );
});
