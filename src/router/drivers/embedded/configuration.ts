// ConfigurationPort of an embedded node, in the memory of its network: descriptions and whether interfaces are enabled, edited by YANG path.
// The network is the device: it undoes by itself what is not confirmed, also when the agent has died.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { differenceLines } from '#codec/yang/difference.ts';
import { editTree, hasPath } from '#codec/yang/edit.ts';
import { buildSchema } from '#codec/yang/schema.ts';
import { parseYang } from '#codec/yang/statements.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { CandidateChanges, ConfigurationPort, YangEdit } from '#model/router/configuration.ts';
import { parsePath } from '#model/router/yang-path.ts';
import { type CommitBackend, CommitBook } from '../../config/commit-book.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import type { EmbeddedNetwork } from './network.ts';

export type EmbeddedConfigurationParts = {
  readonly network: EmbeddedNetwork;
  readonly node: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
};

/** The part of RFC 8343 that these nodes have. */
const MODULE = `module ietf-interfaces { namespace "urn:ietf:params:xml:ns:yang:ietf-interfaces"; prefix if;
  container interfaces { list interface { key "name";
    leaf name { type string; } leaf description { type string; } leaf enabled { type boolean; } } } }`;
const SCHEMA = schemaOf(MODULE);

type Candidate = {
  readonly holder: string;
  readonly base: JsonObject;
  readonly data: JsonObject;
  readonly touchedMs: number;
};
type Image = { readonly before: JsonObject; readonly after: JsonObject };

export function createEmbeddedConfiguration(parts: EmbeddedConfigurationParts): ConfigurationPort {
  const store = new DataStore(parts);
  const book = new CommitBook<Image>({ ...parts, backend: backendOf(store) });
  const changes = (candidate: Candidate): CandidateChanges => ({
    changes: differenceLines(SCHEMA.roots, candidate.base, candidate.data).map(({ sign, context, line }) => ({
      sign,
      context,
      line,
    })),
  });
  return {
    facts: async () => ({ sources: ['running', 'startup', 'candidate'], confirmedCommit: true }),
    async read(source, holder) {
      const data = source === 'candidate' ? store.of(holder).data : store[source];
      return `${JSON.stringify(data, undefined, 2)}\n`;
    },
    editData: async (holder, edits) => changes(store.edit(holder, edits)),
    restore: async (holder, commitId) => changes(store.replace(holder, book.imageOf(commitId).before)),
    validate: async (holder) => changes(store.of(holder)),
    discard: async (holder) => store.discard(holder),
    commit: (holder, options) => book.commit(holder, options),
    verified: async (commitId) => book.verified(commitId),
    confirm: (holder, persistId, commitId) => book.confirm(holder, persistId, commitId),
    cancel: (holder, reason, persistId, commitId) => book.cancel(holder, reason, persistId, commitId),
    hold: (commitId, signal) => book.hold(commitId, signal),
    open: async () => book.open(),
    history: async () => book.history(),
  };
}

/** Running, start-up and the one candidate. */
class DataStore {
  readonly #parts: EmbeddedConfigurationParts;
  #candidate: Candidate | undefined;
  running: JsonObject;
  startup: JsonObject;

  constructor(parts: EmbeddedConfigurationParts) {
    this.#parts = parts;
    const names = [...parts.network.device(parts.node).ports.keys()];
    this.running = { 'ietf-interfaces:interfaces': { interface: names.map((name) => ({ name, enabled: true })) } };
    this.startup = this.running;
  }

  of(holder: string): Candidate {
    const own = this.#ownOf(holder);
    if (own !== undefined) return own;
    throw new ParleyError('caller/no-candidate', 'expected an edited candidate, there is none');
  }

