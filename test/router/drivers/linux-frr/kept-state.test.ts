// The driver gives the last whole state that its memory has kept: read by itself before any question, and with its age. Without a helper, so
// that most parts are missing; the kernel's own part is read by `ip`.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLinuxFrrDriver } from '#router/drivers/linux-frr/driver.ts';
import { createFakeClock, until } from '../../../fakes/clock.ts';

test('the last state that the driver read by itself is given with its age, and costs no reading', async () => {
  const clock = createFakeClock();
  const helperSocket = join(import.meta.dirname, 'no-such-folder/helper.sock');
  const router = createLinuxFrrDriver({ node: 'r1', helperSocket, clock });
  assert.equal(router.latest(), undefined);
  await until(() => router.latest() !== undefined, 'the first reading');
  await router.close();
  const kept = router.latest();
  assert.equal(kept?.state.inventory.node, 'r1');
  assert.ok(kept.state.inventory.interfaces.some(({ name }) => name === 'lo'));
  await clock.advance(60_000);
  assert.equal(router.latest()?.state, kept.state);
  assert.equal(router.latest()?.ageMs, kept.ageMs + 60_000);
});
