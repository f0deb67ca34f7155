// Resources of one device: media types, pages, tags, XML, secrets, subscriptions and refusals, through server and handler.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { until } from '../fakes/clock.ts';
import { createFakeDevice, interfaceState } from '../fakes/device.ts';
import { OPERATOR, rawPeer } from '../mcp/harness.ts';
import { openDeviceBench, openSession } from './device-bench.ts';

type Content = { uri: string; mimeType: string; data: JsonObject | string; 'content-id': string };

function contentOf(response: JsonObject): Content {
  return ((response['result'] as JsonObject)['contents'] as unknown as Content[])[0]!;
}

const TABLE: readonly (readonly [string, string])[] = [
  ['network:///interface/TenGigE0/0/0/0', 'application/yang-data+json'],
  ['network:///interfaces', 'application/yang-data+json'],
  ['network:///routing/ipv4/route-table', 'application/yang-data+json'],
  ['network:///routing/ipv6/route-table', 'application/yang-data+json'],
  ['network:///system/cpu-utilization', 'application/json'],
  ['network:///system/memory-summary', 'application/json'],
  ['network:///log/syslog/last2', 'text/plain; charset=utf-8'],
  ['network:///file/running-config', 'text/plain'],
  ['network:///file/startup-config', 'text/plain'],
  ['network:///file/0/crashinfo', 'application/json'],
];

for (const [uri, mimeType] of TABLE) {
  test(`${uri} is ${mimeType} [NET-4]`, async (t) => {
    const session = await openSession(await openDeviceBench(t));
    const content = contentOf(await session.ask('resources/read', { uri }));
    assert.deepEqual([content.uri, content.mimeType], [uri, mimeType]);
  });
}

test('the log gives the last lines and no more than 10,000 of them [NET-4] [TS-6]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  assert.equal(
    contentOf(await session.ask('resources/read', { uri: 'network:///log/syslog/last2' })).data,
    'two\nthree\n',
  );
  for (const count of ['0', '10001', '-1', 'x']) {
    const refused = await session.ask('resources/read', { uri: `network:///log/syslog/last${count}` });
    assert.equal((refused['error'] as JsonObject)['code'], -32002);
  }
});

test('lines of the log lose their secrets, when read and when they are pushed [NET-18]', async (t) => {
  const log = async () => ['login https://ann:s3cret@192.0.2.1/', 'bgpd: password s3cret'];
  const session = await openSession(await openDeviceBench(t, createFakeDevice({ log })));
  assert.equal(
    contentOf(await session.ask('resources/read', { uri: 'network:///log/syslog/last2' })).data,
    'login https://ann:<redacted>@192.0.2.1/\nbgpd: password <redacted>\n',
  );
});

test('a long route table comes in pages of 1,000 until nextCursor is absent [NET-6]', async (t) => {
  const fake = createFakeDevice();
  fake.routes = Array.from({ length: 2_500 }, (_, index) => ({
    prefix: `198.18.${index >> 8}.${index & 255}/32`,
    kind: 'unicast',
    protocol: 'isis',
    metric: 20,
    nextHops: [{ gateway: '198.18.255.1', ifname: 'eth1' }],
  }));
  const session = await openSession(await openDeviceBench(t, fake));
  const uri = 'network:///routing/ipv4/route-table';
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const result = (await session.ask('resources/read', { uri, ...(cursor === undefined ? {} : { cursor }) }))[
      'result'
    ] as JsonObject;
    const data = ((result['contents'] as JsonObject[])[0]!['data'] as JsonObject)[
      'ietf-routing:routes'
    ] as JsonObject[];
    sizes.push(data.length);
    if (cursor === undefined) {
      assert.deepEqual(data[1], {
        'ietf-ipv4-unicast-routing:destination-prefix': '198.18.0.1/32',
        'source-protocol': 'ietf-isis:isis',
        'route-preference': 20,
        'next-hop': { 'outgoing-interface': 'eth1', 'ietf-ipv4-unicast-routing:next-hop-address': '198.18.255.1' },
      });
    }
    cursor = result['nextCursor'] as string | undefined;
  } while (cursor !== undefined);
  assert.deepEqual(sizes, [1_000, 1_000, 500]);
});

