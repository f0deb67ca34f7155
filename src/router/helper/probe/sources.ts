// The addresses that a request names for probes to be sent from: this node's own alone, so that nothing is sent in the name of another.
import { ParleyError } from '#base/error.ts';
import { isOwnSource } from '../../native/addresses.ts';

export type Sources = { readonly IPv4?: string; readonly IPv6?: string };

/** Of each family that the request names one for. Throws `caller/source-address`. */
export function sourcesIn(wanted: readonly string[] = []): Sources {
  const foreign = wanted.find((address) => !isOwnSource(address));
  if (foreign !== undefined)
    throw new ParleyError('caller/source-address', `expected an address of this node, got ${foreign}`);
  const IPv4 = wanted.find((address) => !address.includes(':'));
  const IPv6 = wanted.find((address) => address.includes(':'));
  return { ...(IPv4 === undefined ? {} : { IPv4 }), ...(IPv6 === undefined ? {} : { IPv6 }) };
}
