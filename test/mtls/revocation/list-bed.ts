// A domain whose CA makes trust lists, and nodes that go by them, in this process.
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { type KeptList, openKeptList } from '#mtls/revocation/kept-list.ts';
import { revoke } from '#mtls/revocation/publish.ts';
import type { TrustList } from '#mtls/revocation/trust-list.ts';
import { createTrust, type Trust } from '#mtls/trust.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { createDomain, type Domain, systemClock } from '../domain.ts';

export type ListBed = {
  readonly domain: Domain;
  readonly ca: string;
  revoke(party: string, clock?: Pick<Clock, 'nowMs'>): Promise<TrustList>;
  /** What a node goes by; `path` keeps its list. */
  node(path?: string): Promise<ListNode>;
};

export type ListNode = {
  readonly kept: KeptList;
  readonly trust: Trust;
  readonly faults: string[];
  readonly caPem: string;
};

export async function upLists(): Promise<ListBed> {
  const domain = await createDomain();
  const ca = join(domain.dir, 'ca');
  return {
    domain,
    ca,
    revoke: (party, clock = systemClock) => revoke({ dir: ca, target: { party }, reason: 'stolen', clock }),
    async node(path) {
      const faults: string[] = [];
      let caPem = domain.caPem;
      const trust: Trust = await createTrust({
        clock: systemClock,
        denied: (chain) => kept.denied(chain),
        disowned: (chain) => {
          const verified = verifyChain(chain, caPem, trust.nowMs());
          return verified.ok ? undefined : verified.reason;
        },
      });
      const kept = await openKeptList({
        domain: 'lab.example',
        trustedPem: () => caPem,
        nowMs: () => trust.nowMs(),
        onTaken: async (list) => {
          caPem = list.anchorsPem;
          trust.recheck();
        },
        ...(path === undefined ? {} : { path }),
        onFault: (what) => void faults.push(what),
      });
      return {
        ...{ kept, trust, faults },
        get caPem() {
          return caPem;
        },
      };
    },
  };
}
