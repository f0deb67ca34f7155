// The identity that this agent shows now. Renewal and the CAs of a trust list replace it while the agent runs: connections that are open keep
// theirs, and everything from then on takes the new one.
import type { Clock } from '#base/clock.ts';
import { createInTurn, type InTurn } from '#base/in-turn.ts';
import type { Identity } from '#mtls/identity.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { readIdentityFile, replaceIdentity } from '#mtls/identity-files.ts';

export type LiveIdentity = {
  current(): Identity;
  /** Shows this one from now on. Its files are in place already. */
  replace(next: Identity): void;
  /** Trusts these CAs from now on; on disk when it resolves. */
  trustAnchors(caPem: string): Promise<void>;
  /** For all that writes to the folder: one after the other. */
  readonly inTurn: InTurn;
  /** Hears of each replacement. */
  onChange(listener: (identity: Identity) => void): void;
};

export function createLiveIdentity(init: {
  readonly dir: string;
  readonly identity: Identity;
  readonly clock: Pick<Clock, 'nowMs'>;
}): LiveIdentity {
  const { dir, clock } = init;
  const inTurn = createInTurn();
  const listeners: ((identity: Identity) => void)[] = [];
  let current = init.identity;
  const replace = (next: Identity) => {
    current = next;
    for (const listener of listeners) listener(next);
  };
  return {
    current: () => current,
    replace,
    async trustAnchors(caPem) {
      if (caPem === current.caPem) return;
      // In force at once; a certificate of a CA that went is for its owner to notice.
      replace({ ...current, caPem });
      await inTurn(async () => {
        const [key, signingKey, chain] = await Promise.all(
          (['key', 'signingKey', 'chain'] as const).map((part) => readIdentityFile(dir, part)),
        );
        await replaceIdentity(dir, { key: key!, signingKey: signingKey!, chain: chain!, ca: caPem });
        // A renewal may have ended in between.
        const written = await loadIdentity(dir, clock).catch(() => undefined);
        if (written !== undefined && written.thumbprint !== current.thumbprint) replace(written);
      });
    },
    inTurn,
    onChange: (listener) => void listeners.push(listener),
  };
}
