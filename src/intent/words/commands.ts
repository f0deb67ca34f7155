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
const DETAIL = /^(?:br|brief|terse|desc|descr|description|descriptions|det|detail|extensive|wide)$/;
/** Before what it is of. */
const FAMILY = /^(?:ip|ipv4|ipv6)$/;
const OF_FAMILY = /^(?:ospf|ospfv3|ospf6|bgp|isis|int|ints|intf|interface|interfaces)$/;

export function spelledOut(tokens: readonly Token[]): readonly Token[] {
  const [first, second] = tokens;
  if (first !== undefined && /^(?:systemctl|sudo|service)$/.test(first.low) && tokens.length > 2)
    return tokens.slice(1);
  if (first?.low === 'ip' && /^(?:a|addr|address|link|l)$/.test(second?.low ?? '') && tokens.length > 2)
    return [wordFor('show'), wordFor('interfaces'), ...tokens.slice(tokens[2]!.low === 'show' ? 3 : 2)];
  if (first?.low === 'ifconfig' && tokens.length > 1)
    return [wordFor('show'), wordFor('interfaces'), ...tokens.slice(1)];
  if (first === undefined || !SHOWS.test(first.low)) return tokens;
  // The table, and not the way that packets take.
  if (second?.low === 'route' && tokens[2]?.kind === 'address') return [wordFor('ip'), ...tokens.slice(1)];
  const hasProtocol = tokens.some(({ low }) => PROTOCOLS.test(low));
  const isRouterWord = tokens.some(
    ({ low }) => low in WORDS || low === 'clns' || OF_PROTOCOL.test(low) || DETAIL.test(low),
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
    if (hasProtocol && OF_PROTOCOL.test(low)) return [wordFor('neighbors')];
    if (isCounted && WORDS[low] === 'interfaces') return [];
    const word = WORDS[low];
    return word === undefined ? [token] : [wordFor(word)];
  });
}

function wordFor(low: string): Token {
  return { text: low, low, kind: 'word' };
}
