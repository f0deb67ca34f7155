// Which of two addresses asks the other. Only builds that are known decide it: each word becomes one sign, and the signs of the whole sentence must
// be those of a known build. Any other sentence may be about a range, a link, a move or a translation of addresses, and is refused.
import type { Meaning } from '../../words/meaning.ts';
import type { Item } from '../item.ts';

export type AskingEnd = 'first' | 'second';

/** Undefined where no build that is known says it. */
export function askingEndOf(items: readonly Item[]): AskingEnd | undefined {
  const signs = items
    .map((item, at) => signOf(item, items, at))
    .join('')
    .replace(PLACE, '$1');
  const [before, gap, behind, more] = signs.split('A');
  if (before === undefined || gap === undefined || behind === undefined || more !== undefined) return undefined;
  const said = `${before}A${gap.replaceAll('m', '')}A${behind}`;
  const isPage = items.some((item) => item.kind === 'address' && item.port !== undefined) && PAGE.test(said);
  const found = isPage ? 'second' : WAYS.find(([pattern]) => pattern.test(said))?.[1];
  const isPath = items.some(
    (item) => item.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic === 'path',
  );
  if (found === undefined || isLostReply(said) || isServiceOf(said, found)) return undefined;
  return isRange(said) && !isPath ? undefined : found;
}

/*
 * The signs: `A` an address, `n` a name; roles: f from, t to, b between, c via, w with, o of, 4 for, h behind, y by, i on; verbs: V "reaches",
 * Q "reached", B "answers", H "receives", g "gets", L "loads"; D "reachable", O "times out", N "connection"; T packet loss, delay and the like,
 * d other troubles, u "up" and "down"; p packets and people, s a service or a port, r a name to be resolved, z "no", q "which", m "are", `,` a break,
 * a "and", > an arrow, e other words that say nothing, x any other.
 */
const PRE = '(?:[TNdupszDOLmqge,]|[ic]s)*';
const POST = 's*(?:[TNdupzDOHLmge,]|zB|[ic]s+)*$';
const SAID = '[zgTNpdsO]*';

const WAYS: readonly (readonly [RegExp, AskingEnd])[] = [
  // "A reaches B", "A cannot open port 443 of B", "A loses its connection to B", "A gets no reply from B".
  [way(`${PRE}A[zg]*[VQ](?:t|s+[oi]?|ps?[oi])?A${POST}`), 'first'],
  [way(`${PRE}A[zgTp]*N[tw]A${POST}`), 'first'],
  [way(`${PRE}A[zg]*(?:[TpN]+|O)tA${POST}`), 'first'],
  [way(`${PRE}A[gH]?zBfA${POST}|${PRE}A[gH]BfA${POST}`), 'first'],
  // "From A to B", "packets from A do not arrive at B", "from A, B is unreachable", "between A and B", "A -> B".
  [way(`${PRE}V?fA${SAID}tA${POST}`), 'first'],
  [way(`${PRE}fA(?:z?[HT]i|z?H[it]|z?V)A${POST}`), 'first'],
  [way(`[m,]*fA,?A[DuOdTL]${POST}`), 'first'],
  [way(`${PRE}bAaA${POST}`), 'first'],
  [way(`${PRE}f?A>A${POST}`), 'first'],
  // "A to B is slow": of "A to B is down" a range may be meant.
  [way(`[TpNzsqe]*T[TpNzse]*AtA[TpNze,]*$|[TpNzsqe]*AtA[TpNze,]*T[TpNze,]*$`), 'first'],
  // "Why is it slow for A to reach B".
  [way(`${PRE}4AtVA${POST}`), 'first'],
  // "No reply to A from B", "no reply from B to A", "no replies to pings from A to B".
  [way(`${PRE}B[t4]AfA${POST}`), 'first'],
  [way(`${PRE}BfAtA${POST}`), 'second'],
  [way(`${PRE}Bt?[Vp]fAtA${POST}`), 'first'],
  [way(`${PRE}Bt?[Vp]tAfA${POST}`), 'second'],
  // "A cannot resolve www.example.net at B", and the other way round.
  [way(`${PRE}Az?rr+[ifcw]?s*[ifcw]s*A${POST}`), 'first'],
  [way(`${PRE}rr+[TdNusz]*fA[TdNusz]*is*A${POST}|${PRE}fA[,z]*rr+is*A${POST}`), 'first'],
  [way(`${PRE}rr+[TdNusz]*is*A[TdNusz]*fA${POST}`), 'second'],
  // "A -> B resolving www.example.net", as answers say it.
  [way(`${PRE}fAtArr+s*${POST}`), 'first'],
  [way(`${PRE}AfA[DOu]${POST}`), 'second'],
  // "Packets to A from B", "ping A from B", "A is not reachable from B", "A is slow from B", "A does not answer B".
  [way(`${PRE}[VDO]?tA${SAID}fA${POST}`), 'second'],
  [way(`${PRE}[VDQ]A(?:i?s+)?fA${POST}`), 'second'],
  [way(`${PRE}(?:s[oi])?A${SAID}(?:[DQOT]|N)(?:i?s+)?fA${POST}`), 'second'],
  [way(`${PRE}s[oi]A[zg]*[Ld]fA${POST}`), 'second'],
  [way(`${PRE}A[zg]*Hz?p+fA${POST}`), 'second'],
  [way(`${PRE}(?:s[oi])?A[zg]*QyA${POST}`), 'second'],
  [way(`${PRE}(?:s[oi])?A(?:Bt?|Bt?[Vp]f)A${POST}`), 'second'],
];

