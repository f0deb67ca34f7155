// A remark about places of the network, with the evidence that it stands on. Texts carry node references.
import type { Remark } from '#model/finding.ts';
import { sourcesOf, type World } from './world.ts';

/** A remark that stands on what these nodes say of themselves. */
export function remarkOf(world: World, nodes: readonly string[], remark: Omit<Remark, 'evidence'>): Remark {
  return { ...remark, evidence: [...new Set(sourcesOf(world, ...nodes))].sort() };
}
