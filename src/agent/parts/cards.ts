// What this node says of itself to who looks for servers and agents: an MCP server card (SEP-2127), an A2A 1.0 agent card that it signs, and the
// AI catalog that names both. All are made of its identity and configuration at the time of the request. They name no tools and grant nothing;
// the TLS listener asks for a certificate before it shows them.
import type { JsonObject } from '#base/json.ts';
import { VERSION } from '#base/version.ts';
import type { Config } from '#config/schema.ts';
import type { WebPages, WebReply } from '#model/web.ts';
import type { Identity } from '#mtls/identity.ts';
import { sealDetached } from '#sign/detached-jws.ts';
import { keyIdOf } from '#sign/signer.ts';

const CATALOG = '/.well-known/ai-catalog.json';
const AGENT_CARD = '/.well-known/agent-card.json';
const SERVER_CARD = '/mcp/server-card';
const TYPES = {
  [CATALOG]: 'application/ai-catalog+json',
  [AGENT_CARD]: 'application/a2a-agent-card+json',
  [SERVER_CARD]: 'application/mcp-server-card+json',
} as const;

const SERVER_CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json';
const DESCRIPTION = 'Diagnoses faults of a network by asking the router and its neighbours';
const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'];

export type CardParts = {
  readonly config: Pick<Config, 'node' | 'domain' | 'listen'>;
  readonly identity: () => Identity;
};

export function createCards(parts: CardParts): WebPages {
  return {
    serves: (path) => path in TYPES,
    async handle({ method, path }) {
      if (method !== 'GET' && method !== 'HEAD')
        return { status: 405, headers: { allow: 'GET, HEAD' }, body: '', refused: 'expected GET, got another method' };
      if (path === CATALOG) return json(CATALOG, catalogOf(parts));
      return path === AGENT_CARD ? json(AGENT_CARD, agentCardOf(parts)) : json(SERVER_CARD, serverCardOf(parts));
    },
  };
}

function json(path: keyof typeof TYPES, body: JsonObject): WebReply {
  const headers = { 'content-type': TYPES[path], 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  return { status: 200, headers, body: JSON.stringify(body) };
}

/** By a name of its certificate where it has one, so that a client can check it. */
function baseOf({ config, identity }: CardParts): string {
  const [certified] = identity().dnsNames.filter((name) => !name.includes('*'));
  return `https://${certified ?? config.listen.names[0] ?? `${config.node}.${config.domain}`}:${config.listen.port}`;
}

function catalogOf(parts: CardParts): JsonObject {
  const { node, domain } = parts.config;
  const base = baseOf(parts);
  const entry = (kind: string, path: keyof typeof TYPES): JsonObject => {
    return { identifier: `urn:air:${domain}:${kind}:${node}`, type: TYPES[path], url: `${base}${path}` };
  };
  return { specVersion: '1.0', entries: [entry('mcp', SERVER_CARD), entry('a2a', AGENT_CARD)] };
}

function serverCardOf(parts: CardParts): JsonObject {
  const { node, domain } = parts.config;
  return {
    $schema: SERVER_CARD_SCHEMA,
    name: `${domain.split('.').toReversed().join('.')}/${node}`,
    title: node.slice(0, 100),
    description: DESCRIPTION,
    version: VERSION,
    remotes: [{ type: 'streamable-http', url: `${baseOf(parts)}/mcp`, supportedProtocolVersions: REVISIONS }],
  };
}

/** Its one interface is MCP: A2A takes other bindings than its own by their URI, and this agent speaks none of its own. */
function agentCardOf(parts: CardParts): JsonObject {
  const { node } = parts.config;
  const { chain, signingKey, party } = parts.identity();
  const binding = { protocolBinding: 'https://modelcontextprotocol.io/specification', protocolVersion: '2025-11-25' };
  const card: JsonObject = {
    ...{ name: node, description: DESCRIPTION, version: VERSION },
    supportedInterfaces: [{ url: `${baseOf(parts)}/mcp`, ...binding }],
    capabilities: { streaming: true, pushNotifications: false },
    ...{
      defaultInputModes: ['text/plain', 'application/json'],
      defaultOutputModes: ['text/plain', 'application/json'],
    },
    securitySchemes: { mtls: { mtlsSecurityScheme: { description: 'A certificate of the domain' } } },
    securityRequirements: [{ schemes: { mtls: { list: [] } } }],
    skills: [
      {
        ...{ id: 'diagnose', name: 'Diagnose a network', tags: ['network', 'troubleshooting'] },
        description: 'Names the fault of a network, with the evidence of both ends of every link',
        examples: ['What is wrong?', 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2'],
      },
    ],
  };
  const kid = keyIdOf(Buffer.from(party.signingKey ?? '', 'hex'));
  const signature = sealDetached(signingKey, { kid, typ: 'JOSE' }, card);
  // The key is the one that the certificate binds; the header says which certificate, and is not needed to be trusted.
  return { ...card, signatures: [{ ...signature, header: { 'io.parley/chain': [...chain] } }] };
}
