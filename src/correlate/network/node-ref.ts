// Facts and rules write node references, `{pe1}`; here they become what the operator typed ("PE-1"). Only whole references to known
// nodes are replaced: text of devices is left as it is.
import type { JsonValue } from '#base/json.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';

/** Replaces the node references of a text by names. */
export type NameNodes = (text: string) => string;

export function nodeRef(node: string): string {
  return `{${node}}`;
}

/** For the nodes of an intent, as it spells them: unknown nodes keep their own names. */
export function nodeNamer(intent: Intent, nodes: readonly string[]): NameNodes {
  const typed = new Map(
    nodes.map((node) => [node, intent.path.find((each) => each.key === nodeKey(node))?.as ?? node]),
  );
  return (text) => text.replace(/\{([^{}]{1,63})\}/g, (whole, node: string) => typed.get(node) ?? whole);
}

/** The same for the values of a finding's details. */
export function namedDetails(
  details: Readonly<Record<string, JsonValue>>,
  nameNodes: NameNodes,
): Readonly<Record<string, JsonValue>> {
  const named = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return nameNodes(value);
    return Array.isArray(value) ? value.map((each) => (typeof each === 'string' ? nameNodes(each) : each)) : value;
  };
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, named(value)]));
}
