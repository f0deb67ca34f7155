// The commonest questions in Spanish.
import { glossaryOf, type Language, question } from './language.ts';

const TIMES = new Map([
  ['ayer por la tarde', 'yesterday afternoon'],
  ['ayer por la mañana', 'yesterday morning'],
  ['ayer por la noche', 'yesterday night'],
  ['anteayer', 'the day before yesterday'],
  ['esta tarde', 'this afternoon'],
  ['desde esta mañana', 'since this morning'],
  ['desde anoche', 'since last night'],
  ['desde medianoche', 'since midnight'],
  ['desde mediodía', 'since noon'],
  ['desde el martes', 'since tuesday'],
  ['desde el miércoles', 'since wednesday'],
  ['desde el jueves', 'since thursday'],
  ['desde el viernes', 'since friday'],
  ['desde el sábado', 'since saturday'],
  ['desde el domingo', 'since sunday'],
  ['el lunes', 'on monday'],
  ['el martes', 'on tuesday'],
  ['el miércoles', 'on wednesday'],
  ['el jueves', 'on thursday'],
  ['el viernes', 'on friday'],
  ['el sábado', 'on saturday'],
  ['el domingo', 'on sunday'],
  ['hoy', 'today'],
  ['ayer', 'yesterday'],
  ['desde ayer', 'since yesterday'],
  ['esta mañana', 'this morning'],
  ['anoche', 'last night'],
  ['esta semana', 'this week'],
  ['la semana pasada', 'last week'],
  ['desde el lunes', 'since monday'],
  ['en la última hora', 'in the last hour'],
  ['en los últimos diez minutos', 'in the last 10 minutes'],
  ['en los últimos 10 minutos', 'in the last 10 minutes'],
  ['el fin de semana', 'over the weekend'],
]);
const q = (pattern: string, english: string) => [question(pattern, TIMES), english] as const;

