// Holds what a question was understood as against what it means: slot by slot, so that a word that was lost counts.
import { covers } from '#base/ip.ts';
import { type ParsedIntent, parseIntent } from '#intent/parse.ts';
import { strangeSender } from '#intent/reader/ends.ts';
import { partsOf } from '#intent/reader/sentences/sentence-parts.ts';
import type { Intent, Topic } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import type { AskedNetwork, AskedQuestion, Meaning } from './questions.ts';

/**
 * Each question has one. `visibly`: the answer names words of the question that it did not use. `beside-story`: all that it names is a story beside the
 * question, and what was misread is the question itself. `refused`: with a reason that is right.
 */
export const SCORES = [
  'as-meant',
  'refused-rightly',
  'refused-wrongly',
  'misread-visibly',
  'misread-beside-story',
  'misread-in-silence',
] as const;

export type Score = (typeof SCORES)[number];

export type Scored = { readonly question: AskedQuestion; readonly score: Score; readonly got: string };

/** Asked of a way with two ends these are one investigation, of the whole way and back. */
const SAME_WAY: readonly string[] = ['trouble', 'reach'];
/** Asked of the past of one place these read the same memory. */
const SAME_PAST: readonly string[] = ['trouble', 'flap'];

export function scoreOf(question: AskedQuestion, network: AskedNetwork): Scored {
  const known = { ...network, ifnames: network.interfaces, addresses: new Map(Object.entries(network.addresses)) };
  const parsed = parseIntent(question.q, known);
  const reasons = [question.refuse ?? []].flat();
  const refusal = refusalOf(parsed, network, question.means);
  if (refusal !== undefined) {
    const isRight = reasons.includes(refusal.reason);
    const got = `${refusal.reason}: ${refusal.words}`;
    return { question, score: isRight ? 'refused-rightly' : 'refused-wrongly', got };
  }
  const { intent } = parsed as Extract<ParsedIntent, { readonly ok: true }>;
  const wanted = question.means === undefined ? 'refused' : keyOf(wantedSlots(question.means, network));
  const isSamePast =
    question.means?.when !== undefined &&
    SAME_PAST.includes(question.means.ask) &&
    SAME_PAST.includes(intent.topic ?? '');
  const read = isSamePast ? { ...intent, topic: question.means!.ask as Topic } : intent;
  const got = keyOf(slotsOf(read, question.means, network));
  if (got === wanted) return { question, score: 'as-meant', got };
  return { question, score: misreadOf(question.q, intent.notUsed), got: `${got}, expected ${wanted}` };
}

/** @param notUsed what the answer names */
export function misreadOf(question: string, notUsed: Intent['notUsed']): Score {
  if (notUsed === undefined) return 'misread-in-silence';
  // As it is read: what the answer names has one space between its words.
  const stories = partsOf(question.trim().replace(/\s+/g, ' ')).flatMap(({ text }) =>
    / /.test(text) && !/[?]$/.test(text) ? [text] : [],
  );
  return notUsed.every((words) => stories.includes(words)) ? 'misread-beside-story' : 'misread-visibly';
}

function refusalOf(
  parsed: ParsedIntent,
  { nodes, interfaces, hosts = {} }: AskedNetwork,
  means: Meaning | undefined,
): { readonly reason: string; readonly words: string } | undefined {
  if (!parsed.ok) return { reason: parsed.reason, words: parsed.understood };
  const known = new Set(nodes.map(nodeKey));
  // As an agent does once it has asked all peers for nodes that it does not know, and read the interfaces of those it asks about.
  const { path, except = [], neighbour, ifname, fromHost } = parsed.intent;
  if (fromHost !== undefined && means === undefined && !isPlaced(fromHost.address, path[0]?.key, hosts))
    return { reason: 'unclear', words: strangeSender(fromHost.address) };
  const stranger = [...path, ...except].find(({ key }) => !known.has(key));
  if (stranger !== undefined) return { reason: 'unknown-name', words: `no node ${stranger.as}` };
  if (ifname !== undefined && !interfaces.includes(ifname))
    return { reason: 'unknown-name', words: `no interface ${ifname}` };
  const isNode = neighbour !== undefined && /[a-z]/i.test(neighbour) && !neighbour.includes(':');
  return isNode && !known.has(nodeKey(neighbour))
    ? { reason: 'unknown-name', words: `no node ${neighbour}` }
    : undefined;
}

