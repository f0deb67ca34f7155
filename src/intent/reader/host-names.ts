// Names of hosts, which have no agent: "host h1 (198.51.100.7)" is asked about by its address, and the name is said not to be used. And addresses
// that a question is about as such: "198.51.100.7 gets its address from 198.51.100.1".
import type { Item } from './item.ts';
import { type KnownNames, knownNode } from './names.ts';
import type { Refusal, Slots } from './slots.ts';

/** A name that no known node has, between a word such as "host" and an address, is that of the host with this address. */
export function withoutHostNames(items: readonly Item[], known: KnownNames): readonly Item[] {
  return items.map((item, index): Item => {
    const isHost = item.kind === 'node' && isHostNoun(items[index - 1]) && items[index + 1]?.kind === 'address';
    if (!isHost || knownNode(item.name, known) !== undefined) return item;
    return { kind: 'left', text: item.name, why: 'aside' };
  });
}

const HOST = /^(?:host|server|machine|device|box|system)$/;

function isHostNoun(item: Item | undefined): boolean {
  return item?.kind === 'meaning' && item.meaning.kind === 'noun' && HOST.test(item.text);
}

/** An address that is given, taken or lacking is nothing that packets are sent to. */
export function givenAddressIn(items: readonly Item[], { fromHost }: Pick<Slots, 'fromHost'>): Refusal | undefined {
  if (fromHost === undefined) return undefined;
  const given = items.find(
    (item, index) =>
      item.kind === 'meaning' &&
      item.meaning.kind === 'noun' &&
      item.meaning.noun === 'address' &&
      items[index + 1]?.kind !== 'address',
  );
  return given === undefined
    ? undefined
    : { reason: 'unclear', words: 'an address beside two others: ask whether one of them reaches the other' };
}