export const SPANISH: Language = {
  times: TIMES,
  questions: [
    q('qué (?:pasa|ocurre|sucede|falla|está mal|va mal)(?: (?:con|en) N)?', 'what is wrong with <n1>'),
    q('cuál es el problema(?: (?:con|en) N)?', 'what is wrong with <n1>'),
    q(
      '(?:la red está|está la red|está todo|todo está|la red funciona)(?: bien| sana| ok| correcta| en orden)?',
      'is the network healthy',
    ),
    q(
      '(?:está|se ha) (?:caído|caída|bien|abajo|muerto) N|N está (?:caído|caída|abajo|muerto|bien)',
      'what is wrong with <n1><n2>',
    ),
    q(
      '(?:hay |tenemos )?pérdidas? de paquetes (?:entre N y N|de N a N|desde N (?:a|hasta|hacia) N)(?: T)?',
      'packet loss between <n1><n3><n5> and <n2><n4><n6> <time>',
    ),
    q('(?:hay |tenemos )?pérdidas? de paquetes', 'is there packet loss'),
    q('por qué N no (?:llega a|alcanza|puede alcanzar|puede llegar a|ve a) N', 'why can <n1> not reach <n2>'),
    q('(?:puede )?N (?:llegar a|alcanzar|llega a|alcanza)(?: a)? N', 'can <n1> reach <n2>'),
    q('qué (?:ha cambiado|cambió|se cambió)(?: en N)?(?: T)?', 'what changed on <n1> <time>'),
    q('(?:comprueba|verifica|revisa) el enlace entre N y N', 'check the link between <n1> and <n2>'),
    q(
      '(?:comprueba|verifica|revisa) (?:la conexión|el camino|la conectividad) (?:entre N y N|de N a N)',
      'check connectivity between <n1><n3> and <n2><n4>',
    ),
    q('(?:comprueba|verifica|revisa) N', 'what is wrong with <n1>'),
    q('(?:cuál es )?(?:la )?latencia (?:entre N y N|de N a N)', 'delay between <n1><n3> and <n2><n4>'),
    q('qué (?:pasó|ocurrió|falló)(?: (?:con|en) N)?(?: T)?', 'what was wrong on <n1> <time>'),
    q(
      'qué (?:pasa|ocurre|sucede|falla)(?: (?:con|en))? (?:todos|todo|todas|toda la red)(?: los routers| los nodos)? (?:menos|excepto|salvo) N(?: y N)?',
      'what is wrong on all nodes except <n1> and <n2>',
    ),
    q(
      '(?:está |va )?todo (?:bien|ok)? ?(?:menos|excepto|salvo)(?: en)? N(?: y N)?',
      'what is wrong on all nodes except <n1> and <n2>',
    ),
    q('(?:por qué )?N no (?:responde|funciona|contesta|va)', 'why is <n1> not responding'),
    q('N no (?:llega a|alcanza|ve a|ve|puede llegar a|puede alcanzar)(?: a)? N', 'why can <n1> not reach <n2>'),
    q(
      'quién (?:cambió|ha cambiado|modificó|tocó)(?: la (?:config|configuración) de| algo en)? N(?: T)?',
      'who changed <n1> <time>',
    ),
    q('(?:dónde está|dónde se encuentra) N', 'where is <n1>'),
    q(
      '(?:por dónde|qué camino|por qué camino) (?:pasa|va|toma|pasan|van)(?: el tráfico| los paquetes)? (?:de N a N|entre N y N|desde N (?:a|hasta) N)',
      'which path from <n1><n3><n5> to <n2><n4><n6>',
    ),
    q('(?:desde cuándo|cuánto tiempo lleva) (?:está )?N(?: encendido| arriba| funcionando)?', 'uptime of <n1>'),
  ],
  clocks: [
    [/\ben los ultimos (\d+) minutos\b/g, 'last $1 minutes'],
    [/\ben las ultimas (\d+) horas\b/g, 'last $1 hours'],
    [/\ben los ultimos (\d+) dias\b/g, 'last $1 days'],
    [/\b(?:desde )?hace (\d+) minutos\b/g, 'since $1 minutes'],
    [/\b(?:desde )?hace (\d+) horas\b/g, 'since $1 hours'],
    [/\ba las (\d{1,2}:\d{2})(?= |$)/g, 'at $1'],
    [/\ba las (\d{1,2})(?= |$)/g, 'at $1:00'],
    [/\bdesde las (\d{1,2}:\d{2})(?= |$)/g, 'since $1'],
    [/\bdesde las (\d{1,2})(?= |$)/g, 'since $1:00'],
  ],
  glossary: glossaryOf(`
the: el, la, los, las, un, una, del
is: está, están, es, son
was: estaba, estuvo, estaban, fue, era
is there: hay, tenemos
was there: hubo, había
why: por qué
what: qué, que
which: cuál, cuáles
when: cuándo
since when: desde cuándo
who: quién
and: y, e
or: o
but: pero
between: entre
from: de, desde
to: a, al, hasta, hacia
on: en, detrás de
via: por, vía, a través de
with: con
except: excepto, salvo, menos
please: por favor, ahora
packet loss: pérdida de paquetes, pérdidas de paquetes, pérdida, pérdidas
delay: latencia, retardo, retraso
slow: lento, lenta, lentos, lentas
throughput: ancho de banda, rendimiento
errors: error, errores
crc errors: errores crc
outage: avería, averías, incidente, incidentes
problem: problema, problemas
down: caído, caída, caídos, caídas, abajo
went down: se cayó, cayó, se ha caído
link: enlace
interface: interfaz
interfaces: interfaces
path: camino, ruta
neighbours: vecinos
neighbour: vecino
session: sesión
sessions: sesiones
changes: cambios
changed: cambió, ha cambiado
not working: no funciona, no va, ya no funciona
not reachable: no es alcanzable, inalcanzable
network: red
everything: todo
ok: bien
node: router, nodo
reachable: alcanzable, accesible
show me: muestra, muéstrame, mostrar
how much traffic: cuánto tráfico
traffic: tráfico
restarted: reinició, se reinició
lost: perdió, ha perdido
what happened: qué pasó, qué ocurrió, qué ha pasado
not responding: no responde, no responden, no contesta, no contestan
cannot reach: no llega a, no alcanza, no ve a
flaps: parpadea, inestable, inestables
jitter: jitter, fluctuación
counters: contadores
timeline: historial
packets: paquetes
are lost: se pierden, perdidos
loses packets: pierde paquetes, pierden paquetes
customers: clientes, cliente, usuarios, usuario
overloaded: saturado, saturada, saturados, sobrecargado, sobrecargada
status: estado
very: muy, tan
all nodes: todos los routers, todos los nodos
since: desde
in the last hour: en la última hora, la última hora
can: puede
reach: alcanzar, llegar a
which path: qué camino
restarted: se ha reiniciado
`),
  words: new Set(
    'qué que pasa por cómo quién dónde cuándo cuál el la los las un una con en de desde hasta entre y o no hay pérdida pérdidas paquetes red está bien caído enlace comprueba verifica revisa ayer hoy anoche mañana última cambió cambiado llega alcanza problema muestra muéstrame reinicia reiniciar apaga lento lenta'.split(
      ' ',
    ),
  ),
  refusal: 'una pregunta en español que así no se entiende: por favor, en inglés (English)',
};
