// Two aggregators that share a real etcd: whatever is killed or cut off, no subserver has two of them (AX-20), and each is served again (AX-19).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startEtcd } from './etcd.ts';
import { startPair, trial } from './split-brain.ts';

const etcd = await startEtcd();
after(() => etcd.stop());

test('over kills and partitions no segment ever has two owners, and each is served again [AX-19] [AX-20]', {
  timeout: 120_000,
}, async () => {
  const pair = await startPair(etcd.url, 'root', 3);
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const { doubles, faults, outagesMs } = await trial(pair, 4, random);
  await pair.stop();
  assert.equal(doubles, 0);
  assert.equal(faults, 4);
  assert.ok(outagesMs.length > 0, 'no fault had an effect');
});
