// What peers, devices and files say, on its way to a terminal: every character of it is seen, and none acts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seenJson } from '#base/json.ts';
import { createLog } from '#base/log.ts';
import { harmless } from '../../../src/cli/terminal/harmless.ts';
import { toned } from '../../../src/cli/terminal/layout.ts';

const HIDDEN = 'pe1\x1b[8m\x9b2J\r\u202ereversed\u200b\u3164';

test('control, direction and unseen characters are shown by their numbers', () => {
  assert.equal(harmless(HIDDEN), 'pe1<U+001B>[8m<U+009B>2J<U+000D><U+202E>reversed<U+200B><U+3164>');
  assert.equal(harmless('one\n\ttwo – Zürich'), 'one\n\ttwo – Zürich');
  assert.equal(harmless('a,b\r\n1,2\r\n'), 'a,b\r\n1,2\r\n');
  assert.equal(harmless('over\rwritten\r\r\n'), 'over<U+000D>written<U+000D>\r\n');
});

test('our own tones stay where they are asked for, and no other sequence does', () => {
  const red = toned('FAULT', 'bad', { hasColour: true });
  assert.equal(harmless(`${red} \x1b[8mhidden`, { tones: true }), `${red} <U+001B>[8mhidden`);
  assert.equal(harmless(red), '<U+001B>[1;31mFAULT<U+001B>[22;39m');
});

test('JSON for terminals and logs has the same value, and every character of it is seen', () => {
  const json = seenJson(JSON.stringify({ name: HIDDEN }));
  assert.match(json, /^[!-~]+$/);
  assert.deepEqual(JSON.parse(json), { name: HIDDEN });
  const lines: string[] = [];
  const log = createLog({ level: 'info', sink: (line) => void lines.push(line), now: () => 0 });
  log.info('a peer said', { name: HIDDEN });
  assert.match(lines[0]!, /^[ -~]+$/);
});
