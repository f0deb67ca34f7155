// Bounds of access tokens. Listed in docs/limits.md.

export const TOKEN_LIMITS = {
  /** Characters of one access token; a longer one is refused before it is decoded. */
  tokenChars: 8_192,
  /** Longest life of an access token, from `iat` to `exp`: one with a longer life is refused. */
  tokenLifeMs: 600_000,
  /** How far the clock of an issuer may be off. */
  tokenSkewMs: 30_000,
  /** Life of a token of another authorization server that does not say how long it lasts, in seconds. */
  unsaidLifeSeconds: 300,
  /** Verified tokens, and grants of them, that a node remembers. */
  rememberedTokens: 1_024,
  /** Grants of different tokens over one connection. */
  tokensPerConnection: 16,
  /** Keys of one identity provider. */
  issuerKeys: 16,
  /** Size of its metadata, and of its keys. */
  issuerBytes: 65_536,
  /** Time for each of them to arrive. */
  issuerFetchMs: 5_000,
  /** Interval at which its keys are fetched again. */
  issuerRefreshMs: 600_000,
  /** Wait before they are fetched again after a failure, or for a key that is unknown. */
  issuerRetryMs: 30_000,
  /** Age at which its keys are no longer believed, when it could not be reached for so long. */
  issuerKeysMaxMs: 86_400_000,
} as const;
