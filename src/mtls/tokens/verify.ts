// Verifies one access token (TS-29; RFC 9068, RFC 8705 §3, RFC 8707, RFC 8725): a configured issuer, a signature by a key of that issuer under
// one of its algorithms, this node as audience, the certificate of this very connection, minutes of life, scopes that can be read. Never
// throws, and waits for no network. A token without a binding, or with one that is not understood, is refused.
import { timingSafeEqual } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { bad, ok, type Result } from '#base/result.ts';
import { parseScopes, type TokenScope } from '#model/rights/token-scope.ts';
import type { TokenIssuer } from './issuers.ts';
import { TOKEN_LIMITS } from './limits.ts';

export type VerifiedToken = {
  readonly issuer: TokenIssuer;
  readonly subject: string;
  readonly id: string;
  readonly scopes: readonly TokenScope[];
  readonly scopeText: string;
  /** Skew included. */
  readonly endsMs: number;
  /** SHA-256 of the certificate that it is bound to, as `cnf` has it. */
  readonly boundTo: string;
};

export type VerifyTokenInit = {
  readonly issuers: readonly TokenIssuer[];
  /** Names of this node as a resource; a token is for at least one of them. */
  readonly audiences: readonly string[];
  readonly nowMs: number;
};

type Jose = typeof import('jose');

/** RFC 9068 §2.1: an ID token, signed by the same key, is no access token. */
const TYPE = 'at+jwt';
const NAME_CHARS = 255;

export async function verifyToken(token: string, init: VerifyTokenInit): Promise<Result<VerifiedToken>> {
  if (token.length > TOKEN_LIMITS.tokenChars)
    return bad(`expected an access token of at most ${TOKEN_LIMITS.tokenChars} characters, got ${token.length}`);
  // Loaded with the first token: most nodes never see one.
  const jose = await import('jose');
  const claimed = unverified(jose, token);
  if (claimed === undefined) return bad('expected an access token as a signed JWT, got something else');
  const issuer = init.issuers.find((each) => each.issuer === claimed.payload.iss);
  if (issuer === undefined) return bad('expected a token of an issuer that this node trusts, got one of another');
  // Not verified yet: a caller wrote it, of any type.
  const alg: unknown = claimed.header.alg ?? 'none';
  if (typeof alg !== 'string') return bad('expected the algorithm of a token as a text, got another type');
  if (!issuer.algorithms.includes(alg))
    return bad(`expected a token signed with ${issuer.algorithms.join(', ')}, got ${JSON.stringify(alg.slice(0, 16))}`);
  const key = await issuer.keyFor(claimed.header);
  if (!key.ok) return key;
  try {
    const { payload } = await jose.jwtVerify(token, key.value, {
      algorithms: [...issuer.algorithms],
      typ: TYPE,
      issuer: issuer.issuer,
      // RFC 9068 §4: one of them must be ours. Others beside it give nothing away: without the certificate in cnf the token opens nothing.
      audience: [...init.audiences],
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'cnf'],
      currentDate: new Date(init.nowMs),
      clockTolerance: TOKEN_LIMITS.tokenSkewMs / 1_000,
    });
    return readClaims(issuer, payload, init.nowMs);
  } catch (error) {
    return bad(reasonOf(jose, error));
  }
}

/** Compared with the certificate of the connection that brought the token, at each request. `thumbprint`: SHA-256, lower-case hex. */
export function isBoundTo({ boundTo }: VerifiedToken, thumbprint: string): boolean {
  const expected = Buffer.from(Buffer.from(thumbprint, 'hex').toString('base64url'));
  const given = Buffer.from(boundTo);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Undefined too where a part is not spelled as an encoder spells it (RFC 7515 §2): `jose` skips blanks in it, and one token would have many texts. */
function unverified({ decodeJwt, decodeProtectedHeader }: Jose, token: string) {
  if (!token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part))
    return undefined;
  try {
    return { header: decodeProtectedHeader(token), payload: decodeJwt(token) };
  } catch {
    return undefined;
  }
}

function readClaims(issuer: TokenIssuer, payload: JWTPayload, nowMs: number): Result<VerifiedToken> {
  const { sub, jti, iat = 0, exp = 0 } = payload;
  if (!isName(sub) || !isName(jti)) return bad(`expected sub and jti of 1 to ${NAME_CHARS} characters, got others`);
  if (iat * 1_000 > nowMs + TOKEN_LIMITS.tokenSkewMs)
    return bad('expected a token that was issued already, got one of later');
  if ((exp - iat) * 1_000 > TOKEN_LIMITS.tokenLifeMs)
    return bad(`expected a token with a life of at most ${TOKEN_LIMITS.tokenLifeMs / 1_000} s, got ${exp - iat} s`);
  const boundTo = bindingOf(payload['cnf']);
  if (boundTo === undefined)
    return bad('expected a token that is bound to a certificate (cnf with x5t#S256 alone), got another');
  const { scope = '' } = payload;
  if (typeof scope !== 'string') return bad('expected scope as a text, got another type');
  const scopes = parseScopes(scope, issuer.scopes);
  if (!scopes.ok) return scopes;
  const head = { issuer, subject: sub, id: jti, boundTo, endsMs: exp * 1_000 + TOKEN_LIMITS.tokenSkewMs };
  return ok({ ...head, scopes: scopes.value, scopeText: scope });
}

/** RFC 7800 §3.1: one key at most; a member beside it could be a second one that we do not understand. */
function bindingOf(cnf: unknown): string | undefined {
  if (typeof cnf !== 'object' || cnf === null) return undefined;
  const entries = Object.entries(cnf);
  const [name, value] = entries[0] ?? [];
  const isOurs = entries.length === 1 && name === 'x5t#S256' && typeof value === 'string';
  return isOurs && /^[A-Za-z0-9_-]{43}$/.test(value) ? value : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= NAME_CHARS;
}

const CLAIM_REASONS: Readonly<Record<string, string>> = {
  aud: 'expected a token for this node (aud), got one for another',
  exp: 'expected a token that is in force, it has ended',
  nbf: 'expected a token that is in force, its time has not come',
  typ: 'expected an access token (typ at+jwt), got a token of another kind',
};

function reasonOf({ errors }: Jose, error: unknown): string {
  if (error instanceof errors.JWTExpired) return CLAIM_REASONS['exp']!;
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return `expected a token with ${error.claim}, it has none`;
    return CLAIM_REASONS[error.claim] ?? `expected another ${error.claim} in the token`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return 'expected a token whose signature holds, it does not';
  return 'expected a token that can be verified, got another';
}
