// The commonest questions in German.
import { type Language, question } from './language.ts';

const TIMES = new Map([
  ['heute', 'today'],
  ['gestern', 'yesterday'],
  ['seit gestern', 'since yesterday'],
  ['seit heute', 'today'],
  ['heute morgen', 'this morning'],
  ['letzte nacht', 'last night'],
  ['in der letzten nacht', 'last night'],
  ['letzte woche', 'last week'],
  ['diese woche', 'this week'],
  ['in der letzten stunde', 'in the last hour'],
  ['in den letzten zehn minuten', 'in the last 10 minutes'],
  ['in den letzten 10 minuten', 'in the last 10 minutes'],
  ['seit montag', 'since monday'],
  ['am wochenende', 'over the weekend'],
]);
const q = (pattern: string, english: string) => [question(pattern, TIMES), english] as const;
const NET = '(?:das netz|das netzwerk|alles|das ganze netz)';

export const GERMAN: Language = {
  times: TIMES,
  questions: [
    q(
      'was (?:ist|stimmt)(?: denn)?(?: hier)?(?: gerade)? (?:los|kaputt|falsch|defekt|nicht|passiert)(?: mit N| auf N| an N| bei N)?',
      'what is wrong with <n1><n2><n3><n4>',
    ),
    q(`(?:ist|läuft|geht) ${NET}(?: noch)?(?: in ordnung| gesund| ok| okay| gut)?`, 'is the network healthy'),
    q('(?:ist|läuft|geht) N(?: noch)?(?: in ordnung| gesund| ok| okay| gut| da)?', 'what is wrong with <n1>'),
    q('(?:warum )?ist N (?:down|aus|weg|ausgefallen|tot|offline)', 'what is wrong with <n1>'),
    q(
      '(?:gibt es |gab es |haben wir )?(?:einen )?paketverluste?(?: zwischen N und N| von N (?:nach|zu|bis) N)?(?: T)?',
      'packet loss between <n1><n3> and <n2><n4> <time>',
    ),
    q(
      '(?:warum|wieso|weshalb) (?:erreicht|sieht|pingt) N (?:den |die |das )?N nicht(?: mehr)?',
      'why can <n1> not reach <n2>',
    ),
    q('(?:warum|wieso|weshalb) kann N (?:den |die |das )?N nicht(?: mehr)? erreichen', 'why can <n1> not reach <n2>'),
    q('(?:erreicht|kann) N (?:den |die |das )?N(?: erreichen)?', 'can <n1> reach <n2>'),
    q('was (?:hat sich|wurde)(?: T)?(?: auf N| an N)?(?: T)? geändert', 'what changed on <n1><n2> <time>'),
    q('was (?:hat sich|wurde)(?: auf N| an N)? T geändert', 'what changed on <n1><n2> <time>'),
    q('was hat sich geändert', 'what changed'),
    q(
      '(?:bitte )?(?:prüfe|prüf|überprüfe|teste)(?: bitte)? (?:den link|die strecke|die leitung|die verbindung) (?:zwischen N und N|von N (?:nach|zu) N)',
      'check connectivity between <n1><n3> and <n2><n4>',
    ),
    q('(?:bitte )?(?:prüfe|prüf|überprüfe|teste)(?: bitte)? N', 'what is wrong with <n1>'),
    q(
      '(?:wie (?:hoch|gross|groß) ist )?(?:die )?(?:latenz|verzögerung|laufzeit) (?:zwischen N und N|von N (?:nach|zu) N)',
      'delay between <n1><n3> and <n2><n4>',
    ),
    q(
      'warum ist (?:der |die )?(bgp|isis|is-is|ospf|bfd)[- ]?(?:nachbar|session|sitzung|peer) N (?:down|weg|aus|unten)(?: auf N)?',
      'why is the neighbor <n1> down on <n2>',
    ),
    q(
      '(?:gab es|was war)(?: T)? (?:störungen|störung|probleme|ausfälle|fehler|kaputt|los)(?: auf N)?',
      'what was wrong on <n1> <time>',
    ),
    q('was (?:ist|war) T (?:passiert|los|kaputt)(?: auf N)?', 'what was wrong on <n1> <time>'),
  ],
  words: new Set(
    'was ist los mit warum wieso weshalb wie wer wo wann der die das den dem ein eine kein keine nicht und oder auf von nach zwischen seit gestern heute morgen letzte letzten nacht bitte prüfe prüf teste zeig zeige mir gibt gab es haben wir hat sich geändert wurde strecke verbindung leitung störung störungen paketverlust verluste latenz nachbar erreicht erreichen kann kaputt netz netzwerk ordnung schalte schalten ab aus ein starte neu neustarten abschalten router läuft geht langsam'.split(
      ' ',
    ),
  ),
  refusal: 'eine Frage auf Deutsch, die so nicht verstanden wird: bitte auf Englisch (English) fragen',
};
