// What the page shows of changes: in the words of the terminal, with what is not known. Elements are stand-ins that hold text alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToldChanges } from '#model/finding.ts';
import { whenWords } from '#model/settings/change-words.ts';

/** A stand-in of an element: its name, and what was put into it. */
class Element {
  readonly name: string;
  readonly children: (Element | string)[] = [];
  constructor(name: string) {
    this.name = name;
  }
  append(...children: (Element | string)[]): void {
    this.children.push(...children);
  }
  setAttribute(): void {}
  get text(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.text)).join('');
  }
  all(name: string): readonly Element[] {
    const below = this.children.flatMap((child) => (typeof child === 'string' ? [] : child.all(name)));
    return this.name === name ? [this, ...below] : below;
  }
}

type Change = ToldChanges['changes'][number];
const load = (name: string) => import(new URL(`../../src/console/web/${name}`, import.meta.url).href);
const [page, { whenWords: pageWhen }] = await Promise.all([load('changes.js'), load('words.js')]);

/** There is a document for as long as the view is made, and no longer: other tests may run in this process. */
function changesView(changes: ToldChanges, said: readonly string[]): Element {
  const global = globalThis as { document?: { createElement(name: string): Element } };
  global.document = { createElement: (name) => new Element(name) };
  try {
    return page.changesView(changes, said);
  } finally {
    delete global.document;
  }
}

const mtu: Change = { node: 'r1', kind: 'mtu', subject: 'eth1', was: '1500', is: '1400', agoMs: 180_000 };
const told = (more: Partial<ToldChanges>): ToldChanges => ({
  ...{ sinceMs: 3_600_000, untilMs: 0, left: 0, changes: [mtu], notKnown: [] },
  ...more,
});
const lines = (view: Element) => view.all('li').map(({ text }) => text);

test('a change whose moment is not known is shown with both ages, as in the terminal [TS-12]', () => {
  const between = { ...mtu, fromAgoMs: 7_200_000 };
  assert.deepEqual(lines(changesView(told({ changes: [mtu, between] }), [])), [
    'r1 mtu eth1: 1500 → 1400, 3 min ago',
    'r1 mtu eth1: 1500 → 1400, between 2 h and 3 min ago',
  ]);
  for (const each of [mtu, between, { ...mtu, fromAgoMs: 181_000 }, { ...mtu, agoMs: 400, fromAgoMs: 200_000_000 }])
    assert.equal(pageWhen(each), whenWords(each));
});

test('what is not known is shown once: not again where the answer has it among its reasons [TS-12]', () => {
  const notKnown = ['r2: does not remember changes', 'r3: its memory could not be read'];
  const view = changesView(told({ notKnown }), ['r2: does not remember changes']);
  assert.deepEqual(lines(view).slice(1), ['r3: its memory could not be read']);
  assert.deepEqual(
    view.all('h3').map(({ text }) => text),
    ['What changed', 'Not known'],
  );
  assert.deepEqual(lines(changesView(told({ notKnown }), [])).slice(1), notKnown);
  assert.equal(changesView(told({}), []).all('h3').length, 1);
});

test('without a change the page says that none is known, and counts what an answer does not hold', () => {
  assert.match(changesView(told({ changes: [] }), []).text, /No change is known\./);
  assert.match(changesView(told({ left: 3 }), []).text, /3 more than an answer holds\./);
});
