// The device's tools through server and handler: schemas, list, results, refusals by the codes of NET-13, per-caller counters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeviceDefinitions } from '#agent/tools/device.ts';
import { createSystemClock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import type { DevicePort } from '#model/router/device-port.ts';
import { createFakeDevice } from '../fakes/device.ts';
import { HANG_MS } from '../until-written.ts';
import { openDeviceBench, openSession } from './device-bench.ts';

async function call(
  session: Awaited<ReturnType<typeof openSession>>,
  name: string,
  args: JsonObject,
): Promise<JsonObject> {
  return session.ask('tools/call', { name, arguments: args });
}

test('ping answers as in appendix A.1, with five echoes by default [TS-3]', async (t) => {
  const bench = await openDeviceBench(t);
  const session = await openSession(bench);
  const { result } = await call(session, 'ping', { destination: '10.2.2.2', count: 5, source: '192.0.2.1' });
  const { loss, rtt } = result as JsonObject;
  assert.deepEqual({ loss, rtt }, { loss: 0, rtt: { min: 2, max: 2.4, avg: 2.2 } });
  await call(session, 'ping', { destination: '10.2.2.2' });
  assert.deepEqual(
    bench.fake.echoes.map(({ count, source }) => [count, source]),
    [
      [5, '192.0.2.1'],
      [5, undefined],
    ],
  );
});

test('ping tells its progress packet by packet, and cancelling ends it unanswered [TS-27]', async (t) => {
  const aborted: string[] = [];
  const fake = createFakeDevice({
    echo: (_request, each, signal) =>
      new Promise((_, reject) => {
        each({ sequence: 1, from: '192.0.2.9', outcome: 'reply', rttMs: 1 });
        signal!.addEventListener('abort', () => {
          aborted.push('aborted');
          reject(signal!.reason);
        });
      }),
  });
  const session = await openSession(await openDeviceBench(t, fake), true);
  session.send({
    jsonrpc: '2.0',
    id: 70,
    method: 'tools/call',
    params: { name: 'ping', arguments: { destination: '192.0.2.9' }, _meta: { progressToken: 7 } },
  });
  const told = await session.next();
  assert.deepEqual(told, {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 7, progress: 1, total: 5, message: '192.0.2.9: reply after 1 ms' },
  });
  session.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 70 } });
  assert.deepEqual((await session.ask('ping'))['result'], {});
  assert.deepEqual(aborted, ['aborted']);
});

test('traceroute stops at the destination; tracepath finds the MTU and where it shrinks [TS-3]', async (t) => {
  const fake = createFakeDevice({
    echo: async (request) => {
      const size = request.payloadBytes + 28;
      const reply = (from: string, outcome: 'reply' | 'ttl-exceeded' | 'too-big') => ({
        sent: 1,
        replies: [{ sequence: 1, from, outcome }],
        stdout: '',
      });
      if (request.ttl === 1) return reply('198.18.0.1', 'ttl-exceeded');
      if (request.ttl === 2) return { sent: 1, replies: [], stdout: '' };
      return request.dontFragment && size > 1_400 ? reply('198.18.0.1', 'too-big') : reply('198.18.0.9', 'reply');
    },
  });
  const session = await openSession(await openDeviceBench(t, fake));
  const traced = await call(session, 'traceroute', { destination: '198.18.0.9' });
  assert.deepEqual(traced['result'], {
    hops: [
      { hop: 1, address: '198.18.0.1', outcome: 'ttl-exceeded' },
      { hop: 2, outcome: 'no-answer' },
      { hop: 3, address: '198.18.0.9', outcome: 'reply' },
    ],
    reached: true,
  });
  const path = (await call(session, 'tracepath', { destination: '198.18.0.9' }))['result'] as JsonObject;
  assert.deepEqual([path['pathMtu'], path['shrinksAt']], [1_400, '198.18.0.1']);
});

