// What the sampler takes from a helper that was there before it: nothing that passed before it listened. No socket, no waiting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '#model/router-port.ts';
import { startSampler } from '#router/drivers/linux-frr/sampler.ts';
import type { HelperClient } from '#router/helper/client.ts';

const PORT = { name: 'eth3', kind: 'physical', operUp: true, addresses: ['198.19.1.1/24'] };
const STATE = { inventory: { interfaces: [PORT] }, adjacencies: [], filters: [], missing: [] } as unknown as NodeState;

test('signs of hosts that were waiting in the helper are nobody knows how old, and are thrown away', async () => {
  const ask = (target: string) => ({ ifname: 'eth3', mac: '02:00:00:00:00:01', sender: '198.19.1.10', target });
  const waiting = [[ask('198.19.9.9')], [ask('198.19.1.1')]];
  const helper = {
    call: async (operation: string) =>
      operation === 'served' ? { services: [], names: [], asks: waiting.shift() ?? [] } : '{}',
  } as unknown as HelperClient;
  const { promise: known, resolve: learn } = Promise.withResolvers<void>();
  const heard: string[] = [];
  const sampler = startSampler(
    helper,
    async () => {
      setImmediate(learn);
      return STATE;
    },
    ({ asks }) => heard.push(...asks.map(({ target }) => target)),
    () => {},
  );
  await known;
  await sampler.listen();
  assert.deepEqual(heard, []);
  await sampler.listen();
  sampler.stop();
  assert.deepEqual(heard, ['198.19.1.1']);
});
