// etcd's version 3 over its JSON gateway: leases, ranges and transactions. One request at a time to one of the members; the next one is tried
// when it does not answer. Refuses answers that are no JSON object.
import { Pool } from 'undici';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';

export type EtcdInit = {
  readonly urls: readonly string[];
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Aborts after a time; that of the platform unless told otherwise. */
  readonly within?: (timeoutMs: number) => AbortSignal;
  /** PEM; for https. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
};

export type EtcdPut = { readonly key: string; readonly value: string; readonly lease: string };

export type EtcdClient = {
  /** Rejects with `peer/refused` when no member answers in `timeoutMs`, all of them together. */
  grantLease(ttlSeconds: number, timeoutMs: number): Promise<string>;
  /** False: the lease has ended. */
  keepAlive(lease: string, timeoutMs: number): Promise<boolean>;
  revoke(lease: string, timeoutMs: number): Promise<void>;
  /** Values of all keys with this beginning. */
  range(prefix: string, timeoutMs: number): Promise<ReadonlyMap<string, string>>;
  put(put: EtcdPut, timeoutMs: number): Promise<void>;
  /** Puts all and removes one key, where none of those that are put is there; else the values of those that are. */
  putAllNew(
    puts: readonly EtcdPut[],
    removed: string,
    timeoutMs: number,
  ): Promise<ReadonlyMap<string, string> | undefined>;
  remove(key: string, timeoutMs: number): Promise<void>;
  /** Deletes those keys that have this value. */
  deleteOwn(entries: readonly { readonly key: string; readonly value: string }[], timeoutMs: number): Promise<void>;
  close(): Promise<void>;
};

export function createEtcdClient({
  urls,
  tls,
  clock,
  within = (timeoutMs) => AbortSignal.timeout(timeoutMs),
}: EtcdInit): EtcdClient {
  const pools = urls.map((url) => new Pool(url, { connections: 2, ...(tls === undefined ? {} : { connect: tls }) }));
  let first = 0;
  const post = async (path: string, body: JsonObject, timeoutMs: number): Promise<JsonObject> => {
    let reason = 'no member';
    const endMs = clock.monotonicMs() + timeoutMs;
    for (let turn = 0; turn < pools.length; turn++) {
      // Each member that hangs leaves the others their part of what is left.
      const partMs = Math.max(1, Math.floor((endMs - clock.monotonicMs()) / (pools.length - turn)));
      try {
        return await postTo(pools[first]!, path, body, within(partMs));
      } catch (error) {
        reason = messageOf(error);
        first = (first + 1) % pools.length;
      }
    }
    throw new ParleyError('peer/refused', `expected an answer of the registration store, got none: ${reason}`);
  };
  return {
    async grantLease(ttlSeconds, timeoutMs) {
      const { ID } = await post('/v3/lease/grant', { TTL: ttlSeconds }, timeoutMs);
      return String(ID);
    },
    async keepAlive(lease, timeoutMs) {
      const { result } = await post('/v3/lease/keepalive', { ID: lease }, timeoutMs);
      return Number(isJsonObject(result ?? null) ? (result as JsonObject)['TTL'] : 0) > 0;
    },
    async revoke(lease, timeoutMs) {
      await post('/v3/lease/revoke', { ID: lease }, timeoutMs);
    },
    async range(prefix, timeoutMs) {
      const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
      const limit = AGGREGATE_LIMITS.subservers;
      const answer = await post('/v3/kv/range', { key: base64(prefix), range_end: base64(end), limit }, timeoutMs);
      return pairsIn(answer);
    },
    async put({ key, value, lease }, timeoutMs) {
      await post('/v3/kv/put', { key: base64(key), value: base64(value), lease }, timeoutMs);
    },
    async putAllNew(puts, removed, timeoutMs) {
      const answer = await post(
        '/v3/kv/txn',
        {
          compare: puts.map(({ key }) => ({
            target: 'CREATE',
            result: 'EQUAL',
            create_revision: '0',
            key: base64(key),
          })),
          success: [
            ...puts.map(({ key, value, lease }) => ({
              request_put: { key: base64(key), value: base64(value), lease },
            })),
            { request_delete_range: { key: base64(removed) } },
          ],
          failure: puts.map(({ key }) => ({ request_range: { key: base64(key) } })),
        },
        timeoutMs,
      );
      if (answer['succeeded'] === true) return undefined;
      const responses = Array.isArray(answer['responses']) ? (answer['responses'] as readonly JsonObject[]) : [];
      return new Map(responses.flatMap((each) => [...pairsIn((each['response_range'] ?? {}) as JsonObject)]));
    },
    async remove(key, timeoutMs) {
      await post('/v3/kv/deleterange', { key: base64(key) }, timeoutMs);
    },
    async deleteOwn(entries, timeoutMs) {
      for (const { key, value } of entries) {
        const compare = [{ target: 'VALUE', result: 'EQUAL', value: base64(value), key: base64(key) }];
        const success = [{ request_delete_range: { key: base64(key) } }];
        await post('/v3/kv/txn', { compare, success }, timeoutMs);
      }
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}

async function postTo(pool: Pool, path: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const headers = { 'content-type': 'application/json' };
  const response = await pool.request({ path, method: 'POST', headers, body: JSON.stringify(body), signal });
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of response.body) {
    byteCount += (chunk as Buffer).length;
    if (byteCount > AGGREGATE_LIMITS.storeAnswerBytes) throw new Error('the answer is too long');
    chunks.push(chunk as Buffer);
  }
  const value = decodeStrictJson(Buffer.concat(chunks));
  if (!value.ok || !isJsonObject(value.value)) throw new Error('the answer is no JSON object');
  if (response.statusCode !== 200)
    throw new Error(`HTTP status ${response.statusCode}: ${String(value.value['error'])}`);
  return value.value;
}

function pairsIn({ kvs }: JsonObject): ReadonlyMap<string, string> {
  const pairs = Array.isArray(kvs) ? (kvs as readonly JsonObject[]) : [];
  return new Map(pairs.map(({ key, value }) => [text(key), text(value)]));
}

function base64(value: string): string {
  return Buffer.from(value).toString('base64');
}

function text(value: unknown): string {
  return Buffer.from(String(value), 'base64').toString();
}
