// Agents in a row within the test, with certificates and TLS, on loopback addresses of their own and one port for all: each hears its neighbours alone, and knows the others from what it
// was told, at addresses that it may not dial. The parts are the agent's own: dialer, listener, gate, relay tool and channels.
import type { AskerParts } from '#agent/serving/asker.ts';
import { createCallHandler, createRefusalSigner } from '#agent/serving/serve.ts';
import { createPeerDialer } from '#agent/sessions/dial-peer.ts';
import type { MeetNode } from '#agent/sessions/ospf-discovery.ts';
import { type QuestionSessions, withRelays } from '#agent/sessions/relayed-sessions.ts';
import { createSessions, type Sessions } from '#agent/sessions/sessions.ts';
import { createRelayParts } from '#agent/tools/relaying.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import { createPeersTool } from '#discovery/peers-tool.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { createGate } from '#mcp/catalog/gate.ts';
import { createMcpServer } from '#mcp/server.ts';
import { type Access, createAccess } from '#model/access.ts';
import { type Asking, DEFAULT_ASKER_RULES } from '#model/asker.ts';
import type { ExchangedCall, PeerSession } from '#model/call.ts';
import type { PeerTable } from '#model/peer.ts';
import type { AuditRecord, NonceSource } from '#model/ports.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import type { Identity } from '#mtls/identity.ts';
import { listen } from '#mtls/listen.ts';
import { createTrust } from '#mtls/trust.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { createSigner } from '#sign/signer.ts';
import { LOCAL_ASKER } from '../../fakes/asker.ts';
import { freePort } from '../../free-port.ts';
import { systemClock as clock, createDomain, type Domain } from '../../mtls/domain.ts';
import { HANG_MS } from '../../until-written.ts';

const CAPABILITIES = ['parley-peers', 'parley-relay'];
export const SESSION_ID = '00'.repeat(16);

export type RowNode = {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly peers: PeerTable;
  readonly audit: AuditRecord[];
  readonly sessions: Sessions;
  readonly meet: MeetNode;
  /** Sessions of one question, asked here. */
  ask(asking?: Asking): QuestionSessions;
  close(): Promise<void>;
};

export type Row = {
  readonly domain: Domain;
  node(name: string): RowNode;
  down(): Promise<void>;
};

type Over = {
  /** By node. */
  readonly access?: Readonly<Record<string, Access>>;
  readonly askers?: Readonly<Record<string, Partial<AskerParts>>>;
  readonly capabilities?: Readonly<Record<string, readonly string[]>>;
};

/** `names` in the order of the row. */
export async function upRow(names: readonly string[], over: Over = {}): Promise<Row> {
  const domain = await createDomain();
  const nodes = new Map<string, RowNode>();
  const port = await freePort(addressOf(0));
  for (const [index, name] of names.entries())
    nodes.set(name, await upNode(name, await domain.identity(name), { address: addressOf(index), port }, over));
  for (const [index, name] of names.entries()) {
    const { peers } = nodes.get(name)!;
    for (const [other, entry] of names.entries()) {
      const hops = Math.abs(index - other) - 1;
      const heard = { node: entry, port, heardAtMs: clock.nowMs() };
      if (hops === 0)
        peers.add({ ...heard, source: 'lldp', addresses: [addressOf(other)], heardOn: `to-${entry}`, hops });
      // Told by the node before it, from where this one stands.
      const toldBy = names[other + Math.sign(index - other)];
      if (hops > 0 && toldBy !== undefined)
        peers.add({ ...heard, source: 'peer-exchange', addresses: ['192.0.2.1'], toldBy, hops });
    }
  }
  return {
    domain,
    node: (name) => nodes.get(name)!,
    async down() {
      for (const node of nodes.values()) await node.close();
      await domain.remove();
    },
  };
}

const addressOf = (index: number) => `127.0.1.${index + 1}`;

const ROUTER = {
  state: async () => ({ neighbours: [], inventory: { interfaces: [], loopbacks: [] } }),
} as unknown as RouterPort;

async function upNode(
  name: string,
  identity: Identity,
  { address, port }: Pick<RowNode, 'address' | 'port'>,
  { access, askers, capabilities }: Over,
): Promise<RowNode> {
  const trust = await createTrust({ clock });
  const signer = createSigner({ node: name, privateKey: identity.signingKey });
  let nonce = 0;
  const nonces: NonceSource = { boot: '1-0011223344556677', next: () => String(++nonce) };
  const [random, log] = [systemRandom, silentLog];
  const peers = createPeerTable({ node: name, clock });
  const audit: AuditRecord[] = [];
  const record = (entry: AuditRecord) => void audit.push(entry);
  const own = capabilities?.[name] ?? CAPABILITIES;
  const dialer = createPeerDialer({
    ...{ identity: () => identity, trust, capabilities: own, signer, nonces, random, clock, log, dialMs: HANG_MS },
  });
  // The link to a neighbour: what it announces of itself lies on it.
  const onLink = async (heard: string) => heard.startsWith('127.0.1.');
  const relays = createRelayParts({
    ...{ router: ROUTER, peers, dialer, port, mayDial: onLink, record, random, clock, log },
  });
  const catalog = createCatalog({
    tools: [createPeersTool({ node: name, table: peers }), relays.tool],
    resources: [],
    access: access?.[name] ?? createAccess(),
  });
  const handler = createCallHandler({
    ...{ catalog: () => catalog, signer, nonces, window: createNonceWindow(), clock, log },
    audit: { append: async (entry) => record(entry) },
    askers: {
      self: identity.party,
      rules: DEFAULT_ASKER_RULES,
      clock,
      verifyChain: (chain) => verifyChain(chain, identity.caPem, clock.nowMs()),
      chainOf: () => undefined,
      ...askers?.[name],
    },
  });
  const onRefused = ({ reason }: { readonly reason: string }) => record({ event: 'refused', reason });
  const gate = createGate({
    ...{ catalog: () => catalog, handler, onRefused, log },
    signRefusal: createRefusalSigner({ signer, nonces, clock }),
  });
  const server = createMcpServer({
    ...{ serverInfo: { name: 'parley', version: '0' }, node: name, port, capabilities: own },
    ...{ catalog, gate, log, onRefused, onSession: () => {}, random, clock },
  });
  const end = (socket: { destroy(): void }) => socket.destroy();
  const listener = await listen(
    { identity, trust, host: address, port, log, onRefused: () => {}, clock },
    {
      ...{ h2: end, http1: end, relay: relays.channels.serve },
      mcp: (socket, party) => server.serveFrames(socket, party),
    },
  );
  const mayDial = async () => false;
  const sessions = createSessions({ peers, open: dialer.open, mayDial, idleMs: 60_000, dialMs: HANG_MS, clock, log });
  const questions: QuestionSessions[] = [];
  return {
    ...{ name, address, port, peers, audit, sessions, meet: dialer.meet },
    ask(asking = LOCAL_ASKER) {
      const parts = { node: name, peers, sessions, relaying: relays.relaying, clock, record };
      const question = withRelays(parts, { ...asking, sessionId: SESSION_ID });
      questions.push(question);
      return question;
    },
    async close() {
      for (const question of questions) question.end();
      await sessions.close();
      server.close();
      relays.channels.close();
      await listener.close();
    },
  };
}

/** What the node says of itself, through whatever nodes it was reached. */
export function callPeers(session: PeerSession, { asker }: Asking = LOCAL_ASKER): Promise<ExchangedCall> {
  return session.call({
    ...{ kind: 'tool', name: 'parley-peers', arguments: {}, sessionId: SESSION_ID, asker, timeoutMs: 5_000 },
  });
}