/** "http://198.51.100.10/ does not load from A". */
const PAGE = way(`${PRE}A[zg]*[Ld]fA${POST}`);

function way(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})`);
}

/** "Behind pe1 eth3", "behind eth3 of pe1". */
const PLACE = /(A)hn(?:o?n)*/g;

/** "What from A to B is down", "A to B are slow": each address between the two may be meant. */
function isRange(said: string): boolean {
  if (!/AtA|AaA/.test(said)) return false;
  return /qe*[fbm]/.test(said) || (/[uDm]/.test(said) && !/[pN]/.test(said));
}

/** "The reply from A to B is lost": on which way is said by the reply, and who asked by the other one. */
function isLostReply(said: string): boolean {
  return /B[ft4]A/.test(said) && /T/.test(said);
}

/** A port or a service beside the one that asks, or in a sentence of its own. */
function isServiceOf(said: string, asking: AskingEnd): boolean {
  const isApart = /s/.test(said) && /,/.test(said.slice(said.indexOf('A')));
  const beside = asking === 'first' ? /s[oi]?A.*A|^[^A]*Ai?s/ : /A.*[^A]sA|A.*As/;
  return isApart || beside.test(said);
}

function signOf(item: Item, items: readonly Item[], at: number): string {
  switch (item.kind) {
    case 'address':
      return 'A';
    case 'node':
    case 'ifname':
      return items[at + 1]?.kind === 'address' ? '' : 'n';
    case 'record':
      return 'r';
    case 'time':
      return '';
    case 'number':
      return 's';
    case 'arrow':
      return '>';
    case 'dash':
    case 'comma':
    case 'stop':
      return at === items.length - 1 ? '' : ',';
    case 'left':
      return item.why === 'aside' ? '' : 'x';
    case 'meaning':
      return meaningSign(item.meaning, item.text, items[at + 1]);
  }
}

const ROLES: Readonly<Record<string, string>> = { from: 'f', to: 't', between: 'b', via: 'c', with: 'w' };
const ON: Readonly<Record<string, string>> = { of: 'o', for: '4', behind: 'h', by: 'y', on: 'i', at: 'i', in: 'i' };

function meaningSign(meaning: Meaning, text: string, next: Item | undefined): string {
  switch (meaning.kind) {
    case 'role':
      return ROLES[meaning.role] ?? ON[text] ?? 'x';
    case 'verb':
      if (meaning.back === true) return / to$/.test(text) ? 'Bt' : 'B';
      return /^(?:hear|receiv|arriv)/.test(text) ? 'H' : 'V';
    case 'topic':
      return topicSign(meaning.topic, text);
    case 'noun':
      return nounSign(meaning.noun, text, next);
    case 'empty':
      return emptySign(text, meaning.beside === true, next);
    case 'service':
    case 'port':
    case 'srv6':
      return 's';
    case 'record':
      return 'r';
    case 'not':
      return text === 'no' ? 'z' : /^(?:not|never|no longer|cannot|unable to)$/.test(text) ? '' : 'x';
    case 'and':
      return 'a';
    case 'aside':
    case 'before-fault':
      return '';
    case 'past':
      return /^(?:took|taken|brought|knocked|kept)$/.test(text) ? 'x' : /^were$/.test(text) ? 'm' : '';
    case 'show':
      return /^get$/.test(text) ? 'g' : 'e';
    default:
      return 'x';
  }
}

const ANSWERS = /^(?:no )?(?:answers?|responses?|repl(?:y|ies)|echo|echoes)$/;
const REACHABLE = /^(?:(?:host )?unreachable|(?:not )?reachable|pingable|invisible|offline from)$/;
const TIMES_OUT = /^tim(?:e|es|ing|ed) ?outs?$/;
const CONNECTION = /^(?:reachability|connectivity|connections?|communication|timeouts?|(?:lost )?contact)$/;
const LOADS = /^(?:loads?|open|pass(?:es)?|go through|works?|working)$/;
const REACHES =
  /^(?:reach(?:es|ing)?|trace|trace(?:rt|path|route6?)|trace route|mtr|ping6?|pings|pinging|gets? through|getting through|ha(?:s|ve) (?:a|no) route(?: to)?|is there a route to|no route(?: to)?|no path to|no way to|lost contact (?:with|to)|connects?|communicate|talk|talking|contact)$/;
const STATES =
  /^(?:down|up|up or down|down or up|offline|online|alive|dead|gone|away|silent|quiet|available|unavailable|back|(?:is|are) back.*|been (?:down|offline|unreachable)|unresponsive|up and running)$/;
const ALONG: readonly string[] = ['loss', 'delay', 'jitter', 'capacity', 'mtu', 'path', 'errors'];

function topicSign(topic: string, text: string): string {
  if (ANSWERS.test(text)) return 'B';
  if (text === 'traffic') return 'p';
  if (STATES.test(text)) return 'u';
  if (/^reached$/.test(text)) return 'Q';
  if (REACHABLE.test(text)) return 'D';
  if (TIMES_OUT.test(text)) return 'O';
  if (CONNECTION.test(text)) return 'N';
  if (LOADS.test(text)) return 'L';
  if (REACHES.test(text)) return 'V';
  if (topic === 'reach') return 'x';
  if (topic === 'trouble') return /^fail|^com(?:e|es)|^came/.test(text) ? 'L' : 'd';
  return ALONG.includes(topic) ? 'T' : 'x';
}

/** One of them, right before what names it. */
function nounSign(noun: string, text: string, next: Item | undefined): string {
  if (noun === 'path') return text === 'path' ? 'p' : 'x';
  if (noun === 'interface' && /^ports?$/.test(text))
    return next?.kind === 'number' ? 's' : next?.kind === 'ifname' ? '' : 'x';
  const isOne = /^(?:node|router|switch|device|box|host|server|machine|system|address|ip|ip address)$/.test(text);
  return isOne && ['address', 'node', 'left'].includes(next?.kind ?? '') ? '' : 'x';
}

/** Between the two addresses only these say nothing. */
const SMALL =
  /^(?:an?|the|this|its|our|my|your|any|some|is|be|been|being|does|can|could|would|should|will|has|having|able to|be able|still|always|often|again|ever|very|quite|just|simply|really|actually|currently|now|at all|sometimes|intermittently|but|get|gets|got|getting|only|to be)$/;
const ONE = /^(?:caller|client|customer|user)$/;
const PLURAL = /^(?:callers|clients|colleagues|customers|people|users)$/;

function emptySign(text: string, isBeside: boolean, next: Item | undefined): string {
  if (/^(?:get|gets|got|getting)$/.test(text)) return 'g';
  if (/^(?:are|do|have)$/.test(text)) return 'm';
  if (/^(?:what|which|who|whose)$/.test(text)) return 'q';
  if (isBeside && next?.kind === 'address') return PLURAL.test(text) ? 'x' : ONE.test(text) ? '' : 'p';
  if (isBeside) return 'p';
  return SMALL.test(text) ? '' : 'e';
}
