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
 * The signs: A an address, n a name. Roles: f from, t to, b between, c via, w with, o of, 4 for, h behind, y by, i on. Verbs: V "reaches", Q "reached",
 * G "goes to", B an answer, C "responds", H "receives", g "gets", L "loads", m "are" and other verbs of many. What is asked: D "reachable", O "times
 * out", N "connection", T packet loss, delay and the like, d other troubles, u "up" and "down". Things: p packets, s a service or a port, r a name to be
 * resolved. The rest: z "no", q "which", a "and", > an arrow, a comma for any break, e what says nothing else, x any other word.
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
  [way(`${PRE}fA(?:z?[HT]i|z?H[it]|z?[VG])A${POST}`), 'first'],
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
  // "A from B is not reachable", "packets to A from B", "ping A from B", "A is not reachable from B", "A is slow from B", "A does not answer B".
  [way(`${PRE}AfA[DOu]${POST}`), 'second'],
  [way(`${PRE}[VDO]?tA${SAID}fA${POST}`), 'second'],
  [way(`${PRE}[VDQG]A(?:i?s+)?fA${POST}`), 'second'],
  [way(`${PRE}(?:s[oi])?A${SAID}(?:[DQOT]|N)(?:i?s+)?fA${POST}`), 'second'],
  [way(`${PRE}s[oi]A[zg]*[Ld]fA${POST}`), 'second'],
  [way(`${PRE}A[zg]*Hz?p+fA${POST}`), 'second'],
  [way(`${PRE}(?:s[oi])?A[zg]*QyA${POST}`), 'second'],
  [way(`${PRE}(?:s[oi])?A[BC]t?(?:[Vp]f)?A${POST}`), 'second'],
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
  const isApart = /s.*,.*[^e,]|A.*,.*s/.test(said);
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
      return meaningSign(item.meaning, item.text, { last: items[at - 1], next: items[at + 1] });
  }
}

const ROLES: Readonly<Record<string, string>> = { from: 'f', to: 't', between: 'b', via: 'c', with: 'w' };
const ON: Readonly<Record<string, string>> = { of: 'o', for: '4', behind: 'h', by: 'y', on: 'i', at: 'i', in: 'i' };

type Beside = { readonly last: Item | undefined; readonly next: Item | undefined };

function meaningSign(meaning: Meaning, text: string, beside: Beside): string {
  switch (meaning.kind) {
    case 'role':
      return /^(?:until|up to|into)$/.test(text) ? 'x' : (ROLES[meaning.role] ?? ON[text] ?? 'x');
    case 'verb':
      if (meaning.back === true) return (ANSWER.test(text) ? 'B' : 'C') + (/ to$/.test(text) ? 't' : '');
      return /^(?:hear|receiv|arriv)/.test(text) ? 'H' : GOES.test(text) ? 'G' : 'V';
    case 'topic':
      return (beside.last?.kind === 'address' && OF_MANY_DONE.test(text) ? 'm' : '') + topicSign(meaning.topic, text);
    case 'noun':
      return nounSign(meaning.noun, text, beside.next);
    case 'empty':
      return emptySign(text, meaning.beside === true, beside);
    case 'service':
    case 'port':
    case 'srv6':
      return 's';
    case 'protocol':
      return isOfEnd(beside.next) ? '' : 'x';
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
      return /^(?:took|taken|brought|knocked|kept)$/.test(text)
        ? 'x'
        : /^were$/.test(text) && isOfMany(beside)
          ? 'm'
          : '';
    case 'show':
      return /^get$/.test(text) ? 'g' : 'e';
    default:
      return 'x';
  }
}

/** Of addresses these are moves as well. */
const GOES = /^(?:go|goes|comes?|sent) to$/;
const ANSWER = /^(?:no )?(?:answers?|responses?|repl(?:y|ies)(?: to)?|echo|echoes)$/;
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
  if (ANSWER.test(text)) return 'B';
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
  const isOne =
    /^(?:node|router|switch|device|box|host|server|machine|system|neighbou?r|peer|address|ip|ip address)$/.test(text);
  return isOne && ['address', 'node', 'left'].includes(next?.kind ?? '') ? '' : 'x';
}

/** "Its BGP neighbour 203.0.113.3", "BGP port 179". */
function isOfEnd(next: Item | undefined): boolean {
  if (next?.kind !== 'meaning') return false;
  return next.meaning.kind === 'port' || (next.meaning.kind === 'noun' && /^(?:neighbou?r|peer|port)$/.test(next.text));
}

/** Between the two addresses only these say nothing. */
const SMALL =
  /^(?:an?|the|this|its|high|heavy|massive|severe|intermittent|low|many|several|few|our|my|your|any|some|is|be|been|being|does|can|could|would|should|will|has|having|able to|be able|still|always|often|again|ever|very|quite|just|simply|really|actually|currently|now|at all|sometimes|intermittently|but|get|gets|got|getting|only|to be)$/;
/** "A to B lose packets": behind an address it is of many. */
const OF_MANY_DONE =
  /^(?:drop|lose|loose|lag|discard|eat|swallow|vanish|disappear|crawl|stall|freeze|hang|stutter|slow down|take|go|time out|get|overload|saturate|break)(?: |$)/;
const OF_MANY = /^(?:those|these|they|them|any|some|one)$/;
const TRAFFIC = /^(?:(?:customer |ip |user )?traffic|packets?|frames?|datagrams?|flows?|streams?|data|way)$/;
const ONE = /^(?:caller|client|customer|user)$/;
const PLURAL = /^(?:callers|clients|colleagues|customers|people|users)$/;

function emptySign(text: string, isBeside: boolean, { last, next }: Beside): string {
  if (/^(?:get|gets|got|getting)$/.test(text)) return 'g';
  // "Those from A to B".
  if (OF_MANY.test(text) && isEnd(next) && next?.kind !== 'address') return 'q';
  if (/^(?:are|do|have)$/.test(text)) return isOfMany({ last, next }) ? 'm' : '';
  if (/^(?:what|which|who|whose)$/.test(text)) return 'q';
  if (isBeside && next?.kind === 'address') return PLURAL.test(text) ? 'x' : ONE.test(text) ? '' : 'e';
  if (isBeside && TRAFFIC.test(text)) return 'p';
  return SMALL.test(text) ? '' : 'e';
}

/** "Are A to B", "are those from A to B", "A to B are". */
function isOfMany({ last, next }: Beside): boolean {
  return last?.kind === 'address' || isEnd(next) || (next?.kind === 'meaning' && OF_MANY.test(next.text));
}

function isEnd(item: Item | undefined): boolean {
  return item?.kind === 'address' || (item?.kind === 'meaning' && item.meaning.kind === 'role');
}
