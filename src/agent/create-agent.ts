// The composition root of `parley agent`: builds every part from the configuration and starts them in order. Wiring only.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openAuditTrail } from '#audit/trail.ts';
import { type Clock, createSystemClock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { randomHex, systemRandom } from '#base/random.ts';
import { VERSION } from '#base/version.ts';
import type { Config } from '#config/schema.ts';
import { createConsents } from '#consent/consents.ts';
import { consentTools } from '#consent/tools.ts';
import { createConsole } from '#console/console.ts';
import { hostNamesOf } from '#console/own-host.ts';
import { FAULT_FORMS } from '#correlate/text/clues.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import { createPeersTool } from '#discovery/peers-tool.ts';
import { type Catalog, createCatalog } from '#mcp/catalog/catalog.ts';
import { createGate, type Gate, type OnRefused } from '#mcp/catalog/gate.ts';
import { createMcpServer, type McpServer } from '#mcp/server.ts';
import { RELAY_TOOL } from '#measure/call.ts';
import { createAccess } from '#model/access.ts';
import type { PromptDefinition, ToolDefinition } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { AuditRecord, CallGate } from '#model/ports.ts';
import type { WebPages } from '#model/web.ts';
import { type Identity, loadIdentity } from '#mtls/identity.ts';
import { createTrust } from '#mtls/trust.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { createNarrator } from '#narrate/narrator.ts';
import { interfaceStatisticsResource } from '#network/device/interface-statistics.ts';
import { joinPages } from '#network/files/file-pages.ts';
import type { ChainVerifier } from '#report/countersign.ts';
import { createReportDefinitions } from '#report/definitions.ts';
import { openReportStore } from '#report/store.ts';
import { openNonceSource } from '#sign/nonce-source.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { createSigner } from '#sign/signer.ts';
import type { InvestigateParts } from './investigate.ts';
import { createProbeCosts } from './investigation/probe-costs.ts';
import { type Part, type Running, startAll } from './lifecycle.ts';
import { AGENT_LIMITS } from './limits.ts';
import { agentStateOf } from './parts/agent-state.ts';
import { createAuditHeads } from './parts/audit-heads.ts';
import { createAuditOutward } from './parts/audit-outward.ts';
import { createClockFloor } from './parts/clock-floor.ts';
import { type OpenedRouter, openRouter } from './parts/open-router.ts';
import { loadPrompts } from './parts/prompts.ts';
import { createRegistrarPart } from './parts/registrar.ts';
import { createReportRetention, storeLimitsOf } from './parts/report-retention.ts';
import { createTechSupport, openFileSpool } from './parts/tech-support.ts';
import { askersOf } from './serving/asker-parts.ts';
import { createLocalCalls } from './serving/local-calls.ts';
import { createRefusalRecorder } from './serving/refusals.ts';
import { createCallHandler, createRefusalSigner } from './serving/serve.ts';
import { recordedParty, sessionRecord } from './serving/session-record.ts';
import { createPeerDialer } from './sessions/dial-peer.ts';
import { createDiscoveryPart } from './sessions/discovery-part.ts';
import { createKnownPeers } from './sessions/known-peers.ts';
import { type CallerChains, openListeners } from './sessions/listeners.ts';
import { createPeerMaintenance } from './sessions/peer-maintenance.ts';
import { createSessions } from './sessions/sessions.ts';
import { createMayDial } from './sessions/told-addresses.ts';
import { createAskTool } from './tools/ask.ts';
import { createBaselinePart } from './tools/baseline.ts';
import { createConfigureTools } from './tools/configure.ts';
import { createDeviceDefinitions, type DeviceDefinitions, interfaceNames } from './tools/device.ts';
import { createExpectationsPart } from './tools/expectations.ts';
import { measurementTools } from './tools/measurements.ts';
import { createRelayParts } from './tools/relaying.ts';
import { createTopologyTool } from './tools/topology.ts';

export type Agent = Running & { readonly node: string; readonly port: number };

/** Rejects with a ParleyError that says what to do if the identity, the state folder or the port is not available. */
export async function createAgent(config: Config, log: Log): Promise<Agent> {
  const clock = createSystemClock(config.clock);
  const identity = await loadIdentity(config.identity.dir, clock);
  checkIdentity(config, identity);
  await mkdir(config.state, { recursive: true, mode: 0o700 });
  const foundation = await openFoundation(config, identity, clock, log);
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
  foundation.record({ event: 'agent-started', detail: { certificate: identity.thumbprint } });
  log.info('agent started', { node: config.node, port: agent.port(), certificate: identity.thumbprint });
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

type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** The parts with files on disk: audit trail, nonces, clock floor, reports. */
async function openFoundation(config: Config, identity: Identity, clock: Clock, log: Log) {
  const state = (name: string) => join(config.state, name);
  const audit = await openAuditTrail({ dir: state('audit'), clock });
  const nonces = await openNonceSource({ path: state('nonces'), random: systemRandom, clock });
  const trust = await createTrust({ clock, path: state('clock-floor'), pins: config.peers.pins });
  const recordDurably = (event: AuditRecord) =>
    audit.append(event).catch((error) => {
      log.error('the audit trail could not be written', { reason: messageOf(error) });
      throw error;
    });
  const limits = storeLimitsOf(config);
  const store = await openReportStore({ dir: state('reports'), clock, limits, record: recordDurably });
  const spool = await openFileSpool(config.state, clock, systemRandom);
  const signer = createSigner({ node: config.node, privateKey: identity.signingKey });
  const peers = createPeerTable({ node: config.node, clock });
  const close = async () => {
    await spool.close();
    await store.close();
    await nonces.settled();
    await audit.close();
  };
  const record = (event: AuditRecord) => void recordDurably(event).catch(() => {});
  const onSecondLife = (signer: string) => {
    const detail = `another agent uses the identity of ${signer}`;
    log.error('another agent uses this identity: revoke one of them', { signer });
    peers.remark(signer, { kind: 'lying', detail, atMs: clock.nowMs() });
  };
  const window = createNonceWindow({ clock, onSecondLife });
  return {
    config,
    identity,
    clock,
    log,
    audit,
    record,
    nonces,
    trust,
    store,
    spool,
    signer,
    peers,
    window,
    random: systemRandom,
    callerChains: new WeakMap() satisfies CallerChains,
    close,
  };
}

function assemble(foundation: Foundation, opened: OpenedRouter, prompts: readonly PromptDefinition[]) {
  const { router, device } = opened;
  const { config, identity, clock, log, store, peers, random } = foundation;
  const baselineDir = join(config.state, 'baseline');
  const said = createExpectationsPart({ ...foundation, dir: baselineDir });
  const heads = createAuditHeads(foundation);
  const measurements = measurementTools(router, said.own);
  const forPeers = [...measurements, createPeersTool({ node: config.node, table: peers, heads })];
  const { access, consents } = createAuthorities(foundation);
  const agent = describeAgent(foundation, () => capabilities);
  const shared = { access, agent, consent: consents, clock, log };
  const ofDevice = createDeviceDefinitions({ ...shared, node: config.node, router, device });
  const agentState = async () => agentStateOf(foundation);
  const techSupport = createTechSupport({
    ...foundation,
    ...opened,
    node: config.node,
    agentState,
    catalog: () => catalog,
  });
  // The relay itself is among the capabilities that it dials with.
  const everything = [...new Set([...forPeers.map(({ capability }) => capability), RELAY_TOOL])];
  const capabilities = allowed(config, [...everything, ...ofDevice.tools.map(({ capability }) => capability)], log);
  const dialer = createPeerDialer({ ...foundation, identity: () => identity, capabilities, dialMs: LIMITS.dialMs });
  const mayDial = createMayDial({ prefixes: config.peers.dial, router, log });
  const { idleMs } = config.sessions;
  const sessions = createSessions({ ...foundation, open: dialer.open, mayDial, idleMs, dialMs: LIMITS.dialMs });
  const newSessionId = () => randomHex(random, 16);
  const relays = createRelayParts({ ...foundation, router, dialer, mayDial, port: config.listen.port });
  const { gate, onRefused } = gateOf(foundation, () => catalog);
  const find = {
    node: config.node,
    peers,
    sessions,
    clock,
    record: foundation.record,
    patienceEndsMs: clock.monotonicMs() + AGENT_LIMITS.discoveryPatienceMs,
  };
  const verifier: ChainVerifier = (chain, atMs) => verifyChain(chain, identity.caPem, atMs);
  const expected = createBaselinePart({ ...foundation, dir: baselineDir, verifyChain: verifier });
  const parts = investigationOf(foundation, find, (call) => gate(call, 'local'), everything, measurements);
  const { relaying } = relays;
  const investigation = { ...parts, baselines: expected.baselines, expectations: said.own, relaying };
  const reports = createReportDefinitions({ store, clock, verifyChain: verifier });
  const { resources } = ofDevice;
  const configure = createConfigureTools({ ...find, ...shared, router, newSessionId, resources });
  const own = [reports, techSupport, configure, expected, said];
  const catalog: Catalog = createCatalog({
    tools: [
      ...ofDevice.tools,
      ...forPeers,
      relays.tool,
      createAskTool(investigation),
      createTopologyTool(investigation),
      ...own.flatMap(({ tools }) => tools),
      ...consentTools(consents),
    ],
    resources: [interfaceStatisticsResource(router), ...own.flatMap((each) => each.resources)],
    prompts,
    access,
  });
  const files = techSupport.pages;
  const server = serverOf(foundation, { catalog, gate, onRefused, capabilities, network: ofDevice.network, files });
  const { listen, control, loopback } = config;
  const listeners = openListeners({ ...foundation, ...relays, listen, control, loopback, server });
  const discovery = createDiscoveryPart(foundation, opened, capabilities);
  const known = createKnownPeers({ ...foundation, sessions });
  const upkeep = [...upkeepOf(foundation), heads, known];
  const facts: Part = { name: 'device', start: ofDevice.refresh, stop: async () => {} };
  const peerMaintenance = createPeerMaintenance({ ...find, heads, log, newSessionId, clock });
  return {
    catalog,
    network: ofDevice.network,
    parts: [...upkeep, facts, ...listeners.parts, createRegistrarPart(foundation), discovery, peerMaintenance],
    port: listeners.port,
  };
}

function upkeepOf(foundation: Foundation): readonly Part[] {
  return [createClockFloor(foundation), createReportRetention(foundation), createAuditOutward(foundation)];
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
  const { config, identity } = foundation;
  const access = createAccess({ ...config.access, lists: config.access.rules });
  const consents = createConsents({
    ...foundation,
    node: config.node,
    mode: config.configure.consent,
    policies: config.configure.preApproved,
    roleOf: access.roleOf,
    verifyChain: (chain, atMs) => verifyChain(chain, identity.caPem, atMs),
  });
  return { access, consents };
}

/** The parts of an investigation. */
function investigationOf(
  foundation: Foundation,
  find: Pick<InvestigateParts, 'node' | 'peers' | 'sessions' | 'clock' | 'patienceEndsMs'>,
  gate: CallGate,
  capabilities: readonly string[],
  measurements: readonly ToolDefinition[],
): InvestigateParts {
  const { config, identity, clock, signer, store, random } = foundation;
  return {
    ...find,
    self: { party: identity.party, chain: identity.chain },
    local: createLocalCalls({ ...foundation, party: identity.party, capabilities, gate }),
    window: createNonceWindow({ clock }),
    narrator: createNarrator(narratorOf(config)),
    signer,
    store,
    random,
    probeCount: config.probe.count,
    probesOf: createProbeCosts(measurements),
    record: foundation.record,
  };
}

/** TS-14a: neighbours may call what this node has and its operator allows. */
function allowed(config: Config, capabilities: readonly string[], log: Log): readonly string[] {
  const offered = new Set(capabilities);
  const unknown = config.peers.allow.filter((name) => !offered.has(name));
  if (unknown.length > 0)
    log.warn('peers.allow names capabilities that this node does not have', { unknown, offered: [...offered] });
  return config.peers.allow.filter((name) => offered.has(name)).sort();
}

/** The only way to the tools, resources and prompts of this node, for its listeners, its console and its own plans. */
function gateOf(foundation: Foundation, catalog: () => Catalog) {
  const record = createRefusalRecorder(foundation);
  const onRefused: OnRefused = ({ party, reason, method, name, sessionId }) =>
    record({
      ...recordedParty(party),
      reason,
      ...(method === undefined ? {} : { method: name === undefined ? method : `${method} ${name}`.slice(0, 200) }),
      ...(sessionId === undefined ? {} : { sessionId }),
    });
  const handler = createCallHandler({ ...foundation, catalog, askers: askersOf(foundation) });
  const signRefusal = createRefusalSigner(foundation);
  return { gate: createGate({ catalog, handler, onRefused, log: foundation.log, signRefusal }), onRefused };
}

function serverOf(
  foundation: Foundation,
  served: {
    readonly catalog: Catalog;
    readonly gate: Gate;
    readonly onRefused: OnRefused;
    readonly capabilities: readonly string[];
    readonly network: DeviceDefinitions['network'];
    readonly files: WebPages;
  },
): McpServer {
  const { config, log, random, clock } = foundation;
  return createMcpServer({
    serverInfo: { name: 'parley', version: VERSION },
    node: config.node,
    port: config.listen.port,
    ...served,
    onSession: (summary) => foundation.record(sessionRecord(summary)),
    log,
    random,
    clock,
    pages: joinPages([
      createConsole({
        node: config.node,
        names: hostNamesOf(config, foundation.identity.dnsNames),
        gate: (call) => served.gate(call, 'http'),
        log,
      }),
      served.files,
    ]),
  });
}

function checkIdentity(config: Config, identity: Identity): void {
  const { kind, name, domain } = identity.party;
  if (kind === 'node' && name === config.node && domain === config.domain) return;
  const message = `expected the identity of node ${config.node} in ${config.domain}, got ${kind} ${name} in ${domain} from ${config.identity.dir}`;
  throw new ParleyError('caller/wrong-identity', `${message}: run "parley ca issue ${config.node}"`);
}

function dialectOf(network: JsonObject | undefined): string | undefined {
  const dialect = network?.['cliDialect'];
  return typeof dialect === 'string' ? dialect : undefined;
}

/** OLLAMA_HOST is honoured as everywhere (config/ reads it); without a server the sentences come from templates. */
function narratorOf(config: Config) {
  const { ollama, model, timeoutMs } = config.narrate;
  return { model, timeoutMs, faults: FAULT_FORMS, ...(ollama === undefined ? {} : { host: ollama }) };
}
