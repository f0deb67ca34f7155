// Items of a question become slots, or a reason why there is no answer. Every item ends in a slot or refuses the question: a word that is left
// over is either named in the answer, where it cannot change what is asked, or there is no answer.
import type { AskedService, Topic } from '#model/intent.ts';
import type { Meaning } from '../words/meaning.ts';
import { asksForPort, pastPort, portIn } from './asked-service.ts';
import { excusedIn } from './clauses.ts';
import { complementIn } from './complements.ts';
import { isData } from './data-topics.ts';
import { ambiguousIn } from './doubts/ambiguous.ts';
import { apartIn } from './doubts/apart.ts';
import { causeIn } from './doubts/causes.ts';
import { coordinatedIn } from './doubts/coordinated.ts';
import { correctionIn } from './doubts/corrections.ts';
import { danglingIn, degreeOf } from './doubts/dangling.ts';
import { otherSenseIn } from './doubts/other-senses.ts';
import { doerIn, peopleIn } from './doubts/people.ts';
import { untoldIn } from './doubts/untold.ts';
import { addressIn, endsIn } from './ends.ts';
import { filtersIn } from './filters.ts';
import { unusableServer } from './host-names.ts';
import { hypothesisIn } from './hypotheses.ts';
import type { Item } from './item.ts';
import {
  addresslessIn,
  beyondIn,
  foreignIn,
  leftIn,
  mistimedIn,
  namelessIn,
  orderIn,
  scriptIn,
  unreadIn,
  withUnknown,
} from './leftovers.ts';
import type { KnownNames } from './names.ts';
import { negatedIn } from './negations.ts';
import { hasEnds, type Places, placesIn } from './places.ts';
import { referenceIn } from './references.ts';
import { countIn, tableIn, wideIn } from './scopes.ts';
import type { Refusal, Slots } from './slots.ts';
import { timeIn } from './tense.ts';
import { topicOf } from './topic.ts';

const NOT_PAST = 'how a table was at another time; tables say how it is now: ask what changed since then';

export type Assembled =
  | { readonly ok: true; readonly slots: Slots; readonly notUsed: readonly string[] }
  | {
      readonly ok: false;
      readonly refusal: Refusal;
      /** Whatever a word may have been that is not known. */
      readonly isCertain?: true;
      /** Another reader would lose what refuses it. */
      readonly isClosed?: true;
    };

export function assemble(items: readonly Item[], known: KnownNames): Assembled {
  const meanings = items.flatMap((item) => (item.kind === 'meaning' ? [item.meaning] : []));
  const certain = scriptIn(items) ?? orderIn(items) ?? beyondIn(meanings) ?? addresslessIn(items) ?? unreadIn(items);
  if (certain !== undefined) return { ok: false, refusal: certain, isCertain: true };
  const places = placesIn(items, known.here);
  const early = doubtIn(items, places, known);
  if (early !== undefined) return { ok: false, refusal: early, isClosed: true };
  const excused = excusedIn(items);
  if (excused !== undefined) return { ok: false, refusal: excused, isClosed: true };
  const many = foreignIn(items, known) ?? manyIn(meanings, places);
  if (many !== undefined) return { ok: false, refusal: many };
  const asked = topicOf(meanings, places, items.some(asksFor), items.some(isListed), items.some(asksWhere));
  if ('refusal' in asked) return { ok: false, refusal: withUnknown(asked.refusal, items) };
  const negated = askedApartIn(items, asked.topic);
  if (negated !== undefined) return { ok: false, refusal: negated };
  const { isWeak } = asked;
  const isSrv6 = meanings.some(({ kind }) => kind === 'srv6');
  const isOfPort = asksForPort(items, meanings, places);
  const topic = isOfPort ? 'reach' : alongWay(asked.topic, meanings, places);
  const port = portIn(items, places, meanings, { topic, isOfPort });
  if ('words' in port) return { ok: false, refusal: port };
  const left = leftIn(items, { topic, isWeak, hasPlace: hasPlace(places) }, port.used);
  if ('words' in left) return { ok: false, refusal: left };
  const time = timeIn(items, meanings, topic);
  if (typeof time === 'object' && 'words' in time) return { ok: false, refusal: time };
  const untried = untriedIn(port.service, time.when, places);
  if (untried !== undefined) return { ok: false, refusal: untried };
  if (isData(topic) && topic !== 'uptime' && topic !== 'history' && time.when !== undefined)
    return { ok: false, refusal: { reason: 'unsupported', words: NOT_PAST } };
  const dangling = danglingIn(items, places, topic) ?? degreeOf(items);
  if (dangling !== undefined) return { ok: false, refusal: dangling };
  const unnamed = unnamedIn(items, places, meanings);
  if (unnamed !== undefined) return { ok: false, refusal: unnamed };
  const isOfAddress = meanings.some((each) => each.kind === 'noun' && each.noun === 'address');
  const isOfRoutes =
    ['flap', 'loss'].includes(topic) && items.some((item) => item.kind === 'meaning' && /^routes?$/.test(item.text));
  const hasNoAddress =
    isOfRoutes || (isOfAddress && (isWeak || ['flap', 'loss', 'errors', 'delay', 'changes'].includes(topic)));
  if (hasNoAddress && places.addresses.length === 0 && !isData(topic))
    return { ok: false, refusal: { reason: 'unclear', words: 'an address or a prefix, and none was named' } };
  const where = whereIn(places, topic, meanings, known, isWeak);
  // Which of two addresses asks is said by every word between them.
  if ('words' in where)
    return { ok: false, refusal: where, ...(places.addresses.length > 1 ? { isClosed: true } : {}) };
  const wide = tableIn(items, places, topic) ?? wideIn(items, places, topic, where.way !== undefined);
  if (wide !== undefined) return { ok: false, refusal: wide };
  const protocol = isOfPort ? undefined : meanings.find((each) => each.kind === 'protocol')?.protocol;
  const slots: Slots = {
    topic,
    ...where,
    ...(protocol === undefined ? {} : { protocol }),
    ...(port.service === undefined ? {} : { service: port.service }),
    ...(time.when === undefined ? {} : { when: time.when }),
    isSrv6,
    isBeforeFault: meanings.some(({ kind }) => kind === 'before-fault'),
  };
  return {
    ok: true,
    slots,
    notUsed: [
      ...new Set([
        ...left.notUsed,
        ...port.notUsed,
        ...time.notUsed,
        ...filtersIn(items, topic, isWeak, where.way !== undefined),
      ]),
    ],
  };
}

