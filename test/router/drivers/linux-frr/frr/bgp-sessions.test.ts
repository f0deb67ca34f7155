// BGP sessions of a node with a few and with a thousand, from a summary and bounded batches. The fixtures are what bgpd of FRR 8.4.4 prints.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { CutList } from '#model/router/router-port.ts';
import { readTold } from '#router/drivers/linux-frr/frr/bgp-sessions.ts';
import { type Asking, readControlPlane } from '#router/drivers/linux-frr/frr/control-plane.ts';

const recorded = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');

const CONFIG = [
  'router bgp 65001',
  ' neighbor EDGE peer-group',
  ' neighbor lo interface remote-as external',
  ' neighbor 127.0.0.3 remote-as 65002',
  ' neighbor 192.0.2.9 peer-group EDGE',
  ' neighbor 192.0.2.10 remote-as 65010',
  ' neighbor 192.0.2.10 shutdown',
  ' neighbor 2001:db8::9 remote-as 65009',
  'exit',
].join('\n');

type Bgpd = {
  readonly config: string;
  /** Absent: the helper knows no such query. */
  readonly summaries?: readonly [string, string];
  /** By query. */
  readonly further?: Readonly<Record<string, string>>;
  readonly rows: Readonly<Record<string, JsonObject>>;
};

/** What the driver makes of a bgpd, what was missing then, and the batches that it asked for. */
async function read({ config, summaries, rows, further }: Bgpd, addresses: readonly string[] = []) {
  const batches: (readonly string[])[] = [];
  const missing: { readonly part: string; readonly reason: string }[] = [];
  const frr: Readonly<Record<string, string>> = {
    ...{ 'bgp-config': config, ...further },
    ...(summaries === undefined ? {} : { 'bgp-summary-ipv4': summaries[0], 'bgp-summary-ipv6': summaries[1] }),
  };
  const helper = {
    async call(operation: string, { query = '', peers = [] }: { query?: string; peers?: readonly string[] }) {
      if (operation === 'daemons') return [{ name: 'bgpd', alive: true }];
      if (operation === 'frr' && frr[query] === undefined)
        throw new ParleyError('caller/bad-argument', `expected query to be known, got ${query}`);
      if (operation === 'frr') return frr[query];
      if (operation !== 'bgp-neighbours') return '{}';
      batches.push(peers);
      return Object.fromEntries(peers.flatMap((peer) => (rows[peer] === undefined ? [] : [[peer, rows[peer]]])));
    },
  };
  const part = async (name: string, absent: unknown, work: () => Promise<unknown>) =>
    work().catch((error: Error) => {
      missing.push({ part: name, reason: error.message });
      return absent;
    });
  const cut: CutList[] = [];
  const noteCut = (lists: readonly CutList[]) => void cut.push(...lists);
  const interfaces = [{ addresses }] as unknown as Parameters<typeof readControlPlane>[1];
  const { bgp } = await readControlPlane({ helper, part, noteCut } as unknown as Asking, interfaces);
  return { bgp: bgp!, missing, batches, cut };
}

test('sessions of every family and those without one are read, each with what bgpd says of it', async () => {
  const rows = JSON.parse(recorded('bgp-neighbours.json.txt')) as Record<string, JsonObject>;
  const summaries = [recorded('bgp-summary-ipv4.json.txt'), recorded('bgp-summary-ipv6.json.txt')] as const;
  const { bgp, missing, batches } = await read({ config: CONFIG, summaries, rows });
  assert.deepEqual([missing, batches.length, bgp.routerId], [[], 1, '198.18.0.1']);
  assert.deepEqual(
    bgp.sessions.map(({ peer, state, families, shutdown }) => [peer, state, families, shutdown]),
    [
      ['lo', 'Idle', ['ipv4'], false],
      ['127.0.0.3', 'Established', ['ipv4', 'ipv6'], false],
      ['192.0.2.9', 'Active', ['ipv4'], false],
      ['2001:db8::9', 'Active', ['ipv4', 'ipv6'], false],
      ['192.0.2.10', 'Idle', [], true],
    ],
  );
  const { localAddress, heardAgoMs, upMs, lastReset, established, remoteAs, localAs } = bgp.sessions[1]!;
  assert.deepEqual(
    { localAddress, heardAgoMs, upMs, lastReset, established, remoteAs, localAs },
    {
      ...{ localAddress: '127.0.0.2', heardAgoMs: 35_000, upMs: 45_000, established: 1 },
      ...{ lastReset: 'No AFI/SAFI activated for peer', remoteAs: 65_002, localAs: 65_001 },
    },
  );
});

