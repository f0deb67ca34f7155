// What an `Authorization` header makes of the party of a connection (RFC 6750, RFC 8705 §3): the same party with its token, or a refusal. A
// token that is sent must hold: passing over one that was meant to narrow would permit more than its holder wanted.
import { createHash } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import type { Party } from '#model/identity.ts';
import type { TokenGrant } from '#model/rights/token-scope.ts';
import type { TokenIssuer } from './issuers.ts';
import { TOKEN_LIMITS } from './limits.ts';
import { isBoundTo, type VerifiedToken, verifyToken } from './verify.ts';

export type TokenVerdict =
  | { readonly ok: true; readonly party: Party }
  | { readonly ok: false; readonly error: 'invalid_token' | 'insufficient_scope' | undefined; readonly reason: string };

export type TokenDoor = {
  /** Without a header, the party as it came. Never rejects. */
  admit(party: Party, authorization: string | undefined): Promise<TokenVerdict>;
};

export type TokenDoorInit = {
  readonly issuers: readonly TokenIssuer[];
  readonly audiences: readonly string[];
  /** True for a party whose certificate alone permits nothing. */
  readonly needsToken: (party: Party) => boolean;
  /** Hears of each party that was made of another. */
  readonly onParty: (withToken: Party, ofConnection: Party) => void;
  readonly clock: Pick<Clock, 'nowMs'>;
};

type Standing = { untilMs: number };

export function createTokenDoor(init: TokenDoorInit): TokenDoor {
  const nowMs = () => init.clock.nowMs();
  const verified = new Map<string, VerifiedToken>();
  /** By certificate and grant: a renewed token keeps the sessions of the one before in force. */
  const standings = new Map<string, Standing>();
  const parties = new WeakMap<Party, Map<string, Party>>();

  const verify = async (token: string) => {
    const digest = createHash('sha256').update(token).digest('base64url');
    const known = verified.get(digest);
    if (known !== undefined && nowMs() < known.endsMs) return { ok: true, value: known } as const;
    const result = await verifyToken(token, { ...init, nowMs: nowMs() });
    if (result.ok) remember(verified, digest, result.value, ({ endsMs }) => nowMs() >= endsMs);
    return result;
  };
  const partyWith = (party: Party, token: VerifiedToken): Party => {
    const key = grantKey(token);
    const standing = standings.get(`${party.thumbprint}/${key}`) ?? { untilMs: 0 };
    standing.untilMs = Math.max(standing.untilMs, token.endsMs);
    remember(standings, `${party.thumbprint}/${key}`, standing, ({ untilMs }) => nowMs() >= untilMs);
    const ofConnection = parties.get(party) ?? new Map<string, Party>();
    parties.set(party, ofConnection);
    const known = ofConnection.get(key);
    if (known !== undefined) return known;
    const grant: TokenGrant = {
      issuer: token.issuer.issuer,
      subject: token.subject,
      id: token.id,
      key,
      scopes: token.scopes,
      ceiling: token.issuer.ceiling,
      isInForce: () => nowMs() < standing.untilMs,
    };
    const made: Party = { ...party, token: grant };
    if (ofConnection.size >= TOKEN_LIMITS.tokensPerConnection) ofConnection.clear();
    ofConnection.set(key, made);
    init.onParty(made, party);
    return made;
  };
  return {
    async admit(party, authorization) {
      if (authorization === undefined) {
        if (!init.needsToken(party)) return { ok: true, party };
        return { ok: false, error: undefined, reason: 'expected an access token, as tokens.required says, got none' };
      }
      const invalid = (reason: string): TokenVerdict => ({ ok: false, error: 'invalid_token', reason });
      const token = /^Bearer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*)$/i.exec(authorization)?.[1];
      if (token === undefined) return invalid('expected Authorization: Bearer and a signed JWT, got something else');
      if (party.kind === 'node') return invalid('expected no token of a node: nodes are bound by what they negotiated');
      if (party.thumbprint === undefined) return invalid('expected a token over mutual TLS, got one without');
      const result = await verify(token);
      if (!result.ok) return invalid(result.reason);
      if (!isBoundTo(result.value, party.thumbprint))
        return invalid('expected a token that is bound to the certificate of this connection, got one of another');
      if (result.value.scopes.length > 0) return { ok: true, party: partyWith(party, result.value) };
      return { ok: false, error: 'insufficient_scope', reason: 'expected a scope that begins with parley:, got none' };
    },
  };
}

function grantKey({ issuer, subject, scopeText }: VerifiedToken): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer.issuer, subject, scopeText]))
    .digest('base64url');
}

/** Bounded: what has ended goes first, then the oldest. */
function remember<Value>(all: Map<string, Value>, key: string, value: Value, isOver: (value: Value) => boolean): void {
  all.delete(key);
  if (all.size >= TOKEN_LIMITS.rememberedTokens) for (const [each, old] of all) if (isOver(old)) all.delete(each);
  if (all.size >= TOKEN_LIMITS.rememberedTokens) all.delete(all.keys().next().value!);
  all.set(key, value);
}
