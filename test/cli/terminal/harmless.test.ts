// What peers, devices and files say, on its way to a terminal: every character of it is seen, and none acts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seenJson } from '#base/json.ts';
import { createLog } from '#base/log.ts';
import { harmless, written } from '../../../src/cli/terminal/harmless.ts';
import { coloured } from '../../../src/cli/terminal/layout.ts';
import { createOutput } from '../../../src/cli/terminal/output.ts';
import { paged } from '../../../src/cli/terminal/pager.ts';

const HIDDEN = 'pe1\x1b[8m\x9b2J\r\u202ereversed\u200b\u3164';

test('control, direction and unseen characters are shown by their numbers', () => {
  assert.equal(harmless(HIDDEN), 'pe1<U+001B>[8m<U+009B>2J<U+000D><U+202E>reversed<U+200B><U+3164>');
  assert.equal(harmless('one\n\ttwo – Zürich'), 'one\n\ttwo – Zürich');
  assert.equal(harmless('a,b\r\n1,2\r\n'), 'a,b\r\n1,2\r\n');
  assert.equal(harmless('over\rwritten\r\r\n'), 'over<U+000D>written<U+000D>\r\n');
});

test('a line is coloured by its pieces alone: codes in a text are shown, also those of our own tones', () => {
  const red = coloured({ text: 'FAULT', tone: 'bad' }, { hasColour: true });
  assert.equal(red, '\x1b[1;31mFAULT\x1b[22;39m');
  const colours = { hasColour: true };
  assert.equal(written(`p2 ${red}`, colours), 'p2 <U+001B>[1;31mFAULT<U+001B>[22;39m');
  assert.equal(
    written([{ text: 'why\x1b[2m', tone: 'bad' }, ` p2 ${red}\x1b]8;;https://x\x07`], colours),
    '\x1b[1;31mwhy<U+001B>[2m\x1b[22;39m p2 <U+001B>[1;31mFAULT<U+001B>[22;39m<U+001B>]8;;https://x<U+0007>',
  );
});

test('what commands print has the colours of this program alone, also where a pager holds it back', async (t) => {
  const said = 'odd: \x1b[1;32mHEALTHY\x1b[22;39m';
  const seen = 'odd: <U+001B>[1;32mHEALTHY<U+001B>[22;39m';
  const shown: string[] = [];
  const terminal = { isTty: true, hasColour: true };
  t.mock.method(process.stdout, 'write', (text: string) => shown.push(text) > 0);
  createOutput(false).line(said);
  t.mock.restoreAll();
  const output = { ...createOutput(false), terminal };
  await paged({ ...output, line: (line = '') => void shown.push(written(line, terminal)) }, async (held) => {
    held.line(said);
    held.line([{ text: 'FAULT', tone: 'bad' }, ` ${said}`]);
  });
  assert.deepEqual(shown, [`${seen}\n`, seen, `\x1b[1;31mFAULT\x1b[22;39m ${seen}`]);
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
