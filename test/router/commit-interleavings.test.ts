// Changes of one device and their undoings, however they overlap: nothing confirmed is undone, nothing unconfirmed stays, and the history says
// what the device did. The device answers when a test lets it; the clock moves when a test moves it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { silentLog } from '#base/log.ts';
import { CommitBook } from '#router/config/commit-book.ts';
import { createFakeClock, settle } from '../fakes/clock.ts';

const ANN = 'operator/ann';
const LOST = 'lost';

type Device = {
  /** Configurations by name; `0` ran before everything. */
  runs: string;
  /** What runs again when the change is not kept. */
  before: string | undefined;
  startup: string;
};

/** Each step waits for `answer`; `LOST` lets the device do it and loses what it says, `unheard` loses the request. */
function bench() {
  const clock = createFakeClock();
  const asked: string[] = [];
  const device: Device = { runs: '0', before: undefined, startup: '0' };
  const waiting: { readonly name: string; answer(how?: 'lost' | 'unheard' | 'refused'): void }[] = [];
  let changes = 0;
  const step = async <T>(name: string, work: () => T): Promise<T> => {
    asked.push(name);
    const how = await new Promise<string | undefined>((answer) => waiting.push({ name, answer }));
    if (how === 'unheard') throw new ParleyError('node/timeout', 'no answer');
    if (how === 'refused') throw new ParleyError('node/netconf-refused', 'in-use');
    const value = work();
    if (how === LOST) throw new ParleyError('node/timeout', 'no answer');
    return value;
  };
  const revert = () => {
    if (device.before === undefined) throw new ParleyError('node/netconf-refused', 'no unconfirmed change');
    device.runs = device.before;
    device.before = undefined;
  };
  const undone = (image: string) => {
    if (device.runs === image) throw new ParleyError('node/rollback-failed', 'still runs');
  };
  const book = new CommitBook<string>({
    clock,
    log: silentLog,
    newId: () => '0a0b0c0d',
    backend: {
      apply: () =>
        step('apply', () => {
          device.before = device.runs;
          device.runs = String(++changes);
          return device.runs;
        }),
      keep: (image) =>
        step('keep', () => {
          // A device without an unconfirmed change takes a commit for one of its candidate, which still holds the edits.
          device.runs = image;
          device.before = undefined;
          return true;
        }).catch((error: ParleyError) => {
          if (error.code === 'node/netconf-refused') return false;
          throw error;
        }),
      async kept() {
        device.startup = device.runs;
      },
      undo: async (image) => {
        await step('undo', revert);
        undone(image);
      },
      checkUndone: async (image) => undone(image),
      settled: async () => void asked.push('settled'),
    },
  });
  /** Lets the device answer what it was asked first. */
  const answer = async (how?: 'lost' | 'unheard' | 'refused') => {
    await settle();
    const first = waiting.shift();
    assert.ok(first, 'the device is asked something');
    first.answer(how);
    await settle();
    return first.name;
  };
  const change = async (persist?: string) => {
    const made = book.commit(ANN, { timeoutMs: 10_000, ...(persist === undefined ? {} : { persist }) });
    await answer();
    const { id } = await made;
    book.verified(id);
    return id;
  };
  const states = () => book.history().map(({ state, reason }) => `${state} ${reason ?? '-'}`);
  return { clock, asked, device, waiting, book, answer, change, states };
}

const codeOf = (error: unknown) => (error instanceof ParleyError ? error.code : String(error));
const ended = (work: Promise<unknown>) => work.then(() => 'done', codeOf);

test('of two changes that are asked for at once the second is refused, and the first is watched to its deadline [NET-15]', async () => {
  const { book, answer, clock, asked, device, states } = bench();
  const [first, second] = [1, 2].map(() => ended(book.commit(ANN, { timeoutMs: 10_000 })));
  await answer();
  assert.deepEqual(await Promise.all([first, second]), ['done', 'caller/commit-open']);
  await clock.advance(10_000);
  await answer();
  assert.deepEqual([asked, device.runs], [['apply', 'undo', 'settled'], '0']);
  assert.deepEqual(states(), ['ROLLED_BACK not confirmed in time']);
});

