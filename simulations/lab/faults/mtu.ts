// Interfaces that carry less than their link should.
import { z } from 'zod';
import { cableName, defineFault, interfaceId, linkEnd, locationOf, mtuShows } from './fault.ts';
import { randomLink } from './places.ts';

const CORE_MTU = 9_000;
const mtu = z.int().min(1_280).max(9_000);

const set = (end: string, value: number): string => `ip link set ${locationOf(end).interface} mtu ${value}`;

export const mtuMismatch = defineFault({
  id: 'mtu_mismatch',
  description: 'one end of a link has a smaller MTU than the other',
  parameters: z.strictObject({ at: linkEnd, mtu, was: mtu.default(CORE_MTU) }),
  steps: ({ at, mtu: value, was }) => [
    { where: 'node', node: locationOf(at).device, exec: [set(at, value)], undo: [set(at, was)] },
  ],
  truth: ({ at }) => ({
    pairs: [{ resource: interfaceId(at), fault: 'mtu_mismatch' }],
    locations: [locationOf(at)],
  }),
  symptoms: ({ at, mtu: value }) => [mtuShows(at, value)],
  place: (network, random) => ({ at: randomLink(network, random).from, mtu: random.pick([1_400, 1_500, 4_000]) }),
});

export const mtuLowBothEnds = defineFault({
  id: 'mtu_low_both_ends',
  description: 'both ends of a link have a smaller MTU than the rest of the network',
  parameters: z.strictObject({ cable: cableName, mtu, was: mtu.default(CORE_MTU) }),
  steps: ({ cable, mtu: value, was }) =>
    cable.split('--').map((end) => ({
      where: 'node' as const,
      node: locationOf(end).device,
      exec: [set(end, value)],
      undo: [set(end, was)],
    })),
  truth: ({ cable }) => ({
    pairs: cable.split('--').map((end) => ({ resource: interfaceId(end), fault: 'mtu_mismatch' })),
    locations: [],
  }),
  symptoms: ({ cable, mtu: value }) => cable.split('--').map((end) => mtuShows(end, value)),
  place: (network, random) => ({ cable: randomLink(network, random).cable, mtu: random.pick([1_300, 1_400]) }),
});
