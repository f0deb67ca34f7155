// Confirmed commits of a device that fails in the middle: nothing runs on that nobody can cancel, what is confirmed stays confirmed, and
// what others changed beside a change does not make it undone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { silentLog } from '#base/log.ts';
import { buildSchema } from '#codec/yang/schema.ts';
import { parseYang } from '#codec/yang/statements.ts';
import { CommitBook } from '#router/config/commit-book.ts';
import { createConfirmedCommits } from '#router/drivers/netconf/confirmed-commit.ts';
import { jsonOfData } from '#router/drivers/netconf/data.ts';
import { createUnknownCommits } from '#router/drivers/netconf/unknown-commit.ts';
import { parseXml } from '#router/drivers/netconf/xml.ts';
import { createFakeClock } from '../fakes/clock.ts';

const ANN = 'operator/ann';
const YANG = parseYang(
  'module box { namespace "urn:box"; prefix b; container box { leaf size { type uint8; } leaf name { type string; } } }',
);
assert.ok(YANG.ok);
const SCHEMA = buildSchema([YANG.value]);

function xml(size: number, name: string) {
  const parsed = parseXml(`<data><box xmlns="urn:box"><size>${size}</size><name>${name}</name></box></data>`);
  assert.ok(parsed.ok);
  return parsed.value;
}

/** A device whose candidate makes the size 2; `fails` are the steps that it does not answer. */
function bench() {
  const clock = createFakeClock();
  const asked: string[] = [];
  /** `taken`: a confirmation has reached the device, which has nothing left to cancel. */
  const state = { runs: xml(1, 'a'), fails: new Set<string>(), closed: false, taken: false };
  const step = (name: string, work: () => void = () => {}) => {
    asked.push(name);
    work();
    if (state.fails.has(name))
      throw new ParleyError('node/netconf-unreachable', `expected ${name} to be answered, it was not`);
  };
  const operations = {
    async getConfig(source: string) {
      if (source === 'candidate') return xml(2, 'a');
      if (asked.includes('commit')) step('read back');
      return state.runs;
    },
    commit: async (confirmed?: object) =>
      confirmed === undefined ? step('confirm') : step('commit', () => (state.runs = xml(2, 'a'))),
    cancelCommit: async () => {
      if (state.taken) throw new ParleyError('node/netconf-refused', 'no unconfirmed commit');
      step('cancel', () => (state.runs = state.fails.has('cancel') ? state.runs : xml(1, 'a')));
    },
    copyRunningToStartup: async () => step('copy'),
  };
  const session = {
    capabilities: ['urn:ietf:params:netconf:capability:startup:1.0'],
    get closed() {
      return state.closed;
    },
    close: async () => step('close', () => (state.closed = true)),
  };
  const device = { session, operations };
  const book = new CommitBook({
    clock,
    log: silentLog,
    newId: () => '0a0b0c0d',
    backend: createConfirmedCommits({
      link: { use: async () => device },
      reader: {
        json: async (_: unknown, data: ReturnType<typeof xml>) => jsonOfData(SCHEMA, data),
        schemas: async () => ({ of: async () => SCHEMA }),
      },
      holding: {
        of: () => ({ device, running: xml(1, 'a') }),
        validate: async () => undefined,
        hand: () => {},
        unlock: async () => {},
      },
    } as unknown as Parameters<typeof createConfirmedCommits>[0]),
  });
  return { clock, asked, state, book };
}

for (const fails of ['commit', 'read back']) {
  test(`a ${fails} without an answer leaves no change that nobody can cancel [NET-15]`, async () => {
    const { book, asked, state } = bench();
    state.fails.add(fails);
    await assert.rejects(book.commit(ANN, { timeoutMs: 10_000 }), { code: 'node/netconf-unreachable' });
    assert.deepEqual(asked.slice(-1), ['cancel']);
    assert.deepEqual(state.runs, xml(1, 'a'));
  });
}

test('where a commit cannot be cancelled its session ends, and the change with it [NET-15]', async () => {
  const { book, asked, state } = bench();
  state.fails.add('commit').add('cancel');
  await assert.rejects(book.commit(ANN, { timeoutMs: 10_000 }), { code: 'node/netconf-unreachable' });
  assert.deepEqual(asked, ['commit', 'cancel', 'close']);
});

test('a start-up copy that fails is told, and the change is confirmed all the same [NET-15]', async () => {
  const { book, state } = bench();
  const { id } = await book.commit(ANN, { timeoutMs: 10_000 });
  book.verified(id);
  state.fails.add('copy');
  await assert.rejects(book.confirm(ANN), {
    code: 'node/netconf-unreachable',
    message: /^the change is confirmed and runs; its copy to the start-up configuration failed/,
  });
  assert.equal(book.isOpen, false);
  assert.deepEqual(
    book.history().map((view) => view.state),
    ['CONFIRMED'],
  );
});

