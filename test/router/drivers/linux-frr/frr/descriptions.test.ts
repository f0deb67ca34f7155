// Descriptions of interfaces outlive the daemon that tells them: hosts behind a router keep their names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDescriptions } from '#router/drivers/linux-frr/frr/descriptions.ts';

const TEXT = ['Interface       Status  Protocol  Description', 'eth3            up      up        h1 eth1'].join('\n');
const dead = () => Promise.reject(new Error('connect ECONNREFUSED'));

test('what zebra told last stands while it is down; before its first answer there is nothing', async () => {
  const read = createDescriptions();
  assert.deepEqual(await read(dead), {});
  assert.deepEqual(await read(async () => TEXT), { eth3: 'h1 eth1' });
  assert.deepEqual(await read(dead), { eth3: 'h1 eth1' });
  assert.deepEqual(await read(async () => 'Interface       Status  Protocol  Description'), {});
  const aborted = new AbortController();
  aborted.abort(new Error('over'));
  await assert.rejects(read(dead, aborted.signal), /over/);
});
