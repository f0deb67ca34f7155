// The candidate as YANG data [NET-15], made from its text: each line that has a path in a module stands there. Lines that no module has
// are left out, secrets are gone before the text comes here. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { PathStep } from '#model/router/yang-path.ts';
import { namesOfLine } from '../configuration/config-paths.ts';

/** Modules of which a candidate can hold data. */
export const CANDIDATE_MODULES: readonly string[] = [
  'ietf-interfaces',
  'ietf-routing',
  'openconfig-interfaces',
  'openconfig-bgp',
  'frr-interface',
  'frr-isisd',
  'frr-routing',
];

/** `{ "<module>:<node>": … }`; without members when the candidate says nothing of the module. */
export function candidateTree(text: string, module: string): JsonObject {
  const tree: Record<string, JsonValue> = {};
  let context = '';
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('!')) continue;
    if (!raw.startsWith(' ')) context = '';
    // Lines of nested blocks have no path here.
    if (!raw.startsWith('  ')) {
      for (const { steps, value } of namesOfLine(context, line)) {
        if (steps[0]!.module === module) insert(tree, steps, value);
      }
    }
    if (!raw.startsWith(' ')) context = line;
  }
  return tree;
}

type Growing = Record<string, JsonValue>;

function insert(tree: Growing, steps: readonly PathStep[], value: JsonValue): void {
  let node: Growing = tree;
  let module = '';
  for (const [index, step] of steps.entries()) {
    const own = step.module ?? module;
    // RFC 7951 §4: qualified where the module differs from the parent's.
    const member = index === 0 || own !== module ? `${own}:${step.name}` : step.name;
    module = own;
    const isLast = index === steps.length - 1;
    const keys = Object.entries(step.keys);
    if (keys.length > 0)
      node = entryOf(node, member, Object.fromEntries(keys.map(([name, key]) => [name, keyValue(name, key)])));
    else if (isLast && !isJsonObject(value)) node[member] = value;
    else node = memberOf(node, member, {}) as Growing;
    if (isLast && isJsonObject(value)) Object.assign(node, value);
  }
}

function memberOf(node: Growing, member: string, otherwise: JsonValue): JsonValue {
  const found = node[member] ?? otherwise;
  node[member] = found;
  return found;
}

function entryOf(node: Growing, member: string, keys: JsonObject): Growing {
  const list = memberOf(node, member, []) as JsonValue[];
  const found = list.find((entry) =>
    Object.entries(keys).every(([name, key]) => isJsonObject(entry) && entry[name] === key),
  );
  if (found !== undefined) return found as Growing;
  const entry = { ...keys };
  list.push(entry);
  return entry;
}

/** The one key of these lists that is a number. */
function keyValue(name: string, key: string): JsonValue {
  return name === 'index' ? Number(key) : key;
}
