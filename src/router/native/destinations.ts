// Socket addresses as the kernel takes them, kept for peers that are sent to again and again.
import { ROUTER_LIMITS } from '../limits.ts';
import { addressBytes } from './addresses.ts';
import { socketAddress } from './kernel-structs.ts';

/** Gives the `socketAddress` of an address and a port, of a link-local one with the index of its interface; undefined for an address with a zone. */
export function createDestinations(): (address: string, port: number, scope?: number) => Uint8Array | undefined {
  const kept = new Map<string, Uint8Array>();
  return (address, port, scope = 0) => {
    const key = `${address} ${port} ${scope}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const bytes = addressBytes(address);
    if (bytes === undefined) return undefined;
    if (kept.size >= ROUTER_LIMITS.keptDestinations) kept.clear();
    const made = socketAddress(bytes, port, scope);
    kept.set(key, made);
    return made;
  };
}
