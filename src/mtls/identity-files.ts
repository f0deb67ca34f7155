// The four files of an identity, replaced as one: a power cut leaves the old ones or the new ones, and never a key beside the certificate
// of another.
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, syncFolder, writeFileDurably } from '#base/files.ts';

export const IDENTITY_FILES = {
  ca: 'ca.pem',
  chain: 'chain.pem',
  key: 'key.pem',
  signingKey: 'signing-key.pem',
} as const;

export type IdentityFile = keyof typeof IDENTITY_FILES;

const PARTS = ['key', 'signingKey', 'ca', 'chain'] as const;
const MODES = { key: 0o600, signingKey: 0o600, ca: 0o644, chain: 0o644 } as const;

/** Holds new files that are whole and count already, until each has taken its old one's place. */
const NEXT = 'next';
/** Holds new files that are not whole yet: worth nothing after a cut. */
const UNFINISHED = 'next.tmp';

/** What has happened to new files: one step for each file that is written, the switch, and one for each file in its place. */
export type ReplaceStep = 'written' | 'switched' | 'placed';

/** PEM of each file. On disk when it resolves; from the step `switched` on the new identity counts. `onStep` hears of each. */
export async function replaceIdentity(
  dir: string,
  pems: Readonly<Record<IdentityFile, string>>,
  onStep: (step: ReplaceStep) => void = () => {},
): Promise<void> {
  await finishReplacing(dir);
  const unfinished = join(dir, UNFINISHED);
  await rm(unfinished, { recursive: true, force: true });
  await makeFolder(unfinished, 0o700);
  for (const part of PARTS) {
    await writeFileDurably(join(unfinished, IDENTITY_FILES[part]), pems[part], MODES[part]);
    onStep('written');
  }
  await rename(unfinished, join(dir, NEXT));
  await syncFolder(dir);
  onStep('switched');
  await finishReplacing(dir, onStep);
}

/** Goes on where a cut left new files that count. Call it before files of `dir` are looked at in order to change them. */
export async function finishReplacing(dir: string, onStep: (step: ReplaceStep) => void = () => {}): Promise<void> {
  const next = join(dir, NEXT);
  for (const part of PARTS) {
    const isMoved = await rename(join(next, IDENTITY_FILES[part]), join(dir, IDENTITY_FILES[part])).then(
      () => true,
      orAbsent,
    );
    if (isMoved === true) onStep('placed');
  }
  await syncFolder(dir).catch(orAbsent);
  await rm(next, { recursive: true, force: true });
}

/** One file of the identity that counts, also where a cut left it beside its place and this process may not move it. Rejects as `readFile` does. */
export async function readIdentityFile(dir: string, part: IdentityFile): Promise<string> {
  const beside = await readFile(join(dir, NEXT, IDENTITY_FILES[part]), 'utf8').catch(orAbsent);
  return beside ?? readFile(join(dir, IDENTITY_FILES[part]), 'utf8');
}

function orAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
