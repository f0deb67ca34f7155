// Services that a question names, and the calls for them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';
import { planMovedNames, planSeenAgain, planSeenServices, planService } from '#measure/hosts/services.ts';
import type { NodeState } from '#model/router/router-port.ts';

const SENTENCES: readonly (readonly [string, string])[] = [
  ['Why can PE-1 not reach the DNS server 198.51.100.53?', 'PE-1 198.51.100.53 dns 53'],
  ['Why can PE-1 not resolve www.example.net at 198.51.100.53?', 'PE-1 198.51.100.53 dns 53 www.example.net'],
  [
    'why can pe1 not look up www.example.net at the name server 198.51.100.53',
    'pe1 198.51.100.53 dns 53 www.example.net',
  ],
  ['Why can PE-1 not reach http://198.51.100.7/?', 'PE-1 198.51.100.7 http 80'],
  ['Why can PE-1 not reach https://198.51.100.7/?', 'PE-1 198.51.100.7 http 443'],
  ['Why can PE-1 not reach the web server 198.51.100.7 port 8080?', 'PE-1 198.51.100.7 http 8080'],
  ['Why can PE-1 not reach 198.51.100.7?', 'PE-1 198.51.100.7'],
];

for (const [sentence, expected] of SENTENCES) {
  test(`reads "${expected}" from ${JSON.stringify(sentence)} [TS-7a]`, () => {
    const parsed = parseIntent(sentence);
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const { kind, path, destination, service } = parsed.intent;
    assert.equal(kind, 'reachability');
    const words = [...path.map(({ as }) => as), destination, service?.name, service?.port, service?.record];
    assert.equal(words.filter((word) => word !== undefined).join(' '), expected);
  });
}

const having = (...addresses: string[]) =>
  ({ inventory: { interfaces: [{ name: 'eth1', kind: 'physical', addresses }] } }) as unknown as NodeState;
const STATES = new Map([
  ['pe1', having('198.18.0.0/31')],
  ['pe2', having('198.51.100.1/24')],
  ['p1', having('198.18.0.1/31')],
]);

test('a service is tried from the asked node and from the router that its host is attached to', () => {
  const parsed = parseIntent('Why can PE-1 not reach the DNS server 198.51.100.53?');
  assert.ok(parsed.ok);
  const calls = planService(parsed.intent, STATES, 'p1');
  assert.deepEqual(
    calls.map(({ id, node }) => [id, node]),
    [
      ['probe/pe1/parley-service-probe/asked', 'pe1'],
      ['probe/pe2/parley-service-probe/asked', 'pe2'],
    ],
  );
  assert.deepEqual(calls[0]?.arguments, {
    alongDefault: true,
    serviceProbes: [
      { destination: '198.51.100.53', service: 'udp', port: 53 },
      { destination: '198.51.100.53', service: 'echo' },
    ],
    whole: true,
  });
});

test('of a port one connection and echoes are asked for, and no page', () => {
  const parsed = parseIntent('can PE-1 reach 198.51.100.81 port 3389');
  assert.ok(parsed.ok);
  const calls = planService(parsed.intent, STATES, 'p1');
  assert.deepEqual(
    calls.map(({ node, arguments: args }) => [node, args]),
    ['pe1', 'pe2'].map((node) => [
      node,
      {
        alongDefault: true,
        serviceProbes: [
          { destination: '198.51.100.81', service: 'tcp', port: 3_389 },
          { destination: '198.51.100.81', service: 'echo' },
        ],
      },
    ]),
  );
  assert.deepEqual(planService({ ...parsed.intent, destination: '198.51.100.0/24' }, STATES, 'p1'), []);
  // What such a try gave is not tried again, nor by any node by itself.
  const tried = [
    {
      ...({ from: 'pe2', destination: '198.51.100.81', service: 'tcp', port: 3_389 } as const),
      sent: 1,
      answered: false,
      open: false,
    },
  ];
  assert.deepEqual(planSeenAgain(STATES, tried), []);
});

test('a port at an address of a router is tried from the asked node and by that router, of a loopback as of a link', () => {
  const parsed = parseIntent('can pe1 reach 203.0.113.3 port 179');
  assert.ok(parsed.ok);
  const own = (node: string) => {
    const { inventory } = STATES.get(node)!;
    const lo = { name: 'lo', kind: 'loopback', addresses: ['203.0.113.3/32'] };
    const state = { inventory: { interfaces: [...inventory.interfaces, lo] } } as unknown as NodeState;
    return planService(parsed.intent, new Map([...STATES, [node, state]]), 'p1').map((call) => call.node);
  };
  assert.deepEqual(own('pe2'), ['pe1', 'pe2']);
  assert.deepEqual(own('pe1'), ['pe1']);
});

test('without a service in the question nothing is tried', () => {
  const parsed = parseIntent('Why can PE-1 not reach 198.51.100.53?');
  assert.ok(parsed.ok);
  assert.deepEqual(planService(parsed.intent, STATES, 'p1'), []);
});

