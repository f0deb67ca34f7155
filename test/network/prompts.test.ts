// Prompts: the follow-up flow to its end, files of the operator, arguments for forms, streams, confirmation before changes.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { parseTemplate, render } from '#network/prompts/template.ts';
import { createFakeDevice } from '../fakes/device.ts';
import { openDeviceBench, openSession } from './device-bench.ts';

type Step = {
  messages: { content: string }[];
  _meta: { contextId?: string; toolCalls: { tool: string; arguments: JsonObject }[] };
};

test('ping-fail goes on with the results that the client feeds back, until "Diagnosis complete" [NET-9]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  const name = 'network.troubleshoot.ping-fail';
  const args = { src: '198.18.0.1', dst: '198.18.0.9' };
  const results = ['', '"interfaceName":"eth1"', '{"oper-status":"DOWN"}'].map((stdout) => [{ stdout }]);
  const tools: string[] = [];
  let step = (await session.ask('prompts/get', { name, arguments: args }))['result'] as unknown as Step;
  for (const toolResults of results) {
    tools.push(step._meta.toolCalls[0]!.tool);
    const params = { name, arguments: args, previousContextId: step._meta.contextId!, toolResults };
    step = (await session.ask('prompts/get', params))['result'] as unknown as Step;
  }
  assert.deepEqual(tools, ['network.cli.exec', 'network.cli.exec', 'network.yang.get']);
  assert.match(
    step.messages[0]!.content,
    /- There is a route, out of eth1\.\n- eth1 is down\.\n[\s\S]*\*\*Diagnosis complete\*\*$/,
  );
  assert.equal(step._meta.contextId, undefined);
});

test('the first step lists the steps that are to be expected [NET-9]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  const asked = await session.ask('prompts/get', { name: 'network.security.audit', arguments: { profile: 'basic' } });
  const { content } = (asked['result'] as unknown as Step).messages[0]!;
  assert.match(
    content,
    /Expected steps after this:\n2\. Look for a community of SNMP\n3\. Look at IS-IS authentication/,
  );
});

test('a VLAN out of range is refused as in the draft [NET-13] [NET-10]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  const refused = await session.ask('prompts/get', {
    name: 'network.config.add-vlan',
    arguments: { vlan_id: 4095, name: 'x' },
  });
  const { code, message, data } = refused['error'] as JsonObject;
  const { detail, path, retryPossible } = data as JsonObject;
  assert.deepEqual(
    { code, message, data: { detail, path, retryPossible } },
    {
      code: -32084,
      message: 'Network.ConfigIncompatible',
      data: {
        detail: 'VLAN 4095 > maximum 4094',
        path: '/openconfig-vlan:vlans/vlan/config/vlan-id',
        retryPossible: false,
      },
    },
  );
});

test('the step that edits or commits asks first, and is never made by the server [NET-12]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  const ask = async (more: JsonObject) =>
    (
      await session.ask('prompts/get', {
        name: 'network.config.add-vlan',
        arguments: { vlan_id: 100, name: 'blue' },
        ...more,
      })
    )['result'] as unknown as Step;
  const first = await ask({});
  const second = await ask({ previousContextId: first._meta.contextId! });
  assert.equal(second._meta.toolCalls[0]!.tool, 'network.yang.edit');
  assert.match(
    second.messages[0]!.content,
    /\*\*Confirm first:\*\* VLAN 100 \(blue\) goes into the candidate\. The call is not made before you approve it\./,
  );
});

test('prompt descriptors carry types, ranges and patterns [NET-10]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  const prompts = ((await session.ask('prompts/list'))['result'] as JsonObject)['prompts'] as JsonObject[];
  const vlan = prompts.find(({ name }) => name === 'network.config.add-vlan')!;
  assert.deepEqual(vlan['required'], ['vlan_id', 'name']);
  assert.deepEqual(vlan['arguments'], [
    { type: 'integer', minimum: 1, maximum: 4094, name: 'vlan_id', description: 'IEEE 802.1Q VLAN ID', required: true },
    { type: 'string', pattern: '^[A-Za-z0-9_-]+$', name: 'name', description: 'VLAN name (no spaces)', required: true },
    {
      type: 'array',
      items: { type: 'string' },
      name: 'ports',
      description: 'List of interface names to add to VLAN',
      required: false,
    },
  ]);
  assert.deepEqual(
    prompts.map(({ name }) => name),
    [
      'network.troubleshoot.ping-fail',
      'network.config.add-vlan',
      'network.security.audit',
      'network.troubleshoot.bgp-down',
    ],
  );
});

test('a streamed prompt has a handle and pushes its steps to the end [NET-11]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  const asked = await session.ask('prompts/get', {
    name: 'network.security.audit',
    arguments: { profile: 'basic' },
    stream: true,
  });
  const { handle } = (asked['result'] as JsonObject)['stream'] as { handle: string };
  const steps: JsonObject[] = [];
  do {
    const message = (await session.next())!;
    assert.equal(message['method'], 'prompts/stream');
    steps.push(message['params'] as JsonObject);
  } while (steps.at(-1)!['done'] !== true);
  assert.deepEqual(
    steps.map((step) => [step['handle'], step['index']]),
    [
      [handle, 1],
      [handle, 2],
      [handle, 3],
    ],
  );
  assert.match(String(steps.at(-1)!['markdown']), /Diagnosis complete/);
});

