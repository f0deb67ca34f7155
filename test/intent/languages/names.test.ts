// Names in questions of other languages: each that is said stands in the English question, and a negation is no name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRENCH } from '#intent/languages/french.ts';
import { GERMAN } from '#intent/languages/german.ts';
import { SPANISH } from '#intent/languages/spanish.ts';
import { readingsIn } from '../reading.ts';

const { allRead } = readingsIn({ here: 'border1', nodes: ['border1', 'pe1', 'pe2'], ifnames: ['eth1'] });

test('each name and time of a pattern stands in the English question, in every language [TS-7a]', () => {
  for (const { questions } of [GERMAN, FRENCH, SPANISH])
    for (const [pattern, english] of questions)
      for (const [, name] of pattern.source.matchAll(/\(\?<(n\d+|time)\d*>/g))
        assert.ok(english.includes(`<${name}>`), `<${name}> of "${english}"`);
});

test('of two names in German none is lost, and "nicht" is none [TS-7a]', () =>
  allRead([
    ['ist pe1 von pe2 erreichbar', 'reachability from pe2 to pe1'],
    ['ist pe1 von pe2 aus pingbar', 'reachability from pe2 to pe1'],
    ['pe1 ist nicht mehr erreichbar von pe2', 'reachability from pe2 to pe1'],
    ['ist pe1 erreichbar', 'reachability from border1 to pe1'],
    ['warum antwortet pe1 nicht auf pe2', 'reachability from pe2 to pe1'],
    ['wieso antwortet pe1 nicht auf 198.51.100.9', 'unclear'],
    ['warum antwortet pe1 nicht', 'reachability from border1 to pe1'],
    ['wie viel verkehr ist auf eth1 von pe1', 'how much traffic on eth1 of pe1'],
    ['geht nicht', 'what is wrong'],
    ['läuft nicht', 'what is wrong'],
  ]));
