// The composition root of `parley agent`: builds every part from the configuration and starts them in order. Wiring only.
import { join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import { makeFolder } from '#base/files.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { randomHex, systemRandom } from '#base/random.ts';
import type { Config } from '#config/schema.ts';
import { createConsents } from '#consent/consents.ts';
import { consentTools } from '#consent/tools.ts';
import { ownOrigin } from '#console/own-host.ts';
import { createPeersTool } from '#discovery/peers-tool.ts';
import { type Catalog, createCatalog } from '#mcp/catalog/catalog.ts';
import { createGate, type OnRefused } from '#mcp/catalog/gate.ts';
import { createToolDocuments } from '#mcp/catalog/tool-documents.ts';
import type { McpServer } from '#mcp/server.ts';
import { RELAY_TOOL } from '#measure/call.ts';
import { type Access, createAccess } from '#model/access.ts';
import type { PromptDefinition, ToolDefinition } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { CallGate } from '#model/ports.ts';
import { interfaceStatisticsResource } from '#network/device/interface-statistics.ts';
import type { ChainVerifier } from '#report/countersign.ts';
import { createReportDefinitions } from '#report/definitions.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { type Foundation, openFoundation, openStanding } from './foundation.ts';
import { RENEW_TOOL } from './identity/renew-tool.ts';
import { TRUST_LIST_TOOL } from './identity/trust-lists.ts';
import { createIdentityParts } from './identity-parts.ts';
import type { InvestigateParts } from './investigate.ts';
import { createProbeCosts } from './investigation/probe-costs.ts';
import { type Part, type Running, startAll } from './lifecycle.ts';
import { AGENT_LIMITS } from './limits.ts';
import { agentStateOf } from './parts/agent-state.ts';
import { createAuditHeads } from './parts/audit-heads.ts';
import { createAuditOutward } from './parts/audit-outward.ts';
import { createCards } from './parts/cards.ts';
import { createClockFloor } from './parts/clock-floor.ts';
import { createLateNarrator } from './parts/late-narrator.ts';
import { type OpenedRouter, openRouter } from './parts/open-router.ts';
import { createOrders, type Orders, withOrders } from './parts/orders.ts';
import { createParentAggregator } from './parts/parent-aggregator.ts';
import { loadPrompts } from './parts/prompts.ts';
import { createRegistrarPart } from './parts/registrar.ts';
import { createReportRetention } from './parts/report-retention.ts';
import { createTechSupport } from './parts/tech-support.ts';
import { createTokenEndpoint } from './parts/token-endpoint.ts';
import { createTokens } from './parts/tokens.ts';
import { createUnusedMemory } from './parts/unused-memory.ts';
import { askersOf } from './serving/asker-parts.ts';
import { createLocalCalls } from './serving/local-calls.ts';
import { createRefusalRecorder } from './serving/refusals.ts';
import { createCallHandler, createRefusalSigner } from './serving/serve.ts';
import { serverOf } from './serving/server.ts';
import { recordedParty } from './serving/session-record.ts';
import { createPeerDialer } from './sessions/dial-peer.ts';
import { createDiscoveryPart } from './sessions/discovery-part.ts';
import { createKnownPeers } from './sessions/known-peers.ts';
import { openListeners } from './sessions/listeners.ts';
import { createPeerMaintenance } from './sessions/peer-maintenance.ts';
import { createSessions, type OpenSession, type Sessions } from './sessions/sessions.ts';
import { createMayDial, type MayDial } from './sessions/told-addresses.ts';
import { createAskTool } from './tools/ask.ts';
import { createBaselinePart } from './tools/baseline.ts';
import { createConfigureTools } from './tools/configure.ts';
import { createDeviceDefinitions, interfaceNames } from './tools/device.ts';
import { createExpectationsPart } from './tools/expectations.ts';
import { measurementTools } from './tools/measurements.ts';
import { createProbeWay } from './tools/probe-way.ts';
import { createRelayParts } from './tools/relaying.ts';
import { createTopologyTool } from './tools/topology.ts';

export type Agent = Running & { readonly node: string; readonly port: number };

/** Rejects with a ParleyError that says what to do if the identity, the state folder or the port is not available. */
export async function createAgent(config: Config, log: Log): Promise<Agent> {
  const clock = createSystemClock(config.clock);
  const standing = await openStanding(config, clock, log);
  await makeFolder(config.state, 0o700);
  const foundation = await openFoundation(config, standing, clock, log);
  const opened = await openRouter(config, clock, log);
  const close = async () => {
    await opened.device.close();
    await opened.router.close();
    await foundation.close();
  };
  const prompts = await loadPrompts(
    config.prompts.dir,
    {
      clock,
      newId: () => randomHex(systemRandom, 16),
      findTool: (name) => agent.catalog.findTool(name),
      cliDialect: () => dialectOf(agent.network()),
      completeInterface: interfaceNames(opened.router),
    },
    log,
  );
  const agent = assemble(foundation, opened, prompts);
  const running = await startAll(agent.parts, log).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const { thumbprint: certificate } = foundation.identity();
  foundation.record({ event: 'agent-started', detail: { certificate } });
  log.info('agent started', { node: config.node, port: agent.port(), certificate });
  return {
    node: config.node,
    port: agent.port(),
    stop: async () => {
      await running.stop();
      foundation.record({ event: 'agent-stopped' });
      await close();
      log.info('agent stopped', { node: config.node });
    },
  };
}

function assemble(foundation: Foundation, opened: OpenedRouter, prompts: readonly PromptDefinition[]) {
  const { router, device } = opened;
  const { config, clock, log, store, peers, newSessionId } = foundation;
  const baselineDir = join(config.state, 'baseline');
  const own = foundation.identity();
  const said = createExpectationsPart({ ...foundation, identity: own, dir: baselineDir });
  const heads = createAuditHeads(foundation);
  const wayOf = createProbeWay(() => investigation);
  const measurements = measurementTools(router, said.own, { wayOf, peers });
  const { access, consents } = createAuthorities(foundation);
  const orders = ordersOf(foundation, access);
  const exchanged = withOrders(heads, orders);
  const forPeers = [...measurements, createPeersTool({ node: config.node, table: peers, heads: exchanged })];
  const agent = describeAgent(foundation, () => capabilities);
  const shared = { access, agent, consent: consents, clock, log };
  const ofDevice = createDeviceDefinitions({ ...shared, node: config.node, router, device });
  const agentState = async () => agentStateOf(foundation);
  const around = { ...foundation, ...opened, node: config.node, agentState, catalog: () => catalog };
  const techSupport = createTechSupport(around);
  // The relay itself is among the capabilities that it dials with.
  const everything = [...new Set([...forPeers.map(({ capability }) => capability), RELAY_TOOL])];
  const capabilities = allowed(config, [...everything, ...ofDevice.tools.map(({ capability }) => capability)], log);
  const { sessions, relays, meet } = reachOf(foundation, router, capabilities);
  const identity = createIdentityParts(foundation, sessions);
  const { gate, onRefused } = gateOf(foundation, () => catalog, orders.refusal);
  const patienceEndsMs = clock.monotonicMs() + AGENT_LIMITS.discoveryPatienceMs;
  const find = { node: config.node, peers, sessions, clock, record: foundation.record, patienceEndsMs };
  const verifyChain: ChainVerifier = foundation.verifyAt;
  const expected = createBaselinePart({ ...foundation, identity: own, dir: baselineDir, verifyChain });
  const parts = investigationOf(foundation, find, (call) => gate(call, 'local'), everything, measurements);
  const { relaying } = relays;
  const { endWarning: ownWarning } = identity;
  const investigation = { ...parts, baselines: expected.baselines, expectations: said.own, relaying, ownWarning };
  const reports = createReportDefinitions({ store, clock, verifyChain });
  const configure = createConfigureTools({ ...find, ...shared, router, newSessionId, resources: ofDevice.resources });
  const documents = createToolDocuments(() => catalog);
  const more = [reports, techSupport, configure, expected, said, identity, documents];
  const catalog: Catalog = createCatalog({
    tools: [
      ...ofDevice.tools,
      ...forPeers,
      relays.tool,
      orders.tool,
      createAskTool(investigation),
      createTopologyTool(investigation),
      ...more.flatMap(({ tools }) => tools),
      ...consentTools(consents),
    ],
    resources: [interfaceStatisticsResource(router), ...more.flatMap((each) => each.resources)],
    prompts,
    access,
  });
  const pages = [createCards(foundation), createTokenEndpoint({ ...foundation, access }), techSupport.pages];
  const tokens = createTokens(foundation, access, foundation.issuerCas);
  const { network } = ofDevice;
  const server = serverOf(foundation, { catalog, gate, onRefused, capabilities, network, pages, tokens: tokens.check });
  const { listen, control, loopback } = config;
  const listeners = openListeners({ ...foundation, ...relays, listen, control, loopback, server });
  const discovery = createDiscoveryPart({ ...foundation, meet }, opened, capabilities);
  const known = createKnownPeers({ ...foundation, sessions });
  const upkeep = [...upkeepOf(foundation), heads, known, ...identity.parts];
  const facts: Part = { name: 'device', start: ofDevice.refresh, stop: async () => {} };
  const peerMaintenance = createPeerMaintenance({ ...find, heads: exchanged, log, newSessionId, clock });
  const held: Part = { name: 'orders', start: orders.load, stop: async () => {} };
  orders.onNew = peerMaintenance.visitAll;
  return {
    catalog,
    network: ofDevice.network,
    parts: [
      ...[...upkeep, held, facts, tokens.part, ...listeners.parts],
      ...[...outward(foundation, server), discovery, peerMaintenance],
    ],
    port: listeners.port,
  };
}

/** For nodes that enrol here, and for an aggregator above. */
function outward(foundation: Foundation, server: McpServer): readonly Part[] {
  return [createRegistrarPart(foundation), createParentAggregator({ ...foundation, server })];
}

/** How other nodes are reached: sessions with them, and connections that are passed on. */
function reachOf(foundation: Foundation, router: OpenedRouter['router'], capabilities: readonly string[]) {
  const { config, log } = foundation;
  const dialer = createPeerDialer({ ...foundation, capabilities, dialMs: LIMITS.dialMs });
  const mayDial = createMayDial({ prefixes: config.peers.dial, router, log });
  const relays = createRelayParts({ ...foundation, router, dialer, mayDial, port: config.listen.port });
  return { sessions: sessionsOf(foundation, dialer.open, mayDial), relays, meet: dialer.meet };
}

function sessionsOf(foundation: Foundation, open: OpenSession, mayDial: MayDial): Sessions {
  const { idleMs } = foundation.config.sessions;
  return createSessions({ ...foundation, open, mayDial, own: foundation.identity, idleMs, dialMs: LIMITS.dialMs });
}

function upkeepOf(foundation: Foundation): readonly Part[] {
  return [
    createClockFloor(foundation),
    createReportRetention(foundation),
    createAuditOutward(foundation),
    createUnusedMemory(foundation),
  ];
}

/** The agent's data under `ietf-mcp`; peers see no list of reports, just as they see no reports. */
function describeAgent({ config, store }: Foundation, capabilities: () => readonly string[]) {
  return async ({ kind }: Party) => ({
    node: config.node,
    port: config.listen.port,
    capabilities: capabilities(),
    reports: kind === 'node' ? [] : await store.list(),
  });
}

/** Access rules, and the consents that changes need. */
function createAuthorities(foundation: Foundation) {
  const { config } = foundation;
  const { rules: lists } = config.access;
  const access = createAccess({ ...config.access, lists, tokensRequired: config.tokens.required });
  const consents = createConsents({
    ...foundation,
    node: config.node,
    mode: config.configure.consent,
    policies: config.configure.preApproved,
    twoAdmins: config.configure.twoAdmins,
    page: (id) => new URL(`console/approvals#${id}`, ownOrigin(config, foundation.identity().dnsNames)).href,
    roleOf: access.roleOf,
    verifyChain: foundation.verifyNow,
  });
  return { access, consents };
}

function ordersOf(foundation: Foundation, access: Access): Orders {
  return createOrders({
    ...foundation,
    verifyChain: foundation.verifyNow,
    isAdmin: (party) => access.roleOf(party) === 'admin',
  });
}

/** The parts of an investigation. */
function investigationOf(
  foundation: Foundation,
  find: Pick<InvestigateParts, 'node' | 'peers' | 'sessions' | 'clock' | 'patienceEndsMs'>,
  gate: CallGate,
  capabilities: readonly string[],
  measurements: readonly ToolDefinition[],
): InvestigateParts {
  const { config, self, identity, clock, signer, store, random } = foundation;
  return {
    ...find,
    self: {
      party: self,
      get chain() {
        return identity().chain;
      },
    },
    local: createLocalCalls({ ...foundation, party: self, capabilities, gate }),
    window: createNonceWindow({ clock }),
    narrator: createLateNarrator(config),
    signer,
    store,
    random,
    probeCount: config.probe.count,
    probesOf: createProbeCosts(measurements),
    record: foundation.record,
  };
}

/** What keeps the domain's trust alive is not for one node to switch off: a certificate that is shown renews itself, and the CA's word passes. */
const OWN_TRUST = [RENEW_TOOL, TRUST_LIST_TOOL];

/** TS-14a: neighbours may call what this node has and its operator allows. */
function allowed(config: Config, capabilities: readonly string[], log: Log): readonly string[] {
  const offered = new Set(capabilities);
  const unknown = config.peers.allow.filter((name) => !offered.has(name));
  if (unknown.length > 0)
    log.warn('peers.allow names capabilities that this node does not have', { unknown, offered: [...offered] });
  return [...config.peers.allow.filter((name) => offered.has(name)), ...OWN_TRUST].sort();
}

/** The only way to the tools, resources and prompts of this node, for its listeners, its console and its own plans. */
function gateOf(foundation: Foundation, catalog: () => Catalog, stopped: Orders['refusal']) {
  const record = createRefusalRecorder(foundation);
  const onRefused: OnRefused = ({ party, reason, method, name, sessionId }) =>
    record({
      ...recordedParty(party),
      reason,
      ...(method === undefined ? {} : { method: name === undefined ? method : `${method} ${name}`.slice(0, 200) }),
      ...(sessionId === undefined ? {} : { sessionId }),
    });
  const { unsigned } = foundation.config.peers;
  const mayBeUnsigned = ({ name }: Party) => unsigned.includes(name);
  const handler = createCallHandler({ ...foundation, catalog, stopped, mayBeUnsigned, askers: askersOf(foundation) });
  const signRefusal = createRefusalSigner(foundation);
  return { gate: createGate({ catalog, handler, onRefused, log: foundation.log, signRefusal }), onRefused };
}

function dialectOf(network: JsonObject | undefined): string | undefined {
  const dialect = network?.['cliDialect'];
  return typeof dialect === 'string' ? dialect : undefined;
}