test('a context belongs to whoever began it [NET-9]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  const refused = await session.ask('prompts/get', {
    name: 'network.security.audit',
    arguments: { profile: 'basic' },
    previousContextId: '00',
  });
  assert.equal((refused['error'] as JsonObject)['code'], -32602);
});

test("the operator's own templates are read from a folder; one that cannot be read is left out [TS-4]", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-prompts-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await writeFile(
    join(dir, 'own.yml'),
    'name: site.check\ntitle: Check\ndescription: Our own check\nheading: Check {{who}}\narguments:\n  - { name: who, description: Who, required: true }\nsteps:\n  - { title: Look, tool: ping, arguments: { destination: "{{who}}" } }\nconclusion: Done.\n',
  );
  await writeFile(join(dir, 'broken.yml'), 'name: [\n');
  await writeFile(
    join(dir, 'silent.yml'),
    'name: site.commit\ntitle: C\ndescription: C\nheading: C\nsteps:\n  - { title: Commit, tool: network.commit }\nconclusion: Done.\n',
  );
  const session = await openSession(await openDeviceBench(t, createFakeDevice(), dir));
  const prompts = ((await session.ask('prompts/list'))['result'] as JsonObject)['prompts'] as JsonObject[];
  assert.deepEqual(
    prompts.slice(4).map(({ name }) => name),
    ['site.check'],
  );
  const step = (await session.ask('prompts/get', { name: 'site.check', arguments: { who: '192.0.2.1' } }))[
    'result'
  ] as unknown as Step;
  assert.deepEqual(step._meta.toolCalls, [{ tool: 'ping', arguments: { destination: '192.0.2.1' } }]);
});

test('a template that commits without asking is refused [NET-12]', () => {
  const read = parseTemplate(
    'name: a\ntitle: C\ndescription: C\nheading: C\nsteps:\n  - { title: Commit, tool: network.commit }\nconclusion: Done.\n',
  );
  assert.deepEqual(read.ok ? 'read' : read.reason, 'expected a confirmation before network.commit, got none');
});

test('places are filled once: a value is never read as a template [TS-4]', () => {
  assert.equal(render('a {{x}}{{#y}} b {{#x}}c{{/x}}{{/y}}{{^y}} none{{/y}}', { x: '{{y}}' }), 'a {{y}} none');
  assert.equal(render('{{^v6}}show ip{{#vrf}} vrf {{vrf}}{{/vrf}}{{/v6}}', { vrf: 'm' }), 'show ip vrf m');
});

test('arguments complete from the enumeration or the interfaces of the device [NET-10]', async (t) => {
  const session = await openSession(await openDeviceBench(t), true);
  const complete = async (name: string, argument: JsonObject) =>
    (
      (await session.ask('completion/complete', { ref: { type: 'ref/prompt', name }, argument }))[
        'result'
      ] as JsonObject
    )['completion'];
  assert.deepEqual(await complete('network.security.audit', { name: 'profile', value: 'b' }), {
    values: ['basic'],
    total: 1,
    hasMore: false,
  });
});

async function audit(t: TestContext, result: JsonValue): Promise<readonly string[]> {
  const session = await openSession(await openDeviceBench(t));
  const params: JsonObject = { name: 'network.security.audit', arguments: { profile: 'basic' } };
  let step = (await session.ask('prompts/get', params))['result'] as unknown as Step;
  while (step._meta?.contextId !== undefined) {
    const next = { ...params, previousContextId: step._meta.contextId, toolResults: [result] };
    step = (await session.ask('prompts/get', next))['result'] as unknown as Step;
  }
  return [...step.messages[0]!.content.matchAll(/^- (.*)$/gm)].map(([, said]) => said!);
}

test('the security audit passes nothing that it could not read [NET-9]', async (t) => {
  const unread = Array(3).fill('NOT CHECKED: the configuration could not be read.');
  const results: JsonValue[] = [
    'error: vtysh failed at router isis',
    'unavailable: network.cli.exec',
    { code: -32083, message: 'Network.AccessDenied', data: {} },
    { isError: true, content: [] },
    { stdout: ' \n' },
    { stdout: '% Unknown command: show running-config\n' },
  ];
  for (const result of results) assert.deepEqual(await audit(t, result), unread, JSON.stringify(result));
});

test('a configuration that was cut does not pass by what it does not show [NET-9]', async (t) => {
  const cut = 'the result was cut, and nothing is concluded from what it does not show.';
  assert.deepEqual(await audit(t, { stdout: 'hostname r1\nrouter isis 1\n', truncated: true }), [
    `Look for readable passwords in the running configuration: ${cut}`,
    `Look for a community of SNMP: ${cut}`,
    'FAIL: IS-IS runs without a password.',
  ]);
  assert.deepEqual(await audit(t, { stdout: 'hostname r1\n' }), [
    'PASS: no readable line password.',
    'PASS: no SNMP community.',
    'PASS: IS-IS does not run.',
  ]);
});

test('a step that failed is not taken for what it would have shown [NET-9]', async (t) => {
  const session = await openSession(await openDeviceBench(t));
  const params = { name: 'network.troubleshoot.ping-fail', arguments: { src: '198.18.0.1', dst: '198.18.0.9' } };
  const first = (await session.ask('prompts/get', params))['result'] as unknown as Step;
  const next = { ...params, previousContextId: first._meta.contextId!, toolResults: ['error: no answer'] };
  const { messages } = (await session.ask('prompts/get', next))['result'] as unknown as Step;
  assert.match(messages[0]!.content, /^- Check local ARP: there is no result, and nothing is concluded from it\.$/m);
});
