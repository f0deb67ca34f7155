// Socket addresses as the kernel takes them, kept for peers that are sent to again and again.
import { ROUTER_LIMITS } from '../limits.ts';
import { addressBytes } from './addresses.ts';
import { socketAddress } from './kernel-structs.ts';

/** Gives the `socketAddress` of an address and a port; undefined for what needs more than that, an address with a zone. */
export function createDestinations(): (address: string, port: number) => Uint8Array | undefined {
  const kept = new Map<string, Uint8Array>();
  return (address, port) => {
    const key = `${address} ${port}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const bytes = addressBytes(address);
    if (bytes === undefined) return undefined;
    if (kept.size >= ROUTER_LIMITS.keptDestinations) kept.clear();
    const made = socketAddress(bytes, port);
    kept.set(key, made);
    return made;
  };
}