/** What makes another question of it, or none. */
function doubtIn(items: readonly Item[], places: Places, known: KnownNames): Refusal | undefined {
  return (
    correctionIn(items) ??
    coordinatedIn(items) ??
    ambiguousIn(items, known) ??
    apartIn(items) ??
    causeIn(items) ??
    peopleIn(items) ??
    otherSenseIn(items) ??
    countIn(items) ??
    namelessIn(items) ??
    complementIn(items) ??
    referenceIn(items, hasPlace(places) || hasExcept(places))
  );
}

/** A service at another time, or at an address at which none is tried. */
function untriedIn(
  service: AskedService | undefined,
  when: string | undefined,
  { addresses }: Places,
): Refusal | undefined {
  if (service === undefined) return undefined;
  if (service.name === 'tcp' && when !== undefined) return pastPort(service);
  const words = unusableServer(addresses.map(({ address }) => address));
  return words === undefined ? undefined : { reason: 'unclear', words };
}

function askedApartIn(items: readonly Item[], topic: Topic): Refusal | undefined {
  return doerIn(items, topic) ?? untoldIn(items, topic) ?? hypothesisIn(items) ?? negatedIn(items) ?? mistimedIn(items);
}

/** "Interfaces on leaf1". */
function isListed(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'noun' && /^(?:interfaces|ports)$/.test(item.text);
}

/** "Where does 203.0.113.0/24 come from". */
function asksWhere(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'empty' && item.text === 'where';
}

/** "What hosts are on leaf1" asks for hosts. */
function asksFor(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'empty' && /^(?:what|which|who|whose)\b/.test(item.text);
}

/** Two protocols, two services, three nodes behind "between": of which one would be answered. */
function manyIn(meanings: readonly Meaning[], { between, from, to }: Places): Refusal | undefined {
  const protocols = new Set(meanings.flatMap((each) => (each.kind === 'protocol' ? [each.protocol] : [])));
  const services = new Set(meanings.flatMap((each) => (each.kind === 'service' ? [each.name] : [])));
  const found = [protocols, services].find(({ size }) => size > 1);
  if (found !== undefined)
    return { reason: 'unclear', words: `${[...found].join(' and ')} in one question: ask about one of them` };
  if (between.length > 1 && from.length + to.length > 0)
    return { reason: 'unclear', words: 'two ways, one "between" and one "from" or "to": ask about one of them' };
  return between.length > 2
    ? { reason: 'unclear', words: `${between.length} nodes behind "between": name two, or ask about each node` }
    : undefined;
}

