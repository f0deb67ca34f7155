// What the operator wrote beside interfaces. zebra tells it; while that is down, what it told last still stands on the labels of the
// machine, and names the hosts behind its ports. Nothing before the first answer.
import { parseDescriptions } from '../kernel/interfaces.ts';

export type Descriptions = Readonly<Record<string, string>>;

/** Reads with `read` what zebra prints, or gives the last that it printed; rejects only when `signal` is aborted. */
export function createDescriptions(): (read: () => Promise<string>, signal?: AbortSignal) => Promise<Descriptions> {
  let last: Descriptions = {};
  return async (read, signal) => {
    try {
      last = parseDescriptions(await read());
    } catch {
      signal?.throwIfAborted();
    }
    return last;
  };
}
