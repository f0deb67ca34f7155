// What a node expects, on its own disk: one signed file for each source, written whole or not at all, bounded, and read only when its
// signature is this node's own. Who could write a file here could otherwise make agents call a network broken, or whole.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, ParleyError } from '#base/error.ts';
import { syncFolder, writeFileDurably } from '#base/files.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { BASELINE_SCHEMA_VERSION, type Baseline, type BaselineSource, type BaselineStore } from '#model/baseline.ts';
import { PAYLOAD_TYPES } from '#model/envelope.ts';
import type { Signer } from '#model/ports.ts';
import { openEnvelope } from '#sign/envelope.ts';
import { readProfile } from './read-profile.ts';

export type BaselineStoreInit = {
  readonly dir: string;
  readonly node: string;
  readonly signer: Signer;
  /** The node's own, 32 bytes. */
  readonly publicKey: Uint8Array;
};

const KINDS: readonly BaselineSource['kind'][] = ['report', 'topology'];

export function createBaselineStore(init: BaselineStoreInit): BaselineStore {
  const pathOf = (kind: BaselineSource['kind']) => join(init.dir, `${kind}.json`);
  return {
    async load() {
      const read = await Promise.all(
        KINDS.map(async (kind) => ({ kind, result: await readSealed(pathOf(kind), init) })),
      );
      return {
        baselines: read.flatMap(({ result }) => (result?.ok ? [result.value] : [])),
        refused: read.flatMap(({ kind, result }) =>
          result === undefined || result.ok ? [] : [`the baseline of the ${kind} is not used: ${result.reason}`],
        ),
      };
    },
    async save(baseline) {
      const sealed = init.signer.seal(PAYLOAD_TYPES.baseline, baseline as unknown as JsonObject);
      const text = `${JSON.stringify(sealed)}\n`;
      if (text.length > LIMITS.baselineBytes)
        throw new ParleyError(
          'caller/baseline-too-large',
          `expected at most ${LIMITS.baselineBytes} bytes, got ${text.length}`,
        );
      await writeFileDurably(pathOf(baseline.source.kind), text, 0o600);
    },
    async clear() {
      for (const kind of KINDS) await rm(pathOf(kind), { force: true });
      await syncFolder(init.dir).catch((error: unknown) => {
        // A folder that was never made holds nothing.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      });
    },
  };
}

/** Undefined when there is none. */
async function readSealed(path: string, { node, publicKey }: BaselineStoreInit): Promise<Result<Baseline> | undefined> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? undefined : messageOf(error),
  );
  if (bytes === undefined) return undefined;
  if (typeof bytes === 'string') return bad(bytes);
  if (bytes.length > LIMITS.baselineBytes)
    return bad(`expected at most ${LIMITS.baselineBytes} bytes, got ${bytes.length}`);
  const envelope = decodeStrictJson(bytes);
  if (!envelope.ok) return envelope;
  const opened = openEnvelope(envelope.value, publicKey, PAYLOAD_TYPES.baseline);
  return opened.ok ? readBaseline(opened.value, node) : opened;
}

function readBaseline(value: JsonObject, ownNode: string): Result<Baseline> {
  const { schemaVersion, node, saved, by, source } = value;
  if (schemaVersion !== BASELINE_SCHEMA_VERSION)
    return bad(`expected schemaVersion ${BASELINE_SCHEMA_VERSION}, got ${String(schemaVersion)}: save it again`);
  if (node !== ownNode) return bad(`expected that of ${ownNode}, got that of ${String(node)}`);
  if (typeof saved !== 'string' || typeof by !== 'string' || !isJsonObject(source))
    return bad('expected saved, by and source');
  const profile = readProfile(value['profile']);
  return profile.ok ? ok({ ...(value as unknown as Baseline), profile: profile.value }) : profile;
}
