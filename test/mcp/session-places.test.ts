// Places for sessions: those of the network have their own, and so has the local Unix socket.
import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { LIMITS } from '#base/limits.ts';
import { until } from '../fakes/clock.ts';
import { NODE, OPERATOR, openBench, PARLEY_INITIALIZE, rawPeer } from './harness.ts';

test('sessions of the network, however many, leave the operator at the router a place', async (t) => {
  const bench = await openBench();
  t.after(() => bench.close());
  const { server, frames, refused } = bench;
  const remote = Array.from({ length: LIMITS.sessions + 1 }, (_, index) => {
    const [ours, theirs] = duplexPair();
    server.serveFrames(theirs, { ...NODE, name: `n${index}`, thumbprint: String(index) });
    return ours;
  });
  t.after(() => {
    for (const duplex of remote) duplex.destroy();
  });
  await until(() => refused.length > 0, 'one session more than there are places for');
  assert.deepEqual(
    refused.map(({ reason }) => reason),
    [`expected at most ${LIMITS.sessions} sessions, got one more`],
  );
  const operator = rawPeer(await frames(OPERATOR));
  operator.send(PARLEY_INITIALIZE);
  assert.ok((await operator.next())?.['result']);
});
