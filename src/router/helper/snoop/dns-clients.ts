// Which clients a name server gave an address for a name, so that it is noticed when the same client gets the answer that there is none: what others are
// told proves nothing, as servers may tell one what they do not tell another. No address is kept: an asker is a digest under a key that
// this process made and keeps to itself. Bounded; nothing of askers leaves this process.
import { createHmac } from 'node:crypto';
import { LIMITS } from '#base/limits.ts';
import { systemRandom } from '#base/random.ts';
import type { HeardName } from '#model/router/host-history.ts';
import { HELPER_LIMITS } from '../limits.ts';

export type PassingAnswer = {
  readonly ifname: string;
  readonly address: string;
  readonly name: string;
  readonly given: boolean;
  readonly asker: string;
};

/** What is reported of an answer: nothing where a client lacks a record that it never had. */
export type NameAskers = (answer: PassingAnswer) => HeardName | undefined;

const KEY_BYTES = 32;

export function createNameAskers(key: Uint8Array = systemRandom.bytes(KEY_BYTES)): NameAskers {
  /** Oldest first, names as well as their askers. */
  const given = new Map<string, Set<string>>();
  return (answer) => {
    const { ifname, address, name } = answer;
    const own = `${ifname} ${address} ${name}`;
    const asker = createHmac('sha256', key).update(`${own} ${answer.asker}`).digest('base64');
    const askers = given.get(own) ?? new Set();
    const known = askers.delete(asker);
    if (!answer.given) return known ? { ifname, address, name, taken: true } : undefined;
    askers.add(asker);
    given.delete(own);
    given.set(own, askers);
    dropOldest(askers, HELPER_LIMITS.dnsClients);
    dropOldest(given, LIMITS.dnsRecords * LIMITS.hostPorts);
    return { ifname, address, name };
  };
}

function dropOldest(kept: Set<string> | Map<string, unknown>, most: number): void {
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
