// Probes through a router whose agent gives no state: which of its links they crossed, and how many were lost on the way there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { World } from '#correlate/network/world.ts';
import { nonReportingFacts } from '#correlate/observe/observe-non-reporting.ts';
import type { Evidence } from '#model/evidence.ts';

const FROM = { node: 'a', ifname: 'eth1' };
const TO = { node: 'b', ifname: 'eth1' };
/** a and b beside s-1, which is asked and gives no state; each knows it on eth1, a on eth2 as well. */
const stateOf = (...ports: readonly (readonly [ifname: string, address: string])[]) => ({
  inventory: {
    interfaces: ports.map(([name, address]) => ({
      ...{ name, kind: 'physical', operUp: true, addresses: [`${address}/127`] },
    })),
  },
  neighbours: ports.map(([ifname]) => ({ ifname, systemName: 's-1', portId: `to-${ifname}` })),
  adjacencies: [],
  neighbourTable: ports.map(([ifname]) => ({ ifname, mac: '02:00:00:00:00:01' })),
});
const A = 'fd00:1::';
const A2 = 'fd00:2::';
const B = 'fd00:3::';
const STATES = { a: stateOf(['eth1', A], ['eth2', A2]), b: stateOf(['eth1', B]) };
const worldOf = (way: object | undefined) =>
  ({
    nodes: ['a', 'b', 's-1'],
    views: new Map(Object.entries(STATES).map(([node, state]) => [node, { node, state }])),
    lookups: new Map(way === undefined ? [] : [['a', new Map([[B, { destination: B, ...way }]])]]),
  }) as unknown as World;
const OVER = { kind: 'unicast', ifname: 'eth1' };
type Run = {
  readonly args?: object;
  readonly body?: object;
  readonly way?: object | undefined;
  readonly purpose?: object;
};
const facts = ({ args = { source: A, destination: B }, body = {}, purpose = {}, ...given }: Run = {}) =>
  nonReportingFacts(worldOf('way' in given ? given.way : OVER), [
    {
      ...{ id: 'e1', node: 'a', kind: 'probe', phase: 'probe' },
      purpose: { kind: 'non-reporting-transit', from: FROM, through: 's1', to: TO, round: 'first', ...purpose },
      request: { method: 'tools/call', params: { arguments: args } },
      body: { sent: 300, sendErrors: 0, reflected: 290, received: 280, duplicates: 0, rttMs: null, ...body },
    } as unknown as Evidence,
  ]);
const crossed = (run?: Run) =>
  facts(run).map(({ value }) => {
    const { from, to, sent, lost, again } = value as never as Record<'from' | 'to', { address: string }> &
      Record<'sent' | 'lost', number> & { again: boolean };
    return [from.address, to.address, sent, lost, again];
  });

test('probes from one link to another are sent, and lost on the way there', () => {
  assert.deepEqual(crossed(), [[A, B, 300, 10, false]]);
  assert.deepEqual(crossed({ body: { sendErrors: 6 } }), [[A, B, 294, 4, false]]);
  assert.deepEqual(crossed({ purpose: { round: 'confirmation' } }), [[A, B, 300, 10, true]]);
  const [fact] = facts();
  assert.deepEqual([fact?.subject, fact?.predicate, fact?.source], ['path/a>s1>b', 'non-reporting-transit', ['e1']]);
});

test('probes of which none was sent, or none came through, say nothing of a link', () => {
  assert.deepEqual(crossed({ body: { sent: 0, reflected: 0, received: 0 } }), []);
  assert.deepEqual(crossed({ body: { reflected: 0, received: 0 } }), []);
  assert.deepEqual(crossed({ body: { reflected: undefined, received: 0 } }), []);
});

test('a loop crosses the link of its interface, both ways', () => {
  const via = (ifname: string) => ({ args: { via: { ifname, mac: '02:00:00:00:00:01' } }, purpose: { to: FROM } });
  assert.deepEqual(crossed(via('eth1')), [[A, A, 300, 10, false]]);
  assert.deepEqual(crossed(via('eth2')), [[A2, A2, 300, 10, false]]);
  assert.deepEqual(crossed(via('eth9')), []);
});

test('probes are no fact where the sender does not route them over that one link alone', () => {
  assert.deepEqual(crossed({ way: { ...OVER, ifnames: ['eth1'] } }), [[A, B, 300, 10, false]]);
  for (const way of [
    undefined,
    { kind: 'blackhole', ifname: 'eth1' },
    { kind: 'unicast', ifname: 'eth2' },
    { kind: 'unicast' },
    { ...OVER, ifnames: ['eth1', 'eth2'] },
    { ...OVER, ifnames: [] },
  ])
    assert.deepEqual(crossed({ way }), [], JSON.stringify(way));
});

test('probes from or to an address that is on no such link, or of another router, are no fact', () => {
  assert.deepEqual(crossed({ args: { source: 'fd00:9::', destination: B } }), []);
  assert.deepEqual(crossed({ args: { source: B, destination: B } }), []);
  assert.deepEqual(crossed({ args: { source: A, destination: 'fd00:9::' } }), []);
  assert.deepEqual(crossed({ purpose: { through: 's2' } }), []);
});
