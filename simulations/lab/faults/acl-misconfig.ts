// A packet filter that an operator left behind: an egress ACL drops a share of the SRv6 traffic that leaves one interface.
import { z } from 'zod';
import { defineFault, shareOf } from './fault.ts';

export const aclMisconfig = defineFault({
  id: 'acl_misconfig',
  description: 'an egress ACL of a node drops a share of its SRv6 packets',
  parameters: z.strictObject({
    node: z.string().min(1),
    interface: z.string().regex(/^eth\d+$/, 'expected ethN'),
    acl: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,30}$/, 'expected a chain name')
      .default('acl-2001'),
    percent: z.number().positive().max(100),
  }),
  steps: ({ node, interface: ifname, acl, percent }) => [
    {
      where: 'node',
      node,
      exec: [
        `nft 'add table ip6 filter; add chain ip6 filter ${acl}; add rule ip6 filter ${acl} oifname ${ifname} exthdr rt exists ${shareOf(percent)}counter drop; add chain ip6 filter postrouting { type filter hook postrouting priority 0; policy accept; }; add rule ip6 filter postrouting jump ${acl}'`,
      ],
      undo: ['nft delete table ip6 filter'],
    },
  ],
});
