// The answer to what changed: which changes, in which order, what is not known of them, and which verdict that gives.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { unknownLines } from '#correlate/history/what-changed.ts';
import { toldTable } from '#correlate/tables/tables.ts';
import type { Intent } from '#model/intent.ts';
import type { History } from '#model/router/control-plane.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { changed, recorded } from '../recording.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const mtu = (subject: string, agoMs: number): SettingChange => ({
  ...{ kind: 'mtu', subject, was: '1500', is: '1400' },
  agoMs,
});
const HISTORY: History = { spanMs: HOUR_MS, events: [], lastHeard: [], settings: [], settingsSpanMs: 24 * HOUR_MS };

/** The recorded network, whose nodes remember nothing but this, asked what changed in the last hour. */
function asked(histories: Readonly<Record<string, Partial<History> | undefined>>, more: Partial<Intent> = {}) {
  const input = changed(recorded('healthy'), {
    state: (state, node) => {
      const { history: _, ...rest } = state;
      const told = histories[node];
      return node in histories && told === undefined
        ? rest
        : { ...rest, missing: [], history: { ...HISTORY, ...told } };
    },
  });
  const intent: Intent = { ...input.intent, kind: 'changes', path: [], sinceMs: HOUR_MS, ...more };
  return diagnose({ ...input, intent });
}

const rows = ({ changes }: ReturnType<typeof asked>) =>
  changes?.changes.map(({ node, kind, subject, agoMs }) => `${node} ${kind} ${subject} ${agoMs / MINUTE_MS}`);

test('changes of all nodes within the span, nearest first, with the verdict `answered`', () => {
  const told = asked({
    r1: { settings: [mtu('eth1', 30 * MINUTE_MS), mtu('eth2', 61 * MINUTE_MS)] },
    r2: { settings: [mtu('eth9', 5 * MINUTE_MS)] },
  });
  assert.deepEqual(rows(told), ['r2 mtu eth9 5', 'r1 mtu eth1 30']);
  assert.equal(told.verdict.kind, 'answered');
  assert.match(
    told.sentence,
    /^2 changes in the last 60 min on r1, .*; the nearest: r2 mtu eth9: 1500 → 1400, 5 min ago\.$/,
  );
  assert.deepEqual([told.findings, told.remarks], [[], undefined]);
  assert.match(asked({}).sentence, /^No change is known in the last 60 min on r1, /);
});

test('commits stand among them with who made them', () => {
  const commits = [
    { id: 'c2', by: 'operator/alice', state: 'CONFIRMED', agoMs: 6 * MINUTE_MS },
    { id: 'c1', by: 'operator/bob', state: 'ROLLED_BACK', agoMs: 90 * MINUTE_MS },
  ] as const;
  const told = asked({ r1: { settings: [mtu('eth1', 5 * MINUTE_MS)], commits } });
  assert.deepEqual(rows(told), ['r1 mtu eth1 5', 'r1 commit c2 6']);
  assert.equal(told.changes?.changes[1]?.is, 'confirmed by operator/alice');
});

test('commits that could not be read, or are more than an answer holds, are not known, and the answer is not whole', () => {
  const missing = (reason: string) => [{ part: 'commits', reason }];
  const unread = asked({ r1: { missing: missing('no answer within 1000 ms') } });
  assert.equal(unread.verdict.kind, 'inconclusive');
  assert.deepEqual(unread.changes?.notKnown, [
    'r1: commits of its configuration are not all known (no answer within 1000 ms)',
  ]);
  const commit = { id: 'c2', by: 'operator/alice', state: 'CONFIRMED' } as const;
  const cutAt = (agoMs: number) =>
    asked({ r1: { commits: [{ ...commit, agoMs }], missing: missing('the newest 1 of 2') } });
  assert.deepEqual(cutAt(HOUR_MS - 1).changes?.notKnown, [
    'r1: commits of its configuration are not all known (the newest 1 of 2)',
  ]);
  assert.deepEqual(cutAt(HOUR_MS).changes?.notKnown, [], 'the list reaches back over the whole span');
});

test('what memory does not reach is said, and is no whole answer', () => {
  const told = asked({ r1: { settingsSpanMs: 10 * MINUTE_MS }, r2: undefined });
  assert.equal(told.verdict.kind, 'inconclusive');
  assert.deepEqual(told.changes?.notKnown, [
    'r1: remembers only the last 10 min; what changed before is not known',
    'r2: does not remember changes',
  ]);
  assert.match(told.sentence, /; not all is known\.$/);
});

test('a question about one node is answered by that node alone', () => {
  const named = { path: [{ as: 'R-2', key: 'r2' }] };
  const settings = [mtu('eth1', 5 * MINUTE_MS)];
  const told = asked({ r1: { settings, settingsSpanMs: 1 }, r2: { settings } }, named);
  assert.deepEqual([rows(told), told.verdict.kind], [['r2 mtu eth1 5'], 'answered']);
});

test('two hundred changes are listed and the rest is counted', () => {
  const settings = Array.from({ length: 150 }, (_, index) => mtu(`eth${index}`, index * 1_000));
  const told = asked({ r1: { settings }, r2: { settings } });
  assert.deepEqual([told.changes?.changes.length, told.changes?.left], [200, 100]);
  assert.match(told.sentence, /^300 changes /);
});

test('before the fault: what is wrong, and the changes of the last day beside it', () => {
  const settings = [mtu('eth1', 5 * MINUTE_MS), mtu('eth2', 23 * HOUR_MS), mtu('eth3', 25 * HOUR_MS)];
  const before = { kind: 'fault', beforeFault: true } as const;
  const { sinceMs: _, ...intent } = { ...recorded('healthy').intent, ...before };
  const input = changed(recorded('healthy'), {
    state: (state) => ({ ...state, history: { ...HISTORY, ...state.history, settings } }),
  });
  const told = diagnose({ ...input, intent });
  assert.equal(told.verdict.kind, 'healthy');
  assert.ok(told.changes?.changes.length === 8 && told.changes.changes.every(({ subject }) => subject !== 'eth3'));
  assert.equal(
    diagnose({ ...input, intent: { ...intent, beforeFault: undefined } as unknown as Intent }).changes,
    undefined,
  );
});

test('what is not known is counted where it is too much, and a list that was cut is said to be', () => {
  const lines = Array.from({ length: 43 }, (_, index) => `line ${index}`);
  assert.deepEqual(unknownLines(lines).slice(38), ['line 38', 'line 39', '3 more']);
  assert.deepEqual(unknownLines(lines.slice(0, 40)).length, 40);
  assert.deepEqual(toldTable({ title: '', columns: [], rows: [] }, (text) => text, lines).notKnown.at(-1), '3 more');
  const cut = (part: string) => {
    const input = changed(recorded('healthy'), {
      state: (state, node) => ({
        ...state,
        cut: node === 'r1' ? [{ part, read: 256, of: 301 }] : [],
        history: HISTORY,
      }),
    });
    return diagnose({ ...input, intent: { ...input.intent, kind: 'changes', path: [], sinceMs: HOUR_MS } }).changes
      ?.notKnown;
  };
  assert.deepEqual(cut('static-routes'), ['r1: not all static routes are known (256 of 301 were read)']);
  assert.deepEqual(cut('neighbour-entries'), []);
});
