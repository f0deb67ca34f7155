// The contract of every device port on an embedded node, over the socket of its network; what runs is read by a client of the test's own.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createEmbeddedDevice } from '#router/drivers/embedded/device.ts';
import { serveEmbeddedHub } from '#router/drivers/embedded/hub.ts';
import { createEmbeddedHubDriver } from '#router/drivers/embedded/hub-driver.ts';
import { createEmbeddedNetwork, type EmbeddedNetwork } from '#router/drivers/embedded/network.ts';
import { type DeviceBed, devicePortContract } from '../contracts/device-port.ts';
import { THREE_ROUTERS } from './embedded-bed.ts';

const ETH1 = "/ietf-interfaces:interfaces/interface[name='eth1']";
const dir = mkdtempSync(join(tmpdir(), 'parley-embedded-device-'));
const socket = join(dir, 'hub.sock');
let network: EmbeddedNetwork;
let bed: DeviceBed;
let close: () => Promise<void>;

before(async () => {
  network = createEmbeddedNetwork(THREE_ROUTERS);
  const hub = await serveEmbeddedHub({ network, socket });
  close = () => hub.close();
  const open = () => createEmbeddedHubDriver({ socket, node: 'pe1', configurable: true }).router;
  const [router, witness] = [open(), open()];
  const configuration = router.configuration!;
  bed = {
    device: createEmbeddedDevice({ router, startedAt: '2026-01-01T00:00:00.000Z' }),
    configuration,
    describe: (holder, value) =>
      configuration.editData!(holder, [{ path: `${ETH1}/description`, operation: 'merge', value }]),
    mistake: (holder) =>
      configuration.editData!(holder, [{ path: `${ETH1}/enabled`, operation: 'merge', value: 'maybe' }]),
    described: async () =>
      /"description": "([^"]*)"/.exec(await witness.configuration!.read('running', 'operator/witness'))?.[1],
    declares: { cliDialect: 'none', routes: false, log: false, startup: true },
  };
});
after(async () => {
  await close?.();
  rmSync(dir, { recursive: true, force: true });
});

devicePortContract('embedded', () => bed);

test('an interface that is disabled by a commit goes down, and comes up again when the commit is undone', async () => {
  const { configuration } = bed;
  await configuration.editData!('operator/ann', [{ path: `${ETH1}/enabled`, operation: 'merge', value: false }]);
  await configuration.commit('operator/ann', { timeoutMs: 60_000 });
  assert.equal(network.device('pe1').ports.get('eth1')?.up, false);
  await configuration.cancel('operator/ann', 'enough');
  assert.equal(network.device('pe1').ports.get('eth1')?.up, true);
});

test('an interface that the node does not have, and data that it does not have, are refused', async () => {
  const { configuration } = bed;
  const edit = (path: string, value: string) =>
    configuration.editData!('operator/ann', [{ path, operation: 'merge', value }]);
  await assert.rejects(edit("/ietf-interfaces:interfaces/interface[name='eth9']/description", 'x'), {
    code: 'caller/bad-config',
    message: 'expected one of the interfaces of this node, got eth9',
  });
  await assert.rejects(edit('/ietf-system:system/hostname', 'x'), {
    code: 'caller/bad-config',
    message: 'expected a node of ietf-system, got system',
  });
  await configuration.discard('operator/ann');
});
