// Requests that a server may send to its client, and the capability that the client must have announced for each (TS-5, TS-7).
import { ParleyError } from '#base/error.ts';
import type { ClientCapability } from '#model/definition.ts';

const NEEDED: ReadonlyMap<string, ClientCapability> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

/** undefined: never sent to a client. */
export function neededFor(method: string): ClientCapability | undefined {
  return NEEDED.get(method);
}

export function clientCannot(needed: string): ParleyError {
  return new ParleyError('caller/client-cannot', `expected a client with ${needed}, got one without`);
}
