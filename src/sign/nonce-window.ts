// What a verifier remembers of nonces: each (signer, boot, nonce) is accepted once [TS-16]. Parallel answers overtake each
// other, so nonces may come in any order within LIMITS.nonceWindow. Bounded in signers and in boots of one signer.
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { BOOT, NONCE } from './signed-head.ts';

export type NonceWindow = {
  /** Call only after the signature was verified: a forger must not be able to use up nonces. */
  admit(signer: string, boot: string, nonce: string): Result<void>;
  /** Signers remembered. */
  readonly signerCount: number;
};

/** Boots of one signer with its highest counter: more than one only after a restored snapshot. */
type SignerMemory = { readonly counter: number; readonly boots: Map<string, BootMemory> };
/** Bit `nonce % nonceWindow` tells whether that nonce of the newest window was seen. */
type BootMemory = { highest: number; readonly seen: Uint32Array };

export function createNonceWindow(): NonceWindow {
  /** In the order of last use. A forgotten signer could be replayed, but only over a session of its own certificate. */
  const signers = new Map<string, SignerMemory>();

  const memoryOf = (signer: string, counter: number): SignerMemory | undefined => {
    const known = signers.get(signer);
    if (known !== undefined && counter < known.counter) return undefined;
    const memory = known?.counter === counter ? known : { counter, boots: new Map<string, BootMemory>() };
    signers.delete(signer);
    if (signers.size >= LIMITS.nonceSigners) signers.delete(signers.keys().next().value!);
    signers.set(signer, memory);
    return memory;
  };

  return {
    admit(signer, boot, nonce) {
      const counter = BOOT.exec(boot)?.[1];
      if (counter === undefined) return bad('expected a boot id, came another text');
      if (!NONCE.test(nonce)) return bad('expected a nonce in decimal, came another text');
      // An older boot's nonces are no longer remembered: whatever carries them is a replay.
      const memory = memoryOf(signer, Number(counter));
      if (memory === undefined) return bad('expected the newest boot of this signer, came an older one');
      let window = memory.boots.get(boot);
      if (window === undefined) {
        if (memory.boots.size >= LIMITS.nonceBoots)
          return bad(`expected at most ${LIMITS.nonceBoots} boots with one counter, came another`);
        window = { highest: 0, seen: new Uint32Array(LIMITS.nonceWindow / 32) };
        memory.boots.set(boot, window);
      }
      return admitNonce(window, Number(nonce));
    },
    get signerCount() {
      return signers.size;
    },
  };
}

function admitNonce(window: BootMemory, nonce: number): Result<void> {
  if (nonce <= window.highest - LIMITS.nonceWindow) return bad('expected a nonce within the window, came an older one');
  if (nonce > window.highest) forget(window, nonce);
  const [word, bit] = placeOf(nonce);
  if ((window.seen[word]! & bit) !== 0) return bad('expected a nonce that was not seen, came a replay');
  window.seen[word]! |= bit;
  return ok(undefined);
}

/** Moves the window up to `highest`: the places of the nonces in between are free again. */
function forget(window: BootMemory, highest: number): void {
  if (highest - window.highest >= LIMITS.nonceWindow) window.seen.fill(0);
  else
    for (let nonce = window.highest + 1; nonce <= highest; nonce++) {
      const [word, bit] = placeOf(nonce);
      window.seen[word]! &= ~bit;
    }
  window.highest = highest;
}

function placeOf(nonce: number): [word: number, bit: number] {
  const place = nonce % LIMITS.nonceWindow;
  return [place >>> 5, 1 << (place & 31)];
}
