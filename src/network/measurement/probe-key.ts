// The question that a call belongs to: reflectors know the probes of questions whose key they were given (TS-22).
import type { CallContext } from '#model/definition.ts';
import { isQuestion } from '#model/router/probe-schema.ts';
import type { RouterPort } from '#model/router/router-port.ts';

/** A caller that sends no collaboration domain id, or one of another form, has its probes sent without proof. */
export function questionOf({ sessionId }: Pick<CallContext, 'sessionId'>): { readonly question?: string } {
  return sessionId !== undefined && isQuestion(sessionId) ? { question: sessionId } : {};
}

/** Where the reflector cannot be told, or is none, probes are without proof: measured all the same, and among all others. */
export async function admitProbes(router: RouterPort, context: CallContext, key: string | undefined): Promise<void> {
  const { question } = questionOf(context);
  // Of nodes alone: those that can only ask would push out the keys of questions under way.
  if (key === undefined || question === undefined || context.caller.kind !== 'node') return;
  await router.admitProbes?.({ question, key }, context.signal).catch(() => context.signal.throwIfAborted());
}
