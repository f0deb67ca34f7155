// What a node keeps of its looks at hosts: nothing of hosts that are well or switched off, and of the rest only what concerns it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostNetwork } from '#model/hosts/host-places.ts';
import type { LookedPort } from '#model/router/host-history.ts';
import type { HostScanRequest, ServiceProbeResult } from '#model/router/hosts.ts';
import type { Look } from '#router/drivers/linux-frr/host-monitor/host-anomalies.ts';
import { createHostHistory } from '#router/drivers/linux-frr/host-monitor/host-history.ts';
import { createHostScan } from '#router/drivers/linux-frr/host-monitor/host-scan.ts';

const MAC = '02:00:00:00:01:10';
const HOST = { ifname: 'eth3', address: '198.19.1.10', mac: MAC };
const OTHER = { ifname: 'eth3', address: '198.19.1.11', mac: '02:00:00:00:01:11' };
const PORTS = [{ ifname: 'eth3', networks: [hostNetwork('198.19.1.1/24')!] }];
const both = [
  { address: HOST.address, macs: [HOST.mac] },
  { address: OTHER.address, macs: [OTHER.mac] },
];

function seen(change: Partial<LookedPort> = {}): LookedPort {
  const asked = [HOST.address, OTHER.address, '198.19.1.1'];
  return { ifname: 'eth3', asked, answers: both, echoed: [HOST.address, OTHER.address], asks: [], ...change };
}

function lookOf(...ports: readonly LookedPort[]): Look {
  return { watched: PORTS, hosts: [HOST, OTHER], ports, refused: [], late: [] };
}

/** What is kept of one look. */
function kept(look: Look) {
  const ring = createHostHistory();
  ring.looked(look, true, 1_000);
  return ring.watched(3_000, true).looks!;
}

const without = both.filter(({ address }) => address !== HOST.address);
const SILENT = seen({ answers: without, echoed: [OTHER.address] });

test('hosts that are well leave nothing behind but since when they are watched', () => {
  const ring = createHostHistory();
  for (const atMs of [1_000, 5_000, 9_000]) ring.looked(lookOf(seen()), true, atMs);
  assert.deepEqual(ring.watched(10_000, true), { hostsMs: 9_000, servicesMs: 9_000, asks: [], names: [], looks: [] });
  assert.deepEqual(ring.watched(10_000, false), { hostsMs: 9_000, servicesMs: 9_000, asks: [], names: [] });
});

test('a pause ends what was watched without a gap, and nothing is watched when looks have stopped', () => {
  const ring = createHostHistory();
  for (const atMs of [1_000, 5_000, 60_000]) ring.looked(lookOf(seen()), false, atMs);
  assert.deepEqual(ring.watched(64_000, false), { hostsMs: 4_000, asks: [], names: [] });
  assert.deepEqual(ring.watched(90_000, false), { asks: [], names: [] });
});

test('a host that is silent and lives nowhere is switched off: nothing is kept', () => {
  assert.deepEqual(kept(lookOf(SILENT, { ...SILENT, alive: [OTHER.mac] })), []);
});

test('a host that lives without its address is kept, and what concerns other hosts is not', () => {
  const [look] = kept(lookOf(SILENT, { ...SILENT, alive: [OTHER.mac, MAC] }));
  const about = { ifname: 'eth3', asked: [HOST.address], answers: [], echoed: [], asks: [] };
  assert.deepEqual(look, {
    ...{ fromAgoMs: 2_000, untilAgoMs: 2_000 },
    ports: [about, { ...about, alive: [MAC] }],
    tries: [],
  });
});

test('another address, a router’s address that is taken, and a second host with one address are kept', () => {
  const elsewhere = { ...SILENT, alive: [MAC], answers: [...without, { address: '198.19.0.10', macs: [MAC] }] };
  assert.deepEqual(kept(lookOf(SILENT, elsewhere))[0]!.ports[1]!.answers, [{ address: '198.19.0.10', macs: [MAC] }]);
  const taken = seen({ answers: [...both, { address: '198.19.1.1', macs: [MAC] }] });
  assert.deepEqual(kept(lookOf(taken))[0]!.ports[0]!.answers, [{ address: '198.19.1.1', macs: [MAC] }]);
  const shared = { address: HOST.address, macs: [MAC, '02:00:00:00:09:99'] };
  assert.deepEqual(kept(lookOf(seen({ answers: [shared, both[1]!] })))[0]!.ports[0]!.answers, [shared]);
});

