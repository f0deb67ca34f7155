// How far another node may send through this one: its own links and its own network, and what each capability's name allows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenSession } from '#agent/sessions/sessions.ts';
import { createRelayTool } from '#agent/tools/relay.ts';
import type { ParleyError } from '#base/error.ts';
import { formatAddress } from '#base/ipv6-text.ts';
import type { CallContext } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { HostScanRequest, ServiceProbe } from '#model/router/hosts.ts';
import type { RouteAnswer, RouterPort } from '#model/router/router-port.ts';
import { hostScanTool, serviceProbeTool } from '#network/measurement/hosts.ts';
import { lookupsTool, reachTool } from '#network/measurement/routes.ts';
import { createFakeClock, settle } from '../../fakes/clock.ts';

const NODE: Party = { kind: 'node', domain: 'lab', name: 'pe3', thumbprint: 'bb'.repeat(32) };
const OPERATOR: Party = { kind: 'operator', domain: 'lab', name: 'ann' };
const as = (caller: Party): CallContext => ({
  caller,
  asker: () => ({ asker: { kind: 'node', via: ['pe1'] }, askedBy: 'node/pe1' }),
  signal: new AbortController().signal,
  progress: () => {},
});

const ROUTES: Readonly<Record<string, Partial<RouteAnswer>>> = {
  '198.18.1.10': { kind: 'unicast', ifname: 'eth2', matched: '198.18.1.0/24' },
  '198.18.2.10': { kind: 'unicast', nextHop: '198.18.0.1', matched: '198.18.2.0/24' },
  '203.0.113.9': { kind: 'unicast', nextHop: '198.18.0.1', matched: 'default' },
  '192.0.2.1': { kind: 'none' },
  '2001:db8:1::10': { kind: 'unicast', ifname: 'eth2' },
  '2001:db8:2::10': { kind: 'unicast', nextHop: 'fd00::1', ribPrefix: '2001:db8:2::/64' },
  '2001:db8:3::10': { kind: 'unicast', nextHop: 'fd00::1', ribPrefix: '::/0' },
  '2001:db8:4::10': { kind: 'unicast', nextHop: 'fd00::1' },
  '2001:db8:5::10': { kind: 'unicast', nextHop: 'fd00::1', ribPrefix: '2000::/3' },
  '2001:db8:6::10': { kind: 'unicast', nextHop: 'fd00::1', ribPrefix: '2001:db8::/32' },
  '198.18.1.1': { kind: 'local' },
  '127.0.0.53': { kind: 'local' },
};

function bench() {
  const probed: (readonly ServiceProbe[])[] = [];
  const asked: HostScanRequest[] = [];
  const router = {
    counters: async () => ({ interfaces: [{ name: 'eth2', addresses: ['198.18.1.1/24', 'fd00:1::1/64'] }], sids: [] }),
    routes: async (destinations: readonly string[]) =>
      destinations.map((destination) => ({ destination, ...ROUTES[destination] })),
    onLink: () => (address: string) => address === '2001:db8:1::10',
    serviceProbe: async ({ serviceProbes }: { readonly serviceProbes: readonly ServiceProbe[] }) => {
      probed.push(serviceProbes);
      return serviceProbes.map((serviceProbe) => ({ ...serviceProbe, sent: 1, answered: true, open: true }));
    },
    hosts: async (request: HostScanRequest) => {
      asked.push(request);
      return [];
    },
  } as unknown as RouterPort;
  return { router, probed, asked };
}

/** NAT64, also of a network of its own, 6to4 and Teredo. */
const TRANSLATED = [
  '64:ff9b::cb00:7107',
  '64:ff9b:1::cb00:7107',
  formatAddress(6, 0x2002_cb00_7107n << 80n),
  formatAddress(6, 0x2001_0000_cb00_7107n << 64n),
];

const tcp = (destination: string) => ({ destination, service: 'tcp', port: 80 }) as const;
const via = { ifname: 'eth1', mac: '02:00:00:00:00:01' };

