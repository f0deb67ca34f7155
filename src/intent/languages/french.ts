// The commonest questions in French.
import { glossaryOf, type Language, question } from './language.ts';

const TIMES = new Map([
  ['hier soir', 'yesterday evening'],
  ['hier matin', 'yesterday morning'],
  ['avant-hier', 'the day before yesterday'],
  ['depuis ce matin', 'since this morning'],
  ['depuis hier soir', 'since yesterday evening'],
  ['depuis cette nuit', 'since last night'],
  ['depuis minuit', 'since midnight'],
  ['depuis midi', 'since noon'],
  ['depuis mardi', 'since tuesday'],
  ['depuis mercredi', 'since wednesday'],
  ['depuis jeudi', 'since thursday'],
  ['depuis vendredi', 'since friday'],
  ['depuis samedi', 'since saturday'],
  ['depuis dimanche', 'since sunday'],
  ['lundi', 'on monday'],
  ['mardi', 'on tuesday'],
  ['mercredi', 'on wednesday'],
  ['jeudi', 'on thursday'],
  ['vendredi', 'on friday'],
  ['samedi', 'on saturday'],
  ['dimanche', 'on sunday'],
  ["aujourd'hui", 'today'],
  ['hier', 'yesterday'],
  ['depuis hier', 'since yesterday'],
  ['ce matin', 'this morning'],
  ['cette nuit', 'last night'],
  ['la nuit dernière', 'last night'],
  ['cette semaine', 'this week'],
  ['la semaine dernière', 'last week'],
  ['depuis lundi', 'since monday'],
  ['dans la dernière heure', 'in the last hour'],
  ['depuis une heure', 'in the last hour'],
  ['ce week-end', 'over the weekend'],
]);
const q = (pattern: string, english: string) => [question(pattern, TIMES), english] as const;

