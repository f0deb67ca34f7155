// What a client can be asked on its way back, and the capability that it must have named for it (TS-5, TS-7). Nobody is asked unasked.
import { ParleyError } from '#base/error.ts';
import type { ClientCapability } from '#model/definition.ts';

const NEEDED: ReadonlyMap<string, ClientCapability> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
]);

/** undefined: no client is ever asked this. */
export function neededFor(method: string): ClientCapability | undefined {
  return NEEDED.get(method);
}

export function clientCannot(needed: string): ParleyError {
  return new ParleyError('caller/client-cannot', `expected a client that offers ${needed}, got one that does not`);
}
