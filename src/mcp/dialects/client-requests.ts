// Requests that a server may send to its client, and the capability that the client must have announced for each (TS-5, TS-7).
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { ClientCapability } from '#model/definition.ts';

const NEEDED: ReadonlyMap<string, ClientCapability> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

/** undefined: never sent to a client. */
export function neededFor(method: string, params: JsonObject = {}): ClientCapability | undefined {
  if (method === 'elicitation/create' && params['mode'] === 'url') return 'elicitation.url';
  return NEEDED.get(method);
}

/** Whether capabilities as a client states them name this one. `elicitation: {}` is that of forms (MCP 2025-11-25, elicitation). */
export function offersOf(capabilities: object | undefined): (capability: ClientCapability) => boolean {
  const all = (capabilities ?? {}) as JsonObject;
  return (capability) => {
    if (!capability.startsWith('elicitation')) return all[capability] !== undefined;
    const { elicitation } = all;
    if (elicitation === undefined || !isJsonObject(elicitation)) return false;
    if (capability === 'elicitation.url') return elicitation['url'] !== undefined;
    return elicitation['form'] !== undefined || elicitation['url'] === undefined;
  };
}

export function clientCannot(needed: string): ParleyError {
  return new ParleyError('caller/client-cannot', `expected a client with ${needed}, got one without`);
}
