// The agent's side of the configuration helper's socket, while the two are of different versions.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { onlyMembers } from '#router/config/arguments.ts';
import { createConfigurationClient } from '#router/drivers/linux-frr/configuration.ts';
import type { Operation } from '#router/protocol/operation.ts';
import { listenHelper } from '#router/protocol/server.ts';

test('a helper that knows no commit in a confirmation or an undoing does both for the change that is meant, and for no other [NET-15]', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-config-'));
  const done: [string, JsonObject][] = [];
  const settling = (name: string): [string, Operation] => [
    name,
    async (args) => {
      onlyMembers(args, ['holder', 'persistId', 'reason']);
      done.push([name, args]);
      return { id: 'open' };
    },
  ];
  const path = join(folder, 'config.sock');
  const operations = new Map<string, Operation>([
    settling('confirm'),
    settling('cancel'),
    ['status', async () => ({ open: { id: 'open' } })],
  ]);
  const helper = await listenHelper({ path, operations, log: silentLog });
  t.after(async () => {
    await helper.close();
    await rm(folder, { recursive: true, force: true });
  });
  const client = createConfigurationClient(path);
  await client.confirm('ann', 'token', 'open');
  await client.cancel('ann', 'enough', undefined, 'open');
  const other = client.cancel('ann', 'enough', undefined, 'another');
  await assert.rejects(other, (error) => error instanceof ParleyError && error.code === 'caller/no-commit');
  assert.deepEqual(done, [
    ['confirm', { holder: 'ann', persistId: 'token' }],
    ['cancel', { holder: 'ann', reason: 'enough' }],
  ]);
});
