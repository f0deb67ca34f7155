// Facts and rules write node names as `{pe1}`; here they become what the operator typed ("PE-1"). Only whole marks of known
// nodes are replaced: text of devices is left as it is.
import type { JsonValue } from '#base/json.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';

export type Spell = (text: string) => string;

export function mark(node: string): string {
  return `{${node}}`;
}

/** A speller for the nodes of an intent: unknown nodes keep their own names. */
export function spellerOf(intent: Intent, nodes: readonly string[]): Spell {
  const typed = new Map(
    nodes.map((node) => [node, intent.path.find((named) => named.key === nodeKey(node))?.as ?? node]),
  );
  return (text) => text.replace(/\{([a-z0-9._-]{1,63})\}/g, (whole, node: string) => typed.get(node) ?? whole);
}

/** The same for the values of a finding's details. */
export function spelledDetails(
  details: Readonly<Record<string, JsonValue>>,
  spell: Spell,
): Readonly<Record<string, JsonValue>> {
  const spelled = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return spell(value);
    return Array.isArray(value) ? value.map((each) => (typeof each === 'string' ? spell(each) : each)) : value;
  };
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, spelled(value)]));
}
