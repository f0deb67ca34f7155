// The thread of the report store: what it leaves behind in memory.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const WORKER = new URL('../../src/report/store-worker.ts', import.meta.url).href;

test('no Buffer of the thread shares memory with others, which would stay with the last of them', async () => {
  const look = `import(${JSON.stringify(WORKER)}).then(() => {
    const bytes = [Buffer.from('report'), Buffer.concat([Buffer.alloc(9)]), Buffer.allocUnsafe(4096)];
    require('node:worker_threads').parentPort.postMessage(bytes.map((each) => each.buffer.byteLength));
    process.exit();
  })`;
  const thread = new Worker(look, {
    eval: true,
    execArgv: ['--conditions=parley-source'],
    workerData: { path: '', limits: {} },
  });
  const [held] = await once(thread, 'message');
  assert.deepEqual(held, [6, 9, 4096]);
});
