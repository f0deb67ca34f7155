// Changes of a real router whose only neighbours are BGP's: what keeps the sessions confirms itself, what breaks one is undone, and what the
// change itself shuts is named. Names carry a prefix of their own.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type OperatorClient, openOperatorClient } from '#mcp/client/operator-client.ts';
import { dialLocal } from '#mtls/local-socket.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { CONTROL_SOCKET } from '../../simulations/lab/node-files.ts';
import { pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import { waitUntil } from '../../simulations/lab/wait.ts';

const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/two-sites.clab.yml');
const SITE_A = '198.18.1.0';
const dir = mkdtempSync(join(tmpdir(), 'parley-bgp-lab-'));
let lab: RunningLab;
let client: OperatorClient;
const router1 = () => lab.record.nodes.find(({ name }) => name === 'router1')!;

before(async () => {
  const prefix = `cb${randomBytes(2).toString('hex')}`.slice(0, 6);
  lab = await upLab({ topologyFile: TOPOLOGY, name: prefix, prefix, dir, configuration: true });
  client = await openOperatorClient(await dialLocal(pathInNode(router1(), CONTROL_SOCKET)));
  const established = async () => {
    const { stdout } = await runInNode(router1(), ['vtysh', '-c', 'show bgp neighbors json']);
    const states = [...stdout.matchAll(/"bgpState":"(\w+)"/g)].map((found) => found[1]);
    return states.length === 4 && states.every((state) => state === 'Established') ? undefined : states.join();
  };
  await waitUntil('four BGP sessions', established, { timeoutMs: 60_000, intervalMs: 200 });
});

after(async () => {
  await client?.close();
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

const call = (name: string, args: Record<string, unknown>) =>
  client.callTool(name, args as never, { timeoutMs: 150_000 });
const running = async () => (await runInNode(router1(), ['vtysh', '-c', 'show running-config'])).stdout;

test('a change that leaves every BGP session as it was confirms itself [NET-15]', async () => {
  await call('network.cli.configure', { commands: ['interface eth2', ' description to router2'] });
  assert.equal((await call('network.commit', {}))['status'], 'confirmed');
  assert.match(await running(), /description to router2/);
});

test('a change that breaks a BGP session is undone [NET-15]', async () => {
  await call('network.cli.configure', { commands: ['interface eth1', ' shutdown'] });
  const failed = await call('network.commit', { confirmed: 30 }).then(
    () => assert.fail('expected a refusal'),
    (error: { data: { data: { errorCode: string; missing: readonly string[] } } }) => error.data.data,
  );
  assert.equal(failed.errorCode, 'node/health-gate');
  assert.ok(failed.missing.includes(`not proven: BGP with ${SITE_A}`), failed.missing.join());
  assert.doesNotMatch(await running(), /shutdown/);
});

test('a BGP session that the change itself shuts is named, for whoever confirms [NET-15]', async () => {
  await waitUntil(
    'the session to be up again',
    async () => {
      const { stdout } = await runInNode(router1(), ['vtysh', '-c', `show bgp neighbors ${SITE_A} json`]);
      return /"bgpState":"Established"/.test(stdout) ? undefined : 'another state';
    },
    { timeoutMs: 60_000, intervalMs: 200 },
  );
  await call('network.cli.configure', { commands: ['router bgp 65000', ` neighbor ${SITE_A} shutdown`] });
  const committed = await call('network.commit', { confirmed: 30 });
  assert.equal(committed['status'], 'committed');
  assert.match(String(committed['warning']), new RegExp(`switched off by configuration: BGP with ${SITE_A}`));
  assert.equal((await call('network.rollback', {}))['status'], 'rolled-back');
});
