// What a routing policy does with one prefix, worked out from its statements as states and memory tell them (model/router/control-plane.ts). Only
// what a prefix alone decides is worked out: route maps that match prefix lists, and prefix lists. All else is `unknown`, never a guess.
import { parsePrefix } from '#base/ip.ts';
import type { BgpPolicy } from '../router/control-plane.ts';

export type PolicyVerdict = 'permit' | 'deny' | 'unknown';

/** Statements by kind and name, as `route-map ADVERTISE`. */
export type PolicyTexts = ReadonlyMap<string, string>;

/** Words that were cut end so: what is missing may decide. */
const CUT = /… #[0-9a-f]+$/;

export function policyTextsOf(policies: readonly BgpPolicy[] = []): PolicyTexts {
  return new Map(policies.map(({ name, content, whole = content }) => [name, whole]));
}

/** `name` as a session names it: `route-map ADVERTISE`, `prefix-list SITES`. */
export function verdictOf(texts: PolicyTexts, name: string, prefix: string): PolicyVerdict {
  const text = texts.get(name);
  if (text === undefined || CUT.test(text)) return 'unknown';
  if (name.startsWith('prefix-list ')) return ofPrefixList(text, prefix);
  return name.startsWith('route-map ') ? ofRouteMap(texts, text, prefix) : 'unknown';
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

function ofPrefixList(text: string, prefix: string): PolicyVerdict {
  const own = parsePrefix(prefix);
  if (own === undefined) return 'unknown';
  const bits = own.family === 4 ? 32 : 128;
  for (const entry of text.split('; ')) {
    const [, action, covering, least, most] =
      /^(?:\d+ )?(permit|deny) (any|\S+\/\d+)(?: ge (\d+))?(?: le (\d+))?$/.exec(entry) ?? [];
    if (action === undefined || covering === undefined) return 'unknown';
    if (covering === 'any') return action as PolicyVerdict;
    const its = parsePrefix(covering);
    // Lists of both families may share a name.
    if (its === undefined || its.family !== own.family || own.prefixBits < its.prefixBits) continue;
    const isInside = own.value >> BigInt(bits - its.prefixBits) === its.value >> BigInt(bits - its.prefixBits);
    const isExact = least === undefined && most === undefined;
    const [from, to] = isExact
      ? [its.prefixBits, its.prefixBits]
      : [least === undefined ? its.prefixBits : Number(least), most === undefined ? bits : Number(most)];
    if (isInside && own.prefixBits >= from && own.prefixBits <= to) return action as PolicyVerdict;
  }
  return 'deny';
}
