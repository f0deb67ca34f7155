// A port of a switch is no TCP port: "198.51.100.81 is on port 3 of leaf1" asks for no connection. A bare "port 3" is one of an address only where the
// sentence reaches, opens or connects, and the address stands beside it; "TCP port 3" and "198.51.100.81:3" say so themselves.
import { isMeaning, isNoun, isWord } from '../frames/parts.ts';
import { type Item, isName } from '../item.ts';
import { type Refusal, unclear } from '../slots.ts';

export function switchPortIn(items: readonly Item[]): Refusal | undefined {
  const at = items.findIndex(
    (item, index) => item.kind === 'number' && isNoun(items[index - 1], 'interface') && isWord(items[index - 1], PORTS),
  );
  const asking = items.findIndex((item, index) => item.kind === 'number' && isOfAsking(items, index));
  if (asking >= 0) return unclear(`port ${typedOf(items[asking])} of the one that asks: name the port that is asked`);
  const isAddressed = items.some(({ kind }) => kind === 'address');
  if (at < 0 || !isAddressed || items.some((item) => isMeaning(item, 'service', 'record', 'port'))) return undefined;
  const port = `port ${typedOf(items[at])}`;
  const modal = items.find((item, index) => isWord(item, MODAL) && (index === 0 || isMeaning(items[index + 1], 'not')));
  if (modal !== undefined)
    return unclear(`whether ${port} is to be open ("${typedOf(modal)}"): ask whether it can be reached`);
  if (isOfAddress(items, at) && items.some(isReaching) && !isAsking(items, at)) return undefined;
  return unclear(`"${port}", which may be a port of a switch: say "TCP ${port}" of an address, or name the interface`);
}

/** "From TCP port 5060", "pe1 TCP port 22 cannot reach". */
function isOfAsking(items: readonly Item[], at: number): boolean {
  const before = items[at - 2];
  return isMeaning(items[at - 1], 'port') && (isWord(before, /^from$/) || (isName(before) && isAsking(items, at)));
}

/** "198.51.100.81 port 22", "reach 198.51.100.81 from pe1 on port 22", "port 22 open on 198.51.100.81"; and not "leaf1 port 3". */
function isOfAddress(items: readonly Item[], at: number): boolean {
  const before = items.slice(0, at - 1).findLast((item) => !isMeaning(item, 'empty') && !isLink(item));
  const role = items.slice(0, at - 1).findLast((item) => !isMeaning(item, 'empty'));
  const behind = items.slice(at + 1);
  if (isWord(role, /^from$/) || isWord(role, OTHER) || isWord(before, OTHER)) return false;
  const place = behind.findIndex(isName);
  // "Port 3 of leaf1".
  if (isLink(behind[0]) && behind[place]?.kind !== 'address' && place > 0 && place < 3) return false;
  // "198.51.100.81 on port 5 is unreachable": where it hangs, or what is reached.
  const isPlace = isLink(role) && !items.slice(0, at - 1).some(isReaching);
  if (before?.kind === 'address') return !isPlace && !isWord(role, /^at$/);
  if (isWord(role, /^on$/) && items.slice(0, at - 1).some(({ kind }) => kind === 'address')) return true;
  return (
    place > 0 &&
    behind[place]?.kind === 'address' &&
    isMeaning(behind[place - 1], 'role', 'empty', 'topic', 'verb') &&
    !isName(before)
  );
}

/** "198.51.100.81 port 7 cannot reach pe1": the port of the one that asks. */
function isAsking(items: readonly Item[], at: number): boolean {
  const behind = items.slice(at + 1);
  const verb = behind.findIndex(isReaching);
  const next = behind.slice(verb + 1).find((item) => !isMeaning(item, 'empty'));
  return verb >= 0 && isName(next) && !isMeaning(behind[verb], 'role');
}

function isReaching(item: Item): boolean {
  if (item.kind === 'arrow') return true;
  if (item.kind !== 'meaning') return false;
  const { meaning } = item;
  return (
    meaning.kind === 'verb' ||
    (meaning.kind === 'topic' && meaning.topic === 'reach' && meaning.weak !== true && !NO_LINK.test(item.text)) ||
    (meaning.kind === 'role' && meaning.role === 'to')
  );
}

function isLink(item: Item | undefined): boolean {
  return item?.kind === 'meaning' && item.meaning.kind === 'role' && item.meaning.role === 'on';
}

/** A number, too. */
function typedOf(item: Item | undefined): string {
  return item !== undefined && 'text' in item ? item.text : '';
}

const PORTS = /^ports?$/;
const MODAL = /^(?:must|should|shall|may|might|ought)$/;
const NO_LINK = /^(?:no )?links?$/;
/** What has ports that are no TCP ports, and what is at them. */
const OTHER = /switch|link|plugged|connected|behind|hangs|hanging|patched|cabled|moved|attached/;
