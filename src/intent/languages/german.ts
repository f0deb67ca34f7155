// The commonest questions in German.
import { glossaryOf, type Language, question } from './language.ts';

const TIMES = new Map([
  ['gestern abend', 'yesterday evening'],
  ['gestern morgen', 'yesterday morning'],
  ['gestern nachmittag', 'yesterday afternoon'],
  ['heute nacht', 'last night'],
  ['heute früh', 'this morning'],
  ['heute nachmittag', 'this afternoon'],
  ['seit gestern abend', 'since yesterday evening'],
  ['seit letzter nacht', 'since last night'],
  ['seit mitternacht', 'since midnight'],
  ['seit mittag', 'since noon'],
  ['seit dienstag', 'since tuesday'],
  ['seit mittwoch', 'since wednesday'],
  ['seit donnerstag', 'since thursday'],
  ['seit freitag', 'since friday'],
  ['seit samstag', 'since saturday'],
  ['seit sonntag', 'since sunday'],
  ['am montag', 'on monday'],
  ['am dienstag', 'on tuesday'],
  ['am mittwoch', 'on wednesday'],
  ['am donnerstag', 'on thursday'],
  ['am freitag', 'on friday'],
  ['am samstag', 'on saturday'],
  ['am sonntag', 'on sunday'],
  ['vorgestern', 'the day before yesterday'],
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
      'warum ist (?:der |die )?(?<protocol>bgp|isis|is-is|ospf|bfd)[- ]?(?:nachbar|session|sitzung|peer) N (?:down|weg|aus|unten)(?: auf N)?',
      'why is the <protocol> neighbor <n1> down on <n2>',
    ),
    q(
      '(?:gab es|was war)(?: T)? (?:störungen|störung|probleme|ausfälle|fehler|kaputt|los)(?: auf N)?',
      'what was wrong on <n1> <time>',
    ),
    q('was (?:ist|war) T (?:passiert|los|kaputt)(?: auf N)?', 'what was wrong on <n1> <time>'),
    q('was (?:ist|war)(?: T)? (?:auf|bei|mit|an) N(?: T)? passiert', 'what was wrong on <n1> <time>'),
    q('was war(?: T)? (?:auf|bei|mit|an) N(?: T)? (?:los|kaputt)', 'what was wrong on <n1> <time>'),
    q('was ist (?:auf|bei|mit|an) N (?:los|kaputt)', 'what is wrong on <n1>'),
    q(
      'wer hat(?: T)? (?:etwas |was )?(?:auf |an )?N(?: T)? (?:geändert|verändert|umkonfiguriert)',
      'who changed <n1> <time>',
    ),
    q('(?:warum|wieso|weshalb) (?:antwortet|reagiert) N nicht(?: mehr)?', 'why is <n1> not responding'),
    q('(?:warum|wieso|weshalb) (?:antwortet|reagiert) N nicht(?: mehr)? auf N', 'why can <n2> not reach <n1>'),
    q('N (?:antwortet|reagiert) nicht(?: mehr)?', '<n1> is not responding'),
    q('(?:ist )?N (?:erreichbar|pingbar)', 'is <n1> reachable'),
    q('(?:ist )?N (?:von N aus|von N) (?:erreichbar|pingbar)', 'is <n1> reachable from <n2><n3>'),
    q('N (?:ist )?(?:nicht|nicht mehr) (?:erreichbar|pingbar)', 'is <n1> reachable'),
    q('N (?:ist )?(?:nicht|nicht mehr) (?:erreichbar|pingbar) von N', 'is <n1> reachable from <n2>'),
    q(
      '(?:was )?(?:läuft|stimmt|geht|funktioniert)(?: T)? nicht(?: T)?(?: auf N| bei N| mit N| an N)?',
      'what is wrong on <n1><n2><n3><n4> <time>',
    ),
    q('N (?:geht|läuft|funktioniert) nicht(?: mehr)?', 'what is wrong with <n1>'),
    q(
      '(?:ist |läuft |geht )?(?:alles|sonst alles) (?:ok|okay|gut|in ordnung|gesund)? ?(?:außer|ausser|bis auf) N(?: und N)?',
      'what is wrong on all nodes except <n1> and <n2>',
    ),
    q('wo (?:ist|hängt|steckt|sitzt) N', 'where is <n1>'),
    q(
      '(?:wie|welchen weg|welcher weg) (?:kommt|kommen|nimmt|nehmen|geht|gehen|läuft)(?: der verkehr| die pakete| ein paket)? von N (?:nach|zu) N',
      'which path from <n1> to <n2>',
    ),
    q('(?:wie lange|seit wann) (?:läuft|ist) N(?: schon)?(?: oben| up| online)?', 'uptime of <n1>'),
    q('(?:wie viel|wieviel) (?:verkehr|traffic|last) (?:ist |geht |läuft )?(?:auf|über) N', 'how much traffic on <n1>'),
    q(
      '(?:wie viel|wieviel) (?:verkehr|traffic|last) (?:ist |geht |läuft )?(?:auf|über) N (?:von|auf|an) N',
      'how much traffic on <n1> of <n2>',
    ),
  ],
  clocks: [
    [/\b(?:in den|der|die|den) letzten (\d+) (?:minuten|min)\b/g, 'last $1 minutes'],
    [/\b(?:in den|der|die|den) letzten (\d+) (?:stunden|std)\b/g, 'last $1 hours'],
    [/\b(?:in den|der|die|den) letzten (\d+) tagen?\b/g, 'last $1 days'],
    [/\bseit (\d+) (?:minuten|min)\b/g, 'since $1 minutes'],
    [/\bseit (\d+) (?:stunden|std)\b/g, 'since $1 hours'],
    [/\bvor (\d+) (?:minuten|min)\b/g, '$1 minutes ago'],
    [/\bvor (\d+) (?:stunden|std)\b/g, '$1 hours ago'],
    [/\bseit (\d{1,2}) uhr\b/g, 'since $1:00'],
    [/\bseit (\d{1,2}:\d{2})(?: uhr)?\b/g, 'since $1'],
    [/\b(\d{1,2}:\d{2}) ?uhr\b/g, '$1'],
    [/\b(\d{1,2}) ?uhr (\d{2})\b/g, '$1:$2'],
    [/\b(\d{1,2}) ?uhr\b/g, '$1:00'],
    [/\b(?:um|gegen) (?=\d)/g, 'at '],
  ],
  glossary: glossaryOf(`
the: der, die, das, den, dem, des, ein, eine, einen, einem, einer
is: ist, sind, wird
was: war, waren, wurde, wurden
is there: gibt es, haben wir
was there: gab es, hatten wir
why: warum, wieso, weshalb
what: was
which: welche, welcher, welches, welchen
when: wann
since when: seit wann
how: wie
who: wer
and: und, sowie
or: oder
but: aber
between: zwischen
from: von, vom, ab
to: nach, zu, zum, zur, bis
on: auf, an, am, bei, in, im, hinter
via: über, durch
with: mit
except: außer, ausser, bis auf
since: seit
please: bitte, mal, denn, eigentlich, noch, gerade, jetzt, immer
packet loss: paketverlust, paketverluste, verlust, verluste, paketverluste
drops: drops, verwirft
delay: verzögerung, latenz, laufzeit, antwortzeit
slow: langsam, träge
throughput: durchsatz, bandbreite
errors: fehler
crc errors: crc-fehler, prüfsummenfehler
outage: störung, störungen, ausfall, ausfälle
problem: problem, probleme
down: down, ausgefallen, tot, runter, unten
broken: kaputt, defekt
flaps: flattert, flappt, flaps
link: link, strecke, leitung, verbindung
interface: schnittstelle, interface
interfaces: schnittstellen
path: pfad
neighbours: nachbarn
neighbour: nachbar
session: session, sitzung
sessions: sessions, sitzungen
changes: änderungen
changed: geändert
everything: alles
happened: passiert, geschehen
working: geht, läuft, funktioniert
not working: geht nicht, läuft nicht, funktioniert nicht, geht nicht mehr
not reachable: nicht erreichbar, nicht mehr erreichbar
no ping: kein ping
network: netz, netzwerk
all nodes: alle router, alle knoten, allen routern
node: router, knoten, gerät
reachable: erreichbar
show me: zeig mir, zeige mir, zeig, zeige
how much traffic: wie viel verkehr, wieviel verkehr, wie viel traffic
traffic: verkehr
uptime: laufzeit von, betriebszeit
restarted: neu gestartet, neugestartet
lost: verloren
in the last hour: in der letzten stunde, letzte stunde
yesterday evening: gestern abend
today: heute
not responding: antwortet nicht, antwortet nicht mehr, reagiert nicht, reagiert nicht mehr, antworten nicht
cannot reach: erreicht nicht, kann nicht erreichen
went down: ist ausgefallen, fiel aus, ausgefallen war, ging weg, ging runter
down: weg, nicht da, aus
restarted: neu gestartet, neugestartet, rebootet, hat neu gestartet
changed: verändert, umgestellt, gedreht
has: hat, haben, hatte, hatten
jitter: jitter, schwankung, schwankungen
mtu: paketgröße
counters: zähler
timeline: verlauf, zeitleiste, chronik
packets: pakete, pakten
are lost: gehen verloren, verloren gehen, verlieren
very: sehr, so, ziemlich
customers: kunden, kunde, nutzer, benutzer, anwender
what happened: was ist passiert, was war los, was passierte
overloaded: überlastet, ausgelastet, voll ausgelastet, verstopft
unstable: instabil, wackelt, wackelig
sessions: nachbarschaften
session: nachbarschaft
list: liste, auflisten
status: zustand, stand
anything: etwas, irgendwas, irgendetwas
someone: jemand
last night: vergangene nacht, letzte nacht, letzter nacht
`),
  words: new Set(
    'was ist los mit warum wieso weshalb wie wer wo wann der die das den dem ein eine kein keine nicht und oder auf von nach zwischen seit gestern heute morgen letzte letzten nacht bitte prüfe prüf teste zeig zeige mir gibt gab es haben wir hat sich geändert wurde strecke verbindung leitung störung störungen paketverlust verluste latenz nachbar erreicht erreichen kann kaputt netz netzwerk ordnung schalte schalten ab aus ein starte neu neustarten abschalten router läuft geht langsam'.split(
      ' ',
    ),
  ),
  refusal: 'eine Frage auf Deutsch, die so nicht verstanden wird: bitte auf Englisch (English) fragen',
};
