// Leaf-spine fabrics: every leaf to every spine, hosts behind leaves, one autonomous system per switch (eBGP, BFD).
import { type Network, planNetwork } from './network.ts';

export type LeafSpine = {
  readonly spines: number;
  readonly leaves: number;
  readonly clientsPerLeaf: number;
  readonly bfd?: boolean;
};

const FIRST_SPINE_AS = 65_001;
const FIRST_LEAF_AS = 65_101;

export function leafSpine(name: string, shape: LeafSpine): Network {
  const spines = Array.from({ length: shape.spines }, (_, index) => `spine${index + 1}`);
  const leaves = Array.from({ length: shape.leaves }, (_, index) => `leaf${index + 1}`);
  return planNetwork({
    name,
    protocol: 'bgp',
    bfd: shape.bfd ?? true,
    routers: [
      ...spines.map((spine, index) => ({ name: spine, asn: FIRST_SPINE_AS + index, hostCount: 0 })),
      ...leaves.map((leaf, index) => ({ name: leaf, asn: FIRST_LEAF_AS + index, hostCount: shape.clientsPerLeaf })),
    ],
    edges: leaves.flatMap((leaf) => spines.map((spine) => [leaf, spine] as const)),
  });
}
