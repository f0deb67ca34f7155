// The badge of a verdict: its look is one of four, whatever an answer calls its verdict.
import assert from 'node:assert/strict';
import { test } from 'node:test';

class Element {
  look = '';
  text = '';
  append(...children: (Element | string)[]): void {
    this.text += children.map((child) => (typeof child === 'string' ? child : child.text)).join('');
  }
  setAttribute(name: string, value: string): void {
    if (name === 'class') this.look = value;
  }
}

const { verdictBadge } = await import(new URL('../../src/console/web/words.js', import.meta.url).href);

function badgeOf(kind: string): readonly [look: string, text: string] {
  const global = globalThis as { document?: { createElement(): Element } };
  global.document = { createElement: () => new Element() };
  try {
    const { look, text } = verdictBadge(kind);
    return [look, text];
  } finally {
    delete global.document;
  }
}

test('a verdict has the look of its kind; a word that is no kind looks undecided and selects no style', () => {
  assert.deepEqual(badgeOf('fault'), ['badge badge-fault', '✕ Fault found']);
  assert.deepEqual(badgeOf('healthy'), ['badge badge-healthy', '✓ Healthy']);
  assert.deepEqual(badgeOf('x badge-healthy'), ['badge badge-inconclusive', '? x badge-healthy']);
  assert.deepEqual(badgeOf('constructor'), ['badge badge-inconclusive', '? constructor']);
  assert.deepEqual(badgeOf('a\u202eb'), ['badge badge-inconclusive', '? a‹U+202E›b']);
});
