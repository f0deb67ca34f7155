// One operation that a privileged process offers to the agent over its Unix socket: arguments in, one answer out, events between.
import type { JsonObject, JsonValue } from '#base/json.ts';

export type OperationContext = {
  readonly signal: AbortSignal;
  /** Sends an event ahead of the answer. */
  emit(event: string): void;
};

export type Operation = (args: JsonObject, context: OperationContext) => Promise<JsonValue>;
