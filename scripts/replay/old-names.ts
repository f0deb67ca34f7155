// Names that evidence of an earlier program has and the present one has changed: of tools, of kinds of evidence, of members of arguments
// and answers, and of words in such members. A change is bound to one tool and to one place, because members elsewhere may be names
// of interfaces or addresses.

import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { IntentKind } from '#model/intent.ts';

/** `a.*.b`: member `b` of each item, or of each member, of member `a`; `**.b`: member `b` wherever it stands. */
export type Place = string;

export type MemberChanges = {
  /** Place → the member's name now. Inner members are named by their old place. */
  readonly members?: Readonly<Record<Place, string>>;
  /** Place → old word → word now. */
  readonly words?: Readonly<Record<Place, Readonly<Record<string, string>>>>;
};

export type NameChanges = {
  /** Tool names and resource URIs. */
  readonly tools: Readonly<Record<string, string>>;
  readonly kinds: Readonly<Record<string, string>>;
  /** By the tool's old name. */
  readonly arguments: Readonly<Record<string, MemberChanges>>;
  /** By the old kind of evidence. */
  readonly bodies: Readonly<Record<string, MemberChanges>>;
};

export const NAME_CHANGES: NameChanges = {
  tools: { 'parley-stations': 'parley-host-scan', 'parley-knock': 'parley-service-probe' },
  kinds: { stations: 'host-scan', knock: 'service-probe' },
  arguments: {
    'parley-knock': { members: { knocks: 'serviceProbes' } },
    'parley-relay': { members: { stations: 'hosts' } },
  },
  bodies: {
    state: { members: { '**.stations': 'hosts', '**.knocks': 'serviceProbes' } },
    relayed: { members: { '**.stations': 'hosts', '**.knocks': 'serviceProbes' } },
  },
};

/** Kinds of intent. */
export const INTENT_KINDS: Readonly<Record<string, IntentKind>> = {
  trouble: 'fault',
  'interface-trouble': 'interface-fault',
};

/** Throws where a new name is another member's name already: one of the two would be lost. */
export function renamedMembers(value: JsonValue, changes: MemberChanges | undefined): JsonValue {
  if (changes === undefined) return value;
  const members = Object.entries(changes.members ?? {}).map(([place, now]) => ({ at: place.split('.'), now }));
  const words = Object.entries(changes.words ?? {}).map(([place, table]) => ({ at: place.split('.'), table }));
  const walk = (each: JsonValue, place: readonly string[]): JsonValue => {
    if (Array.isArray(each)) return each.map((item, at) => walk(item, [...place, String(at)]));
    if (!isJsonObject(each)) {
      const table = words.find(({ at }) => fits(at, place))?.table;
      return typeof each === 'string' ? (table?.[each] ?? each) : each;
    }
    const renamed: Record<string, JsonValue> = {};
    for (const [name, inner] of Object.entries(each as JsonObject)) {
      const here = [...place, name];
      const now = members.find(({ at }) => fits(at, here))?.now ?? name;
      if (now in renamed || (now !== name && now in each))
        throw new Error(`expected no member ${now} beside ${here.join('.')}, got one`);
      renamed[now] = walk(inner, here);
    }
    return renamed;
  };
  return walk(value, []);
}

function fits(pattern: readonly string[], place: readonly string[]): boolean {
  if (pattern[0] === '**') {
    const rest = pattern.slice(1);
    return rest.length <= place.length && fits(rest, place.slice(place.length - rest.length));
  }
  return pattern.length === place.length && pattern.every((name, at) => name === '*' || name === place[at]);
}
