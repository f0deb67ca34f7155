// How operators talk, in the words of the grammar: "r1 lost r2" is a question about reaching, "r2 is acting up" one about what is wrong. Each
// row changes only a sentence that it fits as a whole; what a sentence names is kept as it was typed. Knows no network (TS-7a).
const N = '([A-Za-z0-9][A-Za-z0-9._-]*)';
const NOT_ABLE =
  "(?:can(?:no|')?t|can\\s+not|could\\s?(?:n't|not)|does\\s?(?:n't|not)|do\\s?(?:n't|not)|no\\s+longer|won'?t|stopped)";
const LEAD =
  '(?:(?:why|how\\s+come|since\\s+when|please|hey|hi|hello|so|and|now|suddenly|help|it\\s+seems(?:\\s+that)?)[,:]?\\s+)*';
const SEE = '(?:sees?|hears?|finds?|gets?\\s+(?:through\\s+)?to|reach(?:es)?)';
const AGAIN = '(?:\\s+(?:any\\s?more|any\\s+longer|now|again|at\\s+all|since\\s+.+|today))?';
const MAYBE = '(?:(?:just|suddenly|has|have|had|is|are|seems?\\s+to\\s+(?:be|have))\\s+)*';
const ADDRESS = '((?:\\d{1,3}(?:\\.\\d{1,3}){3}|[0-9a-f]{0,4}:[0-9a-f:.]+)(?:/\\d{1,3})?)';
/** A name with a number in it: of such subjects a whole sentence may be about one node. Any other word may be no node at all. */
const D = '((?=[A-Za-z._-]*\\d)[A-Za-z][A-Za-z0-9._-]*)';
const VERY = '(?:(?:very|really|so|too|rather|quite|still|often|always)\\s+)*';
const BAD_NEWS =
  '(?:packet\\s+|frame\\s+|checksum\\s+|crc\\s+|routing\\s+|link\\s+)?(?:loss|drops?|errors?|problems?|issues?|troubles?|faults?|failures?|corruption|congestion|outages?|alarms?)';
const LOOK =
  '(?:check(?:\\s+(?:on|up\\s+on|out))?|inspect|investigate|debug|examine|analy[sz]e|audit|look\\s+(?:at|into|after)|(?:have|take)\\s+a\\s+(?:\\w+\\s+)?look\\s+(?:at|into))';