test('beside a helper of an earlier version, which knows no summaries, sessions are read as that one has them', async () => {
  const further = { 'bgp-neighbours': recorded('bgp-neighbours.json.txt') };
  const { bgp, missing, batches } = await read({ config: CONFIG, further, rows: {} });
  assert.deepEqual([missing, batches], [[], []]);
  assert.deepEqual(
    bgp.sessions.map(({ peer, state, families, shutdown }) => [peer, state, families, shutdown]),
    [
      ['lo', 'Idle', ['ipv4'], false],
      ['127.0.0.3', 'Established', ['ipv4', 'ipv6'], false],
      ['192.0.2.9', 'Active', ['ipv4'], false],
      ['192.0.2.10', 'Idle', [], true],
      ['2001:db8::9', 'Active', ['ipv4', 'ipv6'], false],
    ],
  );
  const told = await readTold({
    async frr(query) {
      if (query === 'bgp-config') return CONFIG;
      if (query === 'bgp-neighbours') return further[query];
      throw new ParleyError('caller/bad-argument', 'expected another query');
    },
    neighbours: () => assert.fail('it knows none'),
  });
  assert.equal((told['127.0.0.3'] as JsonObject)['bgpState'], 'Established');
});

test('a helper that fails for another reason is not asked in the earlier way', async () => {
  const told = readTold({
    async frr(query) {
      if (query === 'bgp-config') return CONFIG;
      assert.notEqual(query, 'bgp-neighbours');
      throw new ParleyError('node/frr-unavailable', 'expected an answer of bgpd');
    },
    neighbours: () => assert.fail('there is no summary'),
  });
  await assert.rejects(told, { code: 'node/frr-unavailable' });
});

test('sessions of a range that have EVPN or a VPN family alone are read, where the configuration has it', async () => {
  const config = [
    'router bgp 65001',
    ' neighbor EDGE peer-group',
    ' bgp listen range 198.18.0.0/24 peer-group EDGE',
    ' !',
    ' address-family ipv4 vpn',
    '  neighbor EDGE activate',
    ' exit-address-family',
    ' address-family l2vpn evpn',
    '  neighbor EDGE activate',
    ' exit-address-family',
    'exit',
  ].join('\n');
  const summaryOf = (peer: string) => JSON.stringify({ peers: { [peer]: { state: 'Established', remoteAs: 65_001 } } });
  const further = { 'bgp-summary-evpn': summaryOf('198.18.0.5'), 'bgp-summary-vpnv4': summaryOf('198.18.0.6') };
  const { bgp } = await read({ config, summaries: ['{}', '{}'], further, rows: {} });
  assert.deepEqual(
    bgp.sessions.map(({ peer, state, families }) => [peer, state, families]),
    [
      ['198.18.0.6', 'Established', []],
      ['198.18.0.5', 'Established', []],
    ],
  );
});

for (const [what, config] of [
  ['without an instance', 'frr version 8.4.4\n'],
  ['with an instance of a VRF alone', 'router bgp 65001 vrf red\n neighbor 192.0.2.1 remote-as 65002\nexit\n'],
] as const) {
  test(`a bgpd ${what} has no neighbours, and is not asked for a summary, which it would refuse`, async () => {
    const told = await readTold({
      async frr(query) {
        assert.equal(query, 'bgp-config');
        return config;
      },
      neighbours: () => assert.fail('there are none'),
    });
    assert.deepEqual(told, {});
  });
}