test('clear-counters changes the view of one caller alone, and restore undoes it [TS-3] [TS-22]', async (t) => {
  const bench = await openDeviceBench(t);
  const session = await openSession(bench);
  const octets = async () => {
    const { result } = await call(session, 'network.yang.get', {
      path: "/ietf-interfaces:interfaces/interface[name='TenGigE0/0/0/0']/statistics/in-octets",
    });
    return ((result as JsonObject)['data'] as JsonObject)['ietf-interfaces:in-octets'];
  };
  assert.equal(await octets(), '1000');
  await call(session, 'clear-counters', {});
  bench.fake.interfaces = bench.fake.interfaces.map((entry) => ({
    ...entry,
    counters: { ...entry.counters, rxBytes: '1042' },
  }));
  assert.equal(await octets(), '42');
  const other = bench.catalog.findTool('network.yang.get')!;
  const context = {
    caller: { kind: 'controller' as const, domain: 'lab', name: 'c' },
    signal: AbortSignal.timeout(HANG_MS),
    progress: () => {},
  };
  const seen = await other.call(
    { path: 'ietf-interfaces:interfaces/interface=TenGigE0%2F0%2F0%2F0/statistics/in-octets' },
    context,
  );
  assert.deepEqual(seen['data'], { 'ietf-interfaces:in-octets': '1042' });
  await call(session, 'clear-counters', { restore: true });
  assert.equal(await octets(), '1042');
});

const REFUSALS: readonly (readonly [string, JsonObject, number, string, boolean])[] = [
  ['network.cli.exec', { cmd: 'show slow' }, -32081, 'Network.Timeout', true],
  ['network.cli.exec', { cmd: 'show down' }, -32082, 'Network.Unreachable', true],
  ['network.yang.get', { path: 'openconfig-vlan:vlans' }, -32084, 'Network.ConfigIncompatible', false],
  [
    'network.yang.get',
    { path: 'frr-isisd:isis', datastore: 'operational' },
    -32084,
    'Network.ConfigIncompatible',
    false,
  ],
  ['network.yang.get', { path: '/nothing' }, -32088, 'Network.YangSyntaxError', false],
];

for (const [name, args, code, message, retryPossible] of REFUSALS) {
  test(`${name} ${JSON.stringify(args)} is refused ${code} with detail, path and retryPossible [NET-13]`, async (t) => {
    const bench = await openDeviceBench(t);
    const error = (await call(await openSession(bench), name, args))['error'] as JsonObject;
    assert.deepEqual([error['code'], error['message']], [code, message]);
    const data = error['data'] as JsonObject;
    assert.equal(data['retryPossible'], retryPossible);
    assert.deepEqual([typeof data['detail'], typeof data['path']], ['string', 'string']);
    const result = (await call(await openSession(bench, true), name, args))['result'] as JsonObject;
    assert.equal(result['isError'], true);
    const { code: sameCode, name: sameName } = result['structuredContent'] as JsonObject;
    assert.deepEqual([sameCode, sameName], [code, message]);
  });
}

test('a device without YANG lists network.yang.get with available=false and refuses it −32084 [NET-3]', async (t) => {
  const { native: _, ...cliOnly } = createFakeDevice().device as DevicePort & { native: unknown };
  const fake = { ...createFakeDevice(), device: cliOnly as DevicePort };
  const session = await openSession(await openDeviceBench(t, fake));
  const tools = ((await session.ask('tools/list'))['result'] as JsonObject)['tools'] as JsonObject[];
  const listed = tools.find(({ name }) => name === 'network.yang.get')!;
  assert.equal(listed['available'], false);
  assert.equal((listed['_meta'] as JsonObject)['available'], false);
  const error = (await call(session, 'network.yang.get', { path: 'ietf-interfaces:interfaces' }))[
    'error'
  ] as JsonObject;
  assert.equal(error['code'], -32084);
});

test('every device tool is described by JSON Schema and an OpenAPI 3.0 operation [NET-2] [TS-3] [TS-7]', () => {
  const fake = createFakeDevice();
  const definitions = createDeviceDefinitions({
    node: 'r',
    router: fake.router,
    device: fake.device,
    clock: createSystemClock(),
    log: silentLog,
  });
  assert.deepEqual(
    definitions.tools.map(({ name }) => name),
    ['network.cli.exec', 'network.yang.get', 'ping', 'traceroute', 'tracepath', 'tcpdump', 'clear-counters'],
  );
  for (const { inputSchema } of definitions.tools) assert.equal(inputSchema['additionalProperties'], false);
});

test('openconfig-bgp shows the neighbours that FRR knows [TS-1]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  const { result } = await call(session, 'network.yang.get', {
    path: "/openconfig-bgp:bgp/neighbors/neighbor[neighbor-address='192.0.2.1']/state/session-state",
  });
  assert.deepEqual((result as JsonObject)['data'], { 'openconfig-bgp:session-state': 'ACTIVE' });
});
