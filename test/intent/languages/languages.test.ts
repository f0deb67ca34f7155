// Questions in German, French and Spanish: the commonest are understood, any other is refused in its language.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRENCH } from '#intent/languages/french.ts';
import { GERMAN } from '#intent/languages/german.ts';
import { SPANISH } from '#intent/languages/spanish.ts';
import { parseIntent } from '#intent/parse.ts';

const READ: readonly (readonly [string, string])[] = [
  ['Was ist los?', 'what is wrong'],
  ['Was ist los mit pe1?', 'what is wrong on pe1'],
  ['Ist das Netz in Ordnung?', 'what is wrong'],
  ['Paketverlust zwischen pe1 und pe3?', 'packet loss from pe1 to pe3'],
  ['Warum erreicht pe1 pe3 nicht?', 'reachability from pe1 to pe3'],
  ['Was hat sich seit gestern geändert?', 'changes since yesterday'],
  ['Was ist mit p2 los?', 'what is wrong on p2'],
  ['Was war gestern mit p2 los?', 'what is wrong on p2 yesterday'],
  ['Gab es letzte Nacht Störungen?', 'what is wrong last night'],
  ['Quel est le problème avec pe1 ?', 'what is wrong on pe1'],
  ['Pourquoi pe1 ne peut pas joindre pe3 ?', 'reachability from pe1 to pe3'],
  ["Qu'est-ce qui a changé depuis hier ?", 'changes since yesterday'],
  ['Vérifie le lien entre p2 et p4', 'what is wrong on the link between p2 and p4'],
  ['¿Qué pasa con pe1?', 'what is wrong on pe1'],
  ['¿Hay pérdida de paquetes entre pe1 y pe3?', 'packet loss from pe1 to pe3'],
  ['¿Qué cambió en la última hora?', 'changes in the last 1 hour'],
  ['Paketverlust zwischen pe1 und pe3 seit 2 Uhr', 'packet loss from pe1 to pe3 since 02:00'],
  ['Latenz von pe1 nach pe3 über p2', 'delay from pe1 to pe3 via p2'],
  ['alles ok außer p2', 'what is wrong except p2'],
  ['la session BGP entre p2 et p4 est tombée à 2h10, pourquoi', 'BGP sessions between p2 and p4 at 02:10'],
  ['tout va bien sauf p2 ?', 'what is wrong except p2'],
  ['que paso anoche en pe3', 'what is wrong on pe3 last night'],
  ['perdida de paquetes de pe1 a pe3 desde las 2', 'packet loss from pe1 to pe3 since 02:00'],
];

for (const [text, words] of READ)
  test(`"${text}" is ${words}`, () => {
    const parsed = parseIntent(text);
    assert.ok(parsed.ok, JSON.stringify(parsed));
    assert.deepEqual([parsed.intent.understoodAs, parsed.intent.text], [words, text]);
  });

for (const [text, words] of [
  ['Warum ist der Router so langsam geworden?', /English/],
  ['Pourquoi le réseau est lent depuis la panne ?', /English/],
  ['¿Por qué no está lenta la red desde ayer?', /English/],
  ['Schalte den Port von pe1 ab', /English/],
  ['Welche Schnittstellen von pe1 sind nicht down?', /English/],
  ['pe2 nicht ping', /English/],
] as const)
  test(`"${text}" is refused in its language`, () => {
    const parsed = parseIntent(text);
    assert.ok(!parsed.ok && parsed.reason === 'language', JSON.stringify(parsed));
    assert.match(parsed.understood, words);
  });

test('what a question of another language says of a name, a time or a protocol is in its English', () => {
  for (const { questions } of [GERMAN, FRENCH, SPANISH])
    for (const [pattern, english] of questions) {
      const groups = new RegExp(`${pattern.source}|`, 'u').exec('')!;
      const names = Object.keys(groups.groups ?? {});
      assert.equal(groups.length - 1, names.length, `a part without a name: ${pattern.source}`);
      for (const name of names) assert.ok(english.includes(`<${name.replace(/^time\d+$/, 'time')}>`), pattern.source);
    }
});

test('a session keeps its protocol in German, fused or apart', () => {
  for (const [noun, protocol] of [
    ['BGP-Nachbar', 'bgp'],
    ['ISIS Sitzung', 'isis'],
    ['OSPF-Session', 'ospf'],
    ['BFD-Peer', 'bfd'],
  ]) {
    const parsed = parseIntent(`Warum ist die ${noun} p2 down?`);
    assert.ok(parsed.ok, noun);
    assert.equal(parsed.intent.protocol, protocol, noun);
  }
});
