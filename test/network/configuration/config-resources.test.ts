// The configuration as resources, and the session that an unconfirmed change belongs to, over frames and over a configuration in memory.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { createAccess } from '#model/access.ts';
import { candidateTree } from '#network/yang/candidate.ts';
import { until } from '../../fakes/clock.ts';
import { createFakeConfiguration } from '../../fakes/configuration.ts';
import { createFakeDevice } from '../../fakes/device.ts';
import { OPERATOR } from '../../mcp/harness.ts';
import { openDeviceBench, openSession } from '../device-bench.ts';

const ADMIN = { ...OPERATOR, role: 'admin' as const };
const CANDIDATE = 'network:///file/candidate-config';
const STARTUP = 'network:///file/startup-config';

async function open(t: TestContext) {
  const configuration = createFakeConfiguration();
  const bench = await openDeviceBench(t, createFakeDevice(), '/nonexistent', createAccess(), { configuration });
  const session = (party = ADMIN as typeof OPERATOR, mcp = false) => openSession(bench, mcp, party);
  return { configuration, session };
}

const dataOf = (answer: JsonObject) => ((answer['result'] as JsonObject)['contents'] as JsonObject[])[0]!['data'];
const errorOf = (answer: JsonObject) => {
  const { code, data } = answer['error'] as { code: number; data: JsonObject };
  return [code, data['errorCode'] ?? null];
};

test('the candidate is a resource that begins as what runs, takes a whole text, and runs only by a commit [NET-7]', async (t) => {
  const { configuration, session } = await open(t);
  const { ask } = await session();
  const before = String(dataOf(await ask('resources/read', { uri: CANDIDATE })));
  assert.match(before, /isis metric 10/);
  const text = before.replace('isis metric 10', 'isis metric 30');
  const written = (await ask('resources/write', { uri: CANDIDATE, contents: [{ uri: CANDIDATE, text }] }))['result'];
  assert.deepEqual(written, {
    uri: CANDIDATE,
    status: 'candidate',
    changes: [
      { sign: '-', context: 'interface eth1', line: 'isis metric 10' },
      { sign: '+', context: 'interface eth1', line: 'isis metric 30' },
    ],
  });
  assert.match(String(dataOf(await ask('resources/read', { uri: CANDIDATE }))), /isis metric 30/);
  assert.match(configuration.running, /isis metric 10/);
  const listed = ((await ask('resources/list'))['result'] as { resources: JsonObject[] }).resources;
  const writable = listed.filter((entry) => entry['readOnly'] === false).map((entry) => entry['uri']);
  assert.deepEqual(writable, [STARTUP, CANDIDATE]);
});

test('what is no configuration, and what has lost its secrets, is refused before anything is written [NET-7] [NET-18]', async (t) => {
  const { configuration, session } = await open(t);
  const { ask } = await session();
  const write = async (uri: string, text: string) => errorOf(await ask('resources/write', { uri, text }));
  assert.deepEqual(await write(CANDIDATE, 'log file /etc/passwd'), [-32084, 'caller/config-incompatible']);
  assert.deepEqual(await write(CANDIDATE, 'line\u0007bell'), [-32084, 'caller/config-incompatible']);
  const pulled = createFakeConfiguration(
    `${configuration.running}interface eth2\n isis password md5 open-sesame\nexit\n`,
  );
  const redacted = await pulled.read('running', 'operator/ann');
  assert.doesNotMatch(redacted, /open-sesame/);
  for (const uri of [CANDIDATE, STARTUP]) {
    const answer = await ask('resources/write', { uri, text: redacted });
    assert.deepEqual(errorOf(answer), [-32084, 'caller/config-incompatible'], uri);
    assert.match(JSON.stringify(answer), /redacted text/);
  }
  assert.deepEqual(configuration.asked, []);
});

test('the start-up configuration is written by a commit that was confirmed, never while a change is unconfirmed [NET-7] [NET-15]', async (t) => {
  const { configuration, session } = await open(t);
  const { ask } = await session();
  const text = configuration.running.replace('metric 10', 'metric 40');
  const written = (await ask('resources/write', { uri: STARTUP, text }))['result'] as JsonObject;
  assert.deepEqual([written['status'], written['commit-id']], ['confirmed', '00000001-0a0b0c0d']);
  assert.match(configuration.startup, /metric 40/);
  await ask('tools/call', {
    name: 'network.cli.configure',
    arguments: { commands: ['interface eth1', ' isis metric 50'] },
  });
  await ask('tools/call', { name: 'network.commit', arguments: { confirmed: 60 } });
  assert.match(configuration.running, /metric 50/);
  assert.deepEqual(errorOf(await ask('resources/write', { uri: STARTUP, text })), [-32602, 'caller/commit-open']);
  assert.match(configuration.startup, /metric 40/);
});

