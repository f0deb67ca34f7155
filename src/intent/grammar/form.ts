// The shape of a row of the grammar table: recognises a text or a structure, or says how far it got (TS-7a).
import type { JsonObject } from '#base/json.ts';
import type { Intent } from '#model/intent.ts';

/** What one row made of a text: how far it got, and the intent when it got all the way. */
export type Recognition =
  | { readonly ok: true; readonly intent: Intent }
  | { readonly ok: false; readonly understood: readonly string[]; readonly problem: string };

export type IntentForm = {
  readonly kind: Intent['kind'];
  /** One line each, shown to an operator whose question was not understood. */
  readonly examples: readonly string[];
  /** True when the text is about this row's subject. */
  about(text: string): boolean;
  fromText(text: string): Recognition;
  fromStructure(value: JsonObject, text: string): Recognition;
};
