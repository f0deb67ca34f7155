// The worked example of the MCP-NET draft (§ "Complete Interaction Example"), request by request over frames, with a generic MCP
// client beside it that sees nothing but MCP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { createAccess } from '#model/access.ts';
import { createFakeConfiguration } from '../fakes/configuration.ts';
import { createFakeDevice } from '../fakes/device.ts';
import { OPERATOR, rawPeer } from '../mcp/harness.ts';
import { openDeviceBench, openSession, withoutEnvelope } from './device-bench.ts';

const INITIALIZE: JsonObject = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: { prompts: { listChanged: true }, resources: { subscribe: true }, tools: { listChanged: true } },
    clientInfo: { name: 'ACME-NetCtrl', version: '4.7.0' },
  },
};

test('the worked example: initialize, interface, prompt, command, log, unsubscribe, close [NET-1] [NET-14] [NET-19] [NET-20]', async (t) => {
  const bench = await openDeviceBench(t);
  const raw = rawPeer(await bench.frames(OPERATOR));
  const next = async () => withoutEnvelope(await raw.next());

  raw.send(INITIALIZE);
  assert.deepEqual(await next(), {
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2025-06-18',
      capabilities: {
        prompts: { listChanged: false },
        resources: { subscribe: true },
        tools: { listChanged: false },
        'privacy-level': 2,
        network: {
          yangModules: [
            'ietf-interfaces',
            'ietf-routing',
            'ietf-yang-library',
            'openconfig-interfaces',
            'openconfig-bgp',
            'frr-isisd',
          ],
          cliDialect: 'frr-vtysh',
          configDatastore: ['running', 'operational'],
          notificationStream: ['syslog'],
          maxBulkEdit: 0,
          supportsRollback: false,
          rollbackTimeout: 0,
        },
      },
      serverInfo: { name: 'IOS-XR-MCP', version: '7.5.3' },
    },
  });

  raw.send({ jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'network:///interface/TenGigE0/0/0/0' } });
  const read = (await next()) as { id: number; result: { contents: JsonObject[] } };
  assert.equal(read.id, 2);
  const { uri, mimeType, data } = read.result.contents[0]!;
  assert.deepEqual([uri, mimeType], ['network:///interface/TenGigE0/0/0/0', 'application/yang-data+json']);
  const node = (data as JsonObject)['openconfig-interfaces:interface'] as JsonObject;
  assert.equal(node['name'], 'TenGigE0/0/0/0');
  const { 'admin-status': admin, 'oper-status': oper } = node['state'] as JsonObject;
  assert.deepEqual([admin, oper], ['UP', 'DOWN']);

  const args = { src: '192.168.1.1', dst: '10.0.0.5', vrf: 'mgmt' };
  raw.send({
    jsonrpc: '2.0',
    id: 3,
    method: 'prompts/get',
    params: { name: 'network.troubleshoot.ping-fail', arguments: args },
  });
  const prompt = (await next()) as {
    result: { description: string; messages: { role: string; content: string }[]; _meta: JsonObject };
  };
  assert.equal(prompt.result.description, 'Step-by-step ping failure diagnosis');
  assert.equal(prompt.result.messages[0]!.role, 'assistant');
  assert.match(
    prompt.result.messages[0]!.content,
    /^## Ping failure: 192\.168\.1\.1 → 10\.0\.0\.5 \(VRF mgmt\)\n\n1\. Check local ARP:\n {3}`network\.cli\.exec \{"cmd":"show ip arp vrf mgmt 10\.0\.0\.5"\}`/,
  );
  assert.deepEqual(prompt.result._meta['toolCalls'], [
    { tool: 'network.cli.exec', arguments: { cmd: 'show ip arp vrf mgmt 10.0.0.5' } },
  ]);

  raw.send({
    jsonrpc: '2.0',
    id: 4,
    method: 'tools/call',
    params: { name: 'network.cli.exec', arguments: { cmd: 'show ip arp vrf mgmt 10.0.0.5' } },
  });
  assert.deepEqual(await next(), {
    jsonrpc: '2.0',
    id: 4,
    result: { stdout: '10.0.0.5  00:50:56:ab:cd:ef  Vlan100\n' },
  });

  raw.send({ jsonrpc: '2.0', id: 8, method: 'resources/subscribe', params: { uri: 'network:///log/syslog/last200' } });
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 8, result: { subscriptionId: 'syslog-1' } });
  bench.fake.write(
    'Oct 19 03:29:01.123: %LINEPROTO-5-UPDOWN: Line protocol on Interface Loopback100, changed state to up',
  );
  assert.deepEqual(await next(), {
    jsonrpc: '2.0',
    method: 'resources/updated',
    params: {
      subscriptionId: 'syslog-1',
      uri: 'network:///log/syslog/last200',
      contents: [
        {
          mimeType: 'text/plain',
          data: 'Oct 19 03:29:01.123: %LINEPROTO-5-UPDOWN: Line protocol on Interface Loopback100, changed state to up\n',
        },
      ],
    },
  });
  raw.send({ jsonrpc: '2.0', id: 9, method: 'resources/unsubscribe', params: { subscriptionId: 'syslog-1' } });
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 9, result: {} });
  assert.equal(bench.fake.watchers, 0);
  raw.send({ jsonrpc: '2.0', id: 10, method: 'close' });
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 10, result: {} });
  assert.equal(await raw.next(), undefined);
});

