// The node that a path names in YANG data (RFC 7951 JSON). Pure; what is not there is undefined.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIST_KEYS, type PathStep, sameLeaf } from '#model/router/yang-path.ts';

/** The node under `steps` in `{ "<module>:<root>": … }`, wrapped in its qualified name; undefined when there is none. */
export function selectNode(tree: JsonObject, steps: readonly PathStep[]): JsonObject | undefined {
  let module = steps[0]!.module!;
  let node: JsonValue = tree;
  for (const [index, step] of steps.entries()) {
    if (!isJsonObject(node)) return undefined;
    const qualified: string = `${step.module ?? module}:${step.name}`;
    // RFC 7951 §4: a name is qualified where its module differs from its parent's.
    const plain: JsonValue | undefined =
      index > 0 && (step.module === undefined || step.module === module) ? node[step.name] : undefined;
    const found: JsonValue | undefined =
      plain ?? node[qualified] ?? (index > 0 ? findAugmented(node, step) : undefined);
    if (found === undefined) return undefined;
    module = step.module ?? module;
    const last = index === steps.length - 1;
    if (!hasKeys(step)) {
      if (Array.isArray(found) && !last) return undefined;
      node = found;
      continue;
    }
    const entry = Array.isArray(found) ? found.find((item: JsonValue) => matches(item, step)) : undefined;
    if (entry === undefined) return undefined;
    node = last ? [entry] : entry;
  }
  return { [`${module}:${steps.at(-1)!.name}`]: node };
}

function hasKeys(step: PathStep): boolean {
  return Object.keys(step.keys).length > 0;
}

function matches(item: JsonValue, step: PathStep): boolean {
  if (!isJsonObject(item)) return false;
  if (!Array.isArray(step.keys)) {
    return Object.entries(step.keys).every(([name, value]) =>
      sameLeaf(item[name] ?? findAugmented(item, { name }), value),
    );
  }
  const names = (LIST_KEYS[step.name] ?? Object.keys(item)).filter((name) => item[name] !== undefined);
  return step.keys.every((value, index) => sameLeaf(item[names[index] ?? ''], value));
}

/** A node of another module may be named without it where that is not ambiguous. */
function findAugmented(
  node: JsonObject,
  step: { readonly name: string; readonly module?: string | undefined },
): JsonValue | undefined {
  if (step.module !== undefined) return undefined;
  const names = Object.keys(node).filter((name) => name.endsWith(`:${step.name}`));
  return names.length === 1 ? node[names[0]!] : undefined;
}
