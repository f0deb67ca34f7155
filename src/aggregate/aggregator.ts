// One aggregator, put together: slots by configuration and by registration, sessions on whatever link comes, one way up. Opens no socket:
// what listens and dials is handed in.
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { Result } from '#base/result.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { AuditRecord, Signer } from '#model/ports.ts';
import { createVouching } from './asked/asked.ts';
import { type Budget, createBudgets } from './gates/budgets.ts';
import { createGates } from './gates/gates.ts';
import type { Demand } from './gates/tool-registry.ts';
import { type KeptLeaf, keepLeaf, type Opened } from './keep/keep-leaf.ts';
import { AGGREGATE_LIMITS } from './limits.ts';
import { keepParent, type Parent, type ParentTarget } from './registry/parent.ts';
import { createRegistrar, type VerifyAuthority } from './registry/registrar.ts';
import { createRegistry, type Owner, type Registry } from './registry/registry.ts';
import { type Clients, createClients } from './serve/clients.ts';
import { serveSession } from './serve/session.ts';
import type { RegistrationStore } from './store/store.ts';
import { type Core, createCore } from './tree/core.ts';
import type { OwnTool } from './tree/own-definitions.ts';
import { createSlot, type SlotInit, type SlotRules } from './tree/slot.ts';
import type { ViewInit } from './tree/view.ts';

export type LeafInit = SlotInit & { readonly open: () => Promise<Opened> | Opened };

export type AggregatorInit = {
  readonly node: string;
  /** UUID that survives restarts. */
  readonly aggregatorId: string;
  readonly leaves: readonly LeafInit[];
  readonly parents: readonly ParentTarget[];
  /** Undefined: nothing may register. */
  readonly registration: SlotRules | undefined;
  /** Segments that only some nodes may hold, by the names in their certificates. */
  readonly segments: Readonly<Record<string, readonly string[]>>;
  readonly owners: readonly Owner[];
  /** Shared with other aggregators of the tree. */
  readonly store?: RegistrationStore | undefined;
  /** Registered tools that may change something need a proven owner (MCP-AX §4.2). */
  readonly needsProof?: boolean;
  readonly verifyAuthority?: VerifyAuthority | undefined;
  readonly stickyMs: number;
  readonly graceMs: number;
  readonly budget: Budget;
  readonly demand: Demand;
  readonly view: ViewInit;
  readonly verifyChain: (chain: CertificateChain, atMs: number) => Result<Party>;
  readonly saveOwners: (owners: readonly Owner[]) => Promise<void>;
  readonly record: (record: AuditRecord) => Promise<void>;
  /** For readings: recorded soon, with others. */
  readonly note: (record: AuditRecord) => void;
  /** Signs who asked, for our own agents below; undefined without an identity. */
  readonly signer?: Signer | undefined;
  /** The signing key in the certificate of a parent that was dialled. */
  readonly parentKey?: (node: string) => string | undefined;
  /** The certificates that a party's session was opened with; undefined for users without one. */
  readonly chainOf?: (party: Party) => CertificateChain | undefined;
  /** Tools of this aggregator itself, made for its core. */
  readonly moreTools?: (core: () => Core) => readonly OwnTool[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

export type Aggregator = Pick<Clients, 'serve' | 'modern' | 'modernClient' | 'schemaOf'> & {
  readonly core: Core;
  readonly parent: Parent;
  stop(): Promise<void>;
};

export function createAggregator(init: AggregatorInit): Aggregator {
  const { clock, random, log, aggregatorId } = init;
  // The path is known once a parent has answered.
  const way: { up?: Parent } = {};
  const path = () => way.up?.path ?? [];
  const gates = createGates({ node: init.node, clock, random, verifyChain: init.verifyChain, path });
  const budgets = createBudgets(init.budget, clock);
  const core: Core = createCore({
    ...init,
    gates,
    budgets,
    vouching: init.signer === undefined ? undefined : createVouching({ ...init, signer: init.signer }),
    more: init.moreTools?.(() => core) ?? [],
  });
  const registry = registryFor(init);
  const registrar =
    init.registration === undefined
      ? undefined
      : createRegistrar({
          core,
          registry,
          aggregatorId,
          clock,
          random,
          budget: init.budget,
          rules: init.registration,
          path,
          store: init.store,
          isKept: (segment) => init.segments[segment] !== undefined,
          needsProof: init.needsProof ?? false,
          verifyAuthority: init.verifyAuthority,
          elsewhere: async (subserverId) => way.up?.elsewhere(subserverId),
          mayHold: (segment, names) =>
            init.segments[segment]?.some((name) => names.includes(name.toLowerCase())) ?? true,
          persist: () => init.saveOwners(registry.owners()),
        });
  const leaves = init.leaves.map((leaf) => startLeaf(core, leaf, init));
  const clients = createClients({
    core,
    clock,
    random,
    view: init.view,
    chainOf: init.chainOf,
    methods: registrar?.methods,
  });
  const { serve } = clients;
  const up = keepParent({
    targets: init.parents,
    subserverId: aggregatorId,
    aggregatorId,
    subtreeIds: registry.subtreeIds,
    clock,
    random,
    log,
    serve(peer, parentNode) {
      const signingKey = init.parentKey?.(parentNode);
      const key = signingKey === undefined ? {} : { signingKey };
      const party: Party = { kind: 'node', domain: '', name: parentNode, ...key };
      serveSession(core, peer, { party, view: { names: 'dotted', compact: false }, isParent: true });
    },
  });
  way.up = up;
  return {
    core,
    parent: up,
    serve,
    modern: clients.modern,
    modernClient: clients.modernClient,
    schemaOf: clients.schemaOf,
    async stop() {
      await up.stop();
      await registrar?.stop();
      await init.store?.stop();
      clients.stop();
      await Promise.all(leaves.map((leaf) => leaf.stop()));
    },
  };
}

function registryFor({ aggregatorId, leaves, graceMs, stickyMs, owners }: AggregatorInit): Registry {
  return createRegistry({
    aggregatorId,
    reserved: leaves.map(({ segment }) => segment),
    graceMs,
    stickyMs,
    missedHeartbeats: AGGREGATE_LIMITS.missedHeartbeats,
    most: AGGREGATE_LIMITS.subservers,
    owners,
  });
}

function startLeaf(core: Core, { open, ...rest }: LeafInit, { random, graceMs }: AggregatorInit): KeptLeaf {
  const slot = createSlot(rest, core.clock, () => core.touched());
  core.add(slot);
  return keepLeaf(core, { slot, open, random, graceMs });
}
