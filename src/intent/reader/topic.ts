// Which of the things that a question speaks of is what it asks. A more particular one takes the others in: a session that is down is a question
// about the session. Two that go together in no way are two questions.
import type { Topic } from '#model/intent.ts';
import { DATA_TOPICS } from '#model/intent.ts';
import type { Meaning } from '../words/meaning.ts';
import type { Places } from './places.ts';
import type { Refusal } from './slots.ts';

/** What each takes in when both are spoken of. */
const TAKES: Readonly<Partial<Record<Topic, readonly Topic[]>>> = {
  loss: ['trouble', 'path', 'traffic', 'reach', 'interfaces', 'where'],
  delay: ['trouble', 'path', 'traffic', 'reach', 'capacity'],
  jitter: ['trouble', 'path', 'traffic', 'delay', 'capacity'],
  capacity: ['trouble', 'path', 'traffic', 'loss'],
  mtu: ['trouble', 'path', 'traffic', 'reach', 'loss', 'delay'],
  reach: ['trouble', 'path', 'traffic', 'where'],
  errors: ['trouble', 'loss', 'traffic', 'counters', 'interfaces'],
  flap: ['trouble', 'loss', 'reach', 'interfaces'],
  session: ['trouble', 'flap', 'loss', 'reach', 'neighbours'],
  changes: ['trouble', 'path'],
  trouble: ['path', 'traffic'],
  neighbours: ['trouble', 'session', 'connected', 'where'],
  connected: ['trouble', 'neighbours', 'reach', 'session'],
  path: ['trouble', 'traffic', 'reach'],
  traffic: ['trouble', 'capacity'],
  counters: ['trouble', 'traffic', 'errors'],
  uptime: ['trouble', 'flap', 'session'],
  where: ['trouble', 'connected', 'reach'],
  interfaces: ['trouble', 'mtu', 'connected', 'traffic', 'where'],
  nodes: ['trouble'],
  history: ['trouble', 'flap', 'loss', 'reach', 'session', 'errors', 'changes', 'interfaces', 'counters'],
};
const NAMES: Readonly<Partial<Record<Topic, string>>> = {
  loss: 'packet loss',
  reach: 'reachability',
  capacity: 'throughput',
  mtu: 'the MTU',
  session: 'a session',
  flap: 'flaps',
  trouble: 'what is wrong',
};

/** `isAsked`: "what", "which" or "who" asks for something that is named; `isListed`: interfaces are named in the plural, as a table has them. */
export function topicOf(
  meanings: readonly Meaning[],
  places: Places,
  isAsked: boolean,
  isListed = false,
  isWhere = false,
): { readonly topic: Topic; readonly isWeak: boolean } | { readonly refusal: Refusal } {
  const said = meanings.flatMap((each) => (each.kind === 'topic' ? [each] : []));
  const isShown = meanings.some(({ kind }) => kind === 'show');
  const found = new Set(said.filter(({ weak }) => weak !== true).map(({ topic }) => topic));
  const weak = new Set(said.filter((each) => each.weak === true).map(({ topic }) => topic));
  const implied = impliedBy(meanings, places, isShown, isAsked);
  // Changes of what a protocol is set to are changes.
  const isOfProtocol = meanings.some(({ kind }) => kind === 'protocol');
  const isChange = found.has('changes') && implied === 'session' && isOfProtocol && !found.has('session');
  if (implied !== undefined && !isChange) found.add(implied);
  const isWeak = found.size === 0;
  const all = isWeak ? weak : found;
  if (all.size === 0 && places.verb !== undefined) return { topic: 'reach', isWeak: true };
  if (all.size === 0 && isListed && places.bare.length + places.on.length > 0)
    return { topic: 'interfaces', isWeak: false };
  if (all.size === 0 && isWhere && places.addresses.length > 0)
    return {
      refusal: {
        reason: 'unclear',
        words: 'where, and not what of an address: ask "where is" it, or whether it can be reached',
      },
    };
  if (all.size === 0) return withoutTopic(meanings, places, isShown, isAsked);
  const topics = [...all].filter((topic) => ![...all].some((other) => other !== topic && takes(other, topic)));
  const [topic] = topics;
  // "Curl to 198.51.100.7 hangs", "does traffic from pe1 arrive at pe3": whether it gets there.
  const isGetting = topic === 'traffic' && places.verb !== undefined && places.from.length + places.to.length > 0;
  if (isWeak && topics.length === 1 && ((topic === 'delay' && places.addresses.length > 0) || isGetting))
    return { topic: 'reach', isWeak: false };
  if (topics.length > 1 || topic === undefined) {
    const names = [...all].map((each) => NAMES[each] ?? each);
    return { refusal: { reason: 'unclear', words: `more than one question: ${names.join(' and ')}` } };
  }
  // "How much traffic is lost" is neither how much there is nor whether any is lost.
  const other = said.find((each) => isMeasured(each.topic) && each.topic !== topic && !takes(topic, each.topic));
  if (DATA_TOPICS.some((each) => each === topic) && other !== undefined) {
    const names = [topic, other.topic].map((each) => NAMES[each] ?? each);
    return { refusal: { reason: 'unclear', words: `more than one question: ${names.join(' and ')}` } };
  }
  // "Which peers of leaf1 are down" asks how they are.
  if (topic === 'neighbours' && !isShown && said.some((each) => each.weak === true && each.topic === 'trouble'))
    return { topic: 'session', isWeak: false };
  // "Which peers are not established" asks for those that have a fault.
  if (topic === 'neighbours' && !isShown && meanings.some(({ kind }) => kind === 'not'))
    return { topic: 'session', isWeak: false };
  // "Is p2 idle": of which session nothing is said.
  if (
    isWeak &&
    topic === 'session' &&
    !isOfProtocol &&
    places.addresses.length === 0 &&
    places.ifnames.length + places.bare.length + places.on.length < 2
  )
    return { refusal: { reason: 'unclear', words: 'a state of sessions, and no session: say of which protocol' } };
  // Of an address nothing is known but who has it: whether it can be reached is the question.
  if (topic === 'trouble' && places.addresses.length > 0) return { topic: 'reach', isWeak };
  if (negates(meanings, topic))
    return {
      refusal: {
        reason: 'unclear',
        words: `a "not" with ${NAMES[topic] ?? topic}, where it has no meaning that is known`,
      },
    };
  return { topic, isWeak: isWeak && topic !== 'session' };
}

