// What access rules do to the definitions of a device, in each dialect: denied data is absent from what is read, and what cannot be held
// against paths is kept back from whom something is hidden.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { type AccessRule, createAccess, DEFAULT_ACCESS } from '#model/access.ts';
import type { Party, Role } from '#model/identity.ts';
import { parsePath } from '#model/router/yang-path.ts';
import { createFakeDevice } from '../fakes/device.ts';
import { openDeviceBench, openSession } from './device-bench.ts';

const person = (role: Role): Party => ({ kind: 'operator', domain: 'lab', name: 'bob', role });

function deny(path: string): AccessRule {
  const steps = parsePath(path);
  assert.ok(steps.ok);
  return { name: 'hidden', action: 'deny', operations: ['read'], path: steps.value };
}

async function open(t: TestContext, rules: readonly AccessRule[], role: Role, mcp = false) {
  const access = createAccess({ ...DEFAULT_ACCESS, lists: [{ name: 'noc', groups: ['*'], rules }] });
  const bench = await openDeviceBench(t, createFakeDevice(), '/nonexistent', access);
  const session = await openSession(bench, mcp, person(role));
  const call = async (name: string, args: JsonObject) => session.ask('tools/call', { name, arguments: args });
  return { ...session, call };
}

const errorOf = (answer: JsonObject) => {
  const { code, data } = answer['error'] as { code: number; data: JsonObject };
  return [code, data['path'], data['detail']];
};

test('an observer reads but does not probe, in the draft’s dialect and in MCP’s [NET-16] [NET-13]', async (t) => {
  const draft = await open(t, [], 'observer');
  const path = "/openconfig-interfaces:interfaces/interface[name='TenGigE0/0/0/0']/state/oper-status";
  assert.ok((await draft.call('network.yang.get', { path }))['result']);
  assert.deepEqual(errorOf(await draft.call('network.cli.exec', { cmd: 'show version' })), [
    -32083,
    'network.cli.exec',
    'observer may not exec this, by the default for exec',
  ]);
  const mcp = await open(t, [], 'observer', true);
  const refused = (await mcp.call('network.cli.exec', { cmd: 'show version' }))['result'] as JsonObject;
  assert.equal(refused['isError'], true);
  assert.equal((refused['structuredContent'] as JsonObject)['code'], -32083);
  const listed = ((await mcp.ask('tools/list'))['result'] as { tools: { name: string }[] }).tools.map(
    ({ name }) => name,
  );
  assert.equal(listed.includes('network_yang_get'), true);
  assert.equal(listed.includes('network_cli_exec'), false);
});

test('the drafts’ dialects list all eight tools to every role, those not allowed with the reason [NET-2] [NET-3]', async (t) => {
  const session = await open(t, [], 'observer');
  const { tools } = (await session.ask('tools/list'))['result'] as { tools: JsonObject[] };
  const exec = tools.find(({ name }) => name === 'network.cli.exec')!;
  assert.deepEqual([exec['available'], exec['reason']], [false, 'observer may not exec this, by the default for exec']);
  assert.equal(tools.find(({ name }) => name === 'network.yang.get')!['available'], undefined);
});

test('a denied entry is left out of what is read, and asking for it says nothing of it [NET-16]', async (t) => {
  const hidden = "/openconfig-interfaces:interfaces/interface[name='TenGigE0/0/0/0']";
  const open1 = await open(t, [deny(hidden)], 'operator');
  const names = (answer: JsonObject) => JSON.stringify(answer).match(/TenGigE0\/0\/0\/0/g) ?? [];
  const all = await open1.call('network.yang.get', { path: '/openconfig-interfaces:interfaces' });
  assert.ok(all['result']);
  assert.deepEqual(names(all), []);
  const xml = await open1.call('network.yang.get', { path: '/openconfig-interfaces:interfaces', format: 'xml' });
  assert.deepEqual(names(xml), []);
  const page = await open1.ask('resources/read', { uri: 'network:///interfaces' });
  assert.ok(page['result']);
  assert.deepEqual(names(page), []);
  assert.deepEqual(names(await open1.ask('resources/list')), []);
  const refused = await open1.call('network.yang.get', { path: `${hidden}/state` });
  assert.deepEqual(errorOf(refused), [
    -32083,
    `${hidden}/state`,
    'operator may not read this, by rule hidden of list noc',
  ]);
  for (const uri of [
    'network:///interface/TenGigE0/0/0/0',
    `mcp://router1${hidden}`,
    `mcp://router1/openconfig-interfaces:interfaces/interface=TenGigE0%2F0%2F0%2F0`,
  ])
    assert.equal(errorOf(await open1.ask('resources/read', { uri }))[0], -32083, uri);
  // A name that does not exist is refused in the same words where the rule covers it, so that nothing is learnt.
  const other = await open(t, [deny('/openconfig-interfaces:interfaces/interface')], 'operator');
  const ask = (name: string) =>
    other.call('network.yang.get', { path: `/openconfig-interfaces:interfaces/interface[name='${name}']` });
  assert.equal(errorOf(await ask('TenGigE0/0/0/0'))[2], errorOf(await ask('no-such'))[2]);
});

test('from whom something is hidden, text that cannot be pruned is kept back, unless a rule names it [NET-16]', async (t) => {
  const rule = deny('/openconfig-bgp:bgp');
  const restricted = await open(t, [rule], 'operator');
  assert.match(
    String(errorOf(await restricted.call('network.cli.exec', { cmd: 'show version' }))[2]),
    /^some data is hidden/,
  );
  assert.equal(errorOf(await restricted.ask('resources/read', { uri: 'network:///file/running-config' }))[0], -32083);
  assert.ok((await restricted.ask('resources/read', { uri: 'network:///interfaces' }))['result']);
  const named: AccessRule = { name: 'cli', action: 'permit', operations: ['exec'], tool: 'network.cli.exec' };
  const trusted = await open(t, [named, rule], 'operator');
  assert.ok((await trusted.call('network.cli.exec', { cmd: 'show ip arp vrf mgmt 10.0.0.5' }))['result']);
});
