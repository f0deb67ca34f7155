// Commands that operators type to routers, as the words that they stand for: `sh ip ospf nei` is "show ospf neighbors". Only where a sentence
// begins with such a command; a word that no router abbreviates so stays as it is.
import type { Token } from './tokens.ts';

const SHOWS = /^(?:sh|sho|show|disp|dis|display)$/;
const PROTOCOLS = /^(?:ospf|ospfv3|ospf6|bgp|isis|is-is|bfd|lldp|cdp)$/;
const WORDS: Readonly<Record<string, string>> = {
  ...{
    nei: 'neighbors',
    neigh: 'neighbors',
    neighb: 'neighbors',
    nbr: 'neighbors',
    nbrs: 'neighbors',
    neighbor: 'neighbors',
  },
  ...{ adj: 'neighbors', adjs: 'neighbors', adjacency: 'neighbors', neighbour: 'neighbors' },
  ...{ int: 'interfaces', ints: 'interfaces', intf: 'interfaces', inter: 'interfaces', interface: 'interfaces' },
  ...{ count: 'counters', stat: 'counters', stats: 'counters', statistics: 'counters', logging: 'log', ver: 'version' },
};
/** Of a protocol: who its neighbours are. */
const OF_PROTOCOL = /^(?:sum|summ|summary|peer|peers|sess|session|sessions)$/;
/** How much of it is shown. */
const DETAIL = /^(?:br|brief|terse|det|detail|extensive|wide)$/;
/** No table has them: the answer names them. */
const DESCRIBED = /^(?:desc|descr|description|descriptions)$/;
/** Before what it is of; "ipv6" tells one table from another, and stays. */
const FAMILY = /^ip$/;
const OF_FAMILY = /^(?:ospf|ospfv3|ospf6|bgp|isis|int|ints|intf|interface|interfaces)$/;

export function spelledOut(tokens: readonly Token[]): readonly Token[] {
  const [first, second] = tokens;
  const isSystem = first?.low === 'sudo' || (first?.low === 'systemctl' && DONE.test(second?.low ?? ''));
  if (isSystem && tokens.length > 2) return tokens.slice(1);
  // "Service frr restart", and not "service is bad".
  if (first?.low === 'service' && DONE.test(tokens[2]?.low ?? '') && tokens.length === 3) return [tokens[2]!, second!];
  if (first?.low === 'ip' && isOfInterfaces(tokens))
    return [wordFor('show'), wordFor('interfaces'), ...tokens.slice(tokens[2]!.low === 'show' ? 3 : 2)];
  if (first?.low === 'ifconfig' && tokens.length > 1)
    return [wordFor('show'), wordFor('interfaces'), ...tokens.slice(1)];
  if (first === undefined || !SHOWS.test(first.low)) return tokens;
  // The table, and not the way that packets take.
  if (second?.low === 'route' && tokens[2]?.kind === 'address') return [wordFor('ip'), ...tokens.slice(1)];
  const hasProtocol = tokens.some(({ low }) => PROTOCOLS.test(low));
  const isRouterWord = tokens.some(
    ({ low }) => low in WORDS || low === 'clns' || [OF_PROTOCOL, DETAIL, DESCRIBED].some((words) => words.test(low)),
  );
  // "Show" and the like are words of English too.
  if (!/^(?:sh|sho|disp)$/.test(first.low) && !isRouterWord) return tokens;
  const isCounted = tokens.some(({ low }) => /^counters?$/.test(WORDS[low] ?? low));
  const hasInterfaces = tokens.some(({ low }) => WORDS[low] === 'interfaces' || low === 'interfaces');
  return tokens.flatMap((token, at): readonly Token[] => {
    const { low, kind } = token;
    if (at === 0) return [wordFor('show')];
    if (kind !== 'word') return [token];
    if (low === 'clns') return [wordFor('isis')];
    if (FAMILY.test(low) && OF_FAMILY.test(tokens[at + 1]?.low ?? '')) return [];
    if (DETAIL.test(low) && (hasInterfaces || hasProtocol)) return [];
    if (DESCRIBED.test(low) && (hasInterfaces || hasProtocol)) return [wordFor('descriptions')];
    if (hasProtocol && OF_PROTOCOL.test(low)) return [wordFor('neighbors')];
    if (isCounted && WORDS[low] === 'interfaces') return [];
    // "Show ip neighbors" is a table of network cards.
    if (WORDS[low] === 'neighbors' && /^ip(?:v[46])?$/.test(tokens[at - 1]!.low)) return [token];
    // "Show count of errors" asks for the errors.
    const word = low === 'count' && tokens[at + 1]?.low === 'of' ? undefined : WORDS[low];
    return word === undefined ? [token] : [wordFor(word)];
  });
}

const DONE = /^(?:restart|stop|start|reload|status)$/;

/** "Ip a leaf1", "ip link show leaf1", and not "ip address 192.0.2.1 is down". */
function isOfInterfaces([, second, third, ...rest]: readonly Token[]): boolean {
  if (third === undefined) return false;
  const isBare = rest.length === 0 && third.kind === 'word';
  return (
    /^(?:a|l)$/.test(second?.low ?? '') ||
    (/^(?:addr|address|link)$/.test(second?.low ?? '') && (isBare || /^(?:show|sh|list|ls|on|at)$/.test(third.low)))
  );
}

function wordFor(low: string): Token {
  return { text: low, low, kind: 'word' };
}
