// The calls that wait for an answer of their client, which has no connection meanwhile. What the client carries is a sealed reference: bound to
// the party, the method and the arguments, used once, and worth nothing to anyone else. Bounded for each party and in time.
import { createHash } from 'node:crypto';
import type { ServerContext } from '@modelcontextprotocol/server';
import { type Clock, STOPPED } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { type Random, randomHex } from '#base/random.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { MCP_LIMITS } from '../limits.ts';
import { nameOfCode, RpcError } from '../protocol/rpc.ts';
import type { OpenCall } from './open-call.ts';

/** What the reference is bound to: it opens nothing for another party, tool or argument. */
export type CallBinding = { readonly party: Party; readonly method: string; readonly params: JsonObject };

export type OpenCalls<C extends Abortable = OpenCall> = {
  /** Keeps the call and gives the `requestState` by which it goes on. */
  keep(call: C, binding: CallBinding): Promise<string>;
  /** Throws RpcError for what is no reference of this binding, or was used. */
  take(state: unknown, binding: CallBinding): Promise<C>;
  /** Gives all calls up. */
  close(): void;
};

/** The codec wants one where it binds; what it binds to is in its own closure. */
const NO_CONTEXT = {} as ServerContext;
const KEY_BYTES = 32;
const ID_BYTES = 16;

/** What is kept of a call: it can be given up. */
export type Abortable = Pick<OpenCall, 'abort'>;

type Kept<C> = { readonly call: C; readonly owner: string; readonly stop: () => void };

export function createOpenCalls<C extends Abortable = OpenCall>(parts: {
  readonly clock: Clock;
  readonly random: Random;
}): OpenCalls<C> {
  const key = Buffer.from(randomHex(parts.random, KEY_BYTES), 'hex');
  const kept = new Map<string, Kept<C>>();
  const drop = (id: string, reason: string) => {
    const entry = kept.get(id);
    if (!kept.delete(id) || entry === undefined) return;
    entry.stop();
    entry.call.abort(new Error(reason));
  };
  const makeRoom = (owner: string) => {
    const own = [...kept].filter(([, entry]) => entry.owner === owner);
    if (own.length >= MCP_LIMITS.openCallsPerParty) drop(own[0]![0], 'another call of this party took its place');
    if (kept.size >= MCP_LIMITS.openCalls) drop(kept.keys().next().value!, 'another call took its place');
  };
  return {
    async keep(call, binding) {
      const owner = ownerOf(binding.party);
      makeRoom(owner);
      const id = randomHex(parts.random, ID_BYTES);
      const waiting = new AbortController();
      kept.set(id, { call, owner, stop: () => waiting.abort(STOPPED) });
      parts.clock.sleep(MCP_LIMITS.openCallMs, waiting.signal).then(
        () => drop(id, `the user did not answer within ${MCP_LIMITS.openCallMs} ms`),
        () => {},
      );
      const codec = await codecFor(key, binding);
      return codec.mint({ id });
    },
    async take(state, binding) {
      const id = typeof state === 'string' ? await idIn(key, state, binding) : undefined;
      const entry = id === undefined ? undefined : kept.get(id);
      if (id === undefined || entry === undefined) throw unknownState();
      kept.delete(id);
      entry.stop();
      return entry.call;
    },
    close() {
      for (const id of [...kept.keys()]) drop(id, 'the node stops');
    },
  };
}

async function idIn(key: Uint8Array, state: string, binding: CallBinding): Promise<string | undefined> {
  const codec = await codecFor(key, binding);
  return codec.verify(state).then(
    ({ id }) => id,
    () => undefined,
  );
}

/** Loaded with the first call that waits. */
async function codecFor(key: Uint8Array, { party, method, params }: CallBinding) {
  const digest = createHash('sha256').update(canonicalJsonText(params)).digest('hex');
  const bound = `${ownerOf(party)}\n${method}\n${digest}`;
  const { createRequestStateCodec } = await import('@modelcontextprotocol/server');
  const codec = createRequestStateCodec<{ id: string }>({
    key,
    ttlSeconds: MCP_LIMITS.openCallMs / 1_000,
    bind: () => bound,
  });
  return {
    mint: (payload: { id: string }) => codec.mint(payload, NO_CONTEXT),
    verify: (state: string) => codec.verify(state, NO_CONTEXT),
  };
}

function ownerOf({ kind, domain, name, thumbprint = '' }: Party): string {
  return `${kind}/${domain}/${name}/${thumbprint}`;
}

function unknownState(): RpcError {
  const detail =
    'expected the requestState of a call that waits, got another or one that was used: call again without it';
  return new RpcError(WIRE_CODES.invalidParams, nameOfCode(WIRE_CODES.invalidParams), { detail, retryPossible: true });
}
