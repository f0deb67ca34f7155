// What a verifier remembers of nonces: each (signer, boot, nonce) is accepted once [TS-16]. Parallel answers overtake each
// other, so nonces may come in any order within SIGN_LIMITS.nonceWindow. Bounded in signers and in boots of one signer; an identity that
// starts anew, or is used twice, or once had a wrong clock, is not locked out by its other boots.
import type { Clock } from '#base/clock.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { SIGN_LIMITS } from './limits.ts';
import { BOOT, NONCE } from './signed-head.ts';

export type NonceWindow = {
  /** Call only after the signature was verified: a forger must not be able to use up nonces. */
  admit(signer: string, boot: string, nonce: string): Result<void>;
  /** Signers remembered. */
  readonly signerCount: number;
};

export type NonceWindowInit = {
  /** Tells boots of our time from those that lead it, so that these never displace those. */
  readonly clock?: Pick<Clock, 'nowMs'>;
  /** Two boots of one signer speak in turns: a second agent uses its identity. Once for each boot. */
  readonly onSecondLife?: (signer: string) => void;
};

/**
 * The boots that are remembered of one signer, least recently used first, and the counters of those that were forgotten. Whatever
 * lies among forgotten counters could be a replay and is refused; so is all below, which is older still.
 */
type Boots = { readonly remembered: Map<string, BootMemory>; forgotten: { low: number; high: number } | undefined };
/** A clock that once was years ahead leaves boots that lead; they have places of their own beside those of our time. */
type SignerMemory = { readonly timely: Boots; readonly leading: Boots; newest: string | undefined };
/** Bit `nonce % nonceWindow` tells whether that nonce of the newest window was seen. */
type BootMemory = { readonly counter: number; highest: number; readonly seen: Uint32Array };

const TOO_OLD = 'expected a boot newer than those forgotten, got an older one: does another agent use this identity?';

export function createNonceWindow(init: NonceWindowInit = {}): NonceWindow {
  /** In the order of last use. A forgotten signer could be replayed, but only over a session of its own certificate. */
  const signers = new Map<string, SignerMemory>();

  const memoryOf = (signer: string): SignerMemory => {
    const none = (): Boots => ({ remembered: new Map(), forgotten: undefined });
    const memory = signers.get(signer) ?? { timely: none(), leading: none(), newest: undefined };
    signers.delete(signer);
    if (signers.size >= SIGN_LIMITS.nonceSigners) signers.delete(signers.keys().next().value!);
    signers.set(signer, memory);
    return memory;
  };
  const leads = (counter: number) =>
    init.clock !== undefined && counter > init.clock.nowMs() / 1_000 + SIGN_LIMITS.bootLeadSeconds;
  const bootOf = (memory: SignerMemory, boot: string, counter: number): BootMemory | undefined => {
    const known = recall(memory.timely, boot) ?? recall(memory.leading, boot);
    if (known !== undefined) return known;
    if (wasForgotten(memory, counter)) return undefined;
    return remember(leads(counter) ? memory.leading : memory.timely, boot, counter);
  };

  return {
    admit(signer, boot, nonce) {
      const counter = BOOT.exec(boot)?.[1];
      if (counter === undefined) return bad('expected a boot id, got another text');
      if (!NONCE.test(nonce)) return bad('expected a nonce in decimal, got another text');
      const memory = memoryOf(signer);
      const isNew = !memory.timely.remembered.has(boot) && !memory.leading.remembered.has(boot);
      const window = bootOf(memory, boot, Number(counter));
      if (window === undefined) return bad(TOO_OLD);
      const admitted = admitNonce(window, Number(nonce));
      if (isNew) memory.newest = boot;
      else if (admitted.ok && memory.newest !== undefined && memory.newest !== boot) {
        memory.newest = undefined;
        init.onSecondLife?.(signer);
      }
      return admitted;
    },
    get signerCount() {
      return signers.size;
    },
  };
}

/** Moves the boot to the young end. */
function recall({ remembered }: Boots, boot: string): BootMemory | undefined {
  const known = remembered.get(boot);
  if (known === undefined) return undefined;
  remembered.delete(boot);
  remembered.set(boot, known);
  return known;
}

function wasForgotten({ timely, leading }: SignerMemory, counter: number): boolean {
  const among = ({ forgotten }: Boots) =>
    forgotten !== undefined && counter >= forgotten.low && counter <= forgotten.high;
  const isOlder = timely.forgotten !== undefined && counter <= timely.forgotten.high;
  return isOlder || among(leading);
}

function remember(boots: Boots, boot: string, counter: number): BootMemory {
  const [oldest] = boots.remembered;
  if (boots.remembered.size >= SIGN_LIMITS.nonceBoots && oldest !== undefined) {
    const [name, gone] = oldest;
    boots.remembered.delete(name);
    const { low, high } = boots.forgotten ?? { low: gone.counter, high: gone.counter };
    boots.forgotten = { low: Math.min(low, gone.counter), high: Math.max(high, gone.counter) };
  }
  const memory: BootMemory = { counter, highest: 0, seen: new Uint32Array(SIGN_LIMITS.nonceWindow / 32) };
  boots.remembered.set(boot, memory);
  return memory;
}

function admitNonce(window: BootMemory, nonce: number): Result<void> {
  if (nonce <= window.highest - SIGN_LIMITS.nonceWindow)
    return bad('expected a nonce within the window, got an older one');
  if (nonce > window.highest) forget(window, nonce);
  const [word, bit] = placeOf(nonce);
  if ((window.seen[word]! & bit) !== 0) return bad('expected a nonce that was not seen, got a replay');
  window.seen[word]! |= bit;
  return ok(undefined);
}

/** Moves the window up to `highest`: the places of the nonces in between are free again. */
function forget(window: BootMemory, highest: number): void {
  if (highest - window.highest >= SIGN_LIMITS.nonceWindow) window.seen.fill(0);
  else
    for (let nonce = window.highest + 1; nonce <= highest; nonce++) {
      const [word, bit] = placeOf(nonce);
      window.seen[word]! &= ~bit;
    }
  window.highest = highest;
}

function placeOf(nonce: number): [word: number, bit: number] {
  const place = nonce % SIGN_LIMITS.nonceWindow;
  return [place >>> 5, 1 << (place & 31)];
}
