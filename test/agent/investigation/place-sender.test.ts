// A question in which a host asks: its router is found by the states of nodes and asks in its place; without one the question is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '#agent/investigate.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';
import { LOCAL_ASKER } from '../../fakes/asker.ts';
import { createTestDomain, hear, partsOf } from '../in-process.ts';

const never = new AbortController().signal;

/** pe1 and pe3 have a network of hosts each; p2 is on that of pe1 as well. */
const PORTS: Readonly<Record<string, string>> = {
  pe1: '198.19.17.1/24',
  p2: '198.19.17.2/24',
  pe3: '198.19.33.1/24',
};

function withHosts(heardBy: readonly string[], ports = PORTS, heard: readonly string[] = ['198.19.17.10']) {
  return (state: NodeState): NodeState => {
    const { node, interfaces } = state.inventory;
    const own = ports[node];
    if (own === undefined) return state;
    const port: InterfaceState = { ...interfaces[0]!, name: 'eth3', kind: 'physical', operUp: true, addresses: [own] };
    const rows = heard.map((address) => ({ ifname: 'eth3', address, mac: '02:00:00:00:17:10' }));
    const hosts = heardBy.includes(node) ? rows : [];
    const history = { spanMs: 60_000, events: [], lastHeard: [], ...state.history, hosts };
    return { ...state, inventory: { ...state.inventory, interfaces: [...interfaces, port] }, history };
  };
}

async function ask(
  text: string,
  heardBy: readonly string[],
  { at = 'pe3', ports = PORTS, heard = ['198.19.17.10'] } = {},
) {
  const domain = createTestDomain(withHosts(heardBy, ports, heard));
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('p2'), 'pe1');
  hear(domain.node('p2'), 'pe3');
  hear(domain.node('pe3'), 'p2');
  const told: string[] = [];
  const onProgress = ({ message }: { readonly message: string }) => told.push(message);
  const done = await investigate({ ...LOCAL_ASKER, text, signal: never, onProgress }, partsOf(domain, at));
  return { ...done, told };
}

test('the router that heard the host asks in its place, found through peers of peers [TS-7a]', async () => {
  const { intent, diagnosis, gathered } = await ask('Why can 198.19.17.10 not reach 198.19.33.10?', ['pe1']);
  assert.equal(intent.understoodAs, 'reachability from 198.19.17.10 (behind pe1 eth3) to 198.19.33.10');
  assert.deepEqual(intent.notUsed, undefined, 'p2 is on the network and did not hear the host');
  assert.deepEqual(
    [intent.path.map(({ as }) => as), intent.fromHost],
    [['pe1'], { address: '198.19.17.10', ifname: 'eth3' }],
  );
  assert.notEqual(diagnosis.verdict.kind, 'healthy', 'the embedded nodes probe no host');
  const states = gathered.outcomes.filter(({ purpose }) => purpose.kind === 'state' && purpose.when === 'before');
  assert.equal(new Set(states.map(({ node }) => node)).size, states.length, 'no node is asked for its state twice');
});

test('a node that heard the host on its own port asks its neighbours alone, whether the address is theirs', async () => {
  const { told } = await ask('Why does 198.19.33.10 not answer 198.19.17.10?', ['pe1'], { at: 'pe1' });
  const placed = told.indexOf('understood as reachability from 198.19.17.10 (behind pe1 eth3) to 198.19.33.10');
  assert.ok(placed > 0, told.join('\n'));
  const before = told.slice(0, placed);
  assert.ok(before.some((line) => line.startsWith('p2: authorised')));
  assert.ok(!before.some((line) => line.startsWith('pe3: authorised')));
});

test('the report has states of nodes in the scope alone, not of all that were asked where the host is', async () => {
  const ports = { pe1: '198.19.17.1/24' };
  const { gathered, told } = await ask('can 198.19.17.10 reach 198.19.17.1', [], { ports });
  assert.ok(told.includes('understood as reachability from 198.19.17.10 (behind pe1 eth3) to 198.19.17.1'));
  for (const rows of [gathered.outcomes, gathered.evidence])
    assert.deepEqual(
      [...new Set(rows.map(({ node }) => node))].sort(),
      ['p2', 'pe1'],
      'pe3 was asked, and is not near',
    );
});

test('the address of a router that is heard beside the node is that router, whoever is asked', async () => {
  const text = 'can 198.19.17.2 reach 198.19.33.10';
  const behind = 'can 198.19.17.2 behind pe1 reach 198.19.33.10';
  for (const [at, question] of [
    ['pe1', text],
    ['pe3', text],
    ['pe3', behind],
    ['pe1', behind],
  ] as const) {
    const { intent } = await ask(question, ['pe1'], { at, heard: ['198.19.17.2'] });
    assert.deepEqual([intent.understoodAs, intent.fromHost], ['reachability from p2 to 198.19.33.10', undefined], at);
  }
});

test('an address that no host has is behind no port', async () => {
  for (const address of ['198.19.17.0', '198.19.17.255'])
    await assert.rejects(ask(`can ${address} reach 198.19.33.10`, []), { code: 'caller/unknown-intent' }, address);
});

test('of several routers that heard the host, or of which none did, the answer names the one that it chose and the others', async () => {
  for (const heardBy of [[], ['pe1', 'p2']]) {
    const { intent } = await ask('ping from 198.19.17.10 to 198.19.33.10 fails', heardBy);
    assert.equal(intent.understoodAs, 'reachability from 198.19.17.10 (behind p2 eth3) to 198.19.33.10');
    assert.deepEqual(intent.notUsed, ['pe1 eth3 (198.19.17.10 may be behind it as well)']);
  }
});

test('a host that is on no network of a node, or not on that of the named one, is refused with the reason', async () => {
  await assert.rejects(ask('can 198.19.99.10 reach 198.19.33.10', []), {
    code: 'caller/unknown-intent',
    message: /two addresses; 198\.19\.99\.10 is of no node that is known: name the node that asks/,
  });
  await assert.rejects(ask('can 198.19.17.10 behind pe3 reach 198.19.33.10', ['pe1']), {
    message: /198\.19\.17\.10, which is in no network of pe3/,
  });
});

test('the address of a node that was not known to have it is that node', async () => {
  const { intent } = await ask('can 198.19.17.1 reach 198.19.33.10', []);
  assert.deepEqual([intent.understoodAs, intent.fromHost], ['reachability from pe1 to 198.19.33.10', undefined]);
});

test('a structure says from which host packets come', async () => {
  const { intent, told } = await ask('{ kind: reachability, from: 198.19.17.10, destination: 198.19.33.10 }', ['pe1']);
  assert.deepEqual(intent.path, [{ as: 'pe1', key: 'pe1' }]);
  assert.ok(told.includes('understood as reachability from 198.19.17.10 (behind pe1 eth3) to 198.19.33.10'));
});
