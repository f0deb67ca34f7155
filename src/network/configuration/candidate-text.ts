// The candidate as its holder sees it: it begins as the running configuration. Its secrets are removed already.
import { ParleyError } from '#base/error.ts';
import type { Party } from '#model/identity.ts';
import type { ConfigurationPort } from '#model/router/configuration.ts';

/** A party's name as a holder of the candidate. */
export function holderOf(party: Party): string {
  return `${party.kind}/${party.name}`;
}

export async function readCandidate(configuration: ConfigurationPort, party: Party): Promise<string> {
  const holder = holderOf(party);
  try {
    return await configuration.read('candidate', holder);
  } catch (error) {
    if (!(error instanceof ParleyError) || error.code !== 'caller/no-candidate') throw error;
    return configuration.read('running', holder);
  }
}