/** Whether a host with this address is behind the router that is named, or behind any. */
function isPlaced(address: string, router: string | undefined, hosts: Readonly<Record<string, string>>): boolean {
  return Object.entries(hosts).some(
    ([prefix, node]) => covers(prefix, address) && (router === undefined || router === nodeKey(node)),
  );
}

const PORTS: Readonly<Record<string, number>> = { dns: 53, http: 80 };
const SERVICES: Readonly<Record<number, string>> = { 53: 'dns', 80: 'http', 443: 'http', 8080: 'http' };

type Slots = Readonly<Record<string, string | undefined>>;

function keyOf(slots: Slots): string {
  const named = Object.entries(slots).filter(([, value]) => value !== undefined && value !== '');
  return named
    .map(([name, value]) => `${name} ${value}`)
    .sort()
    .join(', ');
}

/** Ends without a direction are sorted; the asked node is named. */
function wantedSlots(means: Meaning, { here }: AskedNetwork): Slots {
  const ends = means.link ?? means.between;
  const ask = means.between !== undefined && SAME_WAY.includes(means.ask) ? 'trouble' : means.ask;
  const way = [means.from, ...(means.via ?? []), means.to].filter((node) => node !== undefined);
  const nodes = ends === undefined ? (means.on === undefined ? way : [...means.on].sort()) : [...ends].sort();
  return {
    ask,
    asker: means.asker,
    nodes: withoutHere(nodes.map(nodeKey), means.asker === undefined ? here : undefined, ask).join(' '),
    except: means.except?.map(nodeKey).sort().join(' '),
    ...{ if: [means.if ?? []].flat().join(' '), address: means.address, proto: means.proto, peer: means.peer },
    ...{
      port: String(means.port ?? PORTS[means.service ?? ''] ?? ''),
      service: means.service ?? SERVICES[means.port ?? 0] ?? (means.port === undefined ? undefined : 'tcp'),
      host: means.host,
      when: inLargestUnit(means.when),
    },
    ...{ before: means.before, as: String(means.as ?? ''), size: String(means.size ?? '') },
  };
}

/** "24h" and "1d" are one span. */
function inLargestUnit(when: string | undefined): string | undefined {
  const [, amount, unit] = /^(\d+)([mh])$/.exec(when ?? '') ?? [];
  const [each, next] = unit === 'm' ? [60, 'h'] : [24, 'd'];
  if (amount === undefined || Number(amount) % each !== 0) return when;
  return inLargestUnit(`${Number(amount) / each}${next}`);
}

function slotsOf(intent: Intent, means: Meaning | undefined, { here }: AskedNetwork): Slots {
  const { neighbour, ifname, destination, fromHost, service, protocol, topic = '', except = [], isLink } = intent;
  const isNode = neighbour !== undefined && /[a-z]/i.test(neighbour) && !neighbour.includes(':');
  const named = [...intent.path.map(({ key }) => key), ...(isNode ? [nodeKey(neighbour)] : [])];
  // "Can I reach p2" is of the way between the asked node and p2.
  const isFromHere = means?.between !== undefined && topic === 'reach' && named.length === 1 && here !== undefined;
  const keys = isFromHere ? [nodeKey(here), ...named] : named;
  const isSorted = means?.from === undefined && means?.to === undefined;
  const isWay = keys.length === 2 && isLink !== true && (means?.between !== undefined || means?.on === undefined);
  const isSameWay = means?.ask !== 'reach' || means.between !== undefined;
  const ask = isWay && means?.link === undefined && SAME_WAY.includes(topic) && isSameWay ? 'trouble' : topic;
  return {
    ask,
    asker: fromHost?.address,
    nodes: withoutHere(isSorted ? keys.sort() : keys, fromHost === undefined ? here : undefined, ask).join(' '),
    except: except
      .map(({ key }) => key)
      .sort()
      .join(' '),
    ...{ if: ifname ?? fromHost?.ifname, address: destination, proto: protocol, peer: isNode ? undefined : neighbour },
    ...{ service: service?.name, host: service?.record, when: inLargestUnit(intent.when) },
    port: String(service?.port ?? ''),
    before: intent.beforeFault === true ? 'fault' : undefined,
  };
}

/** The asked node is where a question begins that names only where it ends. */
function withoutHere(nodes: readonly string[], here: string | undefined, ask: string): readonly string[] {
  return ask === 'reach' || nodes.length === 1 ? nodes.filter((node) => node !== here) : nodes;
}
