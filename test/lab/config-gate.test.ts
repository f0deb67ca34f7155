// Changes through the agent on two real routers with real agents: a change that would cut the neighbour off is undone by the health gate,
// and the death of the agent undoes what it has not confirmed. Names carry a prefix of their own.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { messageOf } from '#base/error.ts';
import { type OperatorClient, openOperatorClient } from '#mcp/client/operator-client.ts';
import { dialLocal } from '#mtls/local-socket.ts';
import { restartAgent } from '../../simulations/lab/agents.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { CONTROL_SOCKET } from '../../simulations/lab/node-files.ts';
import { pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import { waitUntil } from '../../simulations/lab/wait.ts';
import { HANG_MS } from '../until-written.ts';

const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/pair.clab.yml');
const dir = mkdtempSync(join(tmpdir(), 'parley-gate-lab-'));
let lab: RunningLab;
let client: OperatorClient;

before(async () => {
  const prefix = `cg${randomBytes(2).toString('hex')}`.slice(0, 6);
  lab = await upLab({ topologyFile: TOPOLOGY, name: prefix, prefix, dir, configuration: true });
  client = await openOperatorClient(await dialLocal(pathInNode(lab.record.nodes[0]!, CONTROL_SOCKET)));
});

after(async () => {
  await client?.close();
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

const call = (name: string, args: Record<string, unknown>) =>
  client.callTool(name, args as never, { timeoutMs: 120_000 });

async function running(): Promise<string> {
  return (await runInNode(lab.record.nodes[0]!, ['vtysh', '-c', 'show running-config'])).stdout;
}

/** Of the open change; undefined where there is none. */
function stateIn(journal: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(journal, 'utf8')) as { state: string }).state;
  } catch {
    return undefined;
  }
}

