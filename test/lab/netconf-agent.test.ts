// An agent whose driver is `netconf` is an MCP server for that device: read, edited, committed and rolled back through the operators'
// socket as any other node, with what the device does not have listed as such.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { JsonObject } from '#base/json.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import { type AgentBed, upAgents } from '../agent/agent-bed.ts';
import { NETCONF_USER, type NetconfBed, upNetconfBed } from './netconf-bed.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const DESCRIPTION = "/ietf-interfaces:interfaces/interface[name='eth1']/description";
let server: NetconfBed;
let agents: AgentBed;
let client: OperatorClient;

before(async () => {
  server = await upNetconfBed();
  const driver = {
    kind: 'netconf',
    host: '127.0.0.1',
    port: server.port,
    user: NETCONF_USER,
    hostKeys: [server.hostKey],
    passwordFile: server.passwordFile,
  };
  const may = { configure: { consent: 'off' }, access: { roles: { local: 'admin' } } };
  agents = await upAgents(['pe1'], { pe1: { driver, discovery: { lldp: false }, ...may } });
  client = await agents.local('pe1');
});
after(async () => {
  await client?.close();
  await agents?.down();
  await server?.down();
});

const call = (name: string, args: JsonObject) => client.callTool(name, args, { timeoutMs: 60_000 });
const describe = (value: string) =>
  call('network.yang.edit', {
    edit: [
      { path: DESCRIPTION.replace('description', 'type'), value: 'iana-if-type:ethernetCsmacd' },
      { path: DESCRIPTION, value },
    ],
  });
const described = async (datastore = 'running') =>
  (await call('network.yang.get', { path: DESCRIPTION, datastore }))['data'];

async function refusalOf(work: Promise<unknown>): Promise<{ code: number; data: JsonObject }> {
  return work.then(
    () => assert.fail('expected a refusal'),
    (error: { data: { code: number; data: JsonObject } }) => error.data,
  );
}

test('YANG data comes from the device by its own modules, JSON and XML [NET-1] [TS-25]', async () => {
  const path = "/ietf-yang-library:modules-state/module[name='ietf-ip'][revision='2014-06-16']/namespace";
  const { data } = await call('network.yang.get', { path });
  assert.deepEqual(data, { 'ietf-yang-library:namespace': 'urn:ietf:params:xml:ns:yang:ietf-ip' });
  const { xml } = await call('network.yang.get', { path, format: 'xml' });
  assert.equal(
    xml,
    '<namespace xmlns="urn:ietf:params:xml:ns:yang:ietf-yang-library">urn:ietf:params:xml:ns:yang:ietf-ip</namespace>',
  );
});

