// The merged namespace: one entry for each tool and prompt of each slot, under its whole name. Names are looked up as they stand and never
// taken apart, so that a name can only lead where it was registered. Pure over the slots.
import type { JsonObject } from '#base/json.ts';
import type { Changes, Seen, ToolState } from '../gates/changes.ts';
import type { Demand } from '../gates/tool-registry.ts';
import { claimsOf, IRREVERSIBLE, META, objectOf, raisedClass, type ToolClaims } from '../names/capability.ts';
import { localNames, parseName } from '../names/names.ts';
import type { Slot } from './slot.ts';

export type Entry = {
  /** Segments with dots between them, from below this aggregator. */
  readonly name: string;
  readonly route: readonly string[];
  readonly slot: Slot;
  /** What the subserver calls it. */
  readonly downName: string;
  readonly definition: JsonObject;
};

export type ToolEntry = Entry & {
  readonly claims: ToolClaims;
  /** Whether a call needs an approval that no program can make. */
  readonly isGated: boolean;
  /** Beside the one that was accepted. */
  readonly state: ToolState;
};

/** What a slot offers and cannot be reached, with the reason. */
export type Unmapped = { readonly segment: string; readonly name: string; readonly reason: string };

export type Entries = {
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly prompts: ReadonlyMap<string, Entry>;
  readonly unmapped: readonly Unmapped[];
};

export function mergeEntries(slots: Iterable<Slot>, demand: Demand, changes: Pick<Changes, 'stateOf'>): Entries {
  const tools = new Map<string, ToolEntry>();
  const prompts = new Map<string, Entry>();
  const unmapped: Unmapped[] = [];
  for (const slot of slots) {
    for (const entry of entriesOf(slot, slot.offers.tools, unmapped))
      tools.set(entry.name, toolEntry(entry, demand, changes));
    for (const entry of entriesOf(slot, slot.offers.prompts, unmapped)) prompts.set(entry.name, entry);
  }
  return { tools, prompts, unmapped };
}

function* entriesOf(slot: Slot, definitions: readonly JsonObject[], unmapped: Unmapped[]): Generator<Entry> {
  const { segment } = slot;
  const byName = new Map(definitions.map((definition) => [String(definition['name']), definition]));
  if (slot.isAggregator) {
    for (const [downName, definition] of byName) {
      const route = parseName(`${segment}.${downName}`);
      if (route.ok) yield { name: `${segment}.${downName}`, route: route.value, slot, downName, definition };
      else unmapped.push({ segment, name: downName.slice(0, 64), reason: route.reason });
    }
    return;
  }
  const { named, refused } = localNames([...byName.keys()]);
  for (const each of refused) unmapped.push({ segment, ...each });
  for (const [local, downName] of named) {
    yield { name: `${segment}.${local}`, route: [segment, local], slot, downName, definition: byName.get(downName)! };
  }
}

function toolEntry(entry: Entry, demand: Demand, changes: Pick<Changes, 'stateOf'>): ToolEntry {
  const claims = claimsOf(entry.definition);
  const state = changes.stateOf(seenOf({ ...entry, claims }));
  return { ...entry, claims, state, isGated: state !== 'accepted' || isGated(entry, claims, demand) };
}

/** A tool as its changes are followed. */
export function seenOf({ name, route, definition, claims }: Entry & Pick<ToolEntry, 'claims'>): Seen {
  return { name, route, definition, safety: claims.safety };
}

/** What was gated below stays gated (MCP-AX §11.3); what stands above may add a gate, and only the registry may open what merely says nothing. */
function isGated({ name, slot, definition }: Entry, claims: ToolClaims, demand: Demand): boolean {
  if (slot.isAggregator && objectOf(definition['_meta'])[META.safety] === IRREVERSIBLE) return true;
  const demanded = demand(name);
  if (demanded !== undefined) return demanded === 'gate';
  if (claims.safety === IRREVERSIBLE || slot.rules.trust === 'none') return true;
  return claims.safety === 'unsaid' && slot.rules.unsaid === 'gate';
}

/** The definition as it is listed under `name`: members of the tool stay, `_meta` grows. */
export function listedTool(entry: ToolEntry, name: string): JsonObject {
  const { definition, claims, slot } = entry;
  const roundTripMs = slot.subserver?.roundTripMs ?? 0;
  const capability = {
    ...claims.capability,
    latency_class: raisedClass(claims.latencyClass, roundTripMs),
    ...(slot.state === 'up' ? {} : { availability: 'degraded' }),
  };
  const isSaid =
    claims.capability !== undefined || slot.state !== 'up' || capability.latency_class !== claims.latencyClass;
  return {
    ...definition,
    name,
    _meta: {
      ...objectOf(definition['_meta']),
      ...namesOf(entry, name),
      [META.hops]: claims.hops + 1,
      ...(isSaid ? { [META.capability]: capability } : {}),
      ...(entry.isGated ? { [META.safety]: IRREVERSIBLE } : {}),
    },
  };
}

export function listedPrompt(entry: Entry, name: string): JsonObject {
  return { ...entry.definition, name, _meta: { ...objectOf(entry.definition['_meta']), ...namesOf(entry, name) } };
}

function namesOf(entry: Entry, name: string): JsonObject {
  const isMapped = !entry.slot.isAggregator && entry.downName !== entry.route.at(-1);
  return {
    ...(name === entry.name ? {} : { [META.name]: entry.name }),
    ...(isMapped ? { [META.original]: entry.downName } : {}),
  };
}