test('a caller who reads a whole table asks for larger pages, and for lines in place of YANG data [NET-6]', async (t) => {
  const fake = createFakeDevice();
  fake.routes = Array.from({ length: 6_500 }, (_, index) => ({
    prefix: `198.18.${index >> 8}.${index & 255}/32`,
    kind: 'unicast',
    protocol: 'isis',
    metric: 20,
    nextHops: [{ gateway: '198.18.255.1', ifname: 'eth1' }],
  }));
  const session = await openSession(await openDeviceBench(t, fake), true);
  const uri = 'network:///routing/ipv4/route-table';
  const read = async (more: JsonObject) => {
    const result = (await session.ask('resources/read', { uri, ...more }))['result'] as JsonObject;
    const content = (result['contents'] as JsonObject[])[0]!;
    return { type: content['mimeType'], text: String(content['text']), next: result['nextCursor'] };
  };
  const lines = await read({ accept: 'text/csv', limit: 100_000 });
  assert.equal(lines.type, 'text/csv');
  assert.deepEqual(lines.text.split('\r\n').slice(0, 2), [
    'prefix,kind,protocol,metric,next-hops',
    '198.18.0.0/32,unicast,isis,20,198.18.255.1%eth1',
  ]);
  assert.deepEqual([lines.text.split('\r\n').length, lines.next], [6_002, '6000']);
  const routesOf = (text: string) => (JSON.parse(text) as JsonObject)['ietf-routing:routes'] as JsonObject[];
  const yang = await read({ limit: 100_000 });
  assert.deepEqual([routesOf(yang.text).length, yang.next], [2_000, '2000']);
  assert.deepEqual(routesOf((await read({ limit: 3 })).text).length, 3);
  const refused = (await session.ask('resources/read', { uri, limit: 0 }))['error'] as JsonObject;
  assert.equal(refused['code'], -32602);
});

test('a generic MCP client gets a link to the rest, and reads it like any resource [NET-6] [NET-19]', async (t) => {
  const fake = createFakeDevice();
  fake.interfaces = Array.from({ length: 130 }, (_, index) => interfaceState(`eth${String(index).padStart(3, '0')}`));
  const session = await openSession(await openDeviceBench(t, fake), true);
  const first = (await session.ask('resources/read', { uri: 'network:///interfaces' }))['result'] as JsonObject;
  const link = (first['contents'] as JsonObject[])[1]!;
  assert.equal(link['uri'], 'network:///interfaces?cursor=aS1ldGgwOTk');
  // An interface that comes and one that goes before the cursor move nothing behind it.
  fake.interfaces = [interfaceState('eth000a'), ...fake.interfaces.slice(3)];
  const rest = (await session.ask('resources/read', { uri: link['uri'] as string }))['result'] as JsonObject;
  const text = JSON.parse(String((rest['contents'] as JsonObject[])[0]!['text'])) as JsonObject;
  const list = (text['openconfig-interfaces:interfaces'] as JsonObject)['interface'] as JsonObject[];
  assert.deepEqual([list.length, list[0]!['name'], list.at(-1)!['name']], [30, 'eth100', 'eth129']);
  assert.equal(rest['nextCursor'], undefined);
});

test('an unchanged resource is not sent again to who has its content-id [TS-2]', async (t) => {
  const bench = await openDeviceBench(t);
  const session = await openSession(bench);
  const uri = 'network:///file/running-config';
  const { 'content-id': tag } = contentOf(await session.ask('resources/read', { uri }));
  assert.match(tag, /^[0-9a-f]{32}$/);
  assert.deepEqual((await session.ask('resources/read', { uri, 'content-id': tag }))['result'], {
    contents: [],
    'content-id': tag,
    unchanged: true,
  });
  bench.fake.configuration += 'end\n';
  assert.notEqual(contentOf(await session.ask('resources/read', { uri, 'content-id': tag }))['content-id'], tag);
});

