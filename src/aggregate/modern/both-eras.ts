// One connection whose client may speak either era, over frames or a pipe: the first request that is accepted decides, as at an agent. After
// `server/discover` alone an older session may still begin.
import { eraOf, mayBeModern } from '#mcp/modern/era.ts';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import type { Link } from '../wire/link.ts';
import { type IncomingRequest, responseText } from '../wire/message.ts';
import type { ModernOut } from '../wire/modern-exchange.ts';

export type EitherEra = {
  request(message: IncomingRequest, out: ModernOut): void;
  abandon(out: ModernOut): void;
  /** The client speaks 2026-07-28: the older session that was begun for it hears nothing more. */
  decided(): void;
};

/** Stands before the callbacks of an older session that reads from `link` already. */
export function answerBothEras(link: Link, modern: EitherEra): void {
  const older = link.receive;
  const outs = new Map<RpcId, ModernOut>();
  let isModern = false;
  const answer = (message: IncomingRequest) => {
    const out: ModernOut = {
      tell: (text) => link.send(text, { kind: 'notification' }),
      answer(given) {
        outs.delete(message.id);
        link.send(responseText(message.id, given), { kind: 'response', id: message.id });
      },
    };
    outs.set(message.id, out);
    modern.request(message, out);
  };
  link.receive = (message, related) => {
    if (message.kind === 'notification' && message.method === 'notifications/cancelled' && isModern) {
      const out = outs.get(message.params['requestId'] as RpcId);
      outs.delete(message.params['requestId'] as RpcId);
      if (out !== undefined) modern.abandon(out);
      return;
    }
    if (message.kind !== 'request') return isModern ? undefined : older(message, related);
    const era = isModern || mayBeModern(message.params) ? eraOf(message.raw) : { kind: 'legacy' as const };
    if (era.kind === 'refused') {
      const { code, message: text, data } = era;
      const error = {
        kind: 'error' as const,
        text: JSON.stringify({ code, message: text, ...(data === undefined ? {} : { data }) }),
      };
      return link.send(responseText(message.id, error), { kind: 'response', id: message.id });
    }
    if (era.kind === 'modern') {
      if (message.method !== 'server/discover' && !isModern) {
        isModern = true;
        modern.decided();
      }
      return answer(message);
    }
    // Decided: from here on nothing stands between.
    if (!isModern) link.receive = older;
    older(message, related);
  };
}
