// The lab's own certificate authority, made by the project's: an identity for each node, one operator, one admin and one controller. The CA's key
// stays in the lab's folder, where no node can look; nothing of it outlives the lab.
import { join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import type { PartyKind } from '#model/identity.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import type { LabRecord } from './registry.ts';

export type LabPki = {
  /** Identity folder of a node, as the agent's `identity.dir` expects it. */
  nodeDir(node: string): string;
};

export const LAB_OPERATOR = 'operator';
/** The only one whom the nodes let change anything from afar. */
export const LAB_ADMIN = 'admin';
export const LAB_CONTROLLER = 'controller';

export async function createLabPki(lab: LabRecord, domain: string): Promise<LabPki> {
  const clock = createSystemClock();
  const dir = join(lab.folder, 'pki/ca');
  await initAuthority({ dir, domain, clock });
  const parties: [PartyKind, string][] = [
    ...lab.nodes.filter((node) => node.role === 'router').map((node): [PartyKind, string] => ['node', node.name]),
    ['operator', LAB_OPERATOR],
    ['operator', LAB_ADMIN],
    ['controller', LAB_CONTROLLER],
  ];
  // One after the other: each certificate is an entry in the authority's register.
  for (const [kind, name] of parties)
    await issueCertificate({
      dir,
      kind,
      name,
      out: identityDir(lab, kind, name),
      clock,
      ...(name === LAB_ADMIN && kind === 'operator' ? { role: 'admin' } : {}),
    });
  return { nodeDir: (node) => identityDir(lab, 'node', node) };
}

/** `pki/node/pe1`, `pki/operator/operator`: below the lab's folder on this machine. */
export function identityDir(lab: Pick<LabRecord, 'folder'>, kind: PartyKind, name: string): string {
  return join(lab.folder, 'pki', kind, name);
}
