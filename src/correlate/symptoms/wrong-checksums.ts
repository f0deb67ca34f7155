// Nodes whose checksum counters rose in the window: packets reached them damaged. Over which link, and which node damaged them, it does not say.
import { nodeResource } from '#model/names.ts';
import type { Fact, FactWith } from '../engine/facts.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';

/** Counter → packets. */
export type DamageDetail = { readonly [counter: string]: number };

export const damageSymptom = defineSymptom<DamageDetail>('corrupt');

const CHECKSUMS = /^(?:IpExtInCsumErrors|(?:Udp|Tcp|Icmp)(?:6|Lite)?InCsumErrors|Icmp6InCsumErrors|Udp6InCsumErrors)$/;

export function wrongChecksums(facts: readonly Fact[]): readonly Symptom<DamageDetail>[] {
  const moved = facts.filter(
    (fact): fact is FactWith<'node-errors' | 'extended-damage'> =>
      (fact.predicate === 'node-errors' || fact.predicate === 'extended-damage') && CHECKSUMS.test(fact.value.counter),
  );
  return [...new Set(moved.map((fact) => fact.value.node))].map((node) => {
    const mine = moved.filter((fact) => fact.value.node === node);
    const counters: Record<string, number> = {};
    for (const { value } of mine) counters[value.counter] = (counters[value.counter] ?? 0) + value.packets;
    const rises = Object.entries(counters).map(([counter, packets]) => `${counter} rose by ${packets}`);
    const source = mine.flatMap((fact) => fact.source);
    return damageSymptom.raise({
      id: `corrupt:${node}`,
      ...{ subject: nodeResource(node), text: `${nodeRef(node)}: ${rises.join(', ')}`, source, nodes: [node] },
      detail: counters,
    });
  });
}
