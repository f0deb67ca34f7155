// When a node may look at itself before its time: an allowance that fills slowly, and a stream of the kernel of which only that there was
// something is kept. No socket, no waiting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '#router/drivers/limits.ts';
import { createEarlyLooks } from '#router/drivers/linux-frr/memory/on-demand-snapshots.ts';
import { NAMED_ROUTES, startRouteWatch } from '#router/drivers/linux-frr/memory/route-events.ts';
import { createSampler } from '#router/drivers/linux-frr/memory/sampler.ts';
import type { BpfProgram } from '#router/native/bpf.ts';
import type { Libc } from '#router/native/libc.ts';
import type { ReadHelper } from '#router/protocol/typed-operations.ts';
import { createFakeClock } from '../../../../fakes/clock.ts';

test('a route that flaps is looked at early until the allowance is used up, then a twentieth of the time', () => {
  const looks = createEarlyLooks(20);
  const taken: number[] = [];
  for (let atMs = 0; atMs <= 120_000; atMs += 2_000) if (looks.take(400, atMs)) taken.push(atMs / 1_000);
  assert.deepEqual(taken, [0, 2, 4, 12, 20, 28, 36, 44, 52, 60, 68, 76, 84, 92, 100, 108, 116]);
});

test('a look that takes longer than the allowance is never early, and rest fills it no further', () => {
  const looks = createEarlyLooks(20);
  assert.equal(looks.take(1_001, 0), false);
  assert.equal(looks.take(1_001, 3_600_000), false);
  assert.equal(looks.take(600, 3_600_000), true);
  assert.equal(looks.take(600, 3_600_000), false);
});

/** A kernel's socket on which `waiting` datagrams wait; what was asked of it is kept. */
function fakeSocket() {
  const fake = {
    waiting: [] as (number | 'lost')[],
    reads: 0,
    isClosed: false,
    opened: [] as { groups: number; program: BpfProgram | undefined }[],
  };
  const libc = {
    openNetlink: (groups: number, program?: BpfProgram) => {
      fake.opened.push({ groups, program });
      return {
        send: () => true,
        receive: () => {
          fake.reads += 1;
          return fake.waiting.shift() ?? 'none';
        },
        close: () => {
          fake.isClosed = true;
        },
      };
    },
  } as unknown as Libc;
  return { fake, libc };
}

test('news is told once, however much was said, and lost news is news', async () => {
  const { fake, libc } = fakeSocket();
  const watch = startRouteWatch(Promise.resolve(libc));
  assert.equal(watch.changed(), false);
  await Promise.resolve();
  assert.deepEqual(fake.opened, [{ groups: 0x440, program: NAMED_ROUTES }]);
  assert.equal(watch.changed(), false);
  fake.waiting = [28, 28, 28];
  assert.deepEqual([watch.changed(), watch.changed()], [true, false]);
  fake.waiting = ['lost'];
  assert.deepEqual([watch.changed(), watch.changed()], [true, false]);
  watch.close();
  assert.deepEqual([fake.isClosed, watch.changed()], [true, false]);
});

test('one look reads so many datagrams and no more', async () => {
  const { fake, libc } = fakeSocket();
  const watch = startRouteWatch(Promise.resolve(libc));
  await Promise.resolve();
  fake.waiting = Array.from({ length: 10_000 }, () => 28);
  assert.equal(watch.changed(), true);
  assert.equal(fake.reads, 4_096);
});

test('a kernel that refuses, or has no such library, is no reason to look early, nor to fail', async () => {
  const refusing = { openNetlink: () => ({ refused: 'EPERM' }) } as unknown as Libc;
  for (const libc of [Promise.resolve(refusing), Promise.reject(new Error('expected a library, got none'))]) {
    const watch = startRouteWatch(libc);
    await Promise.resolve();
    assert.equal(watch.changed(), false);
    watch.close();
  }
});

/** One rtnetlink message as the filter sees it: protocol, type and prefix length of its route. */
function passes(protocol: number, type: number, length = 24): boolean {
  const message = Buffer.alloc(28);
  message[17] = length;
  message[21] = protocol;
  message[23] = type;
  let loaded = 0;
  for (let at = 0; ; at++) {
    const [code, ifTrue, ifFalse, constant] = NAMED_ROUTES[at]!;
    // All of it or nothing: what a filter cuts is cut for those who listen besides.
    if (code === 0x06 && constant > 0) assert.equal(constant, 0xffff_ffff);
    if (code === 0x06) return constant > 0;
    if (code === 0x30) loaded = message[constant]!;
    else {
      const holds = { 21: loaded === constant, 37: loaded > constant, 53: loaded >= constant }[code];
      at += holds === true ? ifTrue : ifFalse;
    }
  }
}

