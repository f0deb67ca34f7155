// What a node looks for a way to: what it puts into SRv6 or did lately, and the SIDs that it sends to. No socket, no waiting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StaticRoute } from '#model/router/control-plane.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '#router/drivers/limits.ts';
import { createSteeredWays } from '#router/drivers/linux-frr/memory/steered-routes.ts';

const steered = (number: number): StaticRoute => ({
  prefix: `fd00:c:${number}::/64`,
  kind: 'unicast',
  protocol: 'boot',
  segments: [`fd00:5a:${number}::d6`],
});

function bench() {
  const asked: string[] = [];
  const kinds = new Map<string, RouteAnswer['kind'] | undefined>();
  const clock = { nowMs: 0 };
  const ways = createSteeredWays(
    () => clock.nowMs,
    async (address) => {
      asked.push(address);
      return kinds.has(address) ? kinds.get(address) : 'unicast';
    },
  );
  const look = async (routes: readonly StaticRoute[] | undefined) => {
    asked.length = 0;
    return { lacking: await ways.look(routes), asked: [...asked] };
  };
  return { look, kinds, clock };
}

test('a node that steers nothing asks for nothing', async () => {
  const { look } = bench();
  const plain: StaticRoute = { prefix: 'fd00:5a:1::/48', kind: 'blackhole', protocol: '196' };
  assert.deepEqual(await look([plain]), { lacking: [], asked: [] });
});

test('what was steered is still looked for when its route is gone, and what has another way then is not lacking', async () => {
  const { look, kinds } = bench();
  assert.deepEqual(await look([steered(3)]), { lacking: [], asked: ['fd00:c:3::', 'fd00:5a:3::d6'] });
  assert.deepEqual((await look([])).lacking, []);
  kinds.set('fd00:c:3::', 'none');
  kinds.set('fd00:5a:3::d6', 'unreachable');
  assert.deepEqual((await look([])).lacking, ['fd00:5a:3::d6', 'fd00:c:3::']);
});

test('an answer that cannot be told is no lack, and routes that could not be read forget nothing', async () => {
  const { look, kinds } = bench();
  await look([steered(3)]);
  kinds.set('fd00:c:3::', undefined);
  kinds.set('fd00:5a:3::d6', 'blackhole');
  assert.deepEqual(await look(undefined), { lacking: [], asked: ['fd00:c:3::', 'fd00:5a:3::d6'] });
});

test('what was steered long ago is forgotten', async () => {
  const { look, clock } = bench();
  await look([steered(3)]);
  clock.nowMs = DRIVER_LIMITS.pastMs;
  assert.equal((await look([])).asked.length, 2);
  clock.nowMs = DRIVER_LIMITS.pastMs + 1;
  assert.deepEqual((await look([])).asked, []);
});

test('of many, the latest are looked for, and never more than the bound', async () => {
  const { look } = bench();
  const many = Array.from({ length: 100 }, (_, index) => steered(index + 1));
  const { asked } = await look(many);
  assert.equal(asked.length, 64);
  assert.equal(asked.at(-1), 'fd00:5a:100::d6');
  assert.equal(asked[0], 'fd00:c:69::');
});
