// The one error class of Parley. Codes are stable and listed in docs/errors.md; the prefix says whose fault it was.

/** Whose fault an error is: the caller's, a peer's, the node's (the router behind the agent), or our own. */
export type Blame = 'caller' | 'peer' | 'node' | 'us';

export type ParleyErrorInit = {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
};

/**
 * An error with a stable code such as `caller/unknown-intent`.
 * The message is "expected X, got Y": lower case, no final period, no secrets, no payloads.
 */
export class ParleyError extends Error {
  readonly code: `${Blame}/${string}`;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: `${Blame}/${string}`, message: string, init: ParleyErrorInit = {}) {
    super(message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = 'ParleyError';
    this.code = code;
    this.data = init.data ?? {};
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
