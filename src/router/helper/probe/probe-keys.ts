// The keys of questions, by which a reflector tells the probes of nodes that take part in one from those that anyone can make up. A node gets a
// question's key over the authenticated session in which it is asked for its state; a probe carries the key's name and a token of its session, so
// that a forged one costs a digest and no memory. Bounded in keys and time. Proves nothing of single probes: who sees one on its way can copy
// it, and could as well drop it.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import type { ProbeKey } from '#model/router/router-port.ts';
import type { ProbeProof } from '../../protocol/probe-message.ts';
import { HELPER_LIMITS } from '../limits.ts';

export type ProbeKeys = {
  /** The first key of a question holds. */
  admit(key: ProbeKey): void;
  /** What probes of this session carry; undefined where the question is none, or its key is not known here (any more). */
  proofOf(question: string | undefined, session: string): ProbeProof | undefined;
  isProven(session: string, proof: ProbeProof): boolean;
};

type Known = { readonly question: string; readonly keyId: string; readonly key: Uint8Array; readonly untilMs: number };

const KEY_ID_CHARS = 8;
const TOKEN_CHARS = 16;

export function createProbeKeys(clock: Clock): ProbeKeys {
  const byId = new Map<string, Known>();
  const byQuestion = new Map<string, Known>();
  const remove = (known: Known) => {
    byId.delete(known.keyId);
    byQuestion.delete(known.question);
  };
  const living = (known: Known | undefined) => {
    if (known === undefined || clock.monotonicMs() < known.untilMs) return known;
    remove(known);
    return undefined;
  };
  return {
    admit({ question, key }) {
      const octets = Buffer.from(key, 'hex');
      const keyId = createHash('sha256').update(octets).digest('hex').slice(0, KEY_ID_CHARS);
      if (living(byQuestion.get(question)) !== undefined || living(byId.get(keyId)) !== undefined) return;
      const [oldest] = byId.values();
      if (byId.size >= HELPER_LIMITS.probeKeys && oldest !== undefined) remove(oldest);
      const known = { question, keyId, key: octets, untilMs: clock.monotonicMs() + HELPER_LIMITS.probeKeyMs };
      byId.set(keyId, known);
      byQuestion.set(question, known);
    },
    proofOf(question, session) {
      const known = question === undefined ? undefined : living(byQuestion.get(question));
      return known && { keyId: known.keyId, token: tokenOf(known, session) };
    },
    isProven(session, { keyId, token }) {
      const known = living(byId.get(keyId));
      return known !== undefined && timingSafeEqual(Buffer.from(tokenOf(known, session)), Buffer.from(token));
    },
  };
}

function tokenOf({ key }: Known, session: string): string {
  return createHmac('sha256', key).update(Buffer.from(session, 'hex')).digest('hex').slice(0, TOKEN_CHARS);
}
