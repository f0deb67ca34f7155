// An intent in words that mean the same when they are typed again: the head of every answer. A test holds that reading them gives the intent back.
import type { Intent, Topic } from '#model/intent.ts';
import { timeWords } from '../time/asked-time.ts';

const ASKED: Readonly<Record<Topic, string>> = {
  ...{ trouble: 'what is wrong', loss: 'packet loss', delay: 'delay', jitter: 'jitter', capacity: 'throughput' },
  ...{
    mtu: 'path MTU',
    reach: 'reachability',
    errors: 'errors',
    flap: 'flaps',
    session: 'sessions',
    changes: 'changes',
  },
  ...{ neighbours: 'show neighbours', connected: 'what is connected', path: 'which path', traffic: 'how much traffic' },
  ...{ counters: 'counters', uptime: 'uptime', where: 'where is', interfaces: 'list interfaces', nodes: 'list nodes' },
  history: 'timeline',
};
const PROTOCOLS: Readonly<Record<string, string>> = { isis: 'IS-IS', bgp: 'BGP', ospf: 'OSPF', bfd: 'BFD' };

/** `packet loss from pe1 to pe3 via p2 over SRv6`, `changes on p2 since 14:00`. */
export function understoodAs(intent: Intent): string {
  const { topic = 'trouble', protocol, service, when, except = [], beforeFault } = intent;
  const head = beforeFault === true ? `${ASKED[topic]} and changed before the fault` : headOf(topic, protocol);
  const words = [
    head,
    ...placeWords(intent),
    ...(service?.record === undefined ? [] : [`resolving ${service.record}`]),
    ...(service === undefined ? [] : [`${service.name === 'tcp' ? 'TCP ' : ''}port ${service.port}`]),
    ...(except.length === 0 ? [] : [`except ${listOf(except.map(({ as }) => as))}`]),
    ...(when === undefined ? [] : [timeWords(when)]),
  ];
  return words.join(' ');
}

function headOf(topic: Topic, protocol: string | undefined): string {
  const name = protocol === undefined ? undefined : PROTOCOLS[protocol];
  if (name === undefined) return ASKED[topic];
  if (topic === 'neighbours') return `show ${name} neighbours`;
  return topic === 'session' ? `${name} sessions` : `${name} ${ASKED[topic]}`;
}

function placeWords(intent: Intent): readonly string[] {
  const { kind, topic, path, encapsulation, ifname, destination, neighbour, isLink } = intent;
  const names = path.map(({ as }) => as);
  const [first, second] = names;
  if (topic === 'where') return [destination ?? ''];
  if (isLink === true && topic !== 'session') return [`on the link between ${first} and ${second}`];
  const isWay = kind === 'path-loss' || kind === 'reachability' || topic === 'path';
  if (isWay && names.length > 1) {
    const via = names.slice(1, -1);
    const way = `from ${first} to ${names.at(-1)}`;
    return [
      way,
      ...(via.length === 0 ? [] : [`via ${listOf(via)}`]),
      ...(encapsulation === 'srv6' ? ['over SRv6'] : []),
    ];
  }
  // Asked of two nodes it is the session between them.
  if (topic === 'session' && names.length === 2 && neighbour === undefined && ifname === undefined)
    return [`between ${first} and ${second}`];
  if (destination !== undefined) return [...senderWords(intent), `to ${destination}`];
  const over = encapsulation === 'srv6' ? ['over SRv6'] : [];
  const where = topic === 'connected' ? 'to' : 'on';
  const at = [...(first === undefined ? [] : [`${where} ${listOf(names)}`]), ...over];
  return [
    ...(ifname === undefined ? [] : [`${where} ${ifname}`]),
    ...(ifname !== undefined && first !== undefined ? [`of ${listOf(names)}`] : at),
    ...(neighbour === undefined ? [] : [`with ${neighbour}`]),
  ];
}

/** `from pe1`, `from 198.51.100.7 (behind pe1 eth3)`. */
function senderWords({ path: [first], fromHost }: Intent): readonly string[] {
  if (fromHost === undefined) return first === undefined ? [] : [`from ${first.as}`];
  const { address, ifname } = fromHost;
  const port = ifname === undefined ? '' : ` ${ifname}`;
  return [`from ${address}`, ...(first === undefined ? [] : [`(behind ${first.as}${port})`])];
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
