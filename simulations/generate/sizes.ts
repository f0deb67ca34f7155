// The named networks that labs and benchmarks raise: leaf-spine fabrics by size, and every SNDlib graph (IS-IS; OSPF with `-ospf`).
import { ParleyError } from '#base/error.ts';
import { leafSpine } from './leaf-spine.ts';
import type { Network } from './network.ts';
import { sndlib, sndlibNames } from './sndlib.ts';

const LEAF_SPINE = {
  'leaf-spine-xs': { spines: 2, leaves: 2, clientsPerLeaf: 1 },
  'leaf-spine-small': { spines: 2, leaves: 4, clientsPerLeaf: 1 },
  'leaf-spine-4x4': { spines: 4, leaves: 4, clientsPerLeaf: 1 },
  'leaf-spine-medium': { spines: 4, leaves: 8, clientsPerLeaf: 1 },
  'leaf-spine-large': { spines: 4, leaves: 16, clientsPerLeaf: 1 },
} as const;

const OSPF = '-ospf';

export function sizeNames(): string[] {
  return [...Object.keys(LEAF_SPINE), ...sndlibNames()];
}

export function networkOf(size: string): Network {
  const shape = LEAF_SPINE[size as keyof typeof LEAF_SPINE];
  if (shape) return leafSpine(size, shape);
  const graph = size.endsWith(OSPF) ? size.slice(0, -OSPF.length) : size;
  if (!sndlibNames().includes(graph))
    throw new ParleyError('caller/size', `expected one of ${sizeNames().join(', ')}, got ${size}`);
  return sndlib(graph, graph === size ? 'isis' : 'ospf', size);
}
