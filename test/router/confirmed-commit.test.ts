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
  const state = { runs: xml(1, 'a'), fails: new Set<string>(), closed: false };
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
    cancelCommit: async () => step('cancel', () => (state.runs = state.fails.has('cancel') ? state.runs : xml(1, 'a'))),
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
  const { book, clock, state } = bench();
  await book.commit(ANN, { timeoutMs: 10_000 });
  state.runs = xml(2, 'b');
  await clock.advance(15_000);
  assert.equal(book.isOpen, true);
  state.runs = xml(1, 'b');
  await clock.advance(1_000);
  assert.deepEqual(
    book.history().map((view) => view.state),
    ['ROLLED_BACK'],
  );
});
