// Loss on a wire, in one direction: the cable drops a share of what comes from one end. Neither router has a counter for it.
import { z } from 'zod';
import { defineFault, shareOf } from './fault.ts';

export const packetLoss = defineFault({
  id: 'packet_loss',
  description: 'a cable drops a share of the frames that `from` sends',
  parameters: z.strictObject({
    cable: z.string().regex(/^[^\s:]+:\S+--[^\s:]+:\S+$/, 'expected <node>:<if>--<node>:<if>'),
    /** The end whose frames are dropped. */
    from: z.string().regex(/^[^\s:]+:\S+$/, 'expected <node>:<if>'),
    percent: z.number().positive().max(100),
  }),
  steps: ({ cable, from, percent }) => {
    const port = cable.startsWith(`${from}--`) ? '{a}' : '{b}';
    return [
      {
        where: 'cable',
        cable,
        exec: [
          `nft 'add table netdev z; add chain netdev z c { type filter hook ingress device ${port} priority 0; }; add rule netdev z c ${shareOf(percent)}drop'`,
        ],
      },
    ];
  },
});
