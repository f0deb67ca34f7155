// A time that has not come is refused: without its span the question would be one about now.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { understand } from '#agent/investigation/understand.ts';

const parts = {
  node: 'pe1',
  peers: { list: () => [] },
  narrator: {},
  clock: { nowMs: () => Date.parse('2026-11-24T08:30:00Z') },
} as unknown as Parameters<typeof understand>[1];
const journal = { tell: () => undefined } as unknown as Parameters<typeof understand>[2];
const ask = (text: string) => understand(text, parts, journal, new AbortController().signal);

test('a date that has not come is refused, and one that has is a span [TS-7a]', async () => {
  await assert.rejects(ask('errors on pe1 since 2026-12-01'), /a time that has not come \("since 2026-12-01"\)/);
  const { when, sinceMs, untilMs } = await ask('errors on pe1 on 2026-11-20');
  assert.deepEqual([when, sinceMs! > untilMs!, untilMs! > 0], ['on-2026-11-20', true, true]);
});
