// What the catalog decided about one call: the definition that serves it and the request that it gets, or the refusal. Decided once a
// call, by `Catalog.admit`; whatever runs the call takes the decision from there and never decides again [TS-14, NET-16].
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { PromptDefinition, PromptRequest, ReadRequest, ResourceDefinition, ToolDefinition } from './definition.ts';

export type Refusal = { readonly code: number; readonly message: string; readonly data: JsonObject };

/** Permission to run one call. It holds only for the content and the caller that it was given for (`Catalog.isAdmitted`). */
export type Admission =
  | { readonly kind: 'tool'; readonly definition: ToolDefinition; readonly arguments: JsonObject }
  | {
      readonly kind: 'resource';
      readonly definition: ResourceDefinition;
      readonly uri: string;
      readonly request: ReadRequest;
    }
  | {
      readonly kind: 'write';
      readonly definition: ResourceDefinition;
      readonly uri: string;
      readonly content: JsonValue;
    }
  | { readonly kind: 'prompt'; readonly definition: PromptDefinition; readonly request: PromptRequest };

export type Decision = Admission | { readonly kind: 'refused'; readonly refusal: Refusal };