export const FRENCH: Language = {
  times: TIMES,
  questions: [
    q("(?:quel est|c'est quoi) le problème(?: (?:avec|sur|de) N)?", 'what is wrong with <n1>'),
    q("qu'?(?:est-ce qui| est-ce qui) ne (?:va|marche|fonctionne) pas(?: (?:avec|sur) N)?", 'what is wrong with <n1>'),
    q(
      '(?:le réseau est-il|est-ce que le réseau est|le réseau est) (?:sain|ok|en bon état|en panne)|(?:est-ce que )?tout va bien|le réseau va(?:-t-il)? bien',
      'is the network healthy',
    ),
    q(
      '(?:est-ce que )?N est(?:-il|-elle)? (?:en panne|down|hors service|tombé|hors ligne|ok)',
      'what is wrong with <n1>',
    ),
    q(
      "(?:est-ce qu'il y a |y a-t-il |il y a )?(?:une |des |de la )?pertes? de paquets (?:entre N et N|de N (?:à|vers) N)(?: T)?",
      'packet loss between <n1><n3> and <n2><n4> <time>',
    ),
    q("(?:est-ce qu'il y a |y a-t-il |il y a )?(?:une |des |de la )?pertes? de paquets", 'is there packet loss'),
    q(
      'pourquoi (?:est-ce que )?N ne (?:peut pas|peut plus|peut-il pas) (?:joindre|atteindre|contacter) N',
      'why can <n1> not reach <n2>',
    ),
    q("pourquoi (?:est-ce que )?N n'(?:atteint|arrive) (?:pas|plus)(?: à joindre)? N", 'why can <n1> not reach <n2>'),
    q('(?:est-ce que )?N peut(?:-il)? (?:joindre|atteindre) N', 'can <n1> reach <n2>'),
    q("qu'?est-ce qui a changé(?: sur N)?(?: T)?", 'what changed on <n1> <time>'),
    q(
      '(?:vérifie|vérifiez|contrôle|teste|testez) (?:le lien|la liaison) entre N et N',
      'check the link between <n1> and <n2>',
    ),
    q(
      '(?:vérifie|vérifiez|teste|testez) (?:la connexion|la connectivité|le chemin) (?:entre N et N|de N (?:à|vers) N)',
      'check connectivity between <n1><n3> and <n2><n4>',
    ),
    q('(?:vérifie|vérifiez|teste|testez) N', 'what is wrong with <n1>'),
    q('(?:quelle est )?(?:la )?latence (?:entre N et N|de N (?:à|vers) N)', 'delay between <n1><n3> and <n2><n4>'),
    q("(?:qu'est-ce qui s'est passé|que s'est-il passé)(?: sur N)?(?: T)?", 'what was wrong on <n1> <time>'),
    q(
      'pourquoi (?:est-ce que )?N ne (?:voit|joint|atteint|pingue|contacte) (?:pas|plus) N',
      'why can <n1> not reach <n2>',
    ),
    q('(?:est-ce que )?N (?:voit|joint|atteint|pingue)(?:-il)?(?: encore| toujours)? N', 'can <n1> reach <n2>'),
    q('N ne (?:voit|joint|atteint|pingue) (?:pas|plus) N', 'why can <n1> not reach <n2>'),
    q('(?:pourquoi )?N ne (?:répond|marche|fonctionne) (?:pas|plus)', 'why is <n1> not responding'),
    q(
      'qui a (?:changé|modifié|touché|touché à)(?: la (?:config|configuration) de)? N(?: T)?',
      'who changed <n1> <time>',
    ),
    q(
      '(?:est-ce que )?tout (?:va bien)? ?(?:sauf|à part|excepté|hormis) N(?: et N)?',
      'what is wrong on all nodes except <n1> and <n2>',
    ),
    q(
      "(?:qu'est-ce qui ne va pas|quel est le problème|que se passe-t-il)(?: partout| sur tout)? (?:sauf|à part|excepté|hormis)(?: sur)? N(?: et N)?",
      'what is wrong on all nodes except <n1> and <n2>',
    ),
    q(
      "(?:que se passe-t-il|qu'est-ce qui se passe|ça va|comment va)(?: (?:sur|avec|chez) N| N)?",
      'what is wrong on <n1><n2>',
    ),
    q('(?:où est|où se trouve|où se situe) N', 'where is <n1>'),
    q(
      '(?:par où|par quel chemin) (?:passe|passent|va)(?: le trafic| les paquets)? (?:de N (?:à|vers) N|entre N et N)',
      'which path from <n1><n3> to <n2><n4>',
    ),
    q(
      'depuis (?:quand|combien de temps) (?:est-ce que )?N (?:est|tourne|fonctionne)(?: en marche| allumé| up)?',
      'uptime of <n1>',
    ),
  ],
  clocks: [
    [/\b(?:dans|pendant|durant|au cours) (?:les|des) (\d+) dernieres minutes\b/g, 'last $1 minutes'],
    [/\b(?:dans|pendant|durant|au cours) (?:les|des) (\d+) dernieres heures\b/g, 'last $1 hours'],
    [/\b(?:dans|pendant|durant|au cours) (?:les|des) (\d+) derniers jours\b/g, 'last $1 days'],
    [/\bdepuis (\d+) minutes\b/g, 'since $1 minutes'],
    [/\bdepuis (\d+) heures\b/g, 'since $1 hours'],
    [/\bil y a (\d+) minutes\b/g, '$1 minutes ago'],
    [/\bil y a (\d+) heures?\b/g, '$1 hours ago'],
    [/\bdepuis (\d{1,2}) ?h(?= |$)/g, 'since $1:00'],
    [/\b(?:a|vers) (\d{1,2}) ?(?:h|heures)(?= |$)/g, 'at $1:00'],
    [/\b(?:a|vers) (\d{1,2})h(\d{2})(?= |$)/g, 'at $1:$2'],
    [/\bdepuis (\d{1,2})h(\d{2})(?= |$)/g, 'since $1:$2'],
    [/\bl'(?=\w)/g, ''],
  ],
  glossary: glossaryOf(`
the: le, la, les, l', un, une, du, des
is: est, sont, est-il, est-elle
was: était, étaient, a été, ont été
is there: il y a, y a-t-il, est-ce qu'il y a
was there: il y avait, y avait-il, y a-t-il eu, il y a eu
why: pourquoi, pourquoi est-ce que
what: que, quoi, qu'est-ce qui
which: quel, quelle, quels, quelles
when: quand
since when: depuis quand
who: qui
and: et
or: ou
but: mais
between: entre
from: de, depuis le
to: à, vers, jusqu'à
on: sur, chez, dans, derrière
via: via, par, à travers
with: avec
except: sauf, excepté, hormis, à part
since: depuis
please: s'il vous plaît, s'il te plaît, svp, encore, donc
packet loss: perte de paquets, pertes de paquets, perte, pertes
delay: latence, délai, temps de réponse
slow: lent, lente, lents, lentes
throughput: débit, bande passante
errors: erreur, erreurs
crc errors: erreurs crc
outage: panne, pannes, incident, incidents
problem: problème, problèmes
down: en panne, hors service, hors ligne, down
went down: est tombé, est tombée, sont tombés, sont tombées, tombé, tombée
link: lien, liaison
interface: interface, port
interfaces: interfaces
path: chemin
neighbours: voisins
neighbour: voisin
session: session
sessions: sessions
changes: changements, modifications
changed: a changé, ont changé, changé
not working: ne marche pas, ne fonctionne pas, ne marche plus, ne fonctionne plus
not reachable: n'est pas joignable, injoignable
what happened: que s'est-il passé, qu'est-ce qui s'est passé
network: réseau
everything: tout
ok: va bien, vont bien, bien
node: routeur, nœud
reachable: joignable, accessible
show me: montre-moi, montrez-moi, affiche, affichez
how much traffic: combien de trafic
traffic: trafic
restarted: a redémarré, ont redémarré
lost: a perdu, ont perdu
yesterday evening: hier soir
in the last hour: dans la dernière heure
not responding: ne répond pas, ne répond plus, ne répondent pas, ne répondent plus
cannot reach: ne joint pas, ne joint plus, ne voit pas, ne voit plus, n'atteint pas, n'atteint plus
went down: tombe, est down, est tombé en panne
flaps: bat, flappe, flap, instable, instables
jitter: gigue, jitter
counters: compteurs
timeline: historique, chronologie
packets: paquets
are lost: sont perdus, perdus
customers: clients, client, utilisateurs, utilisateur
changes: changements
overloaded: saturé, saturée, saturés, surchargé, surchargée
status: état, statut
very: très, si
all nodes: tous les routeurs, tous les nœuds
loses packets: perd des paquets, perdent des paquets
restarted: redémarré
can: peut, peut-il, peut-on
reach: joindre, atteindre, contacter
which path: quel chemin, quelle route
how much: combien de
`),
  words: new Set(
    "quel quelle est le la les un une des du problème avec pourquoi comment qui que quoi où ne pas plus peut joindre atteindre entre et ou perte pertes paquets réseau sain panne lien liaison vérifie vérifiez depuis hier aujourd'hui matin nuit dernière changé est-ce qu'est-ce qu'il montre montrez moi redémarre redémarrez routeur combien marche fonctionne bonjour lent lente".split(
      ' ',
    ),
  ),
  refusal: "une question en français qui n'est pas comprise ainsi : veuillez la poser en anglais (English)",
};
