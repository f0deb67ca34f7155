// Pages that a node asks web servers on its ports for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DRIVER_LIMITS } from '#router/drivers/limits.ts';
import { createPageTurns } from '#router/drivers/linux-frr/host-monitor/page-turns.ts';

test('a web server is asked for a few pages at first, and then after a pause', () => {
  const isTurn = createPageTurns();
  const web = { destination: '198.51.100.7', service: 'tcp', port: 80 } as const;
  const turns = [0, 4_000, 8_000, 12_000, 60_000].map((atMs) => isTurn(web, atMs));
  assert.deepEqual(turns, [true, true, true, false, false]);
  assert.ok(isTurn({ ...web, port: 8_080 }, 12_000), 'another server has turns of its own');
  assert.ok(isTurn(web, 8_000 + DRIVER_LIMITS.pageEveryMs));
});
