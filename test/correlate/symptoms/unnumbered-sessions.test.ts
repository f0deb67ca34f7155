// BGP sessions whose peer is a port of the node: who is at the other end, and what is concluded of both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConnected } from '#correlate/faults/sessions/bgp-settings.ts';
import { peerEnd } from '#correlate/network/world.ts';
import { deadDaemons } from '#correlate/symptoms/dead-daemons.ts';
import { sessionsOf } from '#correlate/symptoms/sessions.ts';
import { pairWorld } from '../pair-scene.ts';

const session = (peer: string, state = 'Established') => ({
  ...{ peer, state, families: ['ipv4'], remoteAs: 64_501, localAs: 64_500, policies: [] },
  ...{ established: 1, dropped: 0, shutdown: false, password: false },
});
const speaker = (...sessions: readonly object[]) => ({ now: { bgp: { asn: 64_500, sessions, ownPrefixes: [] } } });

test('the far end of a session over a port is the node at the other end of the only link there', () => {
  const world = pairWorld(['a-b', 'b-c'], {
    a: speaker(session('to-b'), session('to-d')),
    b: speaker(session('to-a', 'Idle'), session('to-c')),
    c: speaker(session('192.0.2.9')),
  });
  assert.deepEqual(
    sessionsOf(world).map(({ near, far, link }) => [near.node, near.row.peer, far?.node, far?.row?.state, link?.key]),
    [
      ['a', 'to-b', 'b', 'Idle', 'link/a:to-b--b:to-a'],
      ['a', 'to-d', undefined, undefined, undefined],
      ['b', 'to-a', 'a', 'Established', 'link/a:to-b--b:to-a'],
      ['b', 'to-c', 'c', undefined, 'link/b:to-c--c:to-b'],
      ['c', '192.0.2.9', undefined, undefined, undefined],
    ],
  );
  assert.deepEqual([isConnected(world, 'a', 'to-b'), isConnected(world, 'a', '192.0.2.9')], [true, false]);
});

test('where several links are on a port, and where an address has no owner, the far end is not known', () => {
  const world = pairWorld(['a-b'], { a: { now: {} }, b: { now: {} } });
  const [link] = world.links;
  const several = { ...world, links: [link!, { ...link!, to: { node: 'c', ifname: 'to-a' } }] };
  assert.deepEqual(peerEnd(world, 'a', 'to-b'), { node: 'b', ifname: 'to-a' });
  assert.equal(peerEnd(several as typeof world, 'a', 'to-b'), undefined);
  assert.equal(peerEnd(world, 'a', '192.0.2.9'), undefined);
});

test('a bgpd that was silent in both readings and that a neighbour over an unnumbered link misses is dead', () => {
  const hung = (neighbour: string) => {
    const now = { daemons: [{ name: 'bgpd', alive: true, silent: true }] };
    const world = pairWorld(['a-b'], { a: speaker(session('to-b', neighbour)), b: { now, before: now, after: now } });
    return deadDaemons(world).map(({ detail }) => detail.dead);
  };
  assert.deepEqual(hung('OpenSent'), [['bgpd']]);
  assert.deepEqual(hung('Established'), []);
});