test('another node serviceProbes at what this network has a route for, and at nothing beyond the default route [TS-14a]', async () => {
  const { router, probed } = bench();
  const all = [
    ...Object.keys(ROUTES).map(tcp),
    { destination: '127.0.0.53', service: 'echo' },
    { destination: '198.18.1.1', service: 'echo' },
    { destination: '203.0.113.9', service: 'echo', via },
    { destination: '192.0.2.1', service: 'echo', via },
    { destination: '198.18.2.10', service: 'echo', via },
  ];
  const answer = await serviceProbeTool(router, () => true).call({ serviceProbes: all }, as(NODE));
  assert.deepEqual(
    probed[0]!.map(({ destination, service }) => `${service} ${destination}`),
    [
      ...['tcp 198.18.1.10', 'tcp 198.18.2.10', 'tcp 192.0.2.1', 'tcp 2001:db8:1::10', 'tcp 2001:db8:2::10'],
      'tcp 2001:db8:6::10',
      ...['echo 198.18.1.1', 'echo 198.18.2.10'],
    ],
  );
  const left = [
    '203.0.113.9',
    '2001:db8:3::10',
    '2001:db8:4::10',
    '2001:db8:5::10',
    '198.18.1.1',
    '127.0.0.53',
    '192.0.2.1',
  ];
  assert.deepEqual(answer['left'], left);
  assert.equal('byDefault' in answer, false);
  assert.equal((answer['results'] as unknown[]).length, 8);
  const isLoopback = ({ destination }: { readonly destination: string }) => destination === '127.0.0.53';
  await serviceProbeTool(router).call({ serviceProbes: all.filter((each) => !isLoopback(each)) }, as(OPERATOR));
  assert.equal(probed[1]!.length, 15);
});

test('a node that asks for it has private addresses tried along a default route, where an agent is its next hop [TS-14a]', async () => {
  const { router, probed } = bench();
  const over = (ifname: string, nextHop = '198.18.0.1') => ({ kind: 'unicast', nextHop, ifname, matched: 'default' });
  const routes: Readonly<Record<string, object>> = {
    ...ROUTES,
    ...{
      '198.18.2.3': over('eth1'),
      '1.1.1.1': over('eth1'),
      '100.100.100.100': over('eth1'),
      '198.18.9.3': over('eth9'),
    },
    '198.18.8.3': { kind: 'unicast', matched: 'default', ifnames: ['eth1', 'eth9'] },
    ...{ '198.18.6.3': over('eth1', '198.18.5.9'), '198.18.5.3': over('eth2', '198.18.1.9') },
    ...{ '198.18.7.3': { kind: 'local' }, 'fd00:64::909:909': over('eth1') },
  };
  const asking = {
    ...router,
    counters: async () => ({
      interfaces: [
        { name: 'eth1', addresses: ['198.18.0.0/31'] },
        { name: 'eth2', addresses: ['198.18.1.1/24'] },
      ],
      sids: [],
    }),
    routes: async (destinations: readonly string[]) =>
      destinations.map((destination) => ({ destination, ...routes[destination] })),
  } as unknown as RouterPort;
  const tool = serviceProbeTool(asking, (ifname) => ifname !== 'eth9');
  const private4 = Object.keys(routes).filter((each) => !(each in ROUTES));
  const serviceProbes = [...private4.map(tcp), { ...tcp('198.18.2.3'), via }, tcp('198.18.2.10')];
  const answer = await tool.call({ serviceProbes, alongDefault: true }, as(NODE));
  assert.deepEqual(
    [probed[0]!.map(({ destination }) => destination), answer['byDefault']],
    [['198.18.2.3', '198.18.2.10'], ['198.18.2.3']],
  );
  assert.deepEqual(probed[0], [tcp('198.18.2.3'), tcp('198.18.2.10')], 'no frame is handed to a neighbour');
  const older = await tool.call({ serviceProbes }, as(NODE));
  assert.deepEqual([probed[1], 'byDefault' in older], [[tcp('198.18.2.10')], false]);
});

