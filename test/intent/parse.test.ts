// The sentences and structures that an operator may type, and those that are refused with a reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';
import { processorMsOf } from '../processor-time.ts';

const pathOf = (text: string): string => {
  const parsed = parseIntent(text);
  return parsed.ok ? parsed.intent.path.map((node) => node.as).join(' > ') : `refused: ${parsed.understood}`;
};

const SENTENCES: readonly (readonly [string, string])[] = [
  ['Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2', 'PE-1 > P-2 > PE-3'],
  ['verify packet loss on the srv6 path from pe1 to pe3 via p2.', 'pe1 > p2 > pe3'],
  ['check loss between pe1 and pe3', 'pe1 > pe3'],
  ['Check loss between PE-1 and PE-3 via P-2 and P-4', 'PE-1 > P-2 > P-4 > PE-3'],
  ['is the path PE-1 -> P-2 -> PE-3 dropping packets?', 'PE-1 > P-2 > PE-3'],
  ['PE-1→P-2→PE-3 packet loss', 'PE-1 > P-2 > PE-3'],
  ['loss PE-1>P-2>PE-3', 'PE-1 > P-2 > PE-3'],
  ['Are packets lost on PE-1 -> PE-3 via P-2?', 'PE-1 > P-2 > PE-3'],
  ['via P-2, P-4 and P-5, do we lose packets from PE-1 to PE-3?', 'PE-1 > P-2 > P-4 > P-5 > PE-3'],
  ['Why do packets to PE-3 from PE-1 through P-2 get dropped?', 'PE-1 > P-2 > PE-3'],
  ['Where is traffic from router PE-1 towards node PE-3 lost, by way of P-2?', 'PE-1 > P-2 > PE-3'],
  ['packet loss PE-1 to PE-3 via P-2', 'PE-1 > P-2 > PE-3'],
  ['any drops from the head-end PE-1 to the tail-end PE-3 over P-2?', 'PE-1 > P-2 > PE-3'],
  ['packet loss on SID list {PE-1, P-2, PE-3}', 'PE-1 > P-2 > PE-3'],
  ['check the path [PE-1, P-2, PE-3] for loss', 'PE-1 > P-2 > PE-3'],
  ['loss between PE 1 and PE 3 via P 2', 'PE 1 > P 2 > PE 3'],
  ['Is core.paris to edge_lyon-2 lossy?', 'core.paris > edge_lyon-2'],
  ['do pe1 and pe3 lose packets', 'pe1 > pe3'],
];

for (const [sentence, path] of SENTENCES) {
  test(`reads ${path} from "${sentence}" [TS-12]`, () => assert.equal(pathOf(sentence), path));
}

test('keeps the spelling as typed, compares by key, and knows an SRv6 question [TS-12] [TS-7a]', () => {
  const parsed = parseIntent('Verify packet loss on the SRv6 path from PE-1 to PE_3 via P-2');
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.intent, {
    kind: 'path-loss',
    text: 'Verify packet loss on the SRv6 path from PE-1 to PE_3 via P-2',
    path: [
      { as: 'PE-1', key: 'pe1' },
      { as: 'P-2', key: 'p2' },
      { as: 'PE_3', key: 'pe3' },
    ],
    encapsulation: 'srv6',
    topic: 'loss',
    understoodAs: 'packet loss from PE-1 to PE_3 via P-2 over SRv6',
  });
});

test('a question without SRv6 is about IP', () => {
  const parsed = parseIntent('check loss between pe1 and pe3');
  assert.equal(parsed.ok && parsed.intent.encapsulation, 'ip');
});

for (const structure of [
  '{kind: path-loss, path: [PE-1, P-2, PE-3]}',
  '{"kind": "path-loss", "path": ["PE-1", "P-2", "PE-3"], "encapsulation": "srv6"}',
  'kind: path-loss\npath:\n  - PE-1\n  - P-2\n  - PE-3\n',
  '---\npath: [PE-1, P-2, PE-3]\nkind: path-loss\n',
]) {
  test(`reads the structure ${JSON.stringify(structure)} [TS-7a]`, () => {
    assert.equal(pathOf(structure), 'PE-1 > P-2 > PE-3');
  });
}

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['', /empty/],
  ['make me a coffee', /words that name nothing of a network/],
  ['is there loss on the path?', /a path, and no node that it belongs to/],
  ['loss from PE-1 to PE-1', /named twice/],
  ['loss PE-1 -> P-2 -> pe1', /the path PE-1 > P-2 > pe1, on which a node is named twice/],
  ['{kind: path-loss, path: [PE-1]}', /path: expected at least two nodes/],
  ['{kind: path-loss, path: [PE-1, {a: 1}]}', /expected node names/],
  ['{kind: path-loss, path: ["PE-1", "PE-3; rm"]}', /expected node names/],
  ['{kind: path-loss, path: [PE-1, PE-3], colour: red}', /unknown member colour/],
  ['{kind: path-loss, path: [PE-1, PE-3], encapsulation: mpls}', /expected srv6 or ip/],
  [
    '{kind: teleport, path: [PE-1, PE-3]}',
    /without a kind that is known \(path-loss, history, neighbour-down, interface-fault, reachability, fault, changes\)/,
  ],
  [`loss from PE-1 to PE-3 ${'x'.repeat(2_000)}`, /2000 are read at most/],
];

