// The open change of a device that undoes by itself: when it counts as undone, and what happens when the device says otherwise or is away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { silentLog } from '#base/log.ts';
import { CommitBook } from '#router/config/commit-book.ts';
import { createFakeClock } from '../fakes/clock.ts';

const ANN = 'operator/ann';

/** A device that remembers what it was asked; `runs` is what runs, `away` that it cannot be asked. */
function bench() {
  const clock = createFakeClock();
  const asked: string[] = [];
  const device = { runs: 'old', away: false, keeps: true, cancels: true, answers: true };
  const undone = async () => {
    if (device.away) throw new Error('away');
    if (device.runs === 'new') throw new ParleyError('node/rollback-failed', 'still runs');
  };
  const book = new CommitBook<string>({
    clock,
    log: silentLog,
    newId: () => '0a0b0c0d',
    backend: {
      async apply(holder, { timeoutMs, persist }) {
        asked.push(`apply ${holder} ${timeoutMs} ${persist ?? '-'}`);
        device.runs = 'new';
        return 'image';
      },
      async keep(_, persist) {
        asked.push(`keep ${persist ?? '-'}`);
        if (!device.answers) throw new ParleyError('node/timeout', 'no answer');
        return device.keeps;
      },
      async undo(_, persist) {
        asked.push(`undo ${persist ?? '-'}`);
        if (!device.cancels) throw new ParleyError('node/netconf-refused', 'no unconfirmed change');
        device.runs = 'old';
      },
      checkUndone: undone,
      settled: async () => void asked.push('settled'),
    },
  });
  return { clock, asked, device, book };
}

test('a change is undone only when it is seen to be undone, however long the device is away [NET-15]', async () => {
  const { book, clock, device, asked } = bench();
  await book.commit(ANN, { timeoutMs: 10_000, persist: 'token' });
  await clock.advance(9_999);
  assert.equal(book.open()?.state, 'APPLIED');
  device.away = true;
  await clock.advance(60_000);
  assert.equal(book.isOpen, true);
  device.away = false;
  await clock.advance(5_000);
  assert.equal(book.isOpen, true, 'it still runs');
  assert.ok(!asked.some((each) => each.startsWith('undo')), 'the token is its owner’s');
  device.runs = 'old';
  await clock.advance(2_000);
  assert.deepEqual(book.history(), [
    {
      id: '00000001-0a0b0c0d',
      state: 'ROLLED_BACK',
      by: ANN,
      startedMs: 1_767_225_600_000,
      deadlineMs: 1_767_225_610_000,
      timeoutMs: 10_000,
      persist: true,
      reason: 'not confirmed in time',
    },
  ]);
});

test('a device that still runs an unconfirmed change after the deadline gets a cancel-commit [NET-15]', async () => {
  const { book, clock, device, asked } = bench();
  await book.commit(ANN, { timeoutMs: 10_000 });
  await clock.advance(9_999);
  assert.deepEqual(asked, ['apply operator/ann 10000 -']);
  await clock.advance(1);
  assert.deepEqual([device.runs, asked.at(-2), book.history()[0]?.state], ['old', 'undo -', 'ROLLED_BACK']);
});

test('a confirmation without an answer is taken where the device has nothing left to cancel, and none where it has [NET-15]', async () => {
  for (const cancels of [true, false]) {
    const { book, clock, device } = bench();
    const { id } = await book.commit(ANN, { timeoutMs: 10_000 });
    book.verified(id);
    Object.assign(device, { answers: false, cancels });
    await assert.rejects(book.confirm(ANN), { code: 'node/timeout' });
    await clock.advance(20_000);
    assert.deepEqual([book.isOpen, book.history()[0]?.state], [false, cancels ? 'ROLLED_BACK' : 'CONFIRMED']);
  }
});

test('a change that another client confirmed is open no longer than some seconds after its deadline [NET-15]', async () => {
  const { book, clock, device, asked } = bench();
  await book.commit(ANN, { timeoutMs: 10_000 });
  device.cancels = false;
  await clock.advance(14_000);
  assert.equal(book.isOpen, true);
  await clock.advance(3_000);
  assert.match(book.history()[0]?.reason ?? '', /another client confirmed it$/);
  assert.equal(asked.filter((each) => each.startsWith('undo')).length, 4);
});

test('a confirmation that the device does not take is none: the change counts as undone [NET-15]', async () => {
  const { book, device } = bench();
  const { id } = await book.commit(ANN, { timeoutMs: 10_000, persist: 'token' });
  book.verified(id);
  Object.assign(device, { keeps: false, runs: 'old' });
  await assert.rejects(book.confirm(ANN, 'token'), { code: 'caller/confirm-too-late' });
  assert.deepEqual(
    book.history().map(({ state }) => state),
    ['ROLLED_BACK'],
  );
});

test('nothing is confirmed after the deadline, and the device is not even asked [NET-15]', async () => {
  const { book, clock, asked, device } = bench();
  const { id } = await book.commit(ANN, { timeoutMs: 10_000 });
  book.verified(id);
  device.away = true;
  await clock.advance(10_000);
  await assert.rejects(book.confirm(ANN), { code: 'caller/confirm-too-late' });
  assert.deepEqual(asked, [`apply ${ANN} 10000 -`]);
});

test('a lost session ends a change without persist, and no other [NET-15]', async () => {
  const { book, clock, device } = bench();
  await book.commit(ANN, { timeoutMs: 60_000, persist: 'token' });
  book.lost('gone');
  await clock.advance(5_000);
  assert.equal(book.isOpen, true);
  await book.cancel('operator/ben', 'enough', 'token');
  await book.commit(ANN, { timeoutMs: 60_000 });
  device.runs = 'old';
  book.lost('gone');
  await clock.advance(1);
  assert.deepEqual(
    book.history().map(({ state, reason }) => [state, reason]),
    [
      ['ROLLED_BACK', 'enough'],
      ['ROLLED_BACK', 'gone'],
    ],
  );
});

test('the history is bounded, and an image is found by its commit only as long', async () => {
  const { book } = bench();
  const ids: string[] = [];
  for (let count = 0; count < 17; count++) {
    ids.push((await book.commit(ANN, { timeoutMs: 10_000 })).id);
    await book.cancel(ANN, 'enough');
  }
  assert.equal(book.history().length, 16);
  assert.equal(book.imageOf(ids[1]!), 'image');
  assert.throws(() => book.imageOf(ids[0]!), { code: 'caller/no-commit' });
});

test('a change that no gate spoke for is confirmed by its token alone, and says so [NET-15]', async () => {
  const { book, asked } = bench();
  await book.commit(ANN, { timeoutMs: 10_000 });
  await assert.rejects(book.confirm(ANN), { code: 'caller/wrong-commit-state' });
  await book.cancel(ANN, 'enough');
  await book.commit(ANN, { timeoutMs: 10_000, persist: 'token' });
  await assert.rejects(book.confirm(ANN, 'other'), { code: 'caller/wrong-persist-id' });
  const { state, reason } = await book.confirm('operator/ben', 'token');
  assert.deepEqual(
    [state, reason],
    [
      'CONFIRMED',
      'confirmed by its persist-id: no health gate is known to have passed for it, look at what it changed',
    ],
  );
  assert.equal(asked.filter((step) => step === 'keep token').length, 1);
});