function isMeasured(topic: Topic): boolean {
  return topic === 'loss' || topic === 'delay' || topic === 'flap';
}

/** Of two that take each other in, the first does. */
function takes(one: Topic, other: Topic): boolean {
  const does = (by: Topic, what: Topic) => TAKES[by]?.includes(what) === true;
  return does(one, other) && !(does(other, one) && ORDER.indexOf(other) < ORDER.indexOf(one));
}

const ORDER: readonly Topic[] = [
  ...([
    'history',
    'interfaces',
    'nodes',
    'neighbours',
    'connected',
    'uptime',
    'traffic',
    'counters',
    'path',
    'where',
  ] as const),
  ...([
    'changes',
    'session',
    'mtu',
    'jitter',
    'delay',
    'capacity',
    'errors',
    'flap',
    'loss',
    'reach',
    'trouble',
  ] as const),
];

/** A protocol or a neighbour speaks of sessions; to be shown neighbours, or who they are, is to ask for a table. */
function impliedBy(
  meanings: readonly Meaning[],
  { bare, on, from, neighbour, with: company }: Places,
  isShown: boolean,
  isAskedFor: boolean,
): Topic | undefined {
  const hasNeighbour = meanings.some((each) => each.kind === 'noun' && each.noun === 'neighbour');
  const hasProtocol = meanings.some(({ kind }) => kind === 'protocol');
  const isAsked = meanings.some((each) => each.kind === 'noun' && each.noun === 'interface');
  if (isShown && isAsked && !meanings.some((each) => each.kind === 'topic')) return 'interfaces';
  const isJudged = meanings.some((each) => each.kind === 'topic' || each.kind === 'not' || each.kind === 'past');
  const hasPeers = meanings.some((each) => each.kind === 'topic' && each.topic === 'session');
  if (isShown && (hasNeighbour || hasPeers)) return 'neighbours';
  // "Which IS-IS adjacencies does p2 have", "who does p2 peer with": no word judges them.
  const isOfSelf = meanings.every(
    (each) => (each.kind !== 'topic' || each.topic === 'session') && !['not', 'past', 'everywhere'].includes(each.kind),
  );
  if (
    isAskedFor &&
    (hasNeighbour || hasPeers) &&
    isOfSelf &&
    bare.length + on.length + from.length + neighbour.length === 1 &&
    company.length === 0
  )
    return 'neighbours';
  if (hasNeighbour && !isJudged && !hasProtocol && bare.length + on.length + from.length + neighbour.length > 0)
    return 'neighbours';
  return hasProtocol || hasNeighbour ? 'session' : undefined;
}

/** Nothing says what is asked: a place alone, or "all", is asked how it is. */
function withoutTopic(meanings: readonly Meaning[], places: Places, isShown: boolean, isAsked: boolean) {
  const { bare, on, except, ifnames, between, dashes, addresses, from, to, via } = places;
  const isPath = meanings.some((each) => each.kind === 'noun' && each.noun === 'path');
  // "Packets on p2": of what is asked nothing is said.
  if (meanings.some((each) => each.kind === 'empty' && each.beside === true) && !isPath && addresses.length === 0)
    return { refusal: { reason: 'unclear', words: 'a thing, and nothing of what is asked about it' } as const };
  if (isShown && isPath) return { topic: 'path' as const, isWeak: false };
  // "Path leaf2 -> 203.0.113.77".
  if (isPath && addresses.length === 1 && !meanings.some(({ kind }) => kind === 'srv6'))
    return { topic: 'path' as const, isWeak: true };
  if (!isShown && addresses.length > 0) return { topic: 'reach' as const, isWeak: true };
  const isWhole = meanings.some(({ kind }) => kind === 'everywhere');
  const isPlace = isWhole || bare.length + on.length + ifnames.length + between.length + dashes + except.length > 0;
  if (isShown || (!isPlace && from.length + to.length + via.length === 0))
    return {
      refusal: {
        // A port, a link or a protocol is of a network, whatever is asked of it.
        reason: isShown ? 'unsupported' : meanings.some(({ kind }) => kind === 'noun') ? 'unclear' : 'off-topic',
        words: isShown ? 'a wish to be shown something that no table holds' : 'words that name nothing of a network',
      } as const,
    };
  if (isAsked || !isPlace)
    return { refusal: { reason: 'unclear', words: 'a question whose subject it does not know' } as const };
  const isSrv6 = meanings.some(({ kind }) => kind === 'srv6');
  if (isPath && !isSrv6) return { topic: 'path' as const, isWeak: true };
  const isPast = meanings.some(({ kind }) => kind === 'past');
  return {
    topic: isPast && (ifnames.length > 0 || between.length > 0) ? ('flap' as const) : ('trouble' as const),
    isWeak: true,
  };
}

/** "not" turns a request for data or changes into another one. */
function negates(meanings: readonly Meaning[], topic: Topic): boolean {
  return (
    meanings.some(({ kind }) => kind === 'not') &&
    (topic === 'changes' || (DATA_TOPICS as readonly Topic[]).includes(topic))
  );
}