const ROWS: readonly (readonly [RegExp, string])[] = [
  row(
    `${N}\\s+${MAYBE}lost\\s+(?:contact\\s+(?:with|to)\\s+|sight\\s+of\\s+|touch\\s+with\\s+)?${N}${AGAIN}`,
    'Why can $1 not reach $2?',
  ),
  row(
    `${N}\\s+and\\s+${N}\\s+${NOT_ABLE}\\s+(?:${SEE}|talk\\s+to|ping)\\s+(?:each\\s+other|one\\s+another)${AGAIN}`,
    'Why can $1 not reach $2?',
  ),
  row(`${N}\\s+${NOT_ABLE}\\s+${SEE}\\s+${N}${AGAIN}`, 'Why can $1 not reach $2?'),
  row(`${NOT_ABLE}\\s+${N}\\s+${SEE}\\s+${N}${AGAIN}`, 'Why can $1 not reach $2?'),
  row(`(?:do|does|did)\\s+${N}\\s+(?:not|no\\s+longer)\\s+${SEE}\\s+${N}${AGAIN}`, 'Why can $1 not reach $2?'),
  row(
    `(?:is\\s+)?${N}\\s+(?:is\\s+)?${VERY}slow\\s+(?:(?:when|while)\\s+)?(?:talking|connecting|getting|sending|transferring|going|to\\s+(?:reach|get))\\s+(?:(?:packets|data|files|traffic)\\s+)?(?:(?:to|with)\\s+)?${N}${AGAIN}`,
    'Why is the path from $1 to $2 slow?',
  ),
  row(`can\\s+${N}\\s+(?:still\\s+)?see\\s+${N}${AGAIN}`, 'Can $1 reach $2?'),
  row(
    `(?:is\\s+)?${N}\\s+(?:(?:is|seems|looks|became)\\s+)?(?:unreachable|not\\s+reachable|invisible|cut\\s+off)\\s+(?:from|for|to)\\s+${N}${AGAIN}`,
    'Why can $2 not reach $1?',
  ),
  row(
    `(?:there\\s+is\\s+)?no\\s+route\\s+(?:to|for|towards)\\s+${ADDRESS}\\s+(?:from|on|at|in)\\s+${N}${AGAIN}`,
    'Why can $2 not reach $1?',
  ),
  row(
    `${N}\\s+(?:has|have|had)\\s+no\\s+(?:route|path|way)\\s+(?:to|for|towards)\\s+${ADDRESS}${AGAIN}`,
    'Why can $1 not reach $2?',
  ),
  row(`${N}\\s+${NOT_ABLE}\\s+peer\\s+with\\s+${N}${AGAIN}`, 'session between $1 and $2 is down'),
  row(
    `(?:(?:is|was|did|does|has)\\s+)?(?:the\\s+)?link\\s+(?:from\\s+)?([A-Za-z]{1,12}\\d{1,4})\\s?(?:[-–—/]|to|and)\\s?([A-Za-z]{1,12}\\d{1,4})\\b.*`,
    'What is wrong with the link between $1 and $2?',
  ),
  row(
    `(?:is|does|did|was|has)\\s+${N}\\s+(?:been\\s+)?(?:drop(?:s|ping|ped)?|discard(?:s|ing|ed)?|los(?:e|es|ing|t)|eat(?:s|ing)?)\\s+(?:\\w+\\s+)?(?:traffic|packets?|frames?)${AGAIN}`,
    'What is wrong with $1?',
  ),
  row(
    `${N}\\s+(?:keeps\\s+|is\\s+)?(?:drop(?:s|ping|ped)|discard(?:s|ing|ed)|los(?:es|ing)|eat(?:s|ing))\\s+(?:\\w+\\s+)?(?:traffic|packets?|frames?)${AGAIN}`,
    'What is wrong with $1?',
  ),
  row(
    `(?:is\\s+)?(?:something|anything)\\s+(?:is\\s+)?(?:up|off|odd|strange|weird|fishy)\\s+(?:with|on|at|about|in)\\s+${N}${AGAIN}`,
    'What is wrong with $1?',
  ),
  row(
    `${N}\\s+${MAYBE}(?:act(?:s|ing)\\s+(?:up|odd|strange(?:ly)?|weird(?:ly)?|funny)|misbehav(?:es|ed|ing)|behaves?\\s+(?:oddly|strangely|weirdly|badly)|crash(?:es|ed|ing)?|reboot(?:s|ed|ing)?|restart(?:s|ed|ing)?|hung|frozen|dead|dying|struggling)${AGAIN}`,
    'What is wrong with $1?',
  ),
  row(
    `${D}\\s+(?:is|was|has\\s+been|seems|looks|feels|went|goes|became|got|stays|keeps)\\s+${VERY}(?:slow|sluggish|flapping|down|sick|unwell|broken|faulty|unhealthy|offline|away|silent|unresponsive|overloaded|unstable|misconfigured|in\\s+trouble)${AGAIN}`,
    'What is wrong with $1?',
  ),
  row(
    `${D}\\s+(?:has|have|had|shows?|reports?|sees?|gets?|suffers?(?:\\s+from)?)\\s+(?:\\w+\\s+){0,2}${BAD_NEWS}${AGAIN}`,
    'What is wrong with $1?',
  ),
  row(`${D}\\s+(?:fail(?:s|ed|ing)?|broke|died)${AGAIN}`, 'What is wrong with $1?'),
  row(`how\\s+(?:is|does)\\s+${D}(?:\\s+(?:doing|feeling|look))?${AGAIN}`, 'What is wrong with $1?'),
  row(
    `(?:is|was|has)\\s+${D}\\s+(?:still\\s+)?(?:alive|dead|up|there|online|offline|working|crashed|rebooted|restarted)${AGAIN}`,
    'What is wrong with $1?',
  ),
  row(
    `(?:(?:is|are|was|were)\\s+there\\s+|(?:we|i)\\s+(?:see|have|get)\\s+)?(?:any\\s+|some\\s+|much\\s+|high\\s+|a\\s+lot\\s+of\\s+)?${BAD_NEWS}\\s+(?:on|at|in|near|around|behind)\\s+${D}${AGAIN}`,
    'What is wrong with $1?',
  ),
  row(`did\\s+${N}\\s+(?:crash|reboot|restart|die|hang|freeze)${AGAIN}`, 'What is wrong with $1?'),
  row(`${LOOK}\\s+(?:the\\s+)?(?:router\\s+|node\\s+|switch\\s+|device\\s+)?${N}`, 'What is wrong with $1?'),
  row(
    `(?:all\\s+|many\\s+|some\\s+|our\\s+|the\\s+)?(?:users?|customers?|people|clients?|callers?|colleagues)\\s+(?:behind|at|on|near|of)\\s+${N}\\s+(?:are\\s+)?(?:complain\\w*|report\\w*|see|have|say|suffer\\w*|cannot|can't|call\\w*)\\b.*`,
    'What is wrong with $1?',
  ),
  row(
    `(?:nothing|not\\s+much|hardly\\s+anything)\\s+works?(?:\\s+(?:behind|at|on|near)\\s+${N})${AGAIN}`,
    'What is wrong with $1?',
  ),
  row(
    '(?:nothing|not\\s+much|hardly\\s+anything)\\s+works?(?:\\s+here)?(?:\\s+(?:any\\s?more|now|today|since\\s+.+))?',
    'What is wrong?',
  ),
  row(
    `.*\\b(?:calls?|video|voice|voip|streams?|streaming|meetings?|web\\s+pages?|pages|downloads?|apps?|applications?|transfers?|sessions?\\s+of\\s+users)\\b.*\\b(?:behind|at|on|near)\\s+${N}${AGAIN}`,
    'What is wrong with $1?',
  ),
];

