// "OSPF-Adjazenz", "BGP-peer": a protocol that is fused with the noun of its session says both. A node that is called so is that node.
const FUSED =
  /(?<![\w.-])(bgp|ebgp|ibgp|ospf|ospfv3|isis|is-is|bfd)-((?:sessions?|peers?|peerings?|neighbou?rs?|adjacenc(?:y|ies)|adjazenz(?:en)?|nachbarn?|nachbarschaft(?:en)?|sitzung(?:en)?|voisins?|vecinos?))(?![\w-])/gi;

export function unfused(sentence: string, nodes: Iterable<string> = []): string {
  const own = new Set([...nodes].map((node) => node.toLowerCase()));
  return sentence.replace(FUSED, (typed: string, protocol: string, noun: string) =>
    own.has(typed.toLowerCase()) ? typed : `${protocol} ${noun}`,
  );
}
