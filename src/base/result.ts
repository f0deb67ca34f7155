// Results of total functions: input from a peer never throws.

export type Ok<T> = { readonly ok: true; readonly value: T };
export type Bad = { readonly ok: false; readonly reason: string; readonly offset?: number };
export type Result<T> = Ok<T> | Bad;

export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

/** `offset` is the byte position of the fault, where one is known. */
export function bad(reason: string, offset?: number): Bad {
  return offset === undefined ? { ok: false, reason } : { ok: false, reason, offset };
}
