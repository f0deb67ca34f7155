// The operators' client against the server, over frames.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { type OperatorProgress, openOperatorClient } from '#mcp/client/operator-client.ts';
import { createFakeClock, until } from '../../fakes/clock.ts';
import { type Bench, COUNTERS_URN, NODE, OPERATOR, openBench } from '../harness.ts';

async function bench(t: TestContext, init?: Parameters<typeof openBench>[0]): Promise<Bench> {
  const opened = await openBench(init);
  t.after(() => opened.close());
  return opened;
}

test('an operator lists, calls and reads what its role allows [CARD-7] [CARD-8]', async (t) => {
  const { frames, calls } = await bench(t);
  const client = await openOperatorClient(await frames(OPERATOR));
  assert.deepEqual(
    (await client.listTools()).map((tool) => tool.name),
    ['ietf-srv6-ping', 'parley-node-state', 'parley-ask'],
  );
  assert.deepEqual(await client.listResources(), []);
  assert.deepEqual(await client.callTool('parley-ask', { intent: 'why' }), {
    echo: { name: 'parley-ask', arguments: { intent: 'why' } },
  });
  assert.deepEqual(await client.readResource(COUNTERS_URN), { echo: { uri: COUNTERS_URN } });
  assert.deepEqual(
    calls.map((call) => call.authorised),
    [undefined, undefined],
  );
  await client.close();
  assert.equal(client.closed, true);
});

test('a node may not use what only operators may, also when it says it is one of ours [TS-14a]', async (t) => {
  const { frames, calls } = await bench(t);
  const client = await openOperatorClient(await frames(NODE));
  assert.deepEqual(await client.listTools(), []);
  await assert.rejects(
    client.callTool('parley-ask', {}),
    (error: ParleyError) => error.code === 'peer/refused' && error.data['code'] === -32083,
  );
  assert.equal(calls.length, 0);
});

test('a refusal rejects with peer/refused and all that the node said', async (t) => {
  const { frames } = await bench(t, {
    handler: async () => ({
      status: 'refused',
      code: -32602,
      message: 'Invalid params',
      data: { detail: 'unknown intent', forms: ['a', 'b'] },
    }),
  });
  const client = await openOperatorClient(await frames(OPERATOR));
  const expected = {
    code: -32602,
    reason: 'Invalid params: unknown intent',
    data: { detail: 'unknown intent', forms: ['a', 'b'] },
  };
  for (const refused of [client.callTool('parley-ask', {}), client.readResource(COUNTERS_URN)]) {
    await assert.rejects(refused, (error: ParleyError) => {
      assert.equal(error.code, 'peer/refused');
      assert.deepEqual(error.data, expected);
      return true;
    });
  }
});

test('progress arrives in order with message and data, and starts the time anew [TS-27]', async (t) => {
  const clock = createFakeClock();
  let go: (step: number) => void = () => {};
  const { frames, calls } = await bench(t, {
    handler: async (call) => {
      for (let step = 1; step <= 3; step++) {
        await new Promise<void>((resolve) => {
          go = () => resolve();
        });
        call.progress(step, 3, `step ${step}`, { step: 'peers', n: step } as JsonObject);
      }
      return { status: 'answered', body: { done: true } };
    },
  });
  const client = await openOperatorClient(await frames(OPERATOR), { clock });
  const heard: OperatorProgress[] = [];
  const called = client.callTool(
    'parley-ask',
    {},
    { timeoutMs: 1_000, onProgress: (progress) => heard.push(progress) },
  );
  await until(() => calls.length === 1, 'the call');
  for (let step = 1; step <= 3; step++) {
    await clock.advance(900);
    go(step);
    if (step < 3) await until(() => heard.length === step, `progress ${step}`);
  }
  assert.deepEqual(await called, { done: true });
  assert.deepEqual(heard, [
    { done: 1, message: 'step 1', total: 3, data: { step: 'peers', n: 1 } },
    { done: 2, message: 'step 2', total: 3, data: { step: 'peers', n: 2 } },
    { done: 3, message: 'step 3', total: 3, data: { step: 'peers', n: 3 } },
  ]);
});

test('a call that takes too long rejects with peer/timeout', async (t) => {
  const clock = createFakeClock();
  const { frames, calls } = await bench(t, { handler: () => new Promise(() => {}) });
  const client = await openOperatorClient(await frames(OPERATOR), { clock });
  const called = client.callTool('parley-ask', {}, { timeoutMs: 1_000 });
  called.catch(() => {});
  await until(() => calls.length === 1, 'the call');
  await clock.advance(1_000);
  await assert.rejects(called, (error: ParleyError) => error.code === 'peer/timeout');
});

test('more calls at once than a session holds are refused here, before they are sent', async (t) => {
  const { frames, calls } = await bench(t, { handler: () => new Promise(() => {}) });
  const client = await openOperatorClient(await frames(OPERATOR));
  for (let count = 0; count < 64; count++) client.callTool('parley-ask', {}).catch(() => {});
  await assert.rejects(client.callTool('parley-ask', {}), (error: ParleyError) => error.code === 'us/too-many-calls');
  await until(() => calls.length === 64, 'the others');
});

test('a request too large for a frame rejects, and the session goes on', async (t) => {
  const { frames, calls } = await bench(t);
  const client = await openOperatorClient(await frames(OPERATOR));
  await assert.rejects(
    client.callTool('parley-ask', { text: 'x'.repeat(1_048_576) }),
    (error: ParleyError) => error.code === 'us/frame-size',
  );
  await client.callTool('parley-ask', {});
  assert.equal(calls.length, 1);
});