/** What is wrong on a path from one end to the other is whether packets get through. */
function alongWay(
  topic: Topic,
  meanings: readonly Meaning[],
  { from, to, via, between, bare, on, addresses, arrows, ifnames }: Places,
): Topic {
  const isSrv6 = meanings.some(({ kind }) => kind === 'srv6');
  // "Are all routers reachable": how all of them are.
  const isWhole = meanings.some(({ kind }) => kind === 'everywhere') && !meanings.some(({ kind }) => kind === 'verb');
  const isNowhere =
    from.length + to.length + via.length + between.length + bare.length + on.length + ifnames.length === 0;
  if (topic === 'reach' && isWhole && isNowhere && addresses.length === 0) return 'trouble';
  const isPath = isSrv6 || via.length > 0 || meanings.some((each) => each.kind === 'noun' && each.noun === 'path');
  const hasWay = (from.length > 0 && to.length > 0) || between.length === 2 || arrows > 0 || bare.length > 1;
  if (topic !== 'trouble' || !isPath || !hasWay || ifnames.length > 0) return topic;
  return isSrv6 ? 'loss' : 'reach';
}

/** "The path", "the link": one that nothing names. */
function unnamedIn(items: readonly Item[], places: Places, meanings: readonly Meaning[]): Refusal | undefined {
  const isWhole = meanings.some(({ kind }) => kind === 'everywhere' || kind === 'srv6');
  const one = items.find((item) => item.kind === 'meaning' && item.meaning.kind === 'noun' && ONE.test(item.text));
  if (one?.kind !== 'meaning' || isWhole || hasPlace(places)) return undefined;
  return { reason: 'unclear', words: `a ${one.text}, and no node that it belongs to was named` };
}

const ONE = /^(?:path|link|cable|circuit|wire|interface|port|tunnel|neighbou?r|peer)$/;

function hasPlace({ from, to, between, on, bare, neighbour, addresses, ifnames }: Places): boolean {
  return [from, to, between, on, bare, neighbour, addresses, ifnames].some((names) => names.length > 0);
}

function hasExcept({ except }: Places): boolean {
  return except.length > 0;
}

type Where = Pick<Slots, 'way' | 'isLink' | 'on' | 'except' | 'ifname' | 'address' | 'fromHost' | 'neighbour'>;

function whereIn(
  places: Places,
  topic: Topic,
  meanings: readonly Meaning[],
  known: KnownNames,
  isWeak: boolean,
): Where | Refusal {
  const { except, ifnames } = places;
  const address = addressIn(places, topic, known);
  if ('words' in address) return address;
  const isLink = meanings.some((each) => each.kind === 'noun' && each.noun === 'link') || topic === 'flap';
  const isAlong = meanings.some((each) => each.kind === 'srv6' || (each.kind === 'noun' && each.noun === 'path'));
  const { fromHost } = address;
  const names = [...new Set(ifnames.map(({ ifname }) => ifname))].filter((ifname) => ifname !== fromHost?.ifname);
  const ends = endsIn(places, topic, { isLink, isAlong, asker: address.asker, fromHost, here: known.here });
  if (ends.way === undefined && names.length > 1)
    return { reason: 'unclear', words: `interfaces ${names.join(' and ')}: ask about one of them` };
  const oddity = ifnameOddity(places, topic, names, ends, isWeak);
  if (oddity !== undefined) return { reason: 'unclear', words: oddity };
  if (topic === 'session' && address.address?.includes('/') === true)
    return {
      reason: 'unsupported',
      words: `${address.address}, a prefix and no neighbour: ask whether a node can reach it, or about the sessions alone`,
    };
  const isPair = ends.way !== undefined && ends.way.nodes.length === 2 && isLink && !hasEnds(topic);
  const ifname = names.length === 1 ? names[0] : undefined;
  return {
    ...(ends.way === undefined ? {} : { way: ends.way }),
    ...{ isLink: isPair, on: ends.on, except },
    ...(ends.neighbour === undefined ? {} : { neighbour: ends.neighbour }),
    ...(ifname === undefined || isPair ? {} : { ifname }),
    ...(fromHost === undefined ? {} : { fromHost }),
    ...(address.address === undefined
      ? {}
      : topic === 'session'
        ? { neighbour: address.address }
        : { address: address.address }),
  };
}

/** An interface belongs to one node: beside two ends it is not known to which, and probes go from node to node. */
function ifnameOddity(
  { from, to, via, between, with: company }: Places,
  topic: Topic,
  names: readonly string[],
  ends: { readonly way?: Slots['way']; readonly on: readonly string[] },
  isWeak: boolean,
): string | undefined {
  const [ifname] = names;
  if (ifname === undefined) return undefined;
  if (topic === 'session')
    return `sessions on ${ifname}: ask what is wrong on ${ifname}, or about the sessions of the node`;
  if (topic === 'reach' && (!isWeak || from.length + to.length > 0))
    return `whether ${ifname} can be reached: name its address, or the node without the interface`;
  const isWay = ends.way !== undefined && hasEnds(topic) && names.length === 1;
  const isSplit = ends.on.length > 1 && [from, to, via, between, company].some((each) => each.length > 0);
  return isWay || isSplit
    ? `${ifname} beside two nodes: ask about the interface of one node, or about the two nodes without it`
    : undefined;
}