test('an operator may read the candidate and not write it [NET-7] [NET-16]', async (t) => {
  const { session } = await open(t);
  const { ask } = await session({ ...OPERATOR, role: 'operator' });
  assert.match(String(dataOf(await ask('resources/read', { uri: CANDIDATE }))), /hostname a/);
  assert.deepEqual(errorOf(await ask('resources/write', { uri: CANDIDATE, text: 'hostname b' }))[0], -32083);
});

for (const mcp of [false, true]) {
  test(`an unconfirmed change is undone when its session is lost, in the dialect of ${mcp ? 'MCP' : 'the draft'} [NET-15]`, async (t) => {
    const { configuration, session } = await open(t);
    const { ask, end } = await session(ADMIN, mcp);
    const call = (name: string, args: JsonObject) => ask('tools/call', { name, arguments: args });
    await call('network.cli.configure', { commands: ['interface eth1', ' isis metric 60'] });
    await call('network.commit', { confirmed: 600 });
    assert.match(configuration.running, /metric 60/);
    end();
    await until(() => /metric 10/.test(configuration.running), 'the change is undone');
    assert.equal(configuration.asked.at(-1), 'cancel: the session was lost');
    assert.doesNotMatch(configuration.startup, /metric 60/);
  });
}

test('only the session that made a change confirms it; with persist the change outlives its session [NET-15]', async (t) => {
  const { configuration, session } = await open(t);
  const [one, other] = [await session(), await session()];
  const call = (who: typeof one, name: string, args: JsonObject) => who.ask('tools/call', { name, arguments: args });
  await call(one, 'network.cli.configure', { commands: ['interface eth1', ' isis metric 70'] });
  await call(one, 'network.commit', { confirmed: 600 });
  assert.deepEqual(errorOf(await call(other, 'network.commit', { confirm: true }))[1], 'caller/not-yours');
  assert.equal(((await call(one, 'network.commit', { confirm: true }))['result'] as JsonObject)['status'], 'confirmed');

  await call(one, 'network.cli.configure', { commands: ['interface eth1', ' isis metric 80'] });
  await call(one, 'network.commit', { confirmed: 600, persist: 'token' });
  one.end();
  const late = await call(other, 'network.commit', { confirm: true, 'persist-id': 'token' });
  assert.equal((late['result'] as JsonObject)['status'], 'confirmed');
  assert.match(configuration.running, /metric 80/);
});

test('the candidate as YANG data: what each module says of the same lines [NET-15]', () => {
  const text = [
    'ip route 198.51.100.0/24 192.0.2.1',
    'ipv6 route 2001:db8::/32 blackhole',
    'interface eth1',
    ' description to b',
    ' shutdown',
    ' ipv6 address fd00::1/64',
    ' ip router isis core',
    ' isis metric 20',
    ' isis network point-to-point',
    'exit',
    '!',
    'router isis core',
    ' is-type level-2-only',
    'exit',
    'router bgp 65001',
    ' neighbor 192.0.2.9 remote-as 65002',
    ' address-family ipv4 unicast',
    '  neighbor 192.0.2.9 activate',
    ' exit-address-family',
    'exit',
  ].join('\n');
  assert.deepEqual(candidateTree(text, 'ietf-interfaces'), {
    'ietf-interfaces:interfaces': {
      interface: [
        {
          name: 'eth1',
          description: 'to b',
          enabled: false,
          'ietf-ip:ipv6': { address: [{ ip: 'fd00::1', 'prefix-length': 64 }] },
        },
      ],
    },
  });
  assert.deepEqual(candidateTree(text, 'frr-interface'), {
    'frr-interface:lib': {
      interface: [
        {
          name: 'eth1',
          description: 'to b',
          'frr-zebra:zebra': {
            enabled: false,
            'ip-addrs': [{ 'address-family': 'frr-routing:ipv6-unicast', 'ip-prefix': 'fd00::1/64' }],
          },
          'frr-isisd:isis': { 'ipv4-routing': true, metric: 20, network: 'point-to-point' },
        },
      ],
    },
  });
  assert.deepEqual(candidateTree(text, 'frr-isisd'), {
    'frr-isisd:isis': { instance: [{ 'area-tag': 'core', vrf: 'default', 'is-type': 'level-2-only' }] },
  });
  assert.deepEqual(candidateTree(text, 'openconfig-bgp'), {
    'openconfig-bgp:bgp': {
      neighbors: { neighbor: [{ 'neighbor-address': '192.0.2.9', config: { 'remote-as': 65002 } }] },
    },
  });
  const routing = JSON.stringify(candidateTree(text, 'ietf-routing'));
  assert.match(routing, /"destination-prefix":"198\.51\.100\.0\/24","next-hop":\{"next-hop-address":"192\.0\.2\.1"\}/);
  assert.match(routing, /"destination-prefix":"2001:db8::\/32","next-hop":\{"special-next-hop":"blackhole"\}/);
});
