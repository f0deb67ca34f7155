// The commonest questions in Spanish.
import { type Language, question } from './language.ts';

const TIMES = new Map([
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
  ],
  words: new Set(
    'qué que pasa por cómo quién dónde cuándo cuál el la los las un una con en de desde hasta entre y o no hay pérdida pérdidas paquetes red está bien caído enlace comprueba verifica revisa ayer hoy anoche mañana última cambió cambiado llega alcanza problema muestra muéstrame reinicia reiniciar apaga lento lenta'.split(
      ' ',
    ),
  ),
  refusal: 'una pregunta en español que así no se entiende: por favor, en inglés (English)',
};