test('a change is not undone because another leaf changed [NET-15]', async () => {
  const { book, clock, state, asked } = bench();
  await book.commit(ANN, { timeoutMs: 10_000 });
  state.runs = xml(2, 'b');
  await clock.advance(9_000);
  assert.equal(book.isOpen, true);
  await clock.advance(3_000);
  assert.equal(asked.includes('cancel'), true, 'its own line runs on');
  assert.deepEqual(
    book.history().map((view) => view.state),
    ['ROLLED_BACK'],
  );
});

for (const took of [true, false]) {
  test(`a confirmation without an answer, ${took ? 'taken' : 'not taken'} by the device, is known by what runs after the deadline [NET-15]`, async () => {
    const { book, clock, state } = bench();
    const { id } = await book.commit(ANN, { timeoutMs: 10_000 });
    book.verified(id);
    state.fails.add('confirm');
    await assert.rejects(book.confirm(ANN), { code: 'node/netconf-unreachable' });
    assert.equal(book.isOpen, true);
    await clock.advance(9_999);
    assert.equal(book.isOpen, true);
    if (took) state.taken = true;
    else state.runs = xml(1, 'a');
    await clock.advance(10_000);
    assert.deepEqual(
      book.history().map((view) => view.state),
      [took ? 'CONFIRMED' : 'ROLLED_BACK'],
    );
  });
}

/** A device with an unconfirmed commit of somebody else, whose token is `t`. */
function strange(
  init: {
    candidate?: ReturnType<typeof xml>;
    undoes?: boolean;
    lock?: string;
    /** The start-up configuration of a device that has one. */
    saved?: ReturnType<typeof xml>;
    /** What runs once the commit was cancelled. */
    after?: ReturnType<typeof xml>;
  } = {},
) {
  const asked: string[] = [];
  let runs = xml(2, 'a');
  const refuse = (tag: string) => {
    throw new ParleyError('node/netconf-refused', tag, { data: { tag } });
  };
  const operations = {
    lock: async () => (init.lock === undefined ? void asked.push('lock') : refuse(init.lock)),
    unlock: async () => void asked.push('unlock'),
    getConfig: async (source: string) => {
      if (source === 'startup') return init.saved;
      return source === 'candidate' ? (init.candidate ?? runs) : runs;
    },
    commit: async (_: unknown, token: string) => (token === 't' ? void asked.push('commit') : refuse('invalid-value')),
    async cancelCommit(token: string) {
      if (token !== 't') refuse('invalid-value');
      if (init.undoes ?? true) runs = init.after ?? xml(1, 'a');
    },
  };
  const capabilities = init.saved === undefined ? [] : ['urn:ietf:params:netconf:capability:startup:1.0'];
  const reader = {
    json: async (_: unknown, data: ReturnType<typeof xml>) => jsonOfData(SCHEMA, data),
    schemas: async () => ({ of: async () => SCHEMA }),
  };
  const link = { use: async () => ({ session: { capabilities }, operations }) };
  const parts = { link, reader, holding: { isHeld: false } };
  return { asked, commits: createUnknownCommits(parts as unknown as Parameters<typeof createUnknownCommits>[0]) };
}

test('a commit that an earlier agent made is confirmed with its token, under a lock, and with no other [NET-15]', async () => {
  const { commits, asked } = strange();
  await commits.confirm('t');
  assert.deepEqual(asked, ['lock', 'commit', 'unlock']);
  await assert.rejects(commits.confirm('u'), { code: 'caller/no-commit' });
  await assert.rejects(commits.cancel('u'), { code: 'caller/no-commit' });
  await commits.cancel('t');
});

test('what others hold in the candidate is not committed along, and an undoing is believed when it is seen [NET-13, NET-15]', async () => {
  for (const lock of [undefined, 'lock-denied']) {
    const others = strange({ candidate: xml(9, 'z'), ...(lock === undefined ? {} : { lock }) });
    await assert.rejects(others.commits.confirm('t'), { code: 'caller/candidate-held' });
    assert.equal(others.asked.includes('commit'), false);
  }
  await assert.rejects(strange({ undoes: false }).commits.cancel('t'), {
    code: 'node/rollback-failed',
    data: { wireCode: -32085, retryPossible: true },
  });
});

test('a cancelled commit is not undone because another leaf changed [NET-13, NET-15]', async () => {
  const saved = xml(1, 'a');
  await assert.rejects(strange({ saved, after: xml(2, 'b') }).commits.cancel('t'), { code: 'node/rollback-failed' });
  await strange({ saved, after: xml(1, 'b') }).commits.cancel('t');
  await strange({ saved, after: xml(1, 'a') }).commits.cancel('t');
  // Nothing tells the change apart where all of it was saved already.
  await strange({ saved: xml(2, 'a'), after: xml(1, 'a') }).commits.cancel('t');
});
