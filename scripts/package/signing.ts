// Signs an apt repository with gpg, as apt wants it: with a key of this user's own ring, or with one from a file, in a ring that is thrown away.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ParleyError } from '#base/error.ts';
import { run } from '#base/process.ts';
import { STEP_MS, step } from './step.ts';

export type SigningKey =
  | { readonly kind: 'ring'; readonly name: string }
  | { readonly kind: 'file'; readonly file: string };

export type Signer = {
  /** Runs gpg with this key as the one that signs. */
  sign(args: readonly string[]): Promise<void>;
  /** The public half, for `signed-by`. */
  publicKey(): Promise<string>;
};

/** Rejects with `us/package` where gpg refuses the key, and with `caller/usage` where the file holds no secret key, or several. */
export async function withSigner(key: SigningKey, work: (signer: Signer) => Promise<void>): Promise<void> {
  if (key.kind === 'ring') return work(signerOf(key.name, []));
  const home = await mkdtemp(join(tmpdir(), 'parley-signing-'));
  // A key with a passphrase is refused at once: there may be no person to ask.
  const ring = ['--homedir', home, '--pinentry-mode', 'error'];
  try {
    await step('gpg', ['--batch', ...ring, '--import', key.file]);
    const listed = await step('gpg', ['--batch', ...ring, '--with-colons', '--list-secret-keys']);
    const names = [...listed.matchAll(/^sec:(?:.*\n)+?fpr:+([0-9A-F]{40}):/gm)].map(([, name]) => name!);
    const [name] = names;
    if (name === undefined || names.length > 1)
      throw new ParleyError('caller/usage', `expected one secret key in ${key.file}, got ${names.length}`);
    await work(signerOf(name, ring));
  } finally {
    await run('gpgconf', ['--homedir', home, '--kill', 'all'], { timeoutMs: STEP_MS });
    await rm(home, { recursive: true, force: true });
  }
}

function signerOf(name: string, ring: readonly string[]): Signer {
  const shared = ['--batch', '--yes', ...ring];
  return {
    sign: async (args) => {
      await step('gpg', [...shared, '--local-user', name, ...args]);
    },
    publicKey: () => step('gpg', [...shared, '--armor', '--export', name]),
  };
}