test('a gateway that nobody is counts only when it was asked for as well', () => {
  const asks = [{ mac: MAC, sender: HOST.address, target: '198.19.1.254' }];
  const first = seen({ echoed: [OTHER.address], asks });
  assert.deepEqual(kept(lookOf(first)), []);
  const again = { ...first, asked: [...first.asked, '198.19.1.254'] };
  assert.equal(kept(lookOf(first, again)).length, 1);
  const there = [...both, { address: '198.19.1.254', macs: ['02:00:00:00:02:54'] }];
  assert.deepEqual(kept(lookOf(first, { ...again, answers: there })), []);
});

test('looks that found the same are one; few are kept, and not for ever', () => {
  const ring = createHostHistory();
  const missing = lookOf(SILENT, { ...SILENT, alive: [MAC] });
  for (const atMs of [0, 4_000, 8_000]) ring.looked(missing, true, atMs);
  ring.looked(lookOf(seen()), true, 12_000);
  ring.looked(missing, true, 30_000);
  const ages = ring.watched(32_000, true).looks!.map(({ fromAgoMs, untilAgoMs }) => [fromAgoMs, untilAgoMs]);
  assert.deepEqual(ages, [
    [2_000, 2_000],
    [32_000, 24_000],
  ]);
  for (let turn = 1; turn < 40; turn++) ring.looked(missing, true, 30_000 + turn * 20_000);
  assert.equal(ring.watched(830_000, true).looks!.length, 8);
  ring.looked(lookOf(seen()), true, 2_000_000);
  assert.deepEqual(ring.watched(2_000_000, true).looks, []);
});

test('a service that refused is kept with the host that serves it', () => {
  const refused: ServiceProbeResult = {
    ...{ destination: HOST.address, service: 'tcp', port: 80 },
    ...{ sent: 1, answered: true, open: false },
  };
  const [look] = kept({ ...lookOf(seen()), refused: [refused] });
  assert.deepEqual([look!.tries, look!.ports[0]!.answers], [[refused], [both[0]]]);
});

test('asks for somebody off the link are remembered and counted, bounded, and no others', () => {
  const ring = createHostHistory();
  const ask = (target: string, sender = HOST.address) => ({ ifname: 'eth3', mac: MAC, sender, target });
  // The metadata service of clouds and mDNS: nobody's neighbours.
  const never = [
    [169, 254, 169, 254],
    [224, 0, 0, 251],
    [127, 0, 0, 1],
    [255, 255, 255, 255],
  ];
  const near = ['198.19.1.254', ...never.map((octets) => octets.join('.'))].map((target) => ask(target));
  ring.heard({ connections: [], asks: [...near, ask('198.19.255.1', '203.0.113.9')], names: [] }, PORTS, 1_000);
  assert.deepEqual(ring.watched(2_000, false).asks, []);
  for (const atMs of [1_000, 3_000])
    ring.heard({ connections: [], asks: [ask('198.19.255.1')], names: [] }, PORTS, atMs);
  assert.deepEqual(ring.watched(4_000, false).asks, [{ ...ask('198.19.255.1'), count: 2, agoMs: 1_000 }]);
  for (let host = 0; host < 200; host++)
    ring.heard({ connections: [], asks: [ask(`198.19.200.${host}`)], names: [] }, PORTS, 5_000);
  assert.equal(ring.watched(6_000, false).asks.length, 64);
});

const NAME = { ifname: 'eth3', address: HOST.address, name: 'www.lab.example' };

test('a name is lost when the server had given it to this node before, and told only then', () => {
  const ring = createHostHistory();
  ring.heard({ connections: [], asks: [], names: [NAME] }, PORTS, 0);
  ring.named(NAME, false, 1_000);
  ring.named(NAME, true, 5_000);
  assert.deepEqual([ring.names(), ring.watched(6_000, true).names], [[NAME], []]);
  ring.named(NAME, false, 9_000);
  ring.named(NAME, true, 13_000);
  assert.deepEqual(ring.watched(14_000, false).names, [{ ...NAME, okAgoMs: 1_000, lostAgoMs: 5_000 }]);
  for (let turn = 0; turn < 99; turn++)
    ring.heard({ connections: [], asks: [], names: [{ ...NAME, name: `n${turn}.lab.example` }] }, PORTS, 20_000);
  assert.equal(ring.names().length, 32);
  assert.ok(ring.names().some(({ name }) => name === 'www.lab.example'));
});

test('a name is the server’s word on its own port alone', () => {
  const ring = createHostHistory();
  const ports = [...PORTS, { ifname: 'eth4', networks: [hostNetwork('198.19.2.1/24')!] }];
  ring.heard(
    {
      connections: [],
      asks: [],
      names: [
        { ...NAME, ifname: 'eth4' },
        { ...NAME, address: '198.19.2.9' },
      ],
    },
    ports,
    0,
  );
  assert.deepEqual(ring.names(), []);
});