test('the worked example goes on: edit, confirmed commit, confirm, with the candidate in between [NET-15] [NET-14] [NET-7]', async (t) => {
  const configuration = createFakeConfiguration();
  const bench = await openDeviceBench(t, createFakeDevice(), '/nonexistent', createAccess(), { configuration });
  const raw = rawPeer(await bench.frames({ ...OPERATOR, role: 'admin' }));
  const next = async () => withoutEnvelope(await raw.next()) as { id: number; result: JsonObject };
  raw.send(INITIALIZE);
  const network = ((await next()).result['capabilities'] as { network: JsonObject }).network;
  assert.deepEqual(network['configDatastore'], ['running', 'candidate', 'operational']);

  const path = "/openconfig-interfaces:interfaces/interface[name='Loopback100']";
  const address = { ip: '100.100.100.100', config: { ip: '100.100.100.100', 'prefix-length': 32 } };
  const value = {
    config: { name: 'Loopback100', type: 'iana-if-type:softwareLoopback' },
    subinterfaces: {
      subinterface: [{ index: 0, config: { index: 0, ipv4: { addresses: { address: [address] } } } }],
    },
  };
  const edit = { name: 'network.yang.edit', arguments: { target: 'candidate', edit: [{ path, value }] } };
  raw.send({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: edit });
  const edited = await next();
  assert.deepEqual([edited.id, edited.result['commit-id']], [5, 'candidate-ann']);
  assert.deepEqual(edited.result['changes'], [
    { sign: '+', context: 'interface Loopback100', line: 'ip address 100.100.100.100/32' },
  ]);

  const get = { name: 'network.yang.get', arguments: { path, datastore: 'candidate' } };
  raw.send({ jsonrpc: '2.0', id: 51, method: 'tools/call', params: get });
  assert.deepEqual((await next()).result['data'], {
    'openconfig-interfaces:interface': [
      {
        name: 'Loopback100',
        subinterfaces: {
          subinterface: [
            {
              index: 0,
              'openconfig-if-ip:ipv4': {
                addresses: {
                  address: [{ ip: '100.100.100.100', config: { ip: '100.100.100.100', 'prefix-length': 32 } }],
                },
              },
            },
          ],
        },
      },
    ],
  });
  assert.doesNotMatch(configuration.running, /Loopback100/);

  const commit = (id: number, args: JsonObject) =>
    raw.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'network.commit', arguments: args } });
  commit(6, { confirmed: 120 });
  const committed = await next();
  assert.deepEqual(
    [committed.id, committed.result['status'], committed.result['rollbackTimeout']],
    [6, 'committed', 120],
  );
  assert.match(configuration.running, /Loopback100/);
  assert.doesNotMatch(configuration.startup, /Loopback100/);
  commit(7, { confirm: true });
  const confirmed = await next();
  assert.deepEqual([confirmed.id, confirmed.result['status']], [7, 'confirmed']);
  assert.match(configuration.startup, /Loopback100/);
});

test('an MCP client sees MCP: the capability twice, contents with text, a prompt of content objects [NET-1] [NET-8] [NET-19]', async (t) => {
  const bench = await openDeviceBench(t);
  const session = await openSession(bench, true);
  const read = await session.ask('resources/read', { uri: 'network:///system/cpu-utilization' });
  assert.deepEqual((read['result'] as JsonObject)['contents'], [
    {
      uri: 'network:///system/cpu-utilization',
      mimeType: 'application/json',
      text: '{"perCpu":[10,15],"percent":12.5,"windowMs":30000}',
      _meta: { 'io.parley/content-id': '5cd69ab70c2477462bd8aba6918389eb', unit: 'percent', precision: 0.1 },
    },
  ]);
  const prompt = (
    await session.ask('prompts/get', { name: 'network.security.audit', arguments: { profile: 'basic' } })
  )['result'] as JsonObject;
  const message = (prompt['messages'] as JsonObject[])[0]!;
  assert.equal((message['content'] as JsonObject)['type'], 'text');
});
