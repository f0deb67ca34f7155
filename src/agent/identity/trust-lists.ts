// The trust list of the domain, on this node: read from a file, handed over by an operator, and carried between agents over their sessions
// (TS-24). A newer one is passed on at once to every peer with which a session is open, and cuts what it revokes. The signature of the
// domain's CA decides, and not who brings it.
import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { slept } from '#base/every.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { OWN_UPKEEP } from '#model/asker.ts';
import type { PeerSession } from '#model/call.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { KeptList, TakenUp } from '#mtls/revocation/kept-list.ts';
import { REVOCATION_LIMITS } from '#mtls/revocation/limits.ts';
import type { Part } from '../lifecycle.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { Sessions } from '../sessions/sessions.ts';

export const TRUST_LIST_TOOL = 'parley-trust-list';

export type TrustListsInit = {
  readonly kept: KeptList;
  /** A file that people write; looked at as long as the agent runs. */
  readonly file: string;
  readonly sessions: Pick<Sessions, 'opened'>;
  readonly record: (record: AuditRecord) => void;
  readonly newSessionId: () => string;
  readonly clock: Clock;
  readonly log: Log;
};

export type TrustLists = Part & { readonly tool: ToolDefinition };

export function createTrustLists(init: TrustListsInit): TrustLists {
  const { kept, clock, log } = init;
  const ended = new AbortController();
  /** Session → the number that was exchanged over it, or is being exchanged. */
  const told = new WeakMap<PeerSession, number>();
  const retryAtMs = new WeakMap<PeerSession, number>();
  let loop: Promise<void> = Promise.resolve();
  let seenFile = '';
  const say = createSaying(init);

  const takeUp = async (text: string, from: string): Promise<TakenUp> => {
    const taken = await kept.takeUp(text);
    say(taken, from);
    if (taken.outcome === 'taken') spread();
    return taken;
  };
  const ask = async (session: PeerSession, args: JsonObject): Promise<JsonObject> => {
    const call = { kind: 'tool', name: TRUST_LIST_TOOL, arguments: args, asker: OWN_UPKEEP } as const;
    const timeoutMs = AGENT_LIMITS.trustListCallMs;
    const { answer } = await session.call({ ...call, sessionId: init.newSessionId(), timeoutMs, signal: ended.signal });
    if (answer.status === 'answered' && isJsonObject(answer.body)) return answer.body;
    // A peer that is too busy for it now is asked again.
    throw new ParleyError('peer/refused', `the peer refused it: ${answer.reason ?? 'no reason given'}`);
  };
  /** Each side says its number; the node with the newer list hands it over. */
  const exchange = async (session: PeerSession): Promise<void> => {
    const number = kept.current?.number ?? 0;
    if (told.get(session) === number || clock.monotonicMs() < (retryAtMs.get(session) ?? 0)) return;
    told.set(session, number);
    const theirs = await ask(session, { number });
    if (typeof theirs['list'] === 'string') await takeUp(theirs['list'], `node/${session.peer.name}`);
    const { current } = kept;
    if (current !== undefined && Number(theirs['number']) < current.number) await ask(session, { list: current.text });
  };
  const spread = () => {
    for (const session of init.sessions.opened()) {
      if (!session.authorised.includes(TRUST_LIST_TOOL)) continue;
      void exchange(session).catch((error) => {
        told.delete(session);
        retryAtMs.set(session, clock.monotonicMs() + AGENT_LIMITS.trustListCallMs);
        log.debug('the trust list was not exchanged', { peer: session.peer.name, reason: messageOf(error) });
      });
    }
  };
  const look = async () => {
    const found = await stat(init.file).catch(() => undefined);
    const seen = found === undefined ? '' : `${found.mtimeMs} ${found.size} ${found.ino}`;
    if (seen === seenFile) return;
    seenFile = seen;
    if (found === undefined) return;
    if (found.size > REVOCATION_LIMITS.trustListChars) {
      log.error('the file of the trust list is too large', { file: init.file, bytes: found.size });
      return;
    }
    await takeUp(await readFile(init.file, 'utf8'), init.file);
  };
  const run = async () => {
    do {
      await look().catch((error) =>
        log.warn('the file of the trust list cannot be read', { reason: messageOf(error) }),
      );
      spread();
    } while (await slept(clock, AGENT_LIMITS.trustListCheckMs, ended.signal));
  };
  return {
    name: 'trust list',
    tool: toolOf(kept, takeUp),
    start: async () => {
      loop = run();
    },
    stop: async () => {
      ended.abort();
      await loop;
    },
  };
}

function toolOf(kept: KeptList, takeUp: (text: string, from: string) => Promise<TakenUp>): ToolDefinition {
  return {
    name: TRUST_LIST_TOOL,
    title: 'Trust list of the domain',
    description:
      'Which CAs the domain has and what is revoked, signed by the CA. A caller says the number of its list, or hands a newer one over; who has the older one gets the newer.',
    capability: TRUST_LIST_TOOL,
    mutability: 'read',
    inputSchema: {
      type: 'object',
      properties: {
        number: { type: 'integer', minimum: 0, description: 'Number of the list that the caller has; 0 for none.' },
        list: {
          ...{ type: 'string', minLength: 1, maxLength: REVOCATION_LIMITS.trustListChars },
          description: 'A newer list, as its file has it.',
        },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['number'],
      properties: {
        number: { type: 'integer' },
        outcome: { enum: ['taken', 'same', 'older', 'refused', 'forked'] },
        reason: { type: 'string' },
        list: { type: 'string' },
      },
    },
    callers: ['node', 'operator', 'controller'],
    listing: 'agents',
    honoursPaths: true,
    call: async ({ number, list }, { caller }) => {
      const taken = typeof list === 'string' ? await takeUp(list, `${caller.kind}/${caller.name}`) : undefined;
      const { current } = kept;
      const isBehind =
        taken?.outcome === 'older' || (taken === undefined && Number(number ?? 0) < (current?.number ?? 0));
      return {
        number: current?.number ?? 0,
        ...taken,
        ...(isBehind && current !== undefined ? { list: current.text } : {}),
      };
    },
  };
}

/** A peer that hands over the same bad list again and again must not fill log and trail. */
function createSaying({ kept, log, record, clock }: TrustListsInit): (taken: TakenUp, from: string) => void {
  let last: { readonly what: string; readonly atMs: number } | undefined;
  return (taken, from) => {
    const { outcome } = taken;
    if (outcome === 'taken') {
      const { number = 0, issued = '', revoked = [], anchors = [] } = kept.current ?? {};
      const detail = { number, issued, from, revoked: revoked.length, anchors: anchors.length };
      log.info('a newer trust list holds', detail);
      record({ event: 'trust-list-taken', detail });
      return;
    }
    if (outcome !== 'refused' && outcome !== 'forked') return;
    const { reason } = taken;
    const nowMs = clock.monotonicMs();
    if (last?.what === `${from} ${outcome}` && nowMs - last.atMs < AGENT_LIMITS.trustListSayMs) return;
    last = { what: `${from} ${outcome}`, atMs: nowMs };
    const isForked = outcome === 'forked';
    const what = isForked ? "the domain's CA signed two trust lists of one number" : 'a trust list was refused';
    log.error(what, { from, reason });
    record({ event: 'trust-list-refused', reason, detail: { from } });
  };
}
