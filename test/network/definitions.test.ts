// The definitions of a node over the embedded driver: what they answer, in the draft's spelling, and what their schemas bound.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import type { CallContext } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type {
  CaptureRequest,
  InterfaceState,
  ProbeRequest,
  ProbeResult,
  RouterPort,
} from '#model/router/router-port.ts';
import { interfaceStatisticsResource, SID_ENDPOINT_URI } from '#network/device/interface-statistics.ts';
import { captureTool } from '#network/measurement/capture.ts';
import { interfaceCountersTool, nodeStateTool } from '#network/measurement/node-state.ts';
import { srv6PingTool } from '#network/measurement/srv6-ping.ts';
import { createEmbeddedDriver } from '#router/drivers/embedded/driver.ts';
import { createEmbeddedNetwork } from '#router/drivers/embedded/network.ts';
import { THREE_ROUTERS } from '../router/embedded-bed.ts';

const caller: Party = { kind: 'operator', domain: 'lab', name: 'ann' };
const context: CallContext = { caller, signal: new AbortController().signal, progress: () => {} };
const URN = 'urn:ietf:params:xml:ns:yang:ietf-interfaces/interfaces/interface=';

const pe1 = () => createEmbeddedDriver({ network: createEmbeddedNetwork(THREE_ROUTERS), node: 'pe1' });
const PING = {
  Head: 'PE-1',
  Tail: 'PE-3',
  'SID List': ['P-2', 'PE-3'],
  destination: 'fd00:0:0:3::1',
  segments: ['fd00:5a:2::e', 'fd00:5a:3::d6'],
};

/** A router that remembers what it was asked and answers a probe with `result`. */
function fakeRouter(result: Partial<ProbeResult> = {}, interfaces: readonly InterfaceState[] = []) {
  const asked: { probe?: ProbeRequest; capture?: CaptureRequest } = {};
  const router = {
    driver: 'embedded',
    counters: async () => ({ interfaces, sids: [] }),
    probe: async (request: ProbeRequest) => {
      asked.probe = request;
      return { sent: 100, received: 100, duplicates: 0, rttMs: null, sendErrors: 0, ...result };
    },
    capture: async (request: CaptureRequest) => {
      asked.capture = request;
      return { pcap: Uint8Array.of(1, 2, 3), packets: 1, truncated: true };
    },
  } as unknown as RouterPort;
  return { asked, router };
}

test('probes along the SID list in the spelling of the draft [TS-15]', async () => {
  const answer = await srv6PingTool(pe1()).call({ ...PING, Count: 50 }, context);
  assert.deepEqual(
    [answer['Head'], answer['Tail'], answer['SID List'], answer['sent'], answer['received'], answer['reflected']],
    ['PE-1', 'PE-3', ['P-2', 'PE-3'], 50, 50, 50],
  );
  assert.deepEqual([answer['lossPercent'], answer['forwardLossPercent'], answer['reverseLossPercent']], [0, 0, 0]);
});

test("asks for the draft's hundred probes unless told otherwise [TS-15]", async () => {
  const { asked, router } = fakeRouter();
  await srv6PingTool(router).call({ destination: 'fd00::1', segments: [] }, context);
  assert.deepEqual(asked.probe, {
    destination: 'fd00::1',
    segments: [],
    count: 100,
    intervalMs: 1,
    payloadBytes: 64,
    lingerMs: 300,
  });
});

test("the draft's own form, without addresses, is probed where the named nodes are found [TS-15]", async () => {
  const { asked, router } = fakeRouter();
  const named: unknown[] = [];
  const tool = srv6PingTool(router, async (way) => {
    named.push(way);
    return { destination: 'fd00::3', source: 'fd00::2', segments: ['fd00:5a:3::d6'] };
  });
  const answer = await tool.call({ Local: 'P-2', Tail: 'PE-3', Count: 100 }, context);
  assert.deepEqual(named, [{ tail: 'PE-3', sidList: [] }]);
  const { destination, source, segments, count } = asked.probe as JsonObject;
  assert.deepEqual([destination, source, segments, count], ['fd00::3', 'fd00::2', ['fd00:5a:3::d6'], 100]);
  assert.deepEqual([answer['Local'], answer['Tail']], ['P-2', 'PE-3']);
  for (const args of [{ Tail: 'PE-3', segments: [] }, { destination: 'fd00::3' }, { Count: 1 }])
    await assert.rejects(tool.call(args, context), /got a part of them/);
  await assert.rejects(srv6PingTool(router).call({ Tail: 'PE-3' }, context), /got names of nodes/);
});