test('connections are those of hosts on the port that they come in on', () => {
  const ring = createHostHistory();
  const all = [
    { ifname: 'eth3', client: '203.0.113.66' },
    { ifname: 'eth4', client: HOST.address },
    { ifname: 'eth3', client: HOST.address },
  ].map((each) => ({ ...each, server: '198.19.3.10', port: 80, once: 0 }));
  ring.heard(
    { asks: [], names: [], connections: all.map((each) => ({ ...each, used: 2, unanswered: 0, repeats: 0 })) },
    PORTS,
    0,
  );
  ring.heard(
    { asks: [], names: [], connections: all.map((each) => ({ ...each, used: 0, unanswered: 2, repeats: 2 })) },
    PORTS,
    5_000,
  );
  const told = ring.watched(6_000, false).unanswered?.map(({ ifname, client }) => [ifname, client]);
  assert.deepEqual(told, [['eth3', HOST.address]]);
});

/** Hosts answer but those in `silent`; every request is written down. */
function network(silent: ReadonlySet<string>, requests: HostScanRequest[], alive = [OTHER.mac]) {
  return async (request: HostScanRequest) => {
    requests.push(request);
    return request.ports.map(({ ifname, addresses }) => ({
      ifname,
      answers: both.filter(({ address }) => addresses.includes(address) && !silent.has(address)),
      echoed: [],
      asks: [],
      ...(request.census ? { alive } : {}),
    }));
  };
}

test('who is well is asked once a look; who stays away is asked seldom, and sought nowhere', async () => {
  const [silent, requests] = [new Set<string>(), [] as HostScanRequest[]];
  const look = createHostScan(network(silent, requests));
  await look(PORTS, [HOST, OTHER]);
  assert.deepEqual(requests, [
    { ports: [{ ifname: 'eth3', addresses: [HOST.address, OTHER.address, '198.19.1.1'] }], census: false },
  ]);
  silent.add(HOST.address);
  requests.length = 0;
  for (let turn = 0; turn < 40; turn++) await look(PORTS, [HOST, OTHER]);
  assert.equal(Math.max(...requests.map(({ ports }) => ports[0]!.addresses.length)), 3);
  const asked = requests.filter(({ census, ports }) => !census && ports[0]!.addresses.includes(HOST.address));
  assert.equal(asked.length, 12);
});

test('who lives and has lost its address is sought around, at first only', async () => {
  const requests: HostScanRequest[] = [];
  const look = createHostScan(network(new Set([HOST.address]), requests, [HOST.mac, OTHER.mac]));
  for (let turn = 0; turn < 40; turn++) await look(PORTS, [HOST, OTHER]);
  const wide = requests.filter(({ ports }) => ports[0]!.addresses.length > 3);
  assert.deepEqual(
    wide.map(({ census, ports }) => [census, ports[0]!.addresses.length]),
    [
      [false, 508],
      [false, 508],
    ],
  );
});

test('of very many hosts a bounded number is asked at a time, and all in turn', async () => {
  const many = Array.from({ length: 200 }, (_, index) => ({
    ...{ ifname: 'eth3', address: `198.19.1.${index + 2}` },
    mac: `02:00:00:00:02:${index.toString(16).padStart(2, '0')}`,
  }));
  const requests: HostScanRequest[] = [];
  const look = createHostScan(async (request) => {
    requests.push(request);
    return request.ports.map(({ ifname, addresses }) => ({
      ...{ ifname, echoed: [], asks: [] },
      answers: many
        .filter(({ address }) => addresses.includes(address))
        .map(({ address, mac }) => ({ address, macs: [mac] })),
    }));
  });
  for (let turn = 0; turn < 4; turn++) await look(PORTS, many);
  const asked = requests.map(({ ports }) => ports[0]!.addresses.filter((address) => address !== '198.19.1.1'));
  assert.deepEqual(
    asked.map(({ length }) => length),
    [64, 64, 64, 64],
  );
  assert.equal(new Set(asked.flat()).size, 200);
});

test('a name server that was late when it was timed is kept with its times', () => {
  const late: ServiceProbeResult = {
    ...{ destination: HOST.address, service: 'udp', port: 53, timed: true },
    ...{ sent: 3, answered: true, open: true, tookMs: [900, 910, 920], echoMs: [1, 1, 1] },
  };
  assert.deepEqual(kept({ ...lookOf(seen()), late: [late] })[0]?.tries, [late]);
});