for (const [text, reason] of REFUSED) {
  test(`refuses ${JSON.stringify(text.slice(0, 60))} and names the forms it knows [TS-7a]`, () => {
    const parsed = parseIntent(text);
    assert.ok(!parsed.ok);
    assert.match(parsed.understood, reason);
    assert.ok(parsed.forms.length > 0 && parsed.forms.length <= 5);
  });
}

test('an alias bomb and a deep structure are refused, not expanded', () => {
  const bomb = '{a: &a [x,x,x], b: &b [*a,*a,*a], c: [*b,*b,*b], kind: path-loss}';
  assert.equal(parseIntent(bomb).ok, false);
  assert.equal(parseIntent(`{kind: path-loss, path: ${'['.repeat(900)}${']'.repeat(900)}}`).ok, false);
});

test('a structure that a YAML parser would go back over again and again is never parsed as one [TS-7a]', () => {
  const parseAll = () => {
    for (const unit of ['{', '[', '{a: ', '? ', '- ', '- - ', '!a ', '&a ', 'a: {', '\n? - ', '"', ': ', 'a: ']) {
      for (const start of ['', 'kind: ', '{kind: ', 'kind:\n', 'kind: path-loss\npath: ']) {
        const text = (start + unit.repeat(2_000)).slice(0, 2_000);
        assert.equal(parseIntent(text).ok, false, text.slice(0, 40));
      }
    }
    for (const text of [
      '['.repeat(900) + ','.repeat(900),
      'from the '.repeat(200),
      `loss ${'from a to the '.repeat(140)}`,
    ])
      parseIntent(text);
  };
  // Any one of them took from half a second to minutes; all of them together take a few hundredths.
  assert.ok(processorMsOf(parseAll) < 5_000);
});

test('JSON may be nested: it is read without going back, and refused for its shape', () => {
  const text = `{"kind": "path-loss", "path": ["PE-1", "PE-3"], "x": ${'['.repeat(60)}${']'.repeat(60)}}`;
  const parsed = parseIntent(text);
  assert.match(parsed.ok ? '' : parsed.understood, /unknown member x/);
});

test('what no answer says anything of is refused, with the commands that read it [TS-7a]', () => {
  for (const text of ['show the BGP routes of PE-1', 'is the CPU of PE-1 high?', 'certificates about to expire?']) {
    const parsed = parseIntent(text);
    assert.ok(!parsed.ok && parsed.reason === 'unsupported', text);
    assert.match(parsed.understood, /"parley get" and "parley call" read what a node offers$/);
  }
});

test('an order says that nothing was done, and what does it', () => {
  for (const [text, command] of [
    ['shut down eth1 on PE-1', 'network.cli.configure'],
    ['please fix the link between PE-1 and P-2', 'parley remedy'],
    ['reboot PE-1', 'the system of the node'],
  ] as const) {
    const parsed = parseIntent(text);
    assert.ok(!parsed.ok && parsed.reason === 'order', text);
    assert.ok(parsed.understood.includes('nothing was done') && parsed.understood.includes(command), parsed.understood);
  }
});

test('a word that may be misspelled is asked about, and never guessed', () => {
  const parsed = parseIntent('pakcet loss between pe1 and pe3', { nodes: ['pe1', 'pe3'] });
  assert.ok(!parsed.ok);
  assert.equal(parsed.didYouMean, 'packet loss between pe1 and pe3');
});

test('brackets inside brackets hide no path', () => {
  assert.equal(pathOf('packet loss on [[PE-1, P-2, PE-3]'), 'PE-1 > P-2 > PE-3');
  assert.equal(pathOf('packet loss on (PE-1, P-2, PE-3)'), 'PE-1 > P-2 > PE-3');
});

test('a unit of time alone is refused, whatever other word is near it', () => {
  for (const typed of ['minute?', 'inute', 'hours', 'minutes minute']) {
    const parsed = parseIntent(typed);
    assert.equal(parsed.ok, false, typed);
  }
});
