// Codes that a registrar does not have, answered as if it had: a stranger who names codes at random must not learn which ones exist, and then
// lock them. Each has a verifier that only this registrar can compute, and its runs are counted on disk like those of a code.
import { createHmac, hkdfSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { writeFileDurably } from '#base/files.ts';
import { encodeHex } from '#codec/hex.ts';
import { type CodeState, FRESH, readJson } from './code-store.ts';
import { ENROL_LIMITS } from './limits.ts';
import { secretsFrom, verifierOf, WIDE_SECRETS_BYTES } from './spake2plus.ts';

const FOLDER = 'decoys';

export type Decoys = {
  /** Verifier of this code's name, hex as in a code's record; the same each time. */
  verifierFor(id: string): { readonly w0: string; readonly L: string };
  stateOf(id: string): Promise<CodeState>;
  /** On disk when it resolves. */
  storeState(id: string, state: CodeState): Promise<void>;
};

/** `privateKey`: of the registrar's CA; what is derived from it says nothing about it. */
export function createDecoys(dir: string, privateKey: KeyObject): Decoys {
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  const key = Buffer.from(hkdfSync('sha256', der, Buffer.alloc(0), 'parley enrolment decoys', 32));
  // As many files as a registrar has codes at most, however many names strangers try: two names of one file forget each other's runs.
  const pathOf = (id: string) => {
    const slot = createHmac('sha256', key).update(`slot ${id}`).digest().readUInt32BE(0) % ENROL_LIMITS.codes;
    return join(dir, FOLDER, `${slot}.json`);
  };
  return {
    verifierFor(id) {
      const wide = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `verifier ${id}`, WIDE_SECRETS_BYTES));
      const { w0, L } = verifierOf(secretsFrom(wide));
      return { w0: encodeHex(w0), L: encodeHex(L) };
    },
    async stateOf(id) {
      const stored = await readJson<{ readonly id: string; readonly state: CodeState }>(pathOf(id));
      return stored?.id === id ? stored.state : FRESH;
    },
    storeState: (id, state) => writeFileDurably(pathOf(id), `${JSON.stringify({ id, state })}\n`),
  };
}