/** Neighbours of which each `downEvery`-th is down; the later ones are younger. */
function many(count: number, downEvery: number): Bgpd {
  const peers = Array.from({ length: count }, (_, index) => `198.18.${Math.floor(index / 250)}.${(index % 250) + 1}`);
  const isDown = (index: number) => index % downEvery === 0;
  const summary = {
    routerId: '198.18.255.1',
    peers: Object.fromEntries(
      peers.map((peer, index) => [
        peer,
        {
          ...{ remoteAs: 64_512 + index, localAs: 65_001, peerUptimeMsec: isDown(index) ? 0 : 10_000_000 - index },
          ...{
            state: isDown(index) ? 'Idle (Admin)' : 'Established',
            connectionsEstablished: 3,
            connectionsDropped: 2,
          },
        },
      ]),
    ),
  };
  const rows = peers.map((peer, index) => [
    peer,
    { bgpState: isDown(index) ? 'Idle' : 'Established', remoteAs: 64_512 + index, lastErrorCodeSubcode: '0202' },
  ]);
  return {
    config: 'router bgp 65001\nexit\n',
    summaries: [JSON.stringify(summary), '{}'],
    rows: Object.fromEntries(rows) as Bgpd['rows'],
  };
}

test('of a thousand sessions all are read: those that are down, on a link, or young in every detail, the others as the summary has them', async () => {
  const { bgp, missing, batches } = await read(many(1_000, 20), ['198.18.0.201/28']);
  assert.deepEqual([missing, bgp.sessions.length, bgp.routerId], [[], 1_000, '198.18.255.1']);
  assert.deepEqual(
    batches.map(({ length }) => length),
    [64, 64, 64, 64],
  );
  const told = bgp.sessions.filter(({ lastError }) => lastError !== undefined);
  assert.equal(told.filter(({ state }) => state === 'Idle').length, 50);
  // Of the network of 14 addresses, beside one that is down.
  assert.equal(told.filter(({ peer }) => /^198\.18\.0\.(?:19[3-9]|20[0-6])$/.test(peer)).length, 14);
  assert.ok(told.some(({ peer }) => peer === '198.18.3.250'));
  assert.deepEqual(
    bgp.sessions.find(({ peer }) => peer === '198.18.0.2'),
    {
      ...{ peer: '198.18.0.2', remoteAs: 64_513, localAs: 65_001, state: 'Established', established: 3, dropped: 2 },
      ...{ upMs: 9_999_999, families: ['ipv4'], shutdown: false, password: false, policies: [] },
    },
  );
});

test('where more are down than are read one by one, all are there, and the state says what is not', async () => {
  const { bgp, missing, batches } = await read(many(300, 1));
  assert.deepEqual([bgp.sessions.length, batches.flat().length], [300, 256]);
  assert.deepEqual([...new Set(bgp.sessions.map(({ state }) => state))], ['Idle']);
  assert.deepEqual(missing, [
    {
      part: 'bgp-neighbours',
      reason: 'expected at most 256 BGP sessions that are not up, got 44 more: of these only the summary was read',
    },
  ]);
});

test('of more own prefixes than are looked up, the state says how many were not', async () => {
  const addresses = Array.from({ length: 20 }, (_, index) => `198.18.${index}.1/24`);
  const { missing, cut } = await read(
    { config: 'router bgp 65001\nexit\n', summaries: ['{}', '{}'], rows: {} },
    addresses,
  );
  assert.deepEqual(cut, [{ part: 'bgp-own-prefixes', read: 16, of: 20 }]);
  assert.deepEqual(missing, [], 'an agent of the version before would doubt the node');
});
