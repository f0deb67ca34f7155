// A server below that is killed and comes back (AX-19): its tools are there again within one heartbeat. Real processes and connections; only the
// aggregator's clock is the test's, so that nothing but the time that the test lets pass can bring a server back.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Opened } from '#aggregate/keep/keep-leaf.ts';
import { openStdioLeaf } from '#aggregate/leaf/stdio-leaf.ts';
import { AGGREGATE_LIMITS } from '#aggregate/limits.ts';
import { createLeafLink } from '#aggregate/modern/leaf-link.ts';
import { createHttpLink } from '#aggregate/wire/http-link.ts';
import { silentLog } from '#base/log.ts';
import { createFakeClock, until } from '../fakes/clock.ts';
import { freePort } from '../free-port.ts';
import { connectClient, createFakeServer, createTestAggregator, OPEN } from './harness.ts';

const SERVER = join(import.meta.dirname, 'mortal-server.ts');
const HEARTBEAT_MS = AGGREGATE_LIMITS.pingMs;
/** Of real time, for a process to start; none of it passes on the aggregator's clock. */
const START_MS = 60_000;

async function started(t: TestContext, open: (clock: ReturnType<typeof createFakeClock>) => Opened) {
  const clock = createFakeClock();
  const rest = { segment: 's', how: 'http', isAggregator: false, rules: OPEN } as const;
  const aggregator = createTestAggregator(clock, { leaves: [{ ...rest, open: () => open(clock) }] });
  t.after(() => aggregator.stop());
  const state = () => aggregator.core.slots.get('s')!.state;
  const becomes = (wanted: string) => until(() => state() === wanted, wanted, START_MS, 10);
  const client = connectClient(aggregator, clock);
  await becomes('up');
  // The aggregator waits this long only once its ping is answered. Until then no time may pass on its clock: the ping would be late.
  const isAnswered = () => until(() => clock.sleepersOf(HEARTBEAT_MS) === 1, 'an answer to a ping', START_MS);
  await isAnswered();
  // Long enough to count as a server that was well.
  for (let beat = 0; beat < 3; beat++) {
    await clock.advance(HEARTBEAT_MS);
    await isAnswered();
  }
  return {
    clock,
    becomes,
    codeOf: () => client.codeOf('tools/call', { name: 's.pid' }),
    async pid() {
      const { content } = await client.ask('tools/call', { name: 's.pid' });
      return Number((content as readonly { text: string }[])[0]!.text);
    },
  };
}

async function startServer(t: TestContext, port: number, stream: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--conditions=parley-source', SERVER, 'http', String(port), stream]);
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

const overHttp = (port: number) => (clock: ReturnType<typeof createFakeClock>) => {
  const link = createLeafLink({ clock, below: createHttpLink({ url: `http://127.0.0.1:${port}/mcp` }) });
  return { link, agreed: link.agreed };
};

test('a killed program is noticed at once, started again, and back within one heartbeat [AX-19]', async (t) => {
  const command = { command: process.execPath, args: ['--conditions=parley-source', SERVER, 'stdio'], log: silentLog };
  const { clock, becomes, codeOf, pid } = await started(t, (clock) => ({
    link: createLeafLink({ clock, below: openStdioLeaf(command) }),
  }));
  const before = await pid();
  process.kill(before, 'SIGKILL');
  await becomes('degraded');
  assert.equal(await codeOf(), -32_002);
  await clock.advance(HEARTBEAT_MS);
  await becomes('up');
  assert.notEqual(await pid(), before);
});

test('a killed server over HTTP with a stream is noticed before the next ping is due, and back within one heartbeat [AX-19]', async (t) => {
  const port = await freePort();
  const first = await startServer(t, port, 'stream');
  const { clock, becomes, codeOf, pid } = await started(t, overHttp(port));
  assert.equal(await pid(), first.pid);
  first.kill('SIGKILL');
  await becomes('degraded');
  assert.equal(await codeOf(), -32_002);
  const second = await startServer(t, port, 'stream');
  await clock.advance(HEARTBEAT_MS);
  await becomes('up');
  assert.equal(await pid(), second.pid);
});

test('a server over HTTP without a stream that was killed and restarted is noticed by a ping, and back within that heartbeat [AX-19]', async (t) => {
  const port = await freePort();
  const first = await startServer(t, port, 'no stream');
  const { clock, becomes, pid } = await started(t, overHttp(port));
  assert.equal(await pid(), first.pid);
  first.kill('SIGKILL');
  await once(first, 'exit');
  const second = await startServer(t, port, 'no stream');
  await clock.advance(HEARTBEAT_MS);
  // No time passes from here on: what the ping has shown must be enough.
  await until(async () => (await pid().catch(() => 0)) === second.pid, 'the second process', START_MS, 20);
  await becomes('up');
});

test('a server that ends again and again is opened less and less often [AX-19]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  server.isDown = true;
  const times: number[] = [];
  const open = () => {
    times.push(clock.monotonicMs());
    return { link: server.connect() };
  };
  const leaf = { segment: 's', how: 'stdio', isAggregator: false, rules: OPEN, open } as const;
  const aggregator = createTestAggregator(clock, { leaves: [leaf] });
  await clock.advance(30_000);
  await aggregator.stop();
  const waits = times.slice(1).map((time, index) => time - times[index]!);
  for (const [index, wait] of waits.entries()) {
    const longest = Math.min(AGGREGATE_LIMITS.restartMs * 2 ** index, AGGREGATE_LIMITS.restartMostMs);
    assert.ok(wait >= longest / 2 && wait <= longest, JSON.stringify(waits));
  }
  assert.ok(waits.length >= 8 && waits.length <= 16, JSON.stringify(waits));
});
