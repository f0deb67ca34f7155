// What the page of approvals draws of a consent, with as much of a document as it uses.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

type Drawn = {
  readonly tag: string;
  readonly attributes: Record<string, string>;
  readonly children: (Drawn | string)[];
};

let consentView: (consent: object, more: object) => { readonly view: Drawn };
const held = Object.getOwnPropertyDescriptor(globalThis, 'document');

before(async () => {
  const createElement = (tag: string) => {
    const made: Drawn = { tag, attributes: {}, children: [] };
    return Object.assign(made, {
      setAttribute: (name: string, value: string) => void Object.assign(made.attributes, { [name]: value }),
      append: (...children: (Drawn | string)[]) => void made.children.push(...children),
    });
  };
  Object.defineProperty(globalThis, 'document', { value: { createElement }, configurable: true });
  const module = new URL('../../src/console/web/consent-view.js', import.meta.url).href;
  ({ consentView } = await import(module));
});
after(() => {
  if (held === undefined) Reflect.deleteProperty(globalThis, 'document');
  else Object.defineProperty(globalThis, 'document', held);
});

/** Its text without what stands in closed details, and the classes of its list entries. */
function open(drawn: Drawn | string): { readonly text: string; readonly rows: readonly string[] } {
  if (typeof drawn === 'string') return { text: drawn, rows: [] };
  if (drawn.tag === 'details' && drawn.attributes['open'] === undefined) return { text: '', rows: [] };
  const parts = drawn.children.map(open);
  const own = drawn.tag === 'li' ? [drawn.attributes['class'] ?? ''] : [];
  return { text: parts.map(({ text }) => text).join(' '), rows: [...own, ...parts.flatMap(({ rows }) => rows)] };
}

function drawnOf(summary: string, args: object) {
  const user = { kind: 'operator', name: 'ann', role: 'operator' };
  const consent = { summary, tool: 'network.tcpdump', arguments: args, user, impact: { rollbackSeconds: 0 } };
  return open(consentView({ ...consent, node: 'pe1', id: 'c1' }, { by: [], leftMs: () => 60_000 }).view);
}

test('a consent to anything but changed lines is told in words, with all that it is asked for with in the open', () => {
  const { text, rows } = drawnOf('payloads of packets on eth0', {
    interface: 'eth0',
    filter: 'port 53',
    count: 99,
    seconds: 7,
  });
  assert.deepEqual(rows, []);
  for (const part of ['network.tcpdump on pe1', 'payloads of packets on eth0', '"port 53"', '99', '7'])
    assert.ok(text.includes(part), `${part} in ${text}`);
  assert.ok(!/removed|added/.test(text), text);
  const mixed = drawnOf('- router bgp\nand the rest', { file: 'startup' });
  assert.deepEqual(mixed.rows, []);
  assert.ok(mixed.text.includes('- router bgp') && mixed.text.includes('"startup"'), mixed.text);
  assert.ok(drawnOf('', { file: 'backup' }).text.includes('"backup"'));
});

test('changed lines are drawn as added and removed', () => {
  const { text, rows } = drawnOf('- isis metric 5\n+ isis metric 9', {});
  assert.deepEqual(rows, ['removed', 'added']);
  assert.ok(text.includes('A change of pe1 waits') && !text.includes('+ isis'), text);
});
