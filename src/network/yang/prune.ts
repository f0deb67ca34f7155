// Leaves out of YANG data what the caller may not read [NET-16]: denied nodes are absent, as if they were not there (RFC 8341
// §3.2.4). Works on the data, whose names are the device's own, and not on what the caller wrote. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Access } from '#model/access.ts';
import type { Party } from '#model/identity.ts';
import type { PathStep } from '#model/router/yang-path.ts';

/** `tree` is `{ "<module>:<node>": … }` below `base`, which is empty at the top. */
export function pruneTree(access: Access, caller: Party, tree: JsonObject, base: readonly PathStep[] = []): JsonObject {
  if (!access.hidesData(caller)) return tree;
  const mayRead = (steps: readonly PathStep[]) => access.rule(caller, 'read', { kind: 'data', steps }).permit;
  return pruneMembers(tree, base, mayRead);
}

type MayRead = (steps: readonly PathStep[]) => boolean;

function pruneMembers(node: JsonObject, above: readonly PathStep[], mayRead: MayRead): JsonObject {
  const kept: [string, JsonValue][] = [];
  for (const [member, value] of Object.entries(node)) {
    const colon = member.indexOf(':');
    // RFC 7951 §4: a name without a module is of its parent's.
    const module = colon > 0 ? member.slice(0, colon) : above.at(-1)?.module;
    const step: PathStep = { module, name: member.slice(colon + 1), keys: {} };
    const pruned = pruneValue(value, [...above, step], mayRead);
    if (pruned !== undefined) kept.push([member, pruned]);
  }
  return Object.fromEntries(kept);
}

function pruneValue(value: JsonValue, steps: readonly PathStep[], mayRead: MayRead): JsonValue | undefined {
  if (Array.isArray(value)) {
    const entries = value.map((entry) => (isJsonObject(entry) ? pruneEntry(entry, steps, mayRead) : entry));
    const kept = entries.filter((entry): entry is JsonValue => entry !== undefined);
    return mayRead(steps) ? kept : undefined;
  }
  if (!mayRead(steps)) return undefined;
  return isJsonObject(value) ? pruneMembers(value, steps, mayRead) : value;
}

/** A list's entry, with all its plain leaves for keys. */
function pruneEntry(entry: JsonObject, steps: readonly PathStep[], mayRead: MayRead): JsonObject | undefined {
  const keys = Object.fromEntries(
    Object.entries(entry).flatMap(([name, leaf]) =>
      typeof leaf === 'string' || typeof leaf === 'number' ? [[name, String(leaf)]] : [],
    ),
  );
  const own = [...steps.slice(0, -1), { ...steps.at(-1)!, keys }];
  return mayRead(own) ? pruneMembers(entry, own, mayRead) : undefined;
}
