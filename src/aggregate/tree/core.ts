// The state of one aggregator that its sessions share: slots, the namespace made of them, views of it, and who is told when it changes.
import type { Clock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { Vouching } from '../asked/asked.ts';
import type { Budgets } from '../gates/budgets.ts';
import { createChanges } from '../gates/changes.ts';
import type { Gates } from '../gates/gates.ts';
import type { Demand } from '../gates/tool-registry.ts';
import type { Overflow } from '../leaf/events.ts';
import type { OfferKind } from '../leaf/offers.ts';
import type { Route } from '../notify/sequence.ts';
import { type Entries, mergeEntries, seenOf, type ToolEntry } from './entries.ts';
import { OWN_TOOLS, type OwnTool } from './own-definitions.ts';
import { mergeResources, type Resources } from './resources.ts';
import type { Slot } from './slot.ts';
import { createView, type View, type ViewInit } from './view.ts';

/** What a session hears of the aggregator. */
export type Listener = {
  /** The lists of these kinds are others now. */
  changed(kinds: ReadonlySet<OfferKind>): void;
  /** `route`, here and below: to the server that spoke; empty for this aggregator itself. */
  log(params: JsonObject, route: Route): void;
  updated(update: Update): void;
  /** What subservers and this aggregator say of the tree, such as `subserver_lost`. */
  told(method: string, params: JsonObject, route: Route): void;
  /** So many notifications of that server are lost. */
  lost(route: Route, count: number): void;
  overflowed(overflow: Overflow): void;
};

export type Update = { readonly slot: Slot; readonly paramsText: string; readonly uri: string; readonly route: Route };

export type CoreParts = {
  readonly node: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly gates: Gates;
  readonly budgets: Budgets;
  readonly demand: Demand;
  /** Rejects when it cannot be recorded durably. */
  readonly record: (record: AuditRecord) => Promise<void>;
  /** For readings: recorded soon, with others. */
  readonly note: (record: AuditRecord) => void;
  /** States who asked, to our own agents below; absent without an identity. */
  readonly vouching?: Vouching | undefined;
  /** Tools of this aggregator itself that its process hands in. */
  readonly more: readonly OwnTool[];
};

export type Core = Pick<
  CoreParts,
  'node' | 'clock' | 'log' | 'gates' | 'budgets' | 'record' | 'note' | 'vouching' | 'more'
> & {
  readonly slots: ReadonlyMap<string, Slot>;
  add(slot: Slot): void;
  remove(segment: string): void;
  /** Something of a slot is another now: state, or the lists of these kinds. */
  touched(kinds?: readonly OfferKind[]): void;
  /** The tool as it is now was approved. */
  accept(entry: ToolEntry): void;
  entries(): Entries;
  view(init: ViewInit): View;
  /** Those below a path of segments, or all. */
  resources(mount?: string): Resources;
  readonly listeners: Set<Listener>;
  /** Clients that have chosen a level of log messages. */
  readonly levels: Map<object, number>;
};

/** Views that are kept made: clients name the subtree that they mount. */
const VIEWS = 32;
const ALL_KINDS: readonly OfferKind[] = ['tools', 'resources', 'templates', 'prompts'];

export function createCore(parts: CoreParts): Core {
  const slots = new Map<string, Slot>();
  const listeners = new Set<Listener>();
  let entries: Entries | undefined;
  const resources = new Map<string | undefined, Resources>();
  const views = new Map<string, View>();
  const changedKinds = new Set<OfferKind>();
  const ownTools = [...OWN_TOOLS, ...parts.more.map(({ definition }) => definition)];

  /** Changes that come together are told once. */
  const tell = () => {
    merged();
    const kinds = new Set(changedKinds);
    changedKinds.clear();
    for (const listener of [...listeners]) listener.changed(kinds);
  };
  const changes = createChanges();
  const merged = () => {
    if (entries !== undefined) return entries;
    entries = mergeEntries(inOrder(slots), parts.demand, changes);
    for (const { name, route, isGated, noRoom } of changes.take()) {
      if (noRoom) {
        parts.log.warn('tools of this segment are too many to follow their changes, and need approval', {
          segment: route[0]!,
          tool: name,
        });
        continue;
      }
      parts.log.warn('a tool has changed', { tool: name, isGated });
      for (const listener of [...listeners])
        listener.told('notifications/mcpax/tool_changed', { route, gated: isGated }, []);
    }
    return entries;
  };
  const core: Core = {
    node: parts.node,
    clock: parts.clock,
    log: parts.log,
    gates: parts.gates,
    budgets: parts.budgets,
    record: parts.record,
    note: parts.note,
    vouching: parts.vouching,
    more: parts.more,
    slots,
    listeners,
    levels: new Map(),
    add(slot) {
      slots.set(slot.segment, slot);
      core.touched();
    },
    remove(segment) {
      if (slots.delete(segment)) core.touched();
    },
    touched(kinds = ALL_KINDS) {
      entries = undefined;
      resources.clear();
      views.clear();
      if (changedKinds.size === 0) setImmediate(tell);
      for (const kind of kinds) changedKinds.add(kind);
    },
    accept(entry) {
      const seen = seenOf(entry);
      if (changes.stateOf(seen) !== 'changed') return;
      changes.accept(seen);
      core.touched(['tools']);
    },
    entries: merged,
    view: (init) => keptOr(views, keyOf(init), () => createView(init, merged(), ownTools)),
    resources: (mount) => keptOr(resources, mount, () => mergeResources(inOrder(slots), mount)),
  };
  return core;
}

function keptOr<K, V>(kept: Map<K, V>, key: K, make: () => V): V {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  const [oldest] = kept.keys();
  if (kept.size >= VIEWS && oldest !== undefined) kept.delete(oldest);
  kept.set(key, made);
  return made;
}

/** A session has one and asks with it in each of its calls. */
const KEYS = new WeakMap<ViewInit, string>();

function keyOf(init: ViewInit): string {
  const known = KEYS.get(init) ?? JSON.stringify([init.names, init.mount ?? '', init.compact]);
  KEYS.set(init, known);
  return known;
}

function inOrder(slots: ReadonlyMap<string, Slot>): Slot[] {
  return [...slots.values()].toSorted((one, other) => (one.segment < other.segment ? -1 : 1));
}
