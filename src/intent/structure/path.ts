// A path of named nodes, from whatever a text or a structure offered as names. Refuses paths without two ends, repeated
// nodes and names that no node can have.
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { NamedNode } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._ -]{0,61}[A-Za-z0-9])?$/;

/** Names in path order become nodes: spelled as typed in `as`, compared by `key`. */
export function pathOf(names: readonly unknown[]): Result<readonly NamedNode[]> {
  if (names.length < 2) return bad('expected at least two nodes');
  if (names.length > LIMITS.intentPathNodes)
    return bad(`expected at most ${LIMITS.intentPathNodes} nodes, got ${names.length}`);
  const path: NamedNode[] = [];
  for (const name of names) {
    if (typeof name !== 'string' || !NAME.test(name))
      return bad('expected node names of letters, digits, "-", "_" and "."');
    const key = nodeKey(name);
    if (path.some((node) => node.key === key)) return bad(`${name} is named twice`);
    path.push({ as: name, key });
  }
  return ok(path);
}