test('what a host was seen to serve is tried by its own router alone, on well-known ports', () => {
  const seen = (address: string, port: number) => ({
    ifname: 'eth1',
    address,
    service: 'tcp' as const,
    port,
    agoMs: 5_000,
  });
  const state = (services: ReturnType<typeof seen>[]) =>
    ({ ...having('198.51.100.1/24'), history: { spanMs: 1, events: [], lastHeard: [], services } }) as NodeState;
  const calls = planSeenServices(
    new Map([
      ['pe2', state([seen('198.51.100.7', 80), seen('203.0.113.9', 80), seen('198.51.100.7', 8_081)])],
      ['p1', having('198.18.0.1/31')],
    ]),
  );
  assert.deepEqual(
    calls.map(({ id, arguments: args }) => [id, args]),
    [
      [
        'probe/pe2/parley-service-probe/seen',
        { alongDefault: true, serviceProbes: [{ destination: '198.51.100.7', service: 'tcp', port: 80 }], whole: true },
      ],
    ],
  );
});

const REMEMBERING = {
  ...having('198.51.100.1/24'),
  history: {
    ...{ spanMs: 1, events: [], lastHeard: [] },
    services: [{ ifname: 'eth1', address: '198.51.100.53', service: 'udp', port: 53, agoMs: 5_000 }],
    watchedHosts: {
      ...{ asks: [], names: [] },
      answered: [
        {
          ...{ ifname: 'eth1', address: '198.51.100.53', service: 'udp', port: 53, record: 'www.example.net' },
          ...{ okAgoMs: 3_000, times: 4 },
          given: [{ addresses: ['198.51.100.7'], firstAgoMs: 20_000, lastAgoMs: 3_000, times: 4 }],
        },
      ],
    },
  },
} as unknown as NodeState;

test('a name that a server gave its router is asked for again', () => {
  const [call] = planSeenServices(new Map([['pe2', REMEMBERING]]));
  const dns = { destination: '198.51.100.53', service: 'udp', port: 53 };
  assert.deepEqual(call?.arguments, {
    alongDefault: true,
    serviceProbes: [dns, { ...dns, record: 'www.example.net' }],
    whole: true,
  });
});

test('what got no real answer, or another address, is tried once more, with echoes to the server and to the new address', () => {
  const states = new Map([
    ['pe2', REMEMBERING],
    ['p1', having('198.18.0.1/31')],
  ]);
  const dns = { from: 'pe2', destination: '198.51.100.53', service: 'udp', port: 53, sent: 2 } as const;
  const named = { ...dns, record: 'www.example.net', answered: true, open: true, found: true };
  const web = { ...dns, destination: '198.51.100.7', service: 'tcp', port: 80, answered: true, open: true } as const;
  const again = (...tried: Parameters<typeof planSeenAgain>[1]) =>
    planSeenAgain(states, tried).map(({ node, arguments: args }) => [
      node,
      (args['serviceProbes'] as { destination: string; service: string }[]).map(
        ({ destination, service }) => `${service} ${destination}`,
      ),
    ]);
  assert.deepEqual(again({ ...named, addresses: ['198.51.100.7'] }, { ...web, reply: 'page' }), []);
  // A refusal needs no second try, nor does what another node tried.
  assert.deepEqual(
    again({ ...dns, answered: true, open: false }, { ...dns, from: 'p1', answered: false, open: false }),
    [],
  );
  assert.deepEqual(again({ ...named, addresses: ['203.0.113.9'] }), [
    ['pe2', ['udp 198.51.100.53', 'echo 198.51.100.53', 'echo 203.0.113.9']],
  ]);
  assert.deepEqual(again({ ...dns, answered: false, open: false }, { ...web, reply: 'none' }), [
    ['pe2', ['udp 198.51.100.53', 'tcp 198.51.100.7', 'echo 198.51.100.53', 'echo 198.51.100.7']],
  ]);
});

test('the router of a network asks its link for the new address of a name', () => {
  const up = { name: 'eth2', kind: 'physical', operUp: true, addresses: ['203.0.113.1/24'] };
  const pe1 = {
    inventory: { interfaces: [up] },
    history: {
      ...{ spanMs: 1, events: [], lastHeard: [] },
      hosts: [{ ifname: 'eth2', address: '203.0.113.20', mac: '' }],
    },
  };
  const states = new Map([
    ['pe2', REMEMBERING],
    ['pe1', pe1 as unknown as NodeState],
  ]);
  const named = {
    ...({ from: 'pe2', destination: '198.51.100.53', service: 'udp', port: 53 } as const),
    ...{ sent: 2, record: 'www.example.net', answered: true, open: true, found: true },
  };
  assert.deepEqual(planMovedNames(states, [{ ...named, addresses: ['198.51.100.7'] }]), []);
  assert.deepEqual(
    planMovedNames(states, [{ ...named, addresses: ['203.0.113.9'] }]).map(({ id, arguments: args }) => [id, args]),
    [
      [
        'deepen/pe1/parley-host-scan/moved',
        { ports: [{ ifname: 'eth2', addresses: ['203.0.113.9', '203.0.113.20'] }], census: false },
      ],
    ],
  );
});