test('a service at an address of no single host is tried for no caller: an operator is refused, and a node told', async () => {
  const { router, probed } = bench();
  for (const address of ['127.0.0.1', '0.0.0.0', '169.254.0.0', '224.0.0.5', '255.255.255.255', ...TRANSLATED]) {
    const serviceProbes = [tcp(address), { destination: address, service: 'echo' }];
    await assert.rejects(serviceProbeTool(router).call({ serviceProbes }, as(OPERATOR)), {
      ...{ code: 'caller/bad-argument', message: `expected the address of a host, got ${address}` },
    });
    const routed = {
      ...router,
      routes: async () => [{ destination: address, kind: 'unicast', matched: '198.18.0.0/15' }],
    };
    const answer = await serviceProbeTool(routed as unknown as RouterPort).call({ serviceProbes }, as(NODE));
    assert.deepEqual([answer['left'], probed.flat()], [[address], []]);
  }
});

test('one port of no well-known service is tried in a call, for another node within this network alone', async () => {
  const { router, probed } = bench();
  const call = (caller: Party, ...serviceProbes: readonly ServiceProbe[]) =>
    serviceProbeTool(router).call({ serviceProbes }, as(caller));
  const at = (destination: string, port: number): ServiceProbe => ({ destination, service: 'tcp', port });
  await call(NODE, at('198.18.1.10', 3_389));
  const answer = await call(NODE, at('203.0.113.9', 3_389));
  assert.deepEqual([probed, answer['left']], [[[at('198.18.1.10', 3_389)], []], ['203.0.113.9']]);
  await assert.rejects(call(OPERATOR, at('198.18.1.10', 3_389), at('198.18.1.10', 22)), /at most one port/);
});

test('another node has connection requests sent over links, and a few to what this network has a route for [TS-14a]', async () => {
  const { router } = bench();
  const sent: (readonly unknown[])[] = [];
  const reaching: RouterPort = {
    ...router,
    onLink: () => (address) => address.startsWith('198.18.0.'),
    reach: async ({ destinations, count, traffic }) => {
      sent.push([[...destinations], count, traffic]);
      return [];
    },
  };
  const reach = (caller: Party, args: object) => reachTool(reaching).call({ ...args }, as(caller));
  const [near, far, beyond] = ['198.18.0.1', '198.18.2.10', '203.0.113.9'];
  await reach(NODE, { destinations: [near], count: 100, traffic: 'tcp' });
  const answer = await reach(NODE, { destinations: [far, beyond, near], count: 3, traffic: 'icmp' });
  assert.deepEqual(answer['left'], [beyond]);
  const many = await reach(NODE, { destinations: [near, far], count: 4, traffic: 'tcp' });
  assert.deepEqual(many['left'], [far]);
  await reach(NODE, { destinations: ['2001:db8:7::10'], count: 3, traffic: 'icmp' });
  await reach(NODE, { destinations: [far, beyond], count: 100 });
  await reach(OPERATOR, { destinations: [beyond], count: 100, traffic: 'tcp' });
  assert.deepEqual(sent, [
    [[near], 100, 'tcp'],
    [[far, near], 3, 'icmp'],
    [[near], 4, 'tcp'],
    [['2001:db8:7::10'], 3, 'icmp'],
    [[far, beyond], 100, undefined],
    [[beyond], 100, 'tcp'],
  ]);
});

test('probes go from an address of this node alone, in whatever name they are asked for, and from one of a family', async () => {
  const { router } = bench();
  const sent: unknown[] = [];
  const reaching: RouterPort = {
    ...router,
    reach: async ({ sources }) => {
      sent.push(sources);
      return [];
    },
  };
  const reach = (caller: Party, sources: readonly string[]) =>
    reachTool(reaching).call({ destinations: ['198.18.2.10'], count: 1, sources: [...sources] }, as(caller));
  await reach(NODE, ['198.18.1.1', 'fd00:1::1']);
  for (const caller of [NODE, OPERATOR])
    await assert.rejects(reach(caller, ['198.18.1.10']), ({ code }: ParleyError) => code === 'caller/source-address');
  await assert.rejects(reach(NODE, ['198.18.1.1', '198.18.1.1']), /one address of a family/);
  assert.deepEqual(sent, [['198.18.1.1', 'fd00:1::1']]);
});

