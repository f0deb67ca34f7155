// Access tokens over HTTP (TS-29): the metadata of a protected resource (RFC 9728) by which MCP clients find who gives tokens for this node, and
// the challenge of RFC 6750 when a token is missing or does not hold. Who verifies tokens is wired in by the agent; this file reads none.
import type { JsonObject } from '#base/json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { type HttpExchange, type HttpRefusal, header } from './exchange.ts';

/** The certificate of the connection decides who calls; a token narrows what it may do. */
export type TokenCheck = {
  admit(
    party: Party,
    authorization: string | undefined,
  ): Promise<
    | { readonly ok: true; readonly party: Party }
    | { readonly ok: false; readonly error: string | undefined; readonly reason: string }
  >;
  /** Names of this node as a resource, `https://…/mcp`; the first where a caller used none of them. */
  readonly resources: readonly string[];
  /** Issuers that clients may ask for a token; none: this node knows no tokens. */
  readonly authorizationServers: readonly string[];
};

const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Paths that need no token: by them a client finds out how to get one. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/oauth/token', '/.well-known/oauth-authorization-server']);

/** The document at this path; undefined for other paths, and where this node knows no tokens. RFC 9728 §3.1 puts the resource's path behind the fixed one. */
export function resourceMetadata(exchange: HttpExchange, path: string, tokens: TokenCheck): JsonObject | undefined {
  if (path !== METADATA_PATH && path !== `${METADATA_PATH}/mcp`) return undefined;
  if (tokens.authorizationServers.length === 0) return undefined;
  return {
    resource: resourceFor(exchange, tokens),
    authorization_servers: [...tokens.authorizationServers],
    bearer_methods_supported: ['header'],
    tls_client_certificate_bound_access_tokens: true,
    scopes_supported: ['parley:class:read', 'parley:class:probe', 'parley:class:write'],
    resource_name: 'Parley',
  };
}

/** The exchange with the party that its token makes of it, or the refusal with its challenge. */
export async function withToken(
  exchange: HttpExchange,
  path: string,
  tokens: TokenCheck,
): Promise<{ readonly exchange: HttpExchange } | { readonly refusal: HttpRefusal }> {
  if (OPEN_PATHS.has(path)) return { exchange };
  const verdict = await tokens.admit(exchange.party, header(exchange.request, 'authorization'));
  if (verdict.ok) return { exchange: { ...exchange, party: verdict.party } };
  const { error, reason } = verdict;
  const metadata = new URL(resourceFor(exchange, tokens));
  metadata.pathname = `${METADATA_PATH}/mcp`;
  const challenge = [
    `resource_metadata="${metadata.href}"`,
    ...(error === undefined ? [] : [`error="${error}"`, `error_description="${quotable(reason)}"`]),
  ];
  return {
    refusal: {
      status: error === 'insufficient_scope' ? 403 : 401,
      code: WIRE_CODES.accessDenied,
      reason,
      headers: { 'www-authenticate': `Bearer ${challenge.join(', ')}` },
    },
  };
}

/** By the name that the caller used, where it is one of this node's: clients compare it with the address that they called. */
function resourceFor({ request }: HttpExchange, { resources }: TokenCheck): string {
  const host = (header(request, ':authority') ?? header(request, 'host') ?? '').toLowerCase();
  return resources.find((resource) => new URL(resource).host === host) ?? resources[0]!;
}

/** RFC 6750 §3: no quotes, no backslashes, ASCII. */
function quotable(text: string): string {
  return text
    .replace(/["\\]/g, "'")
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 300);
}
