// The official conformance suite at an aggregator, through a mount of the fixture server as a leaf: what passes directly passes through it.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAggregatorProcess } from '#agent/create-aggregator.ts';
import { silentLog } from '#base/log.ts';
import { aggregateSchema } from '#config/aggregate-schema.ts';
import { runFixtureServer } from '../../scripts/conformance/servers.ts';
import { startFixtureServer } from '../conformance/server.ts';
import { until } from '../fakes/clock.ts';

/**
 * These speak of the server that asks. A server that speaks both eras is spoken to in the older one (docs/decisions/0067-both-eras-through-an-aggregator.md),
 * which has no keys for its questions, and one set of capabilities for the whole session: that of the aggregator.
 */
const OF_THE_SERVER = ['input-required-result-basic-elicitation', 'input-required-result-capability-check'];

test('the official suite passes through an aggregator as it does directly, of both revisions [AX-1]', {
  timeout: 600_000,
}, async () => {
  const results = await runFixtureServer(
    () => {},
    async () => {
      const fixture = await startFixtureServer();
      const dir = await mkdtemp(join(tmpdir(), 'parley-aggregate-'));
      const leaves = [{ segment: 's', url: fixture.url, unsaid: 'open' }];
      const config = aggregateSchema.parse({
        node: 'root',
        state: dir,
        identity: { dir: join(dir, 'none') },
        loopback: { port: 0 },
        leaves,
        view: { mount: 's', names: 'dotted' },
      });
      const running = await createAggregatorProcess(config, silentLog);
      await until(() => running.aggregator.core.slots.get('s')?.state === 'up', 'the fixture server');
      return {
        url: `http://127.0.0.1:${running.loopbackPort}/mcp`,
        async close() {
          await running.stop();
          await fixture.close();
          await rm(dir, { recursive: true, force: true });
        },
      };
    },
  );
  assert.ok(results.length >= 100, String(results.length));
  const failed = results.filter(({ passed }) => !passed);
  const others = failed.filter(
    ({ scenario, revision }) => revision !== '2026-07-28' || !OF_THE_SERVER.includes(scenario),
  );
  assert.deepEqual(
    others.map(({ scenario, revision, report }) => `${revision} ${scenario}\n${report}`),
    [],
  );
  assert.deepEqual(failed.map(({ scenario }) => scenario).toSorted(), OF_THE_SERVER);
});
