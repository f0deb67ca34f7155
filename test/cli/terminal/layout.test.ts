// Text on a terminal: its width, its colours and who takes them away; progress in one line for a phase.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coloured, labelled, terminalOf, wrapped } from '../../../src/cli/terminal/layout.ts';
import { createPhases } from '../../../src/cli/terminal/phases.ts';

test('a terminal has its own width between 40 and 120, a pipe has none but an exported COLUMNS', () => {
  assert.equal(terminalOf({ isTTY: true, columns: 80 }, {}).width, 80);
  assert.equal(terminalOf({ isTTY: true, columns: 20 }, {}).width, 40);
  assert.equal(terminalOf({ isTTY: true, columns: 300 }, {}).width, 120);
  assert.equal(terminalOf({}, {}).width, undefined);
  assert.equal(terminalOf({}, { COLUMNS: '72' }).width, 72);
});

test('colours are for a terminal that has them: not for a pipe, with NO_COLOR, or where TERM is dumb', () => {
  const colour = (isTTY: boolean, env: Readonly<Record<string, string>> = {}) => terminalOf({ isTTY }, env).hasColour;
  assert.deepEqual([colour(true), colour(false)], [true, false]);
  assert.deepEqual([colour(true, { NO_COLOR: '1' }), colour(true, { NO_COLOR: '' })], [false, true]);
  assert.equal(colour(true, { TERM: 'dumb' }), false);
  assert.equal(coloured({ text: 'FAULT', tone: 'bad' }, { hasColour: true }), '\x1b[1;31mFAULT\x1b[22;39m');
  assert.equal(coloured({ text: 'FAULT', tone: 'bad' }, { hasColour: false }), 'FAULT');
});

test('lines end between words, those after the first are indented, and a long word stays whole', () => {
  assert.deepEqual(labelled('why', 'one two three four', 24), ['why         one two', '            three four']);
  assert.deepEqual(labelled('INCONCLUSIVE', 'one two', 40), ['INCONCLUSIVE  one two']);
  assert.deepEqual(wrapped('a b', undefined), ['a b']);
  assert.deepEqual(wrapped('├─ one two three', 12, '│  '), ['├─ one two', '│  three']);
  assert.deepEqual(wrapped(`see ${'x'.repeat(50)} there`, 40, 2), ['see', `  ${'x'.repeat(50)}`, '  there']);
});

test('a number and its unit stay on one line', () => {
  assert.deepEqual(wrapped('packet loss of 4.3 % now', 18), ['packet loss of', '4.3 % now']);
  assert.deepEqual(wrapped('probes, 381 kB', 13), ['probes,', '381 kB']);
  assert.deepEqual(wrapped('probes 381 kBx', 13), ['probes 381', 'kBx']);
});

test('each phase is told once; a terminal has one line of them, which is taken away', () => {
  const said: string[] = [];
  const stream = { write: (text: string) => said.push(text) };
  const steps = ['intent', 'peers', 'session', 'session', 'signatures', 'fan-out', 'evidence', 'finding', 'report'];
  const piped = createPhases(stream, { isTty: false, hasColour: false });
  for (const step of steps) piped.tell(step);
  piped.end();
  assert.deepEqual(said, [
    '· reading the question\n',
    '· finding the nodes\n',
    '· measuring\n',
    '· comparing what the nodes say\n',
    '· sealing the report\n',
  ]);
  said.length = 0;
  const shown = createPhases(stream, { isTty: true, hasColour: false });
  for (const step of steps) shown.tell(step);
  shown.end();
  assert.equal(
    said.every((text) => text.startsWith('\r\x1b[2K')),
    true,
  );
  assert.equal(said.join('').includes('\n'), false);
  assert.equal(said.at(-1), '\r\x1b[2K');
});
