// The configuration file of a node that has none. One that is there is never written to.
import { chmod, chown, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileDurably } from '#base/files.ts';
import { SETUP_PATHS } from './wanted.ts';

const HEAD = `# Written by "parley setup". Every setting with its default: /usr/share/doc/parley/parley.yaml
`;

export async function writeConfig(about: {
  readonly node: string;
  readonly domain: string;
  /** This node gives other nodes their certificates, and renews its own. */
  readonly isRegistrar: boolean;
}): Promise<void> {
  const lines = [`node: ${about.node}`, `domain: ${about.domain}`];
  if (about.isRegistrar)
    lines.push(`registrar: { dir: ${SETUP_PATHS.registrar} }`, `renewal: { registrars: [${about.node}] }`);
  await writeFileDurably(SETUP_PATHS.config, `${HEAD}${lines.join('\n')}\n`, 0o640);
  // The agent's group reads it, as it does the folder.
  const { gid } = await stat(dirname(SETUP_PATHS.config));
  if (process.geteuid?.() === 0) await chown(SETUP_PATHS.config, 0, gid);
  await chmod(SETUP_PATHS.config, 0o640);
}
