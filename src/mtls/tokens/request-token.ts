// Gets an access token for one server (RFC 8707: `resource`) from an authorization server, as a client of RFC 6749 §4.4: by its own certificate
// (RFC 8705 §2.1), or by id and secret. Refuses a token that another server would take as well, or that does not say for which one it is.
import { decodeJwt } from 'jose';
import { ParleyError } from '#base/error.ts';
import { type FetchJsonInit, fetchJson } from './fetch-json.ts';
import { TOKEN_LIMITS } from './limits.ts';

export type TokenRequest = Pick<FetchJsonInit, 'caPem' | 'identity'> & {
  readonly endpoint: URL;
  /** Without a secret, the certificate proves who it is. */
  readonly client?: { readonly id: string; readonly secret?: string | undefined } | undefined;
  /** The server that the token is for. */
  readonly resource: string;
  /** Further names of the same server (aud). */
  readonly otherNames?: readonly string[];
  readonly scope?: string | undefined;
  readonly nowMs: number;
};

export type GivenToken = { readonly token: string; readonly endsMs: number };

/** Rejects with `peer/unreachable` or `peer/protocol`, or with the signal's reason. */
export async function requestToken(init: TokenRequest, signal: AbortSignal): Promise<GivenToken> {
  const { endpoint, caPem, identity, client, resource, scope } = init;
  const form = new URLSearchParams({ grant_type: 'client_credentials', resource });
  if (scope !== undefined) form.set('scope', scope);
  // RFC 8705 §2: the certificate alone does not name the client.
  if (client !== undefined && client.secret === undefined) form.set('client_id', client.id);
  const headers: Record<string, string> =
    client?.secret === undefined ? {} : { authorization: basic(client.id, client.secret) };
  const given = await fetchJson(endpoint, { caPem, identity, form, headers }, signal);
  const { access_token: token, token_type: type, expires_in: seconds = TOKEN_LIMITS.unsaidLifeSeconds } = given;
  if (typeof token !== 'string' || String(type).toLowerCase() !== 'bearer' || typeof seconds !== 'number')
    throw odd(endpoint, 'expected a bearer token, got something else');
  const fault = audienceFault(token, [resource, ...(init.otherNames ?? [])]);
  if (fault !== undefined) throw odd(endpoint, fault);
  return { token, endsMs: init.nowMs + seconds * 1_000 };
}

/**
 * Why this token must not be shown to the server with these names: it is for another one, or for another one too. Undefined where it may be, and
 * for a token that is no JWT, which only its own server can read. A name may be a URL: a token for its origin, or for a path above it, is for it too.
 */
export function audienceFault(token: string, names: readonly string[]): string | undefined {
  if (token.length > TOKEN_LIMITS.tokenChars)
    return `expected a token of at most ${TOKEN_LIMITS.tokenChars} characters`;
  const audiences = audiencesIn(token);
  if (audiences === undefined) return undefined;
  if (audiences.length === 0) return `expected a token for ${names[0]}, got one that names none (aud)`;
  const foreign = audiences.filter((audience) => !names.some((name) => covers(audience, name)));
  if (foreign.length === 0) return undefined;
  const others = foreign.join(', ').slice(0, 200);
  if (foreign.length === audiences.length) return `expected a token for ${names[0]}, got one for ${others}`;
  // RFC 8707 §3: each server that gets a bearer token for several of them can act with it at the others.
  return `expected a token for ${names[0]} alone, got one for ${others} too: ask for one of one audience, or list the names of this server in audience`;
}

/** Undefined for what is no JWT. */
function audiencesIn(token: string): readonly string[] | undefined {
  try {
    const aud: unknown = decodeJwt(token).aud ?? [];
    return (Array.isArray(aud) ? aud : [aud]).map(String);
  } catch {
    return undefined;
  }
}

function covers(audience: string, name: string): boolean {
  if (audience === name) return true;
  const [given, own] = [URL.parse(audience), URL.parse(name)];
  if (given === null || own === null || given.origin === 'null' || given.origin !== own.origin) return false;
  const above = given.pathname.endsWith('/') ? given.pathname : `${given.pathname}/`;
  return given.search === '' && `${own.pathname}/`.startsWith(above);
}

/** RFC 6749 §2.3.1. */
function basic(id: string, secret: string): string {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function odd(endpoint: URL, reason: string): ParleyError {
  return new ParleyError('peer/protocol', `token of ${endpoint.host}: ${reason}`);
}
