// What the configuration helper accepts changes on, read from a folder of root's (docs/decisions/0043-the-helper-verifies-consent.md): the
// node's name, the consent mode and the pre-approved changes (`consent.yaml`), and the CA whose admins may sign (`ca.pem`).
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import type { z } from 'zod';
import { messageOf, ParleyError } from '#base/error.ts';
import { readRootFile } from '#base/root-file.ts';
import { configureSchema, nodeName } from './schema.ts';

export const HELPER_AUTHORITY_DIR = '/etc/parley-config';

const schema = configureSchema.extend({ node: nodeName });

export type HelperAuthority = z.infer<typeof schema> & { readonly caPem: string };

/** Rejects with `node/unsafe-file` when a user other than root may change it, `caller/config-invalid` when it is not of this form. */
export async function readHelperAuthority(folder: string): Promise<HelperAuthority> {
  const file = join(folder, 'consent.yaml');
  const text = await readRootFile(file);
  const caPem = await readRootFile(join(folder, 'ca.pem'));
  const parsed = schema.safeParse(treeOf(text, file));
  if (parsed.success) return { ...parsed.data, caPem };
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || '(top)'}: ${message}`);
  throw new ParleyError('caller/config-invalid', `${file}: ${problems.join('; ')}`, { data: { file } });
}

/** Of what `readHelperAuthority` rejects with: root has written nothing there yet, and no consent counts. */
export function isAuthorityMissing(error: unknown): boolean {
  return error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

function treeOf(text: string, file: string): unknown {
  try {
    return parseYaml(text);
  } catch (cause) {
    throw new ParleyError('caller/config-invalid', `${file}: ${messageOf(cause)}`, { data: { file }, cause });
  }
}
