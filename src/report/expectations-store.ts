// A node's expectations file on its own disk: the operators' YAML, and in its last line this node's signature over it. Written whole or not
// at all, bounded, and read only when that signature stands: who could write a file here could otherwise silence every fault.
import { readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, ParleyError } from '#base/error.ts';
import { syncFolder, writeFileDurably } from '#base/files.ts';
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { PAYLOAD_TYPES } from '#model/envelope.ts';
import { EXPECTATIONS_SCHEMA_VERSION, type ExpectationsFile, type ExpectationsStore } from '#model/expectations.ts';
import type { Signer } from '#model/ports.ts';
import { sha256Hex } from '#sign/digest.ts';
import { openEnvelope } from '#sign/envelope.ts';

export type ExpectationsStoreInit = {
  /** Of the file. */
  readonly path: string;
  readonly node: string;
  readonly signer: Signer;
  /** The node's own, 32 bytes. */
  readonly publicKey: Uint8Array;
};

/** A comment to YAML: the last line of the file. */
const MARK = `# ${PAYLOAD_TYPES.expectations} `;
/** A character takes at most four octets; the signature is far shorter than the rest of the room. */
const MOST_BYTES = LIMITS.expectationsChars * 4 + 4_096;

type Loaded = Awaited<ReturnType<ExpectationsStore['load']>>;

export function createExpectationsStore(init: ExpectationsStoreInit): ExpectationsStore {
  let known: { readonly stamp: string; readonly loaded: Loaded } | undefined;
  return {
    async load() {
      const stamp = await stampOf(init.path);
      if (stamp === undefined) return {};
      // Every reading of the state loads it: what has not changed is not verified again.
      if (known?.stamp === stamp) return known.loaded;
      const read = await readSigned(init);
      const loaded: Loaded = read.ok
        ? { file: read.value }
        : { refused: `the expectations of ${init.node} are not used: ${read.reason}` };
      known = { stamp, loaded };
      return loaded;
    },
    async save(file) {
      const { text: given, ...head } = file;
      const text = withoutSignature(given);
      if (text.length > LIMITS.expectationsChars)
        throw new ParleyError(
          'caller/bad-expectations',
          `expected at most ${LIMITS.expectationsChars} characters, got ${text.length}`,
        );
      const sealed = init.signer.seal(PAYLOAD_TYPES.expectations, { ...head, sha256: sha256Hex(text) });
      await writeFileDurably(init.path, `${text}${MARK}${JSON.stringify(sealed)}\n`, 0o600);
      known = undefined;
    },
    async clear() {
      await rm(init.path, { force: true });
      known = undefined;
      await syncFolder(dirname(init.path)).catch((error: unknown) => {
        // A folder that was never made holds nothing.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      });
    },
  };
}

/** As an operator wrote it, ending with a line feed: a file that a node wrote may be edited and saved again. */
function withoutSignature(text: string): string {
  const lines = text.split('\n').filter((line) => !line.startsWith(MARK));
  const rest = lines.join('\n').replace(/\n+$/, '');
  return rest === '' ? '' : `${rest}\n`;
}

/** What changes when the file does; undefined when there is none. */
async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : messageOf(error);
  }
}

async function readSigned({ path, node, publicKey }: ExpectationsStoreInit): Promise<Result<ExpectationsFile>> {
  const bytes = await readFile(path).catch(messageOf);
  if (typeof bytes === 'string') return bad(bytes);
  if (bytes.length > MOST_BYTES) return bad(`expected at most ${MOST_BYTES} bytes, got ${bytes.length}`);
  const whole = bytes.toString('utf8');
  const at = whole.lastIndexOf(MARK);
  if (at < 0 || (at > 0 && whole[at - 1] !== '\n'))
    return bad('expected a signature in the last line, got none: save it with "parley expectations save FILE"');
  const text = whole.slice(0, at);
  const envelope = decodeStrictJson(Buffer.from(whole.slice(at + MARK.length).trimEnd()));
  if (!envelope.ok) return envelope;
  const opened = openEnvelope(envelope.value, publicKey, PAYLOAD_TYPES.expectations);
  if (!opened.ok) return opened;
  const { schemaVersion, node: owner, saved, by, sha256 } = opened.value;
  if (schemaVersion !== EXPECTATIONS_SCHEMA_VERSION)
    return bad(`expected schemaVersion ${EXPECTATIONS_SCHEMA_VERSION}, got ${String(schemaVersion)}: save it again`);
  if (owner !== node) return bad(`expected that of ${node}, got that of ${String(owner)}`);
  if (sha256 !== sha256Hex(text))
    return bad('it was changed after it was signed: save it with "parley expectations save FILE"');
  if (typeof saved !== 'string' || typeof by !== 'string') return bad('expected saved and by');
  return ok({ schemaVersion: EXPECTATIONS_SCHEMA_VERSION, node, saved, by, text });
}
