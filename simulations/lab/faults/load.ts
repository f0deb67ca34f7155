// Background load, no fault: a steady UDP stream between two nodes while the investigation runs. A busy network is a healthy one.
import { z } from 'zod';
import { defineFault } from './fault.ts';

const PORT = 5_201;

export const load = defineFault({
  id: 'load',
  description: 'a steady UDP stream from one node to an address of another, for as long as the run takes',
  parameters: z.strictObject({
    from: z.string().min(1),
    to: z.string().min(1),
    /** Address of `to`; a customer prefix makes it travel over SRv6. */
    address: z.string().min(1),
    bind: z.string().optional(),
    megabits: z.number().positive().max(1_000),
  }),
  steps: ({ from, to, address, bind, megabits }) => [
    { where: 'beside', node: to, argv: ['iperf3', '-s', '-p', String(PORT)] },
    {
      where: 'beside',
      node: from,
      argv: [
        ...['iperf3', '-c', address, '-p', String(PORT), '-u', '-b', `${megabits}M`, '-l', '1000', '-t', '600'],
        ...(bind === undefined ? [] : ['-B', bind]),
      ],
    },
  ],
});