test('a change that is asked for while the one before is undone waits for its end, and is then applied [NET-15]', async () => {
  const { book, answer, asked, device, change } = bench();
  const session = new AbortController();
  const held = book.hold(await change(), session.signal);
  session.abort();
  await settle();
  const second = book.commit(ANN, { timeoutMs: 10_000 });
  await settle();
  assert.deepEqual(asked, ['apply', 'undo']);
  assert.equal(await answer(), 'undo');
  await held;
  assert.equal(await answer(), 'apply');
  const { id } = await second;
  assert.deepEqual(asked, ['apply', 'undo', 'settled', 'apply']);
  assert.deepEqual([book.open()?.id, device.runs], [id, '2']);
});

test('an undoing that was meant for a change that is settled leaves the next one alone [NET-15]', async () => {
  const { book, answer, asked, change } = bench();
  const first = await change();
  const steps = [book.confirm(ANN), book.commit(ANN, { timeoutMs: 10_000 })].map(ended);
  const late = [book.cancel(ANN, 'the session was lost', undefined, first), book.confirm(ANN, undefined, first)].map(
    ended,
  );
  await answer();
  await answer();
  assert.deepEqual(await Promise.all([...steps, ...late]), ['done', 'done', 'caller/no-commit', 'caller/no-commit']);
  assert.deepEqual([asked.includes('undo'), book.open()?.state], [false, 'APPLIED']);
});

test('a confirmation that is on its way at the deadline is waited for: what the device took is not undone [NET-15]', async () => {
  const { book, answer, asked, clock, device, change, states } = bench();
  await change();
  await clock.advance(9_999);
  const confirmed = ended(book.confirm(ANN));
  await clock.advance(30_000);
  assert.deepEqual(asked, ['apply', 'keep']);
  await answer();
  assert.equal(await confirmed, 'done');
  await clock.advance(30_000);
  assert.deepEqual(
    [states(), device, asked.at(-1)],
    [['CONFIRMED -'], { runs: '1', before: undefined, startup: '1' }, 'settled'],
  );
});

test('a confirmation whose turn comes after an undoing never reaches the device [NET-15]', async () => {
  const { book, answer, asked, device, change, states } = bench();
  const session = new AbortController();
  const held = book.hold(await change(), session.signal);
  session.abort();
  await settle();
  const confirmed = ended(book.confirm(ANN));
  await answer();
  await held;
  assert.equal(await confirmed, 'caller/no-commit');
  assert.deepEqual([asked, states()], [['apply', 'undo', 'settled'], ['ROLLED_BACK the session was lost']]);
  assert.deepEqual(device, { runs: '0', before: undefined, startup: '0' });
});

test('a session that ends while its confirmation is on its way undoes nothing that the device took [NET-15]', async () => {
  const { book, answer, asked, change, states } = bench();
  const session = new AbortController();
  const held = book.hold(await change(), session.signal);
  const confirmed = ended(book.confirm(ANN));
  await settle();
  session.abort();
  await answer();
  await held;
  assert.deepEqual([await confirmed, states(), asked.includes('undo')], ['done', ['CONFIRMED -'], false]);
});

for (const how of ['lost', 'unheard'] as const) {
  for (const persist of [undefined, 'token']) {
    const name = `${how === 'lost' ? 'taken' : 'not heard'} by the device, ${persist === undefined ? 'without' : 'with'} persist`;
    test(`an undoing without an answer, ${name}, is gone on with, and nothing confirms the change meanwhile [NET-15]`, async () => {
      const { book, answer, asked, clock, device, change, states } = bench();
      await change(persist);
      const cancelled = ended(book.cancel(ANN, 'enough', persist));
      await answer(how);
      assert.equal(await cancelled, 'node/timeout');
      if (how === 'unheard') {
        await answer('unheard');
        assert.equal(await ended(book.confirm(ANN, persist)), 'caller/wrong-commit-state');
        await clock.advance(2_000);
        assert.equal(await answer(), 'undo');
      }
      assert.deepEqual([states(), device.runs, asked.includes('keep')], [['ROLLED_BACK enough'], '0', false]);
    });
  }
}

