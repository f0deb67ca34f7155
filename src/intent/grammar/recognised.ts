// What a question that no form fits seems to be about: words of networking in it, and whatever looks like a node's name. Only
// for people: says what was read (TS-7a), decides nothing.
const WORDS =
  /\b(?:bgp|is-?is|ospf|bfd|lldp|srv6|sids?|mtu|vrf|vlan|acls?|dns|ipv4|ipv6|ping|interfaces?|links?|ports?|routes?|routing|neighbou?rs?|adjacenc(?:y|ies)|sessions?|prefix(?:es)?|paths?|latency|delay|jitter|bandwidth|throughput|congestion|errors?|down|slow|flap(?:s|ping)?|unreachable|reachab(?:le|ility)|cpu|memory|configuration)\b/gi;
const NODES = /\b(?:[A-Za-z]{1,8}[-_ ]?\d{1,4}|[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)+)\b(?![./:])/g;
/** Words and names that are repeated to an operator. */
const MOST = 8;

/** `words that were read: BGP, neighbour`; `names that were read: PE-1`; nothing when there is nothing to say. */
export function recognisedIn(text: string): readonly string[] {
  const words = unique(text.match(WORDS) ?? []);
  const names = unique(text.match(NODES) ?? []).filter((name) => !words.includes(name));
  return [
    ...(words.length === 0 ? [] : [`words that were read: ${words.join(', ')}`]),
    ...(names.length === 0 ? [] : [`names that were read: ${names.join(', ')}`]),
  ];
}

function unique(found: readonly string[]): readonly string[] {
  return [...new Set(found)].slice(0, MOST);
}