test('another node asks by ARP around the addresses of the port alone [TS-14a]', async () => {
  const { router, asked } = bench();
  const definition = hostScanTool(router);
  const ask = (caller: Party, ifname: string, ...addresses: string[]) =>
    definition.call({ ports: [{ ifname, addresses }] }, as(caller));
  await ask(NODE, 'eth2', '198.18.1.10', '198.18.77.10');
  assert.equal(asked.length, 1);
  for (const [ifname, address] of [
    ['eth2', '198.19.1.10'],
    ['eth9', '198.18.1.10'],
  ] as const)
    await assert.rejects(ask(NODE, ifname, address), (error: ParleyError) => error.code === 'caller/off-link');
  assert.equal(asked.length, 1);
  await ask(OPERATOR, 'eth2', '198.19.1.10');
  assert.equal(asked.length, 2);
});

test('what makes a node send or ask for others is allowed by its own name, not by that of counters and pings [TS-14a]', () => {
  const { router } = bench();
  const relay = createRelayTool({
    router,
    open: async () => assert.fail(),
    port: 9514,
    newSessionId: () => 's',
    record: () => {},
    clock: createFakeClock(),
  });
  const definitions = [hostScanTool(router), serviceProbeTool(router), lookupsTool(router), reachTool(router), relay];
  assert.deepEqual(
    definitions.map(({ name, capability }) => [name, capability]),
    [
      ['parley-host-scan', 'parley-host-scan'],
      ['parley-service-probe', 'parley-service-probe'],
      ['parley-lookups', 'parley-lookups'],
      ['parley-reach', 'parley-reach'],
      ['parley-relay', 'parley-relay'],
    ],
  );
});

/** A router whose only neighbour is leaf2. */
const besideLeaf2 = {
  state: async () => ({
    neighbours: [{ ifname: 'eth1', systemName: 'leaf2' }],
    neighbourTable: [],
    inventory: { interfaces: [{ name: 'eth1', operUp: true, addresses: ['198.18.0.0/31'] }] },
  }),
} as unknown as RouterPort;

test('a relay asks its neighbour for a state, or who is on its ports, and for nothing else', async () => {
  const calls: (readonly [string, unknown])[] = [];
  const session = {
    call: async (request: { readonly name: string; readonly arguments: unknown }) => {
      calls.push([request.name, request.arguments]);
      return { answer: { status: 'answered', body: { told: request.name } } };
    },
    close: async () => {},
  };
  const open = (async () => ({ session, address: '198.18.0.1' })) as unknown as OpenSession;
  const relay = createRelayTool({
    router: besideLeaf2,
    open,
    port: 9514,
    newSessionId: () => 's',
    record: () => {},
    clock: createFakeClock(),
  });
  const hosts = { ports: [{ ifname: 'eth3', addresses: ['198.18.1.10'] }], census: true };
  assert.deepEqual(await relay.call({ node: 'leaf2', hosts }, as(NODE)), {
    node: 'leaf2',
    hosts: { told: 'parley-host-scan' },
  });
  assert.deepEqual(await relay.call({ node: 'leaf2' }, as(NODE)), {
    node: 'leaf2',
    state: { told: 'parley-node-state' },
  });
  assert.deepEqual(calls, [
    ['parley-host-scan', hosts],
    ['parley-node-state', { parts: 'all' }],
  ]);
  assert.deepEqual(Object.keys(relay.inputSchema['properties'] as object), ['node', 'hosts', 'channel', 'turn']);
  await assert.rejects(relay.call({ node: 'leaf2', channel: true }, as(NODE)), /expected a node that asks/);
});

test('a relay does not wait for a neighbour that hangs until the one who asked gives it up', async () => {
  const clock = createFakeClock();
  const open: OpenSession = (_target, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const relay = createRelayTool({
    router: besideLeaf2,
    open,
    port: 9514,
    newSessionId: () => 's',
    record: () => {},
    clock,
  });
  const refused = assert.rejects(Promise.resolve(relay.call({ node: 'leaf2' }, as(NODE))), {
    code: 'peer/timeout',
    message: 'expected a session with leaf2 within 1000 ms, got none',
  });
  await settle();
  await clock.advance(1_000);
  await refused;
});
