// A device with a command line and no YANG: listed as such, and asked by our own client and our own prompts for the show command that tells
// of the same thing (NET-3).
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { openOperatorClient } from '#mcp/client/operator-client.ts';
import { readData } from '#mcp/client/read-data.ts';
import { showCommandFor } from '#model/router/downgrade.ts';
import { createFakeDevice } from '../fakes/device.ts';
import { OPERATOR } from '../mcp/harness.ts';
import { openDeviceBench, openSession } from './device-bench.ts';

const ETH1 = "/openconfig-interfaces:interfaces/interface[name='eth1']";

function withoutYang(more: Parameters<typeof createFakeDevice>[0] = {}) {
  const fake = createFakeDevice(more);
  delete (fake.device as { native?: unknown }).native;
  return fake;
}

async function clientOf(t: TestContext, fake = withoutYang()) {
  const bench = await openDeviceBench(t, fake);
  const client = await openOperatorClient(await bench.frames(OPERATOR));
  t.after(() => client.close());
  return client;
}

for (const [path, command] of [
  [ETH1, 'show interface eth1 json'],
  [`${ETH1}/state/oper-status`, 'show interface eth1 json'],
  ['ietf-interfaces:interfaces-state/interface=eth1/oper-status', 'show interface eth1 json'],
  ['/openconfig-interfaces:interfaces', 'show interface brief json'],
  ["/openconfig-bgp:bgp/neighbors/neighbor[neighbor-address='192.0.2.1']/state", 'show bgp neighbors 192.0.2.1 json'],
  [
    "/ietf-routing:routing/ribs/rib[name='ipv6-main']/routes/route[destination-prefix='2001:db8::/32']",
    'show ipv6 route 2001:db8::/32 json',
  ],
  // Nothing is asked that tells of something else, and nothing that is no name.
  [`${ETH1}/config/description`, undefined],
  ['/frr-isisd:isis', undefined],
  ["/openconfig-interfaces:interfaces/interface[name='eth1; reload']", undefined],
  ["/openconfig-interfaces:interfaces/interface[name='a b']", undefined],
  ['not a path', undefined],
] as const) {
  test(`${path} is ${command ?? 'no command'} in FRR's dialect [NET-3]`, () => {
    assert.equal(showCommandFor('frr-vtysh', path, 'operational'), command);
    assert.equal(showCommandFor('ios-xr', path, 'operational'), undefined);
    assert.equal(showCommandFor('frr-vtysh', path, 'running'), undefined);
  });
}

test('our client asks a device without YANG by its command line, and says so [NET-3]', async (t) => {
  const show = async (command: string) => `${command}\n neighbor 192.0.2.1 password s3cret\n`;
  const client = await clientOf(t, withoutYang({ show }));
  const listed = (await client.listTools()).find(({ name }) => name === 'network.yang.get');
  assert.equal(listed?.available, false);
  assert.deepEqual(await readData(client, ETH1, 'operational'), {
    kind: 'shown',
    command: 'show interface eth1 json',
    text: 'show interface eth1 json\n neighbor 192.0.2.1 password <redacted>\n',
  });
  await assert.rejects(readData(client, '/frr-isisd:isis', 'operational'), { code: 'node/no-yang' });
});

test('our client reads YANG where there is YANG, and tells a refusal as it is [NET-3]', async (t) => {
  const client = await clientOf(t, createFakeDevice());
  const answer = await readData(client, '/frr-isisd:isis', 'running');
  assert.equal(answer.kind, 'data');
  await assert.rejects(readData(client, '/no-such:thing', 'running'), (error: { data: { code: number } }) => {
    assert.equal(error.data.code, -32084);
    return true;
  });
});

test('a device with neither is asked for neither [NET-3]', async (t) => {
  const fake = withoutYang();
  delete (fake.device as { show?: unknown }).show;
  await assert.rejects(readData(await clientOf(t, fake), ETH1, 'operational'), { code: 'node/no-yang' });
});

test('a prompt steps down by itself, shows the command that it asks for, and reads its answer [NET-3] [NET-9]', async (t) => {
  const asked: string[] = [];
  const fake = withoutYang({
    show: async (command) => {
      asked.push(command);
      if (command.includes('route')) return '{"interfaceName":"eth1"}';
      return command.startsWith('show interface') ? '{"eth1":{"operationalStatus":"down"}}' : '';
    },
  });
  const session = await openSession(await openDeviceBench(t, fake));
  const name = 'network.troubleshoot.ping-fail';
  const args = { src: '198.18.0.1', dst: '198.18.0.9' };
  let params: JsonObject = { name, arguments: args };
  const seen: string[] = [];
  for (;;) {
    const step = (await session.ask('prompts/get', params))['result'] as unknown as {
      messages: { content: string }[];
      _meta: { contextId?: string; toolCalls: JsonObject[] };
    };
    seen.push(step.messages[0]!.content);
    if (step._meta.toolCalls[0] !== undefined && seen.length === 3)
      assert.deepEqual(step._meta.toolCalls, [
        { tool: 'network.cli.exec', arguments: { cmd: 'show interface eth1 json' } },
      ]);
    if (step._meta.contextId === undefined) break;
    params = { name, arguments: args, previousContextId: step._meta.contextId };
  }
  assert.match(seen[2]!, /This device has no YANG: its command line is asked instead\./);
  assert.match(seen.at(-1)!, /- eth1 is down\.\n[\s\S]*Diagnosis complete/);
  assert.equal(asked.at(-1), 'show interface eth1 json');
});