/** The socket of an agent that has just been started. */
async function reopened(node: RunningLab['record']['nodes'][number]): Promise<OperatorClient> {
  let opened: OperatorClient | undefined;
  const tried = async () => {
    try {
      opened = await openOperatorClient(await dialLocal(pathInNode(node, CONTROL_SOCKET)));
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };
  await waitUntil('the agent to answer', tried, { timeoutMs: HANG_MS, intervalMs: 100 });
  return opened!;
}

test('a change that leaves the neighbours as they were is committed, confirmed, and not confirmed twice [NET-2, NET-15, NET-17]', async () => {
  const path = "/openconfig-interfaces:interfaces/interface[name='eth1']/config/description";
  const edited = await call('network.yang.edit', { target: 'candidate', edit: [{ path, value: 'to b' }] });
  assert.deepEqual(edited['changes'], [{ sign: '+', context: 'interface eth1', line: 'description to b' }]);
  const committed = await call('network.commit', { confirmed: 60 });
  assert.deepEqual([committed['status'], committed['rollbackTimeout']], ['committed', 60]);
  assert.equal((await call('network.commit', { confirm: true }))['status'], 'confirmed');
  assert.match(await running(), /description to b/);
  await assert.rejects(call('network.commit', { confirm: true }), { code: 'peer/refused' });
});

test('a change that cuts the agent off from its neighbour is undone by the health gate [NET-15]', async () => {
  const edited = await call('network.cli.configure', { commands: ['interface eth1', ' isis password md5 one-sided'] });
  assert.doesNotMatch(JSON.stringify(edited), /one-sided/);
  const failed = await call('network.commit', { confirmed: 20 }).then(
    () => assert.fail('expected a refusal'),
    (error: { data: { code: number; data: { errorCode: string; missing: readonly string[] } } }) => error.data,
  );
  assert.equal(failed.code, -32084);
  assert.equal(failed.data.errorCode, 'node/health-gate');
  assert.ok(
    failed.data.missing.some((line) => line.includes('sees')),
    failed.data.missing.join(),
  );
  assert.doesNotMatch(await running(), /one-sided/);
});

test('the candidate is written as a resource and read as YANG data; a lost session undoes what it had not confirmed [NET-7, NET-15]', async () => {
  const other = await openOperatorClient(await dialLocal(pathInNode(lab.record.nodes[0]!, CONTROL_SOCKET)));
  const ask = (name: string, args: Record<string, unknown>) =>
    other.callTool(name, args as never, { timeoutMs: 60_000 });
  const uri = 'network:///file/candidate-config';
  const text = String(await other.readResource(uri)).replace(/( ip router isis \S+\n)/, '$1 isis metric 55\n');
  const written = await ask('network.file.push', { content: text });
  assert.deepEqual(written['changes'], [{ sign: '+', context: 'interface eth1', line: 'isis metric 55' }]);
  const path = "/frr-interface:lib/interface[name='eth1']/frr-isisd:isis/metric";
  const candidate = await ask('network.yang.get', { path, datastore: 'candidate' });
  assert.deepEqual(candidate['data'], { 'frr-isisd:metric': 55 });
  await ask('network.commit', { confirmed: 600 });
  assert.match(await running(), /isis metric 55/);
  await other.close();
  const undone = async () => (/isis metric 55/.test(await running()) ? 'the old configuration' : undefined);
  await waitUntil('the change of the lost session to be undone', undone, { timeoutMs: HANG_MS, intervalMs: 100 });
});

test('−32085: an undoing that cannot bring the old configuration back says so, and goes on until it can [NET-13]', async () => {
  const a = lab.record.nodes[0]!;
  await call('network.cli.configure', { commands: ['interface eth1', ' isis metric 66'] });
  await call('network.commit', { confirmed: 600 });
  // The daemon whose configuration is to come back is gone.
  const command = (await runInNode(a, ['bash', '-c', "tr '\\0' ' ' < /proc/$(pgrep -x isisd)/cmdline"])).stdout.trim();
  assert.equal((await runInNode(a, ['bash', '-c', 'kill -9 $(pgrep -x isisd)'])).exitCode, 0);
  const failed = await call('network.rollback', {}).then(
    () => assert.fail('expected a refusal'),
    (error: { data: { code: number; message: string; data: { errorCode: string } } }) => error.data,
  );
  assert.deepEqual([failed.code, failed.data.errorCode], [-32085, 'node/rollback-failed']);
  await runInNode(a, ['bash', '-c', `${command} >/dev/null 2>&1 </dev/null; true`]);
  const old = async () => {
    const text = await running();
    return /router isis/.test(text) && !/isis metric 66/.test(text) ? undefined : 'another configuration';
  };
  await waitUntil('the old configuration to run', old, { timeoutMs: HANG_MS, intervalMs: 200 });
});

test('a persistent change whose agent died in the gate is confirmed by its token, with a warning [NET-15]', async () => {
  const a = lab.record.nodes[0]!;
  await call('network.cli.configure', { commands: ['interface eth1', ' isis metric 71'] });
  const asked = call('network.commit', { confirmed: 600, persist: 'token-1' }).catch(() => 'gone');
  const journal = pathInNode(a, '/var/lib/parley-config/journal.json');
  const applied = () => (stateIn(journal) === 'APPLIED' ? undefined : `${stateIn(journal)}`);
  await waitUntil('the change to run, before the gate has spoken', applied, { timeoutMs: HANG_MS, intervalMs: 5 });
  await runInNode(a, ['bash', '-c', "kill -9 $(pgrep -f 'opt/parley/src/main[.]ts agent')"]);
  assert.equal(await asked, 'gone');
  assert.equal(stateIn(journal), 'APPLIED');
  await restartAgent(a);
  client = await reopened(a);
  await assert.rejects(call('network.commit', { confirm: true }), { code: 'peer/refused' });
  const confirmed = await call('network.commit', { confirm: true, 'persist-id': 'token-1' });
  assert.deepEqual(
    [confirmed['status'], confirmed['warning']],
    [
      'confirmed',
      'confirmed by its persist-id: no health gate is known to have passed for it, look at what it changed',
    ],
  );
  assert.match((await runInNode(a, ['cat', '/etc/frr/frr.conf'])).stdout, /isis metric 71/);
});

test('the death of the agent undoes what it had not confirmed, without the agent [NET-15]', async () => {
  await call('network.cli.configure', { commands: ['interface eth1', ' isis metric 77'] });
  await call('network.commit', { confirmed: 600 });
  assert.match(await running(), /isis metric 77/);
  const a = lab.record.nodes[0]!;
  const killed = await runInNode(a, ['bash', '-c', "kill -9 $(pgrep -f 'opt/parley/src/main[.]ts agent')"]);
  assert.equal(killed.exitCode, 0, killed.stderr);
  const undone = async () => (/isis metric 77/.test(await running()) ? 'the old configuration' : undefined);
  await waitUntil('the change to be undone', undone, { timeoutMs: HANG_MS, intervalMs: 100 });
  assert.doesNotMatch((await runInNode(a, ['cat', '/etc/frr/frr.conf'])).stdout, /isis metric 77/);
});

test('an agent that dies while a change is applied leaves nothing of it [NET-15]', async () => {
  const b = lab.record.nodes[1]!;
  const other = await openOperatorClient(await dialLocal(pathInNode(b, CONTROL_SOCKET)));
  await other.callTool('network.cli.configure', { commands: ['interface eth1', ' isis metric 88'] });
  const asked = other.callTool('network.commit', { confirmed: 86_400 }, { timeoutMs: 60_000 }).catch(() => 'gone');
  const journal = pathInNode(b, '/var/lib/parley-config/journal.json');
  const begun = () => (existsSync(journal) ? undefined : 'no journal');
  await waitUntil('the change to be begun', begun, { timeoutMs: HANG_MS, intervalMs: 2 });
  const killed = await runInNode(b, ['bash', '-c', "kill -9 $(pgrep -f 'opt/parley/src/main[.]ts agent')"]);
  assert.equal(killed.exitCode, 0, killed.stderr);
  const settled = () => (existsSync(journal) ? 'an open change' : undefined);
  await waitUntil('the change to be settled', settled, { timeoutMs: HANG_MS, intervalMs: 50 });
  assert.doesNotMatch((await runInNode(b, ['vtysh', '-c', 'show running-config'])).stdout, /isis metric 88/);
  assert.equal(await asked, 'gone');
});