test('tells forward loss, reverse loss and the round trip apart', async () => {
  const { router } = fakeRouter({ sent: 1_000, reflected: 970, received: 951, reflectorRefused: 3 });
  const answer = await srv6PingTool(router).call(PING, context);
  assert.deepEqual(
    [answer['lossPercent'], answer['forwardLossPercent'], answer['reverseLossPercent'], answer['reflectorRefused']],
    [4.9, 3, 1.959, 3],
  );
});

test('says nothing of directions when no probe came back, and why the stack refused', async () => {
  const { router } = fakeRouter({ sent: 10, received: 0, sendErrors: 10, sendErrorReason: 'operation not permitted' });
  const answer = await srv6PingTool(router).call(PING, context);
  assert.deepEqual(
    [answer['lossPercent'], answer['forwardLossPercent'], answer['reflected'], answer['sendErrorReason']],
    [100, undefined, undefined, 'operation not permitted'],
  );
});

test('reads the statistics of an interface in the words of RFC 8343 [TS-15]', async () => {
  const { router } = fakeRouter({}, [interfaceNamed('eth1'), interfaceNamed('ge-0/0/1')]);
  const definition = interfaceStatisticsResource(router);
  assert.deepEqual(await definition.read(`${URN}eth1/statistics`, context), {
    'ietf-interfaces:statistics': {
      'in-octets': '3',
      'in-unicast-pkts': '1',
      'in-discards': '7',
      'in-errors': '5',
      'out-octets': '4',
      'out-unicast-pkts': '2',
      'out-discards': '8',
      'out-errors': '6',
    },
  });
  assert.notEqual(await definition.read(`${URN}ge-0%2F0%2F1/statistics`, context), undefined);
  assert.notEqual(await definition.read(`${URN}ge-0/0/1/statistics`, context), undefined);
});

test('"SID Endpoint", with its space, stands for what holds the SIDs [TS-15]', async () => {
  assert.equal(SID_ENDPOINT_URI, `${URN}SID Endpoint/statistics`);
  const definition = interfaceStatisticsResource(pe1());
  for (const name of ['SID Endpoint', 'SID%20Endpoint']) {
    const body = (await definition.read(`${URN}${name}/statistics`, context)) as JsonObject;
    assert.deepEqual(body['parley:sids'], [
      { sid: 'fd00:5a:1::e', behavior: 'End', ifname: 'sr0', packets: '0', bytes: '0', errors: '0' },
    ]);
  }
  assert.equal(await interfaceStatisticsResource(fakeRouter().router).read(SID_ENDPOINT_URI, context), undefined);
});

test('an unknown interface is no resource, and other URIs are not its own', async () => {
  const definition = interfaceStatisticsResource(pe1());
  assert.equal(await definition.read(`${URN}eth99/statistics`, context), undefined);
  assert.equal(definition.serves(`${URN}eth99/statistics`), true);
  assert.equal(definition.serves(`${URN}/statistics`), false);
  assert.equal(definition.serves(`${URN}eth1`), false);
  assert.equal(definition.serves('urn:ietf:params:xml:ns:yang:ietf-system/system'), false);
});

test('state and counters come from the router as they are', async () => {
  const state = await nodeStateTool(pe1()).call({}, context);
  assert.deepEqual(Object.keys(state).sort(), [
    'adjacencies',
    'countersReadMs',
    'filters',
    'filtersInOrder',
    'inventory',
    'missing',
    'neighbours',
    'nodeCounters',
  ]);
  const counters = await interfaceCountersTool(pe1()).call({}, context);
  assert.deepEqual(
    (counters['interfaces'] as readonly JsonObject[]).map((entry) => entry['name']),
    ['lo', 'eth1'],
  );
});

