// What a structure was read as.
import type { Intent } from '#model/intent.ts';

/** How far it was read, and the intent when it got all the way. */
export type Recognition =
  | { readonly ok: true; readonly intent: Intent }
  | { readonly ok: false; readonly understood: readonly string[]; readonly problem: string };