test('parley get shows them to an operator', async () => {
  const path = "/ietf-yang-library:modules-state/module[name='ietf-ip'][revision='2014-06-16']/namespace";
  const args = ['--conditions=parley-source', MAIN, 'get', path, '--socket', agents.socketOf('pe1'), '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const answer = JSON.parse(stdout) as JsonObject;
  assert.equal(answer['kind'], 'data');
  assert.deepEqual(answer['data'], { 'ietf-yang-library:namespace': 'urn:ietf:params:xml:ns:yang:ietf-ip' });
});

test('what needs a command line is refused as not available on this device [NET-3]', async () => {
  for (const [name, args] of [
    ['network.cli.exec', { cmd: 'show version' }],
    ['network.cli.configure', { commands: ['interface eth1'] }],
    ['network.file.push', { content: 'interface eth1\n' }],
  ] as const) {
    const { code, data } = await refusalOf(call(name, args));
    assert.deepEqual([code, data['path'], data['retryPossible']], [-32084, name, false]);
  }
});

test('an edit, its commit and its confirmation reach the device; a rollback brings back what ran [NET-2] [NET-15]', async () => {
  const edited = await describe('to p2');
  assert.deepEqual(edited['changes'], [
    {
      sign: '+',
      context: "/ietf-interfaces:interfaces/interface[name='eth1']",
      line: 'name eth1',
    },
    {
      sign: '+',
      context: "/ietf-interfaces:interfaces/interface[name='eth1']",
      line: 'description to p2',
    },
    {
      sign: '+',
      context: "/ietf-interfaces:interfaces/interface[name='eth1']",
      line: 'type iana-if-type:ethernetCsmacd',
    },
  ]);
  assert.equal((await refusalOf(described())).code, -32002);
  assert.deepEqual(await described('candidate'), { 'ietf-interfaces:description': 'to p2' });
  const committed = await call('network.commit', { confirmed: 60 });
  assert.deepEqual([committed['status'], committed['rollbackTimeout']], ['committed', 60]);
  assert.deepEqual(await described(), { 'ietf-interfaces:description': 'to p2' });
  assert.equal((await call('network.commit', { confirm: true }))['status'], 'confirmed');
  await describe('to pe3');
  const second = await call('network.commit', { confirmed: 60 });
  assert.equal((await call('network.commit', { confirm: true }))['status'], 'confirmed');
  assert.deepEqual(await described(), { 'ietf-interfaces:description': 'to pe3' });
  const back = await call('network.rollback', { 'commit-id': second['commit-id']!, confirmed: 60 });
  assert.equal(back['status'], 'committed');
  assert.equal((await call('network.commit', { confirm: true }))['status'], 'confirmed');
  assert.deepEqual(await described(), { 'ietf-interfaces:description': 'to p2' });
});

test('a secret of the device is shown by no door [NET-18]', async () => {
  const secret = 's3cret-of-the-device';
  const server = "/ietf-system:system/radius/server[name='r1']";
  const value = { udp: { address: '192.0.2.9', 'shared-secret': secret } };
  const edited = await call('network.yang.edit', { edit: [{ path: server, value }] });
  const committed = await call('network.commit', { confirmed: 60 });
  const shown = [
    edited,
    committed,
    await call('network.yang.get', { path: server, datastore: 'running' }),
    await call('network.yang.get', { path: server, datastore: 'running', format: 'xml' }),
    await call('network.file.pull', { file: 'running-config' }),
    await client.readResource('network:///file/running-config'),
    await client.readResource('network:///log/syslog/last100'),
  ];
  assert.match(JSON.stringify(shown[4]), /shared-secret/);
  assert.match(JSON.stringify(shown[5]), /shared-secret/);
  for (const answer of shown) assert.doesNotMatch(JSON.stringify(answer), new RegExp(secret));
  await call('network.rollback', {});
  assert.doesNotMatch(agents.log('pe1'), new RegExp(secret));
});

test('what the device’s own modules deny to all is shown by no door either, whatever it is called [NET-18]', async () => {
  const hidden = 'hidden-guest';
  const groups = '/ietf-netconf-acm:nacm/groups';
  const group = `${groups}/group[name='guests']`;
  const edited = await call('network.yang.edit', { edit: [{ path: group, value: { 'user-name': [hidden] } }] });
  const candidate = await client.readResource('network:///file/candidate-config');
  const committed = await call('network.commit', { confirmed: 60 });
  const text = await call('network.file.pull', { file: 'running-config' });
  const shown = [
    edited,
    candidate,
    committed,
    text,
    await client.readResource('network:///file/running-config'),
    await call('network.yang.get', { path: groups, datastore: 'running' }),
    await call('network.yang.get', { path: groups, datastore: 'running', format: 'xml' }),
  ];
  assert.match(JSON.stringify(edited), /user-name <redacted>/);
  assert.match(JSON.stringify(text), /user-name/);
  for (const answer of shown) assert.doesNotMatch(JSON.stringify(answer), new RegExp(hidden));
  await call('network.rollback', {});
  assert.doesNotMatch(agents.log('pe1'), new RegExp(hidden));
});

test('the candidate is read only by its holder [NET-15] [NET-16]', async () => {
  const refused = await refusalOf(described('candidate'));
  assert.deepEqual(refused.data['errorCode'], 'caller/no-candidate');
});

test("the device's own refusals come with code, path and retryPossible [NET-13]", async () => {
  const unknown = await refusalOf(
    call('network.yang.edit', { edit: [{ path: '/ietf-interfaces:interfaces/nothing', value: 1 }] }),
  );
  assert.deepEqual(
    [unknown.code, unknown.data['path'], unknown.data['retryPossible']],
    [-32084, '/ietf-interfaces:interfaces/nothing', false],
  );
  const value = await refusalOf(
    call('network.yang.edit', { edit: [{ path: DESCRIPTION.replace('description', 'enabled'), value: 'maybe' }] }),
  );
  assert.equal(value.code, -32084);
  assert.match(String(value.data['path']), /if:interface\[if:name='eth1'\]\/if:enabled/);
  assert.match(String(value.data['detail']), /got invalid-value/);
  const module = await refusalOf(call('network.yang.get', { path: '/no-such-module:x' }));
  assert.deepEqual([module.code, module.data['errorCode']], [-32084, 'caller/unknown-module']);
  await call('network.rollback', { discard: true });
});

test('a device that is away is unreachable, with retryPossible, and answers again when it is back [NET-13]', async () => {
  server.reachable(false);
  const { code, data } = await refusalOf(described());
  assert.deepEqual([code, data['retryPossible']], [-32082, true]);
  server.reachable(true);
});
