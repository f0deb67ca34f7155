// One real FRR router as an MCP server: what MCP-NET shows, asked inside its node over the operators' socket, and the official
// Inspector's CLI through the stdio bridge.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { CONTROL_SOCKET } from '../../simulations/lab/node-files.ts';
import { runInNode } from '../../simulations/lab/node-processes.ts';
import { TOPOLOGY } from './stand-in.ts';

const dir = mkdtempSync(join(tmpdir(), 'dv-labs-'));
const PARLEY = ['node', '--conditions=parley-source', '/opt/parley/src/main.ts'];
const INSPECTOR = '/opt/parley/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
let lab: RunningLab;

before(async () => {
  lab = await upLab({
    topologyFile: TOPOLOGY,
    name: 'device',
    prefix: `dv-${randomBytes(2).toString('hex')}-`,
    dir,
    seed: 5,
  });
});
after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

type Answer = Readonly<Record<string, unknown>>;

async function inspect(...args: readonly string[]): Promise<Answer> {
  const bridge = [...PARLEY, 'mcp', '--socket', CONTROL_SOCKET];
  const pe1 = lab.record.nodes.find(({ name }) => name === 'pe1')!;
  const ended = await runInNode(pe1, ['env', 'HOME=/tmp', 'node', INSPECTOR, '--cli', ...bridge, '--method', ...args]);
  return JSON.parse(ended.stdout) as Answer;
}

const call = async (tool: string, ...args: readonly string[]) =>
  (await inspect('tools/call', '--tool-name', tool, ...args.flatMap((arg) => ['--tool-arg', arg])))[
    'structuredContent'
  ] as Answer;

test('the Inspector lists at most 15 tools, the resources and the prompts of a real router [NET-2] [NET-4] [NET-9] [NET-19]', async () => {
  const tools = (await inspect('tools/list'))['tools'] as readonly { name: string }[];
  assert.ok(tools.length <= 15, `${tools.length} tools`);
  assert.ok(tools.some(({ name }) => name === 'network_yang_get'));
  const resources = (await inspect('resources/list'))['resources'] as readonly { uri: string }[];
  assert.ok(resources.some(({ uri }) => uri === 'network:///interface/eth1'));
  const prompts = (await inspect('prompts/list'))['prompts'] as readonly { name: string }[];
  assert.ok(prompts.some(({ name }) => name === 'network.troubleshoot.ping-fail'));
});

test('show commands, YANG data of FRR and of the kernel, ping and traceroute on a real router [NET-2] [TS-1] [TS-3]', async () => {
  assert.match(String((await call('network_cli_exec', 'cmd=show isis hostname'))['stdout']), /0000\.0000\.0002 p2/);
  const state = await call(
    'network_yang_get',
    "path=/openconfig-interfaces:interfaces/interface[name='eth1']/state/oper-status",
  );
  assert.deepEqual(state['data'], { 'openconfig-interfaces:oper-status': 'UP' });
  const native = await call(
    'network_yang_get',
    "path=/frr-isisd:isis/instance[area-tag='core'][vrf='default']/is-type",
    'datastore=running',
  );
  assert.deepEqual(native['data'], { 'frr-isisd:is-type': 'level-2' });
  assert.equal((await call('ping', 'destination=198.18.255.3'))['loss'], 0);
  const { hops } = await call('traceroute', 'destination=198.18.255.3');
  assert.deepEqual(
    (hops as readonly Answer[]).map(({ address }) => address),
    ['198.18.12.1', '198.18.255.3'],
  );
});

test('what would configure a router never reaches it [NET-2] [NET-13]', async () => {
  const pe1 = lab.record.nodes.find(({ name }) => name === 'pe1')!;
  const bridge = [
    ...PARLEY,
    'mcp',
    '--socket',
    CONTROL_SOCKET,
    '--method',
    'tools/call',
    '--tool-name',
    'network_cli_exec',
  ];
  const command = ['env', 'HOME=/tmp', 'node', INSPECTOR, '--cli', ...bridge];
  const ended = await runInNode(pe1, [...command, '--tool-arg', 'cmd=show version; configure terminal']);
  assert.notEqual(ended.exitCode, 0);
  assert.match(`${ended.stdout}${ended.stderr}`, /Network\.ConfigIncompatible: expected a show command of this device/);
});

test('the log of the node, its configuration and its tables are read as they are [NET-4]', async () => {
  const read = async (uri: string) =>
    ((await inspect('resources/read', '--uri', uri))['contents'] as readonly Answer[])[0]!;
  assert.match(String((await read('network:///log/syslog/last50'))['text']), /ISIS: .*Configuration Read in Took/);
  assert.match(String((await read('network:///file/running-config'))['text']), /^router isis core$/m);
  assert.match(String((await read('network:///routing/ipv4/route-table'))['text']), /"198\.18\.255\.3\/32"/);
  assert.match(String((await read('mcp://pe1/ietf-routing:routing/ribs'))['text']), /"ietf-isis:isis"/);
});
