// Tries of hosts along a default route: which of them tell anything of the host that was meant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withKnownTries } from '#correlate/network/owed.ts';
import { pairWorld } from '../pair-scene.ts';

const HOST = '198.19.2.10';
const ROUTER = '198.19.2.1';
const BY_DEFAULT = { kind: 'unicast', matched: 'default', nextHop: '198.18.0.1', ifname: 'to-b' };

/** a has a default route to b, which leads to c or, by its own default route, to a provider; the host is behind c. */
function kept({ byDefault = true, onward = 'to-c', destination = HOST, answered = false } = {}) {
  const inventory = {
    interfaces: [{ name: 'eth9', kind: 'physical', operUp: true, addresses: [`${ROUTER}/24`] }],
    loopbacks: [],
  };
  const tries = [{ from: 'a', destination, service: 'echo', sent: 3, answered, open: answered, source: 's' }].map(
    (each) => (byDefault ? { ...each, byDefault } : each),
  );
  const world = pairWorld(['a-b', 'b-c'], { c: { now: { inventory } } }, {
    owners: new Map([[ROUTER, [{ node: 'c', ifname: 'eth9' }]]]),
    lookups: new Map([
      ['a', new Map([[ROUTER, BY_DEFAULT]])],
      ['b', new Map([[ROUTER, { ...BY_DEFAULT, ifname: onward }]])],
    ]),
    serviceProbes: tries,
  } as never);
  return withKnownTries(world).serviceProbes.length;
}

test('tries count where the default routes of known nodes lead to the router of the host', () => {
  assert.equal(kept(), 1);
  assert.equal(kept({ answered: true }), 1);
  assert.equal(kept({ byDefault: false, onward: 'eth9' }), 1, 'not along a default route');
});

test('neither silence nor an answer counts where they may have left the nodes that are known', () => {
  assert.equal(kept({ onward: 'eth9' }), 0);
  assert.equal(kept({ onward: 'eth9', answered: true }), 0);
  assert.equal(kept({ destination: '198.19.53.53' }), 0, 'no known router has that network');
});
