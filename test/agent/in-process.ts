// Three nodes within the test: real definitions, handlers, signatures and evidence over an embedded network; sessions are calls.

import type { InvestigateParts } from '#agent/investigate.ts';
import type { AskerParts } from '#agent/serving/asker.ts';
import { createLocalCalls } from '#agent/serving/local-calls.ts';
import { createCallHandler, createRefusalSigner } from '#agent/serving/serve.ts';
import { createSessions, type DialTarget, type Sessions, type SessionsParts } from '#agent/sessions/sessions.ts';
import { createMayDial } from '#agent/sessions/told-addresses.ts';
import type { Clock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { type Random, systemRandom } from '#base/random.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import { createPeersTool } from '#discovery/peers-tool.ts';
import { type Catalog, createCatalog } from '#mcp/catalog/catalog.ts';
import { createGate } from '#mcp/catalog/gate.ts';
import { type Access, createAccess } from '#model/access.ts';
import type { PeerSession } from '#model/call.ts';
import type { PeerTable } from '#model/peer.ts';
import type { AuditRecord, CallGate, ReportStore, ReportSummary } from '#model/ports.ts';
import type { SealedReport } from '#model/report.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { createNarrator } from '#narrate/narrator.ts';
import { interfaceStatisticsResource } from '#network/device/interface-statistics.ts';
import { captureTool } from '#network/measurement/capture.ts';
import { interfaceCountersTool, nodeStateTool } from '#network/measurement/node-state.ts';
import { lookupsTool, reachTool } from '#network/measurement/routes.ts';
import { srv6PingTool } from '#network/measurement/srv6-ping.ts';
import { createEmbeddedDriver } from '#router/drivers/embedded/driver.ts';
import { createEmbeddedNetwork, type EmbeddedNetwork } from '#router/drivers/embedded/network.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { fakeAskers } from '../fakes/asker.ts';
import { createFakeClock, type FakeClock } from '../fakes/clock.ts';
import { type FakeParty, fakeParty } from '../fakes/signed-exchange.ts';
import { THREE_ROUTERS } from '../router/embedded-bed.ts';

export const CAPABILITIES = [
  'ietf-interface-counters',
  'ietf-srv6-ping',
  'parley-capture',
  'parley-lookups',
  'parley-reach',
  'parley-peers',
];

export type TestNode = FakeParty & {
  readonly name: string;
  readonly peers: PeerTable;
  readonly audit: AuditRecord[];
  readonly catalog: Catalog;
  readonly gate: CallGate;
};

export type TestDomain = {
  readonly network: EmbeddedNetwork;
  readonly clock: FakeClock;
  readonly random: Random;
  readonly nodes: ReadonlyMap<string, TestNode>;
  node(name: string): TestNode;
  /** A session in which `asker` calls `callee`; its end is only remembered. */
  session(asker: string, callee: string): PeerSession & { readonly ended: () => boolean };
};

/** Where chance, keys and the time of devices come from. */
export type TestKit = {
  readonly random: Random;
  party(name: string): FakeParty;
  /** The machine's where it is not given. */
  readonly deviceClock?: Clock;
  /** By node; the built-in rules for the others. */
  readonly access?: Readonly<Record<string, Access>>;
  /** By node; the defaults for the others. */
  readonly askers?: Readonly<Record<string, Partial<AskerParts>>>;
};

/** `touch` changes what every node says of itself. */
export function createTestDomain(
  touch: (state: NodeState) => NodeState = (state) => state,
  kit: TestKit = { random: systemRandom, party: fakeParty },
): TestDomain {
  const { random } = kit;
  const network = createEmbeddedNetwork(THREE_ROUTERS);
  const clock = createFakeClock();
  const nodes = new Map(network.nodes.map((name) => [name, makeNode(kit, name, { network, clock, touch })]));
  const node = (name: string) => nodes.get(name)!;
  return {
    network,
    clock,
    random,
    nodes,
    node,
    session: (asker, callee) => sessionBetween(node(asker), node(callee), { clock, random }),
  };
}

type Around = {
  readonly network: EmbeddedNetwork;
  readonly clock: FakeClock;
  readonly touch: (state: NodeState) => NodeState;
};

function makeNode(kit: TestKit, name: string, { network, clock, touch }: Around): TestNode {
  const party = kit.party(name);
  const time = kit.deviceClock === undefined ? {} : { clock: kit.deviceClock };
  const device = createEmbeddedDriver({ network, node: name, ...time });
  const router = {
    ...device,
    state: async (...args: Parameters<typeof device.state>) => touch(await device.state(...args)),
  };
  const peers = createPeerTable({ node: name, clock });
  const audit: AuditRecord[] = [];
  const catalog = createCatalog({
    tools: [
      srv6PingTool(router),
      nodeStateTool(router),
      interfaceCountersTool(router),
      captureTool(router),
      lookupsTool(router),
      reachTool(router),
      createPeersTool({ node: name, table: peers }),
    ],
    resources: [interfaceStatisticsResource(router)],
    access: kit.access?.[name] ?? createAccess(),
  });
  const handler = createCallHandler({
    ...party,
    catalog: () => catalog,
    window: createNonceWindow(),
    clock,
    audit: { append: async (record) => void audit.push(record) },
    log: silentLog,
    askers: fakeAskers(party.party, clock, kit.askers?.[name]),
  });
  const gate = createGate({
    catalog: () => catalog,
    handler,
    onRefused: ({ reason }) => audit.push({ event: 'refused', reason }),
    log: silentLog,
    signRefusal: createRefusalSigner({ ...party, clock }),
  });
  return { ...party, name, peers, audit, catalog, gate: (call) => gate(call, 'local') };
}

function sessionBetween(asker: TestNode, callee: TestNode, { clock, random }: Pick<TestDomain, 'clock' | 'random'>) {
  const calls = createLocalCalls({
    party: asker.party,
    capabilities: CAPABILITIES,
    gate: callee.gate,
    signer: asker.signer,
    nonces: asker.nonces,
    random,
    clock,
  });
  let closed = false;
  return {
    peer: callee.party,
    chain: callee.chain,
    authorised: CAPABILITIES,
    call: calls.call,
    get closed() {
      return closed;
    },
    close: async () => {
      closed = true;
    },
    ended: () => closed,
  };
}

/** Makes `node` know `other` at an address, as LLDP would. */
export function hear(node: TestNode, other: string, address = `fd00:0:0:9::${other.length}`): void {
  node.peers.add({
    source: 'lldp',
    node: other,
    addresses: [address],
    port: 9514,
    heardOn: 'eth1',
    hops: 0,
    heardAtMs: 1_767_225_600_000,
  });
}

/** Sessions of `asker` whose dials reach the other nodes by name; `dialled` lists the targets in order. */
export function sessionsOf(
  domain: TestDomain,
  asker: string,
  open: (target: DialTarget, signal: AbortSignal) => Promise<PeerSession> = async (target) =>
    domain.session(asker, target.node),
  own?: SessionsParts['own'],
): { readonly sessions: Sessions; readonly dialled: DialTarget[] } {
  const dialled: DialTarget[] = [];
  const sessions = createSessions({
    peers: domain.node(asker).peers,
    open: async (target, signal) => {
      dialled.push(target);
      return { session: await open(target, signal), address: target.addresses[0]! };
    },
    mayDial: createMayDial({
      prefixes: undefined,
      router: { route: async (destination) => ({ destination, kind: 'none' }) },
      log: silentLog,
    }),
    ...(own === undefined ? {} : { own }),
    idleMs: 60_000,
    dialMs: 5_000,
    clock: domain.clock,
    log: silentLog,
  });
  return { sessions, dialled };
}

export type MemoryStore = ReportStore & {
  readonly reports: Map<string, SealedReport>;
  readonly summaries: ReportSummary[];
};

export function createMemoryStore(): MemoryStore {
  const reports = new Map<string, SealedReport>();
  const summaries: ReportSummary[] = [];
  return {
    reports,
    summaries,
    put: async (id, sealed, summary) => {
      reports.set(id, sealed);
      summaries.push(summary);
      return { lost: 0 };
    },
    get: async (id) => reports.get(id),
    list: async () => summaries,
    acknowledge: async () => false,
    close: async () => {},
  };
}

/** Everything that `asker` investigates with. */
export function partsOf(
  domain: TestDomain,
  asker: string,
  over: Partial<InvestigateParts> = {},
): InvestigateParts & { readonly store: MemoryStore } {
  const node = domain.node(asker);
  const { clock, random } = domain;
  return {
    node: asker,
    peers: node.peers,
    sessions: sessionsOf(domain, asker).sessions,
    clock,
    patienceEndsMs: 0,
    self: { party: node.party, chain: node.chain },
    probesOf: () => undefined,
    local: createLocalCalls({
      party: node.party,
      capabilities: CAPABILITIES,
      gate: node.gate,
      signer: node.signer,
      nonces: node.nonces,
      random,
      clock,
    }),
    window: createNonceWindow(),
    narrator: createNarrator({ model: 'none', timeoutMs: 100 }),
    signer: node.signer,
    random,
    probeCount: 400,
    record: (record) => void node.audit.push(record),
    ...over,
    store: createMemoryStore(),
  };
}
