// Quotas as the kernel tells them: bounds in blocks of 1,024 octets, use in octets; and a disk without any.
import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { test } from 'node:test';
import { quotaRoom, roomOfQuota } from '#router/native/disk-quota.ts';
import { QUOTA_BYTES } from '#router/native/libc.ts';

/** bhardlimit, bsoftlimit, curspace, ihardlimit, isoftlimit, curinodes. */
function blockOf(...values: readonly bigint[]): Buffer {
  const block = Buffer.alloc(QUOTA_BYTES);
  for (const [index, value] of values.entries()) block.writeBigUInt64LE(value, index * 8);
  return block;
}

test('what is left of a quota is its hard bound less what is used', () => {
  assert.deepEqual(roomOfQuota(blockOf(1_000n, 900n, 24_000n, 50n, 40n, 8n)), {
    freeBytes: 1_000_000,
    totalBytes: 1_024_000,
    freeFiles: 42,
  });
  assert.deepEqual(roomOfQuota(blockOf(1n, 0n, 5_000n, 0n, 0n, 8n)), { freeBytes: 0, totalBytes: 1_024 });
  assert.deepEqual(roomOfQuota(blockOf(0n, 0n, 5_000n, 9n, 0n, 8n)), {
    freeBytes: Number.POSITIVE_INFINITY,
    totalBytes: Number.POSITIVE_INFINITY,
    freeFiles: 1,
  });
  assert.equal(roomOfQuota(blockOf(0n, 10n, 5_000n, 0n, 10n, 8n)), undefined);
});

test('a file system without quotas has none, and a closed descriptor neither', async () => {
  const proc = await open('/proc', 'r');
  assert.equal(await quotaRoom(proc.fd, 'user', 0), undefined);
  assert.equal(await quotaRoom(proc.fd, 'group', 0), undefined);
  await proc.close();
  assert.equal(await quotaRoom(1_000_000, 'user', 0), undefined);
});
