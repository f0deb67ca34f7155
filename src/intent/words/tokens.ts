// A sentence as tokens: words in lower case, and what has a form of its own: addresses, times, numbers, arrows, places such as
// `eth1@pe1`. Nothing is left out here: every character but spaces, quotes and brackets is in some token. A sign that is known for nothing
// (`!pe7`, `~`) is a token too, and so are letters of another script: the reader refuses both (docs/decisions/0088-signs-scripts-and-small-words.md).
import { parsePrefix } from '#base/ip.ts';
import { withoutKeys } from './key-values.ts';

export type Token = {
  /** As typed, without quotes. */
  readonly text: string;
  /** Lower case, `n't` and `'s` resolved. */
  readonly low: string;
  readonly kind: TokenKind;
};

export type TokenKind =
  | 'word'
  | 'number'
  | 'amount'
  | 'clock'
  | 'date'
  | 'address'
  | 'port'
  | 'url'
  | 'place'
  | 'resource'
  | 'arrow'
  | 'back'
  | 'dash'
  | 'comma'
  | 'stop'
  /** The address of a network card. */
  | 'mac'
  /** `>` or `≥` before an amount. */
  | 'compare'
  /** Letters and digits that are not Latin. */
  | 'script'
  /** Any other character. */
  | 'sign';

const V6 = '(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:\\d{1,3}(?:\\.\\d{1,3}){3})?';
const V4 = '\\d{1,3}(?:\\.\\d{1,3}){3}';
const LETTER = 'A-Za-z0-9À-ÖØ-öø-ɏ';
const NAME = `[${LETTER}](?:[${LETTER}._]|-(?=[${LETTER}]))*`;
const IFNAME = '(?:[A-Za-z][A-Za-z-]{0,14}\\s?\\d[\\w./-]*|lo)';

/** The first that fits at a place is the token there. */
const FORMS: readonly (readonly [TokenKind, RegExp])[] = [
  ['resource', /(?:node|interface|link)\/[A-Za-z0-9][^\s,;?!]*/iy],
  ['url', /https?:\/\/[^\s,;?!]+/iy],
  ['mac', /(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![\w:])|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}(?![\w.])/iy],
  ['port', new RegExp(`(?:\\[${V6}\\]|${V4}):\\d{1,5}(?![\\w.])`, 'iy')],
  ['address', new RegExp(`\\[?(?:${V6}|${V4})\\]?(?:/\\d{1,3})?(?![\\w])`, 'iy')],
  ['date', /\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?(?![\w:-])/iy],
  ['clock', /\d{1,2}:\d{2}(?::\d{2})?(?![\w:])/y],
  ['clock', /\d{1,2}\s*(?:am|pm|a\.m\.|p\.m\.|o'clock|h\d{2}|uhr)(?![\w])/iy],
  // Military time.
  ['clock', /(?:[01]\d|2[0-3])[0-5]\d(?:z|hrs)(?![\w])/iy],
  ['compare', /(?:[<>]=?|=[<>])(?=\s?\d)(?!\s?(?:\d{1,3}\.){3}|\s?[\da-f]{1,4}:[\da-f:]{2,}:)|[≤≥≦≧≮≯]/iy],
  ['amount', /\d+(?:[.,]\d+)?\s?(?:%|percent\b)\+?/iy],
  ['amount', /\d+(?:\.\d+)?(?:ms|us|s|secs?|m|mins?|h|hrs?|d|w|kb|mb|gb|kbps|mbps|gbps|bytes?)(?![\w])\+?/iy],
  // Sizes and rates, also with a space before what they are of: "90 mbit", "1G", "5 ms".
  ['amount', /\d+(?:[.,]\d+)?(?:\s?(?:[kmgt]?bit|[kmgt]?bits?\/s|[kmgt]b\/s|[kmgt]bps|ms|msec)|G)(?![\w/])\+?/iy],
  ['word', /[A-Za-z][A-Za-z-]{1,14}\d+(?:\/\d+)+(?:\.\d+)?(?![\w/])/y],
  ['place', new RegExp(`${NAME}\\[${IFNAME}\\]`, 'y')],
  ['place', new RegExp(`${IFNAME}@${NAME}`, 'y')],
  ['place', new RegExp(`${NAME}[:/](?:[A-Za-z][A-Za-z-]{0,14}\\d[\\w.-]*|lo)(?![\\w/])`, 'y')],
  ['back', /<[-=]{1,2}(?!>)|←|⇐|<(?=\s|$)/y],
  ['arrow', /(?:<?-{1,2}>|<?={1,2}>|<-{1,2}|<>|→|↔|⇒|➔|➜|»|>+)/y],
  ['number', /\d+(?:[.,]\d+)?(?![\w-])/y],
  // Signs between letters that are a word together.
  ['word', /(?:w\/o?|and\/or|up\/down|down\/up|rx\/tx|tx\/rx|in\/out)(?![\w/])/iy],
  ['word', new RegExp(`${NAME}(?:['’][A-Za-z]+)?`, 'y')],
  // Right before a word, where none ends, these leave it out: "-pe7", "!pe7".
  ['sign', new RegExp(`(?<![^\\s([{,;:])[-–—]+(?=[${LETTER}])`, 'y')],
  ['sign', /!+(?=[^\s!?.,;:)\]}])/y],
  ['dash', /[-–—]+/y],
  ['comma', /[,&+、，]/y],
  ['stop', /(?:[.;:?|。]|!(?![^\s!?.,;:)\]}]))+/y],
  ['script', /[\p{L}\p{M}\p{N}]+/uy],
];

