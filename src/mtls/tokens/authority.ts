// A JWT that proves an authority of MCP-AX §4.2: the DNS name as its subject, this aggregator as audience, the certificate of this very session,
// minutes of life, signed by a configured key. Never throws. A token that any other session could show is refused.
import { createLocalJWKSet, errors, type JWK, jwtVerify } from 'jose';
import type { JsonObject } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { TOKEN_LIMITS } from './limits.ts';

const TYPE = 'mcpax-authority+jwt';
const ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256'];

export type VerifyAuthority = (
  token: string,
  claim: { readonly authority: string; readonly thumbprint: string | undefined },
) => Promise<Result<true>>;

/** `audience`: the name of this node. `keys`: whose signatures count. */
export function createAuthorityVerifier(init: {
  /** JWKs. */
  readonly keys: readonly JsonObject[];
  readonly audience: string;
  readonly nowMs: () => number;
}): VerifyAuthority {
  const find = createLocalJWKSet({ keys: init.keys as unknown as JWK[] });
  return async (token, { authority, thumbprint }) => {
    if (token.length > TOKEN_LIMITS.tokenChars)
      return bad(`expected a JWT of at most ${TOKEN_LIMITS.tokenChars} characters`);
    try {
      const { payload } = await jwtVerify(token, find, {
        algorithms: ALGORITHMS,
        typ: TYPE,
        audience: init.audience,
        subject: authority,
        requiredClaims: ['sub', 'aud', 'exp', 'iat', 'cnf'],
        currentDate: new Date(init.nowMs()),
        // Counted from now, so that a time of issue that lies ahead makes no token last longer.
        maxTokenAge: TOKEN_LIMITS.tokenLifeMs / 1_000,
        clockTolerance: TOKEN_LIMITS.tokenSkewMs / 1_000,
      });
      const { cnf, exp = 0, iat = 0 } = payload as { cnf?: Record<string, unknown>; exp?: number; iat?: number };
      if ((exp - iat) * 1_000 > TOKEN_LIMITS.tokenLifeMs) return bad('expected a JWT with a shorter life');
      const bound = thumbprint === undefined ? undefined : Buffer.from(thumbprint, 'hex').toString('base64url');
      return bound !== undefined && cnf?.['x5t#S256'] === bound
        ? ok(true)
        : bad('expected a JWT that is bound to the certificate of this session, got another');
    } catch (error) {
      return bad(
        error instanceof errors.JOSEError
          ? `expected a JWT that proves ${authority}, got another: ${error.code}`
          : 'expected a JWT, got something else',
      );
    }
  };
}
