// Socket addresses as the kernel takes them, kept for peers that are sent to again and again.
import { addressBytes } from './addresses.ts';
import { socketAddress } from './kernel-structs.ts';

/** More peers than one node hears at a time; beyond it all are forgotten, and made anew as they come. */
const MOST_KEPT = 1_024;

/** Gives the `socketAddress` of an address and a port; undefined for what needs more than that, an address with a zone. */
export function createDestinations(): (address: string, port: number) => Uint8Array | undefined {
  const kept = new Map<string, Uint8Array>();
  return (address, port) => {
    const key = `${address} ${port}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const bytes = addressBytes(address);
    if (bytes === undefined) return undefined;
    if (kept.size >= MOST_KEPT) kept.clear();
    const made = socketAddress(bytes, port);
    kept.set(key, made);
    return made;
  };
}