/** Say nothing: brackets, the sign before the server of "dig @192.0.2.53", and the sign of a message's name in a log, "%ADJCHANGE:". */
const SILENT = /\s|[()[\]{}¿¡]|%(?=[A-Z][A-Z0-9_-]{2,}:)|#(?=\d)|@(?=(?:\d{1,3}\.){3}\d)/y;

export function tokensOf(sentence: string): readonly Token[] {
  const text = withoutKeys(sentence)
    .normalize('NFKC')
    .replace(/[’‘`´]/g, "'")
    .replace(/\b(tcp|udp)\/(\d{1,5})\b/gi, '$1 port $2')
    .replace(/["“”„«»]/g, ' ')
    // The name of a message in a log: "%LINK-3-UPDOWN: Interface eth1".
    .replace(/%?\b([A-Z][A-Z0-9_]+)-[0-7]-([A-Z][A-Z0-9_]+)(?=\W|$)/g, '$1 $2')
    // "Packet loss = 40%".
    .replace(/\s=\s(?=\d+(?:\.\d+)?\s?(?:%|ms\b))/g, ' : ')
    // "Priority: 2 / Affected: leaf2".
    .replace(/\s[/|]\s+(?=[A-Z][a-z]+:)/g, ' ; ')
    // A name in place of which another is to be put.
    .replace(/(?<=^|\s)<(\w[\w.-]{0,30})>/g, ' $1 ')
    .replace(/(?<![A-Za-z0-9])'|'(?![A-Za-z])/g, ' ');
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    SILENT.lastIndex = at;
    const isSilent = SILENT.test(text);
    const found = withoutStop(tokenAt(text, at), text, at) ?? (isSilent ? undefined : signAt(text, at));
    if (found !== undefined) tokens.push(...wordsOf(found));
    at += found?.text.length ?? 1;
  }
  return tokens;
}

/** "It was slow. Is it up?": the full stop behind a word ends a sentence, and is no part of the word; "vs." and such end none. */
function withoutStop(token: Token | undefined, text: string, at: number): Token | undefined {
  if (token?.kind !== 'word' || !/[^.]\.$/.test(token.text) || SHORT.test(token.low)) return token;
  if (!/^\s+\S/.test(text.slice(at + token.text.length))) return token;
  const word = token.text.slice(0, -1);
  return { text: word, low: word.toLowerCase(), kind: 'word' };
}

const SHORT = /^(?:[a-z]|vs|approx|incl|excl|etc|mr|mrs|ms|dr|st|ca|e\.g|i\.e|int|no|nr|max|min|ref|tel|dept)\.$/;

function signAt(text: string, at: number): Token {
  const sign = String.fromCodePoint(text.codePointAt(at)!);
  return { text: sign, low: sign, kind: 'sign' };
}

function tokenAt(text: string, at: number): Token | undefined {
  for (const [kind, form] of FORMS) {
    form.lastIndex = at;
    const typed = form.exec(text)?.[0];
    if (typed === undefined || typed === '') continue;
    if (kind === 'address' && parsePrefix(bare(typed)) === undefined && !/^[\d.]+$/.test(typed)) continue;
    if (kind === 'place' && /^https?[:/]/i.test(typed)) continue;
    return { text: typed, low: lowOf(kind, typed), kind };
  }
  return undefined;
}

/** `1500Z` is `15:00 z`, `2026-11-25T22:00Z` a date and a time. */
function lowOf(kind: TokenKind, typed: string): string {
  const low = typed.toLowerCase();
  if (kind === 'clock') return low.replace(/^(\d{2})(\d{2})(?:(z)|hrs)$/, '$1:$2 $3').trim();
  return kind === 'date' ? low.replace(/^([\d-]+)t(\d{2}:\d{2})(?::[\d.]+)?(z?)$/, '$1 $2 $3').trim() : low;
}

/** An address without its brackets. */
export function bare(text: string): string {
  return text.replace(/[[\]]/g, '');
}

/** `can't` is two words, `what's` is `what is`, `p2's` is a name. */
function wordsOf(token: Token): readonly Token[] {
  if (token.kind !== 'word') return [token];
  const typed = token.text.replace(/[._-]+$/, '');
  const low = typed.toLowerCase();
  const word = (text: string): Token => ({ text, low: text.toLowerCase(), kind: 'word' });
  if (/^(?:can't|cant|cannot)$/.test(low)) return [word('can'), word('not')];
  const negated = /^([a-z]+)n't$/.exec(low)?.[1];
  if (negated !== undefined) return [word(negated === 'wo' ? 'will' : negated), word('not')];
  const unapostrophed = /^(do|does|did|is|are|was|were|could|would|has|have)nt$/.exec(low)?.[1];
  if (unapostrophed !== undefined) return [word(unapostrophed), word('not')];
  const whats = /^(what|who|where|how|it|that|there|when)'?s$/.exec(low)?.[1];
  if (whats !== undefined && low !== 'its') return [word(whats), word('is')];
  const later = /^(.+)'ll$/i.exec(typed)?.[1];
  if (later !== undefined) return [word(later), word('will')];
  // "I'd like to know".
  const wish = /^(i|we|you)'d$/.exec(low)?.[1];
  if (wish !== undefined) return [word(wish), word('would')];
  const rest = /^(.+)'(?:s|re|ve|d|m)$/i.exec(typed)?.[1];
  return [word(rest ?? typed)];
}
