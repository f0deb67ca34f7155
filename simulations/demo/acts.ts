// The demo's three acts as data: what is injected, by which door the operator comes in, and what has to be found.
import type { EmbeddedFault } from '#router/drivers/embedded/description.ts';
import type { Injection } from '../lab/scenario.ts';
import type { Pair } from '../lab/scoring.ts';

export const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
/** Node that is asked. */
export const ASKED = 'pe1' as const;

export type Act = {
  readonly name: string;
  readonly title: string;
  readonly door: 'unix-socket' | 'mutual-tls';
  /** For real routers. */
  readonly inject: readonly Injection[];
  /** The same for the embedded network. */
  readonly embedded?: EmbeddedFault;
  readonly truth: readonly Pair[];
  /** Words that the hypothesis has to hold. */
  readonly words: readonly string[];
};

const CABLE_LOSS =
  "nft 'add table netdev z; add chain netdev z c { type filter hook ingress device {a} priority 0; }; add rule netdev z c numgen random mod 100 < 3 drop'";

export const ACTS: readonly Act[] = [
  {
    name: 'healthy',
    title: 'A healthy network: Parley has to prove it, not to assume it',
    door: 'unix-socket',
    inject: [],
    truth: [],
    words: [],
  },
  {
    name: 'loss',
    title: '3 % loss from PE-1 to P-2, inside the cable, where no router counts it',
    door: 'unix-socket',
    inject: [{ where: 'cable', cable: 'pe1:eth1--p2:eth1', exec: [CABLE_LOSS], repaired: false }],
    embedded: { kind: 'loss', node: 'pe1', ifname: 'eth1', percent: 3 },
    truth: [{ resource: 'interface/pe1/eth1', fault: 'packet_loss' }],
    words: ['PE-1'],
  },
  {
    name: 'acl',
    title: 'The draft’s own case: an egress ACL on PE-1 drops part of the SRv6 path’s packets',
    door: 'mutual-tls',
    inject: [
      {
        where: 'fault',
        fault: 'acl_misconfig',
        parameters: { node: 'pe1', interface: 'eth1', acl: 'acl-2001', percent: 5 },
      },
    ],
    embedded: { kind: 'acl', node: 'pe1', ifname: 'eth1', name: 'acl-2001', percent: 5 },
    truth: [{ resource: 'node/pe1', fault: 'acl_misconfig' }],
    words: ['PE-1', 'eth1', 'ACL 2001'],
  },
];