test('YANG data under mcp:// is RFC 7951 JSON with 64-bit counters as strings, and XML on request [TS-1] [TS-25]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  const uri = 'mcp://router1/ietf-interfaces:interfaces/interface=TenGigE0%2F0%2F0%2F0/statistics';
  const json = contentOf(await session.ask('resources/read', { uri }));
  assert.deepEqual(json.data, {
    'ietf-interfaces:statistics': {
      'discontinuity-time': '2026-01-01T00:00:00.000Z',
      'in-octets': '1000',
      'in-unicast-pkts': '18446744073709551615',
      'in-discards': '1',
      'in-errors': '0',
      'out-octets': '2000',
      'out-unicast-pkts': '20',
      'out-discards': '0',
      'out-errors': '0',
    },
  });
  const xml = contentOf(await session.ask('resources/read', { uri, accept: 'application/yang-data+xml' }));
  assert.equal(xml.mimeType, 'application/yang-data+xml');
  assert.match(
    String(xml.data),
    /^<statistics xmlns="urn:ietf:params:xml:ns:yang:ietf-interfaces"><discontinuity-time>/,
  );
  const elsewhere = await session.ask('resources/read', { uri: 'mcp://router2/ietf-interfaces:interfaces' });
  assert.equal((elsewhere['error'] as JsonObject)['code'], -32002);
});

test('secrets are redacted in configuration, command output and YANG data, and the text says so [NET-18]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  const config = contentOf(await session.ask('resources/read', { uri: 'network:///file/startup-config' })).data;
  assert.equal(
    config,
    '! <redacted>: secrets are missing here, this text cannot be pushed back\nhostname r1\n!\nrouter bgp 64512\n neighbor 192.0.2.1 password <redacted>\n',
  );
  const native = await session.ask('tools/call', {
    name: 'network.yang.get',
    arguments: { path: '/frr-isisd:isis', datastore: 'running' },
  });
  assert.deepEqual((native['result'] as JsonObject)['data'], {
    'frr-isisd:isis': { instance: [{ 'area-tag': 'core', vrf: 'default', password: '<redacted>' }] },
  });
});

test('the troubleshooting draft subscribes with content-id and gets subscription-id and initial [TS-34]', async (t) => {
  const bench = await openDeviceBench(t);
  const raw = rawPeer(await bench.frames(OPERATOR));
  const ask = async (id: number, method: string, params: JsonObject) => {
    raw.send({ jsonrpc: '2.0', id, method, params });
    return (await raw.next())!['result'] as JsonObject;
  };
  await ask(1, 'mcp/initialize', { protocolVersion: '2025-12', capabilities: [] });
  const uri = 'mcp://router1/openconfig-interfaces:interfaces/interface=TenGigE0%2F0%2F0%2F0/state/oper-status';
  const first = await ask(2, 'resources/subscribe', { uri, 'content-id': 'etag-1234' });
  assert.equal(first['subscription-id'], 'yang-1');
  assert.deepEqual(first['initial'], { 'openconfig-interfaces:oper-status': 'DOWN' });
  const again = await ask(3, 'resources/subscribe', { uri, 'content-id': String(first['content-id']) });
  assert.deepEqual(Object.keys(again).sort(), ['content-id', 'subscription-id']);
  assert.deepEqual(await ask(4, 'resources/unsubscribe', { 'subscription-id': 'yang-1' }), {});
  raw.end();
});

test('subscriptions end with the session; what never changes is refused [NET-5] [NET-20]', async (t) => {
  const bench = await openDeviceBench(t);
  const session = await openSession(bench);
  await session.ask('resources/subscribe', { uri: 'network:///log/syslog/last10' });
  assert.equal(bench.fake.watchers, 1);
  const refused = await session.ask('resources/subscribe', { uri: 'network:///file/running-config' });
  assert.equal((refused['error'] as JsonObject)['code'], -32602);
  session.end();
  await until(() => bench.fake.watchers === 0, 'the end of the subscription');
});

test('writing to a resource that is read-only is refused with −32084 before anything is written [NET-7]', async (t) => {
  const session = await openSession(await openDeviceBench(t), false, { ...OPERATOR, role: 'admin' });
  const refused = await session.ask('resources/write', { uri: 'network:///file/running-config', text: 'hostname x' });
  const { code, message, data } = refused['error'] as JsonObject;
  assert.deepEqual([code, message], [-32084, 'Network.ConfigIncompatible']);
  assert.deepEqual(data, {
    detail: 'this resource is read-only',
    path: 'network:///file/running-config',
    retryPossible: false,
  });
});