test('captures what was asked for, bounded, as base64', async () => {
  const { asked, router } = fakeRouter({}, [interfaceNamed('eth1')]);
  const answer = await captureTool(router).call({ interface: 'eth1' }, context);
  assert.deepEqual(answer, { pcap: 'AQID', packets: 1, truncated: true });
  assert.deepEqual(asked.capture, { ifname: 'eth1', filter: { kind: 'probe' }, packetCount: 20, timeoutMs: 2_000 });
  await captureTool(router).call(
    { interface: 'eth1', filter: 'tcp-port', port: 9514, packetCount: 3, timeoutMs: 50 },
    context,
  );
  assert.deepEqual(asked.capture, {
    ifname: 'eth1',
    filter: { kind: 'tcp-port', port: 9514 },
    packetCount: 3,
    timeoutMs: 50,
  });
});

test('a neighbour sees probes only, and nobody captures on what is no interface of the node [TS-22]', async () => {
  const { asked, router } = fakeRouter({}, [interfaceNamed('eth1')]);
  const neighbour: CallContext = { ...context, caller: { kind: 'node', domain: 'lab', name: 'p2' } };
  const capture = (args: JsonObject) => captureTool(router).call({ interface: 'eth1', ...args }, neighbour);
  for (const args of [{ filter: 'srv6' }, { filter: 'tcp-port', port: 22 }, { filter: 'udp-port', port: 53 }])
    await assert.rejects(capture(args), (error: ParleyError) => error.data['wireCode'] === -32083);
  for (const name of ['any', 'nfqueue:0', 'eth9'])
    await assert.rejects(capture({ interface: name }), (error: ParleyError) => error.code === 'caller/bad-argument');
  assert.equal(asked.capture, undefined);
  await capture({});
  assert.deepEqual((asked.capture as CaptureRequest | undefined)?.filter, { kind: 'probe' });
});

test('a filter by port needs a port', async () => {
  const { router } = fakeRouter();
  await assert.rejects(
    captureTool(router).call({ interface: 'eth1', filter: 'udp-port' }, context),
    (error: ParleyError) => error.code === 'caller/bad-argument',
  );
});

test('the schemas bound count, pace, payload, segments, packets and time', () => {
  const { router } = fakeRouter();
  const catalog = createCatalog({ tools: [srv6PingTool(router), captureTool(router)], resources: [] });
  const admitted = (name: string, args: JsonObject) =>
    catalog.admit({ method: 'tools/call', params: { name, arguments: args } }, { caller, authorised: undefined }).kind;
  const ping = (over: JsonObject) => admitted('ietf-srv6-ping', { destination: 'fd00::1', segments: [], ...over });
  const capture = (over: JsonObject) => admitted('parley-capture', { interface: 'eth1', ...over });
  assert.deepEqual(
    [ping({}), ping({ Count: 10_000 }), capture({}), capture({ packetCount: 200 })],
    ['tool', 'tool', 'tool', 'tool'],
  );
  const refused: readonly string[] = [
    ping({ Count: 0 }),
    ping({ Count: 10_001 }),
    ping({ Count: '100' }),
    ping({ intervalMs: 0.1 }),
    ping({ payloadBytes: 8_193 }),
    ping({ lingerMs: 2_001 }),
    ping({ segments: Array(17).fill('fd00::1') }),
    capture({ filter: 'tcp port 9514 or 1=1' }),
    capture({ packetCount: 201 }),
    capture({ timeoutMs: 10_001 }),
    capture({ port: 65_536 }),
    admitted('parley-capture', {}),
  ];
  assert.deepEqual([...new Set(refused)], ['refused']);
});

test('what neighbours may use is read or probe, and names its capability [TS-14a]', () => {
  const { router } = fakeRouter();
  const definitions = [srv6PingTool(router), nodeStateTool(router), interfaceCountersTool(router), captureTool(router)];
  assert.deepEqual(
    definitions.map(({ name, capability, mutability }) => `${name} ${capability} ${mutability}`),
    [
      'ietf-srv6-ping ietf-srv6-ping probe',
      'parley-node-state ietf-interface-counters read',
      'ietf-interface-counters ietf-interface-counters read',
      'parley-capture parley-capture probe',
    ],
  );
});

function interfaceNamed(name: string): InterfaceState {
  return {
    name,
    kind: 'physical',
    adminUp: true,
    operUp: true,
    mtu: 1_500,
    addresses: [],
    carrierChanges: 0,
    offloads: [],
    counters: {
      rxPackets: '1',
      txPackets: '2',
      rxBytes: '3',
      txBytes: '4',
      rxErrors: '5',
      txErrors: '6',
      rxDropped: '7',
      txDropped: '8',
    },
  };
}
