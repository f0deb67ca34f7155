// An intent out of names and what else was said of it. Refuses names that no node can have and addresses that are none.
import { parsePrefix } from '#base/ip.ts';
import type { Intent, IntentKind, NamedNode } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { pathOf } from './path.ts';
import type { Recognition } from './recognition.ts';

export type Extra = Partial<
  Pick<
    Intent,
    | 'protocol'
    | 'neighbour'
    | 'ifname'
    | 'destination'
    | 'fromHost'
    | 'service'
    | 'sinceMs'
    | 'untilMs'
    | 'when'
    | 'isLink'
  >
>;

export function intentOf(kind: IntentKind, text: string, names: readonly string[], extra: Extra): Recognition {
  const refused = (problem: string): Recognition => ({ ok: false, understood: [kind], problem });
  const path = namedNodes(names);
  if (path === undefined) return refused(`no node can be called ${names.join(' or ')}`);
  const { destination, neighbour } = extra;
  if (destination !== undefined && parsePrefix(destination) === undefined)
    return refused(`destination: expected an address or a prefix, got ${destination}`);
  if (neighbour !== undefined && looksLikeAddress(neighbour) && parsePrefix(neighbour) === undefined)
    return refused(`neighbour: expected a node or an address, got ${neighbour}`);
  return { ok: true, intent: { kind, text, path, encapsulation: 'ip', ...extra } };
}

function looksLikeAddress(text: string): boolean {
  return /^[\d.]+(?:\/\d+)?$/.test(text) || text.includes(':');
}

function namedNodes(names: readonly string[]): readonly NamedNode[] | undefined {
  const different = [...new Map(names.map((name) => [nodeKey(name), name])).values()];
  if (different.length >= 2) {
    const path = pathOf(different);
    return path.ok ? path.value : undefined;
  }
  return different.map((as) => ({ as, key: nodeKey(as) }));
}