test('a confirmation that the device refuses while the change runs on leaves it open: it is confirmed again, or undone [NET-15]', async () => {
  const { book, answer, clock, change, states } = bench();
  await change();
  const refused = ended(book.confirm(ANN));
  await answer('refused');
  assert.deepEqual([await refused, book.isOpen], ['node/confirm-refused', true]);
  const again = ended(book.confirm(ANN));
  await answer();
  assert.equal(await again, 'done');
  await change();
  const late = ended(book.confirm(ANN));
  await answer('refused');
  await clock.advance(10_000);
  await answer();
  assert.equal(await late, 'node/confirm-refused');
  assert.deepEqual(states(), ['CONFIRMED -', 'ROLLED_BACK not confirmed in time']);
});

test('a confirmation whose answer was lost counts although the next one is refused: the change is kept, and the device is free [NET-15]', async () => {
  const { book, answer, clock, device, change, states } = bench();
  await change('token');
  const lost = ended(book.confirm(ANN, 'token'));
  await answer('lost');
  const refused = ended(book.confirm(ANN, 'token'));
  await answer('refused');
  assert.deepEqual(await Promise.all([lost, refused]), ['node/timeout', 'node/confirm-refused']);
  await clock.advance(10_000);
  for (let look = 0; look < 40; look++) await clock.advance(2_000);
  assert.deepEqual(
    [states(), book.isOpen, device],
    [
      ['CONFIRMED still runs after its deadline: the device took the confirmation'],
      false,
      { runs: '1', before: undefined, startup: '1' },
    ],
  );
});

const EVENTS = ['confirm', 'cancel', 'session', 'deadline', 'next'] as const;
const ANSWERS = [undefined, 'lost', 'unheard'] as const;

function* orders<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) yield items;
  for (const item of items) for (const rest of orders(items.filter((each) => each !== item))) yield [item, ...rest];
}

/** Everything at once in this order; the device answers its first two steps so, and the others well. Resolves with what was wrong. */
async function wrongWith(order: readonly string[], answers: readonly (typeof ANSWERS)[number][]): Promise<string[]> {
  const { book, answer, clock, device, waiting, change } = bench();
  const id = await change();
  const session = new AbortController();
  const held = ended(book.hold(id, session.signal));
  const outcome: Record<string, Promise<string>> = {};
  for (const event of order) {
    if (event === 'confirm') outcome[event] = ended(book.confirm(ANN, undefined, id));
    if (event === 'cancel') outcome[event] = ended(book.cancel(ANN, 'enough', undefined, id));
    if (event === 'next') outcome[event] = ended(book.commit(ANN, { timeoutMs: 60_000 }));
    if (event === 'session') session.abort();
    if (event === 'deadline') await clock.advance(10_000);
    await settle();
  }
  let answered = 0;
  for (let turn = 0; turn < 20 && (waiting.length > 0 || book.isOpen); turn++) {
    while (waiting.length > 0) await answer(answers[answered++]);
    await clock.advance(2_000);
  }
  await held;
  const view = book.history().find((each) => each.id === id);
  const second = book.history().find((each) => each.id !== id) ?? book.open();
  const runs = device.runs === '1' || device.before === '1' || (second !== undefined && device.startup === '1');
  const confirmed = outcome['confirm'] === undefined ? 'never' : await outcome['confirm'];
  return [
    ...(view === undefined ? ['the change is open for ever'] : []),
    ...(confirmed === 'done' && view?.state !== 'CONFIRMED' ? ['confirmed, and then undone'] : []),
    ...(view?.state === 'CONFIRMED' && !runs ? ['called confirmed, and it does not run'] : []),
    ...(view?.state === 'ROLLED_BACK' && (device.runs === '1' || device.startup === '1')
      ? ['called undone, and it runs']
      : []),
  ];
}

test('in each order of a confirmation, an undoing, the end of the session, the deadline and the next change the promise is kept [NET-15]', async () => {
  for (const order of orders(EVENTS))
    for (const first of ANSWERS)
      for (const then of ANSWERS) {
        assert.deepEqual(await wrongWith(order, [first, then]), [], `${order.join(', ')}; ${first}, ${then}`);
      }
});
