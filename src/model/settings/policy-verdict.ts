// What a routing policy does with one prefix, worked out from its statements as states and memory tell them (model/router/control-plane.ts). Only
// what a prefix alone decides is worked out: route maps that match prefix lists, and prefix lists. All else is `unknown`, never a guess.
import { type IpPrefix, parsePrefix } from '#base/ip.ts';
import { MODEL_LIMITS } from '../limits.ts';
import type { BgpPolicy } from '../router/control-plane.ts';

export type PolicyVerdict = 'permit' | 'deny' | 'unknown';

/** Statements by kind and name, as `route-map ADVERTISE`. */
export type PolicyTexts = ReadonlyMap<string, string>;

/** Words that were cut end so: what is missing may decide. */
const CUT = /… #[0-9a-f]+$/;

const KNOWN = new WeakMap<readonly BgpPolicy[], PolicyTexts>();

/** Of a state. Where they are longer together than an honest node tells, the last count as cut. */
export function policyTextsOf(policies: readonly BgpPolicy[] = []): PolicyTexts {
  const known = KNOWN.get(policies);
  if (known !== undefined) return known;
  let chars = 0;
  const texts = new Map(
    policies.map(({ name, content, whole = content }) => {
      chars += whole.length;
      return [name, chars <= MODEL_LIMITS.policyChars ? whole : '… #0'];
    }),
  );
  KNOWN.set(policies, texts);
  return texts;
}

/** Verdicts that were worked out, by name and prefix, and lists that were read: a route map may ask one list of thousands of entries again and again. */
type Worked = {
  readonly verdicts: Map<string, PolicyVerdict>;
  readonly lists: Map<string, readonly ListEntry[] | undefined>;
};
const WORKED = new WeakMap<PolicyTexts, Worked>();

/** `name` as a session names it: `route-map ADVERTISE`, `prefix-list SITES`. */
export function verdictOf(texts: PolicyTexts, name: string, prefix: string): PolicyVerdict {
  const worked = WORKED.get(texts) ?? { verdicts: new Map(), lists: new Map() };
  WORKED.set(texts, worked);
  const key = `${name} ${prefix}`;
  const known = worked.verdicts.get(key);
  if (known !== undefined) return known;
  // A route map that asks for itself is not known.
  worked.verdicts.set(key, 'unknown');
  const verdict = workedOut(texts, worked, name, prefix);
  worked.verdicts.set(key, verdict);
  return verdict;
}

function workedOut(texts: PolicyTexts, { lists }: Worked, name: string, prefix: string): PolicyVerdict {
  const text = texts.get(name);
  if (text === undefined || CUT.test(text)) return 'unknown';
  if (name.startsWith('route-map ')) return ofRouteMap(texts, text, prefix);
  if (!name.startsWith('prefix-list ')) return 'unknown';
  if (!lists.has(name)) lists.set(name, entriesOf(text));
  return ofPrefixList(lists.get(name), prefix);
}

/** The first entry that matches decides (FRR: in the order of their numbers, as it prints them); what none matches is denied. */
function ofRouteMap(texts: PolicyTexts, text: string, prefix: string): PolicyVerdict {
  for (const entry of text.split('; ')) {
    const [, action, said = ''] = /^(permit|deny) \d+(?: \((.*)\))?$/.exec(entry) ?? [];
    if (action === undefined) return 'unknown';
    const matches = matched(texts, said === '' ? [] : said.split(', '), prefix);
    if (matches === 'unknown') return 'unknown';
    if (matches === 'permit') return action as PolicyVerdict;
  }
  return 'deny';
}

const FLOW = /^(?:call|continue|on-match) ?/;

/** `permit`: the entry is for this prefix. All of its `match` statements must be. */
function matched(texts: PolicyTexts, statements: readonly string[], prefix: string): PolicyVerdict {
  if (statements.some((each) => FLOW.test(each))) return 'unknown';
  const verdicts = statements
    .filter((each) => each.startsWith('match '))
    .map((each): PolicyVerdict => {
      const [, family, list] = /^match (ip|ipv6) address prefix-list (\S+)$/.exec(each) ?? [];
      if (list === undefined) return 'unknown';
      const isMine = (family === 'ipv6') === prefix.includes(':');
      return isMine ? verdictOf(texts, `prefix-list ${list}`, prefix) : 'deny';
    });
  if (verdicts.includes('deny')) return 'deny';
  return verdicts.includes('unknown') ? 'unknown' : 'permit';
}

type ListEntry = {
  readonly action: 'permit' | 'deny';
  /** Absent: `any`, of a family that the statement does not tell. */
  readonly own?: IpPrefix;
  readonly from: number;
  readonly to: number;
};

/** Undefined where a statement is none that is known. */
function entriesOf(text: string): readonly ListEntry[] | undefined {
  const entries = text.split('; ').map((entry): ListEntry | undefined => {
    const [, action, covering, least, most] =
      /^(?:\d+ )?(permit|deny) (any|\S+\/\d+)(?: ge (\d+))?(?: le (\d+))?$/.exec(entry) ?? [];
    if (action !== 'permit' && action !== 'deny') return undefined;
    if (covering === 'any') return { action, from: 0, to: 0 };
    const own = parsePrefix(covering ?? '');
    if (own === undefined) return undefined;
    const isExact = least === undefined && most === undefined;
    const bits = bitsOf(own);
    const from = least === undefined ? own.prefixBits : Number(least);
    const to = isExact ? own.prefixBits : most === undefined ? bits : Number(most);
    return { action, own, from, to };
  });
  return entries.includes(undefined) ? undefined : (entries as readonly ListEntry[]);
}

function ofPrefixList(entries: readonly ListEntry[] | undefined, prefix: string): PolicyVerdict {
  const mine = parsePrefix(prefix);
  if (mine === undefined || entries === undefined) return 'unknown';
  // Lists of both families may share a name: whose an `any` is, is then not known.
  const isShared = entries.some(({ own }) => own !== undefined && own.family !== mine.family);
  for (const { action, own, from, to } of entries) {
    if (own === undefined) return isShared ? 'unknown' : action;
    if (own.family !== mine.family || mine.prefixBits < own.prefixBits) continue;
    const hostBits = BigInt(bitsOf(own) - own.prefixBits);
    const isInside = mine.value >> hostBits === own.value >> hostBits;
    if (isInside && mine.prefixBits >= from && mine.prefixBits <= to) return action;
  }
  return 'deny';
}

function bitsOf({ family }: IpPrefix): number {
  return family === 4 ? 32 : 128;
}
