// The lab's own certificate authority, made by the project's: an identity for each node, one operator, one admin and one controller, and where nodes
// renew theirs a CA for each registrar. The CA's key stays in the lab's folder, where no node can look; nothing of it outlives the lab.
import { join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import type { PartyKind } from '#model/identity.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { makeRegistrar } from '#mtls/enrol/registrar-ca.ts';
import type { LabRecord } from './registry.ts';

export type LabPki = {
  /** Identity folder of a node, as the agent's `identity.dir` expects it. */
  nodeDir(node: string): string;
  /** Folder of the CA of a node that is a registrar. */
  registrarDir(node: string): string | undefined;
};

/** Certificates of nodes that renew themselves, as in a domain that runs for long. */
export type LabCertificates = { readonly lifetimeMs: number; readonly registrars: readonly string[] };

export const LAB_OPERATOR = 'operator';
/** The only one whom the nodes let change anything from afar. */
export const LAB_ADMIN = 'admin';
export const LAB_CONTROLLER = 'controller';

export async function createLabPki(lab: LabRecord, domain: string, certificates?: LabCertificates): Promise<LabPki> {
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
      ...(certificates !== undefined && kind === 'node' ? { lifetimeMs: certificates.lifetimeMs } : {}),
    });
  const registrars = certificates?.registrars ?? [];
  const registrarDir = (node: string) => join(lab.folder, 'pki/registrar', node);
  for (const name of registrars) await makeRegistrar({ dir, name, out: registrarDir(name), clock });
  return {
    nodeDir: (node) => identityDir(lab, 'node', node),
    registrarDir: (node) => (registrars.includes(node) ? registrarDir(node) : undefined),
  };
}

/** `pki/node/pe1`, `pki/operator/operator`: below the lab's folder on this machine. */
export function identityDir(lab: Pick<LabRecord, 'folder'>, kind: PartyKind, name: string): string {
  return join(lab.folder, 'pki', kind, name);
}