/** What the names of such sentences cannot be. */
const NOT_NAMES =
  /^(?:we|i|you|they|it|he|she|who|what|why|which|that|this|there|packets?|traffic|frames?|everything|anything|something|nothing|everybody|everyone|nobody|all|one|network|networks|link|links|interface|interfaces|port|ports|path|the|a|an|our|my|your|any|each|other|home|work|night|least|most|once|all|times?|is[-]?is|bgp|ospf|bfd|dns|dhcp|srv6|lldp|host|hosts|router|routers|node|nodes|device|devices|switch|switches|neighbou?rs?|peers?|sessions?|configuration|config|show|status|health|mtu|loss|latency|connectivity|internet|out|up|down|it's|ipv[46]|srv6|http|https|carrier|contact|sync)$/i;
/** Voice, video and transfers over a way that has two ends: how fast it is. */
const SPEED =
  /\b(?:throughput|bandwidth|goodput|speeds?|rate|downloads?|uploads?|transfers?|copies|copying|backups?|calls?|video|voice|voip|streams?|streaming|meetings?|ssh|telnet|logins?)\b/i;
const POOR =
  /\b(?:bad|poor|terrible|awful|low|tiny|drop(?:s|ped|ping)?|halved|crawl(?:s|ing)?|stall(?:s|ed|ing)?|hang(?:s|ing)?|freez(?:es|ing|e)|stutter(?:s|ing)?|chopp(?:y|ily)|jerky|sluggish|limp(?:s|ing)?|collapse[sd]?|degraded|suffer(?:s|ing)?|slow(?:ly|er)?|break(?:s|ing)?\s+up)\b/i;

/** Longer ones say more than any row does, and would be gone over more often. */
const MOST_CHARS = 200;

/** The sentence as the grammar would have it, or as it is. */
export function inOtherWords(sentence: string): string {
  if (sentence.length > MOST_CHARS) return sentence;
  const text = sentence
    .trim()
    .replace(/[’‘]/g, "'")
    .replace(/[?!.]+$/, '');
  for (const [pattern, words] of ROWS) {
    const match = pattern.exec(text);
    if (match === null || match.slice(1).some((name) => name !== undefined && NOT_NAMES.test(name))) continue;
    return words.replace(/\$(\d)/g, (_, place: string) => match[Number(place)] ?? '');
  }
  // A drop of speed is no drop of packets.
  return SPEED.test(text) && POOR.test(text) ? `${text.replace(POOR, 'slow')}?` : sentence;
}

function row(pattern: string, words: string): readonly [RegExp, string] {
  return [new RegExp(`^${LEAD}${pattern}$`, 'i'), words];
}
