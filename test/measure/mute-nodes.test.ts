// A node that tells its state through a neighbour alone is not asked to measure: its links are probed from their other ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planLinkProbes } from '#measure/links/link-probes.ts';
import { planFirst } from '#measure/registry.ts';
import { withoutRoutes } from '#measure/scope.ts';
import { stateOf } from '../correlate/scope-scene.ts';
import { scopeOf } from './scope.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));

/** `r1>r2`: who probes whom over their link. */
function probers(mute: readonly string[]): readonly string[] {
  return planLinkProbes(STATES, new Set(mute))
    .filter(({ id }) => id.endsWith('/link'))
    .map(({ id }) =>
      id
        .split('/')
        .slice(1, 3)
        .map((end) => end.split(':')[0])
        .join('>'),
    )
    .sort();
}

test('each link is probed from an end that can be asked', () => {
  for (const mute of ['r1', 'r2', 'r3']) {
    const ways = probers([mute]);
    assert.equal(ways.length, probers([]).length);
    assert.deepEqual(
      ways.filter((way) => way.startsWith(`${mute}>`)),
      [],
    );
    assert.ok(ways.some((way) => way.endsWith(`>${mute}`)));
  }
});

test('who is on the ports of a node that cannot be asked is asked through those who hear it; nothing that needs a route is', () => {
  const relays = new Map([['r3', ['r2']]]);
  const planned = planFirst(scopeOf(STATES, { relays }));
  const asked = planned.filter(({ name }) => name === 'parley-host-scan' || name === 'parley-relay');
  assert.deepEqual(
    asked.map(({ id, node, evidence, arguments: args }) => [id, node, evidence, args['node']]),
    [
      ['probe/r1/parley-host-scan', 'r1', 'host-scan', undefined],
      ['probe/r2/parley-relay/r3/parley-host-scan', 'r2', 'relayed', 'r3'],
    ],
  );
  const [port] = (asked[1]!.arguments['hosts'] as { ports: { ifname: string; addresses: string[] }[] }).ports;
  assert.deepEqual(port, { ifname: 'eth3', addresses: ['198.19.3.10', '198.19.3.1'] });
  assert.ok(planned.every(({ node }) => node !== 'r3'));
});

test('a node whose session others pass on measures like any, but for what others must route back to it', () => {
  const scope = { unrouted: new Set(['r3']) };
  const ids = (of: object) => planFirst(scopeOf(STATES, of)).map(({ id }) => id);
  assert.deepEqual(ids(scope), ids({}), 'nothing here is of that kind');
  const isWithout = (node: string) => withoutRoutes({ relays: new Map([['r1', ['r2']]]), ...scope }).has(node);
  assert.deepEqual(['r1', 'r2', 'r3'].map(isWithout), [true, false, true]);
  const around = (unrouted: ReadonlySet<string>) =>
    planFirst(scopeOf(STATES, { nodes: [...STATES.keys(), 'r9'], unrouted })).filter(
      ({ purpose, node }) => purpose.kind === 'non-reporting-transit' && unrouted.has(node),
    );
  assert.deepEqual(around(new Set(['r3'])), []);
});