test('the kernel lets through what a person set, what throws packets away and default routes, and no other route', () => {
  const UNICAST = 1;
  const heard = (protocols: readonly number[]) => protocols.filter((protocol) => passes(protocol, UNICAST));
  assert.deepEqual(heard([0, 1, 2, 3, 4, 5, 9, 11, 16, 42, 186, 187, 188, 189, 192, 195, 196, 197]), [3, 4, 196]);
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].filter((type) => passes(186, type)),
    [6, 7, 8],
  );
  const ofOspf = (length: number) => passes(188, UNICAST, length);
  assert.deepEqual([ofOspf(0), ofOspf(1), ofOspf(32)], [true, false, false]);
});

type Took = number | ((look: number) => number);

/**
 * Seconds at which a sampler read the whole state: `took` is how long each reading takes, `news` whether a route changed before each turn, `asked`
 * the turns in which a question has just read the state as well, in `askedMs`.
 */
async function looksAt(took: Took, news: readonly boolean[], asked: readonly number[] = [], askedMs = 500) {
  const sleeping = createFakeClock();
  let nowMs = 0;
  const clock = { ...sleeping, monotonicMs: () => nowMs };
  const STATE = { inventory: { interfaces: [] }, adjacencies: [], filters: [], missing: [] } as unknown as NodeState;
  const looks: number[] = [];
  let turns = 0;
  let turned = Promise.withResolvers<void>();
  const routes = {
    changed: () => {
      const isNews = news[turns++] === true;
      setImmediate(() => turned.resolve());
      return isNews;
    },
    close: () => {},
  };
  const helper = { call: async () => '{}' } as unknown as ReadHelper;
  const sampler = createSampler({ helper, clock, routes });
  sampler.start(async () => {
    looks.push(nowMs / 1_000);
    nowMs += typeof took === 'number' ? took : took(looks.length - 1);
    return STATE;
  });
  for (let turn = 0; turn < news.length; turn++) {
    if (turn > 0) {
      turned = Promise.withResolvers<void>();
      nowMs = Math.max(nowMs, turn * DRIVER_LIMITS.historySampleMs);
      await sleeping.advance(DRIVER_LIMITS.historySampleMs);
    }
    await turned.promise;
    if (asked.includes(turn)) sampler.seen(STATE, nowMs - askedMs);
  }
  sampler.stop();
  return looks;
}

const AFTER_TEN = (length: number) => Array.from({ length }, (_, turn) => turn >= 5);

test('a slow node looks as soon as a route set by hand has changed, and not again before its time', async () => {
  const once = [...AFTER_TEN(6), ...Array.from({ length: 14 }, () => false)];
  assert.deepEqual(await looksAt(500, once), [0, 2, 4, 10, 30]);
});

test('what others have just asked for is not read again before its time, unless something changed', async () => {
  const quiet = Array.from({ length: 20 }, () => false);
  assert.deepEqual(await looksAt(500, quiet), [0, 2, 4, 24]);
  assert.deepEqual(await looksAt(500, quiet, [3, 5, 6]), [0, 2, 4, 32]);
  assert.deepEqual(await looksAt(500, [...quiet.slice(0, 6), true], [3, 5]), [0, 2, 4, 12]);
});

const quietFor = (turns: number) => Array.from({ length: turns }, () => false);
/** A daemon hangs during the third reading. */
const hungOnce = (look: number) => (look === 2 ? 4_000 : 50);

test('after one slow reading a node rests for twenty seconds and no longer', async () => {
  assert.deepEqual(await looksAt(hungOnce, quietFor(16)), [0, 2, 4, 24, 26, 28, 30]);
});

test('a state that a question could read quickly ends the long rest after a slow reading', async () => {
  assert.deepEqual(await looksAt(hungOnce, quietFor(10), [6], 100), [0, 2, 4, 16, 18]);
  const news = [...quietFor(7), true, ...quietFor(3)];
  assert.deepEqual(await looksAt(hungOnce, news, [6], 100), [0, 2, 4, 14, 16, 18, 20]);
  // A question that itself took long says nothing of how quick readings are.
  assert.deepEqual(await looksAt(100, quietFor(8), [3], 1_000), [0, 2, 4, 10, 14]);
});

test('a route that flaps all the time does not make a slow node look all the time', async () => {
  assert.deepEqual(await looksAt(600, AFTER_TEN(30)), [0, 2, 4, 10, 14, 26, 38, 50]);
});