  /** All of the edits, or none. */
  edit(holder: string, edits: readonly YangEdit[]): Candidate {
    let { data } = this.#begun(holder);
    for (const { path, operation, value } of edits) {
      const steps = parsePath(path);
      const edited = steps.ok ? editTree(SCHEMA.roots, data, steps.value, { operation, value }) : steps;
      if (!edited.ok)
        throw new ParleyError('caller/bad-config', edited.reason, {
          data: {
            path: path.slice(0, 200),
            retryPossible: false,
            // A path that this device does not have is no fault of the payload.
            ...(steps.ok && !hasPath(SCHEMA.roots, steps.value) ? { wireCode: WIRE_CODES.configIncompatible } : {}),
          },
        });
      data = edited.value;
    }
    const unknown = this.#unknownIn(data);
    if (unknown !== undefined)
      throw new ParleyError('caller/bad-config', `expected one of the interfaces of this node, got ${unknown}`);
    return this.#put(holder, data);
  }

  replace(holder: string, data: JsonObject): Candidate {
    this.#begun(holder);
    return this.#put(holder, data);
  }

  discard(holder: string): void {
    this.#ownOf(holder);
    this.#candidate = undefined;
  }

  /** The candidate runs, and no session holds it any more. */
  take(holder: string): Image {
    const { base, data } = this.of(holder);
    if (JSON.stringify(base) !== JSON.stringify(this.running)) {
      const message = 'expected the configuration of before the edits to run, another one does';
      throw new ParleyError('caller/config-changed', message);
    }
    this.#candidate = undefined;
    this.run(data);
    return { before: base, after: data };
  }

  run(data: JsonObject): void {
    const { network, node } = this.#parts;
    for (const { name, enabled } of interfacesIn(data)) {
      const port = network.device(node).ports.get(name);
      const was = interfacesIn(this.running).find((entry) => entry.name === name)?.enabled;
      // Only what the change says: a link that a lab has taken down stays down.
      if (port !== undefined && was !== enabled) network.apply({ kind: 'link', node, ifname: name, up: enabled });
    }
    this.running = data;
  }

  #begun(holder: string): Candidate {
    return this.#ownOf(holder) ?? this.#put(holder, this.running, this.running);
  }

  #put(holder: string, data: JsonObject, base = this.#candidate?.base ?? this.running): Candidate {
    this.#candidate = { holder, base, data, touchedMs: this.#parts.clock.monotonicMs() };
    return this.#candidate;
  }

  #ownOf(holder: string): Candidate | undefined {
    const held = this.#candidate;
    if (held === undefined || held.holder === holder) return held;
    if (this.#parts.clock.monotonicMs() - held.touchedMs <= ROUTER_LIMITS.candidateIdleMs)
      throw new ParleyError('caller/candidate-held', `expected a free candidate, it is held by ${held.holder}`);
    this.#candidate = undefined;
    return undefined;
  }

  #unknownIn(data: JsonObject): string | undefined {
    const { ports } = this.#parts.network.device(this.#parts.node);
    return interfacesIn(data).find(({ name }) => !ports.has(name))?.name;
  }
}

function backendOf(store: DataStore): CommitBackend<Image> {
  const undo = async ({ before, after }: Image) => {
    if (store.running === after) store.run(before);
  };
  return {
    apply: async (holder) => store.take(holder),
    async keep({ after }) {
      if (store.running !== after) return false;
      store.startup = after;
      return true;
    },
    undo,
    // The deadline: this is the device, so it is undone here.
    checkUndone: undo,
    settled: async () => {},
  };
}

function interfacesIn(data: JsonObject): readonly { readonly name: string; readonly enabled: boolean }[] {
  const container = data['ietf-interfaces:interfaces'] as JsonObject | undefined;
  const rows = (container?.['interface'] ?? []) as readonly JsonObject[];
  return rows.map((row) => ({ name: String(row['name']), enabled: row['enabled'] !== false }));
}

function schemaOf(text: string) {
  const parsed = parseYang(text);
  if (!parsed.ok) throw new Error(`a module of our own cannot be read: ${parsed.reason}`);
  return buildSchema([parsed.value]);
}
