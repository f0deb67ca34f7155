// The token endpoint of a registrar node (RFC 6749 §3.2, client credentials; RFC 8705 §2.1: the certificate of the connection is the client): who
// may have which scopes is `tokens.issue` of its configuration. Each token is in the audit trail before it leaves.
import type { Clock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import type { Random } from '#base/random.ts';
import type { Config } from '#config/schema.ts';
import type { Access } from '#model/access.ts';
import type { AuditSink } from '#model/ports.ts';
import type { WebPages, WebReply, WebRequest } from '#model/web.ts';
import type { Identity } from '#mtls/identity.ts';
import { issueToken } from '#mtls/tokens/issue.ts';
import type { Trust } from '#mtls/trust.ts';
import { AGENT_LIMITS } from '../limits.ts';

const TOKEN_PATH = '/oauth/token';
const METADATA_PATH = '/.well-known/oauth-authorization-server';
const MINUTE_MS = 60_000;

export type TokenEndpointParts = {
  readonly config: Pick<Config, 'tokens'>;
  readonly identity: () => Identity;
  readonly trust: Pick<Trust, 'nowMs'>;
  readonly audit: AuditSink;
  readonly access: Pick<Access, 'isOf'>;
  readonly clock: Clock;
  readonly random: Random;
};

/** Serves nothing where this node issues no tokens. */
export function createTokenEndpoint(parts: TokenEndpointParts): WebPages {
  const isIssuer = parts.config.tokens.issue.length > 0;
  const counts = new Map<string, number>();
  let minute = 0;
  const isTooOften = (party: string) => {
    const now = Math.floor(parts.clock.monotonicMs() / MINUTE_MS);
    if (now !== minute) counts.clear();
    minute = now;
    counts.set(party, (counts.get(party) ?? 0) + 1);
    return counts.get(party)! > AGENT_LIMITS.tokensPerMinute;
  };
  return {
    serves: (path) => isIssuer && (path === TOKEN_PATH || path === METADATA_PATH),
    async handle(request) {
      if (request.header('origin') !== undefined || request.header('sec-fetch-site') !== undefined)
        return fault(403, 'access_denied', 'expected no Origin, got a browser');
      if (request.path === METADATA_PATH) return json(200, metadataFor(request));
      if (request.method !== 'POST') return fault(405, 'invalid_request', 'expected POST, got another method');
      if (isTooOften(`${request.party.kind}/${request.party.name}`))
        return fault(429, 'temporarily_unavailable', 'expected fewer requests: try again in a minute');
      const form = await request.readForm();
      return form.ok ? answer(parts, request, form.value) : fault(form.status, 'invalid_request', form.reason);
    },
  };
}

async function answer(parts: TokenEndpointParts, request: WebRequest, form: URLSearchParams): Promise<WebReply> {
  const { party } = request;
  const twice = [...form.keys()].find((name) => form.getAll(name).length > 1);
  if (twice !== undefined) return fault(400, 'invalid_request', 'expected each field once, got one twice');
  if (form.get('grant_type') !== 'client_credentials')
    return fault(400, 'unsupported_grant_type', 'expected grant_type=client_credentials, got another');
  const granted = parts.config.tokens.issue.filter(({ to }) => party.kind !== 'node' && parts.access.isOf(party, to));
  if (party.thumbprint === undefined || granted.length === 0)
    return fault(
      400,
      'unauthorized_client',
      `tokens.issue of this node names no scopes for ${party.kind}/${party.name}`,
    );
  const audience = form.get('resource') ?? '';
  if (!/^(https|parley):$/.test(URL.canParse(audience) ? new URL(audience).protocol : ''))
    return fault(400, 'invalid_target', 'expected resource, such as https://pe1.lab.example:9514/mcp, got none');
  const allowed = [...new Set(granted.flatMap(({ scopes }) => scopes))];
  const wanted =
    form
      .get('scope')
      ?.split(' ')
      .filter((word) => word !== '') ?? allowed;
  const beyond = wanted.find((scope) => !allowed.includes(scope));
  if (beyond !== undefined || wanted.length === 0)
    return fault(400, 'invalid_scope', `expected scopes among ${allowed.join(' ')}, got another`);
  const leftSeconds = Math.floor(((party.notAfterMs ?? 0) - parts.trust.nowMs()) / 1_000);
  const seconds = Math.min(leftSeconds, ...granted.map((each) => each.seconds));
  await parts.audit.append({
    event: 'token-issued',
    party: `${party.kind}/${party.name}`,
    detail: { audience: audience.slice(0, 512), scope: wanted.join(' '), seconds, certificate: party.thumbprint },
  });
  const clock = { nowMs: () => parts.trust.nowMs() };
  const token = await issueToken({
    ...parts,
    identity: parts.identity(),
    clock,
    holder: party,
    thumbprint: party.thumbprint,
    audience,
    scopes: wanted,
    seconds,
  });
  return json(200, { access_token: token, token_type: 'Bearer', expires_in: seconds, scope: wanted.join(' ') });
}

/** RFC 8414, under the name that the caller used. */
function metadataFor({ host = '' }: WebRequest): JsonObject {
  const issuer = `https://${host}`;
  return {
    issuer,
    token_endpoint: `${issuer}${TOKEN_PATH}`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['tls_client_auth'],
    tls_client_certificate_bound_access_tokens: true,
  };
}

function fault(status: number, error: string, reason: string): WebReply {
  const refused = status === 403 || error === 'unauthorized_client' ? { refused: reason } : {};
  return { ...json(status, { error, error_description: reason }), ...refused };
}

function json(status: number, body: JsonObject): WebReply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { status, headers, body: JSON.stringify(body) };
}
