// Passing through a table that changes: against a kernel that loses its place as Linux does, every route that was there all the time is
// given exactly once, in order, whatever comes and goes before, behind and at the place where the pass stands.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRouteEntries } from '#router/drivers/linux-frr/routing-table/route-entries.ts';
import { compareRoutes, keyOf } from '#router/drivers/linux-frr/routing-table/route-order.ts';
import type { Position } from '#router/drivers/linux-frr/routing-table/route-place.ts';
import { openTable } from '#router/drivers/linux-frr/routing-table/route-table.ts';
import { emptyRouteMessage, readMessage } from '#router/drivers/linux-frr/routing-table/rtnetlink.ts';
import { ipv6Bytes } from '#router/native/addresses.ts';
import { attribute, createFakeKernel, routeMessage } from '../../../fake-route-kernel.ts';

const signal = undefined;

for (const family of ['ipv4', 'ipv6'] as const) {
  const stable = (index: number) =>
    family === 'ipv4'
      ? `10.0.${index >> 1}.0/${index & 1 ? 24 : 28}`
      : `2001:db8:${((index >> 1) + 1).toString(16)}::/${index & 1 ? 48 : 64}`;
  const moving = (index: number) =>
    family === 'ipv4'
      ? `10.0.${index >> 1}.0/${index & 1 ? 25 : 30}`
      : `2001:db8:${((index >> 1) + 1).toString(16)}::/${index & 1 ? 50 : 66}`;
  const COUNT = 24;

  test(`${family}: routes that stay are given exactly once and in order, whatever else changes [NET-6]`, async () => {
    const steps = fc.array(
      fc.record({ add: fc.boolean(), index: fc.nat(COUNT - 1), at: fc.nat(12), forget: fc.boolean() }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 7 }),
        async (plan, chunk, page) => {
          let received = 0;
          const kernel = createFakeKernel(family, chunk, () => {
            received++;
            for (const step of plan)
              if (step.at === received) step.add ? kernel.add(moving(step.index)) : kernel.remove(moving(step.index));
          });
          for (let index = 0; index < COUNT; index++) kernel.add(stable(index));
          for (let index = 0; index < COUNT; index += 2) kernel.add(moving(index));
          const seen: string[] = [];
          let position: Position | undefined;
          let table = openTable({ libc: kernel.libc, entries: createRouteEntries(kernel.libc), family, position });
          for (let more = true; more; ) {
            const room = { left: page };
            while (room.left > 0) {
              const routes = await table.take(room, signal);
              if (routes === undefined) break;
              seen.push(...routes.map(({ prefix }) => prefix));
            }
            more = await table.hasMore(signal);
            const { after, same } = table.position!;
            position = { after: { ...after, bytes: after.bytes.slice() }, same };
            if (!plan[seen.length % 30]?.forget) continue;
            table.close();
            table = openTable({ libc: kernel.libc, entries: createRouteEntries(kernel.libc), family, position });
          }
          table.close();
          const stayed = seen.filter((prefix) => /\/(24|28|48|64)$/.test(prefix));
          const sorted = Array.from({ length: COUNT }, (_, index) => stable(index)).sort((one, other) =>
            compareRoutes(family, keyOf(one, 0)!, keyOf(other, 0)!),
          );
          assert.deepEqual(stayed, sorted);
          assert.equal(new Set(seen).size, seen.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  test(`${family}: news that were lost begin the pass anew, and nothing is given twice [NET-6]`, async () => {
    let received = 0;
    const kernel = createFakeKernel(family, 4, () => {
      if (++received !== 4) return;
      kernel.remove(moving(0));
      kernel.loseNews();
    });
    for (let index = 0; index < COUNT; index++) kernel.add(stable(index));
    kernel.add(moving(0));
    const table = openTable({
      libc: kernel.libc,
      entries: createRouteEntries(kernel.libc),
      family,
      position: undefined,
    });
    const seen: string[] = [];
    for (;;) {
      const routes = await table.take({ left: 1_000 }, signal);
      if (routes === undefined) break;
      seen.push(...routes.map(({ prefix }) => prefix));
    }
    assert.equal(seen.length - (seen.includes(moving(0)) ? 1 : 0), COUNT);
    assert.equal(new Set(seen).size, seen.length);
    assert.equal(kernel.dumps, 2);
  });
}

test('a table that never holds still is given up with its reason [NET-6]', async () => {
  const kernel = createFakeKernel('ipv4', 2, () => kernel.loseNews());
  for (let index = 0; index < 8; index++) kernel.add(`10.0.${index}.0/24`);
  const table = openTable({
    libc: kernel.libc,
    entries: createRouteEntries(kernel.libc),
    family: 'ipv4',
    position: undefined,
  });
  const readAll = async () => {
    while ((await table.take({ left: 1_000 }, signal)) !== undefined);
  };
  await assert.rejects(readAll(), { code: 'node/table-unsteady' });
});

test('messages become routes: gateways, several next hops, blackholes, defaults', () => {
  const kernel = createFakeKernel('ipv4', 1, () => {});
  const entries = createRouteEntries(kernel.libc);
  const entryOf = (family: 'ipv4' | 'ipv6', message: Buffer) => {
    const read = emptyRouteMessage();
    assert.equal(readMessage(message, 0, message.length, read), 'route');
    return entries.entry(family, message, read);
  };
  const gateway = attribute(5, Uint8Array.of(192, 0, 2, 1));
  assert.deepEqual(entryOf('ipv4', routeMessage('ipv4', 24, keyOf('198.18.7.0/24', 20)!, [gateway])), {
    prefix: '198.18.7.0/24',
    kind: 'unicast',
    protocol: 'static',
    metric: 20,
    nextHops: [{ gateway: '192.0.2.1' }],
  });
  const via = attribute(18, Buffer.concat([Uint8Array.of(10, 0), ipv6Bytes('fe80::1')!]));
  const hop = Buffer.concat([Buffer.from([8 + via.length, 0, 0, 2, 7, 0, 0, 0]), via]);
  const multipath = attribute(9, Buffer.concat([hop, Buffer.from([16, 0, 0, 0, 8, 0, 0, 0]), gateway]));
  assert.deepEqual(entryOf('ipv4', routeMessage('ipv4', 24, keyOf('198.18.8.0/24', 0)!, [multipath])).nextHops, [
    { gateway: 'fe80::1', weight: 3 },
    { gateway: '192.0.2.1', weight: 1 },
  ]);
  const blackhole = routeMessage('ipv6', 24, keyOf('2001:db8:0:0:1::/80', 1024)!);
  blackhole[16 + 7] = 6;
  assert.deepEqual(entryOf('ipv6', blackhole), {
    prefix: '2001:db8:0:0:1::/80',
    kind: 'blackhole',
    protocol: 'static',
    metric: 1024,
    nextHops: [],
  });
});

test('messages of other tables, of caches and cut-off ones are no routes', () => {
  const message = routeMessage('ipv4', 24, keyOf('198.18.7.0/24', 20)!);
  const kindOf = (bytes: Buffer) => readMessage(bytes, 0, bytes.length, emptyRouteMessage());
  const changed = (at: number, value: number) => {
    const copy = Buffer.from(message);
    copy[at] = value;
    return copy;
  };
  assert.equal(kindOf(message), 'route');
  assert.equal(kindOf(changed(20, 255)), 'other');
  assert.equal(kindOf(changed(25, 2)), 'other');
  assert.equal(kindOf(changed(17, 33)), 'other');
  for (let length = 0; length < message.length; length++)
    assert.notEqual(kindOf(message.subarray(0, length)), length < 16 ? 'route' : 'end');
});
