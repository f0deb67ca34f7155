// What the sampler takes from a helper that was there before it: nothing that passed before it listened. No socket, no waiting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '#router/drivers/limits.ts';
import { createSampler } from '#router/drivers/linux-frr/memory/sampler.ts';
import type { ReadHelper } from '#router/protocol/typed-operations.ts';
import { createFakeClock } from '../../../../fakes/clock.ts';

const PORT = { name: 'eth3', kind: 'physical', operUp: true, addresses: ['198.19.1.1/24'] };
const STATE = { inventory: { interfaces: [PORT] }, adjacencies: [], filters: [], missing: [] } as unknown as NodeState;

test('signs of hosts that were waiting in the helper are nobody knows how old, and are thrown away', async () => {
  const clock = createFakeClock();
  const ask = (target: string) => ({ ifname: 'eth3', mac: '02:00:00:00:00:01', sender: '198.19.1.10', target });
  const waiting = [[ask('198.19.9.9')], [ask('198.19.1.1')]];
  const helper = {
    call: async (operation: string) =>
      operation === 'served' ? { services: [], names: [], asks: waiting.shift() ?? [] } : '{}',
  } as unknown as ReadHelper;
  const { promise: known, resolve: learn } = Promise.withResolvers<void>();
  const heard: string[] = [];
  const sampler = createSampler({ helper, clock });
  sampler.subscribe({ hosts: ({ asks }) => heard.push(...asks.map(({ target }) => target)), dhcp: () => {} });
  sampler.start(async () => {
    setImmediate(learn);
    return STATE;
  });
  await known;
  await sampler.listen();
  assert.deepEqual(heard, []);
  await sampler.listen();
  sampler.stop();
  assert.deepEqual(heard, ['198.19.1.1']);
});

test('so are those of a port that comes later, or comes back, and of no other', async () => {
  const clock = createFakeClock();
  const both = [PORT, { ...PORT, name: 'eth4', addresses: ['198.19.2.1/24'] }];
  let fetches = 0;
  const asksOn = (ifnames: readonly string[]) => {
    fetches += 1;
    return ifnames.map((ifname) => ({ ifname, mac: '02:00:00:00:00:01', sender: '', target: `198.19.9.${fetches}` }));
  };
  const helper = {
    call: async (operation: string, { ifnames }: { ifnames: readonly string[] }) =>
      operation === 'served' ? { services: [], names: [], asks: asksOn(ifnames) } : { rows: [], signs: [] },
  } as unknown as ReadHelper;
  const turns = [both.slice(0, 1), both.slice(1), both].map((interfaces) => ({
    state: { ...STATE, inventory: { interfaces } } as unknown as NodeState,
    ...Promise.withResolvers<void>(),
  }));
  const heard: string[] = [];
  let turn = 0;
  const sampler = createSampler({ helper, clock });
  sampler.subscribe({
    hosts: ({ asks }) => heard.push(asks.map(({ ifname, target }) => `${ifname} ${target}`).join(', ')),
    dhcp: () => {},
  });
  sampler.start(async () => {
    const { state, resolve } = turns[turn++]!;
    setImmediate(resolve);
    return state;
  });
  for (const [index, { promise }] of turns.entries()) {
    if (index > 0) await clock.advance(DRIVER_LIMITS.historySampleMs);
    await promise;
    await sampler.listen();
    await sampler.listen();
  }
  sampler.stop();
  assert.deepEqual(heard, [
    ...['', 'eth3 198.19.9.2', 'eth3 198.19.9.3'],
    ...['', 'eth4 198.19.9.5', 'eth4 198.19.9.6'],
    ...['eth4 198.19.9.7', 'eth3 198.19.9.8, eth4 198.19.9.8'],
  ]);
});

test('a filter that could not be read for once has not dropped anything since', async () => {
  const clock = createFakeClock();
  const rule = { family: 'inet', table: 'filter', chain: 'in', handle: 3, verdict: 'drop', packets: '7' };
  const helper = { call: async () => '{}' } as unknown as ReadHelper;
  const { promise: known, resolve: learn } = Promise.withResolvers<void>();
  const withRule = { ...STATE, filters: [rule] } as unknown as NodeState;
  const sampler = createSampler({ helper, clock });
  sampler.start(async () => {
    setImmediate(learn);
    return withRule;
  });
  await known;
  const nowMs = clock.monotonicMs();
  sampler.seen({ ...STATE, missing: [{ part: 'filters', reason: 'busy' }] } as unknown as NodeState, nowMs);
  sampler.seen(withRule, nowMs);
  assert.deepEqual(sampler.history().filterDrops, []);
  const dropping = { ...withRule, filters: [{ ...rule, packets: '8' }] } as unknown as NodeState;
  sampler.seen(dropping, nowMs);
  assert.equal(sampler.history().filterDrops?.length, 1);
  sampler.stop();
});

test('a state that somebody began to read before the node’s own last look is no news', async () => {
  const clock = createFakeClock();
  const helper = { call: async () => '{}' } as unknown as ReadHelper;
  const { promise: known, resolve: learn } = Promise.withResolvers<void>();
  const rule = { family: 'inet', table: 'filter', chain: 'in', handle: 3, verdict: 'drop', packets: '7' };
  const beganMs = clock.monotonicMs() - 1;
  const sampler = createSampler({ helper, clock });
  sampler.start(async () => {
    setImmediate(learn);
    return { ...STATE, filters: [rule] } as unknown as NodeState;
  });
  await known;
  sampler.seen({ ...STATE, filters: [{ ...rule, packets: '9' }] } as unknown as NodeState, beganMs);
  assert.deepEqual(sampler.history().filterDrops, []);
  sampler.stop();
});
