// A question becomes an intent: by the grammar, and where no form fits a sentence, by the language model as one of the grammar's
// structured forms, which the grammar's own reader checks again. The answer says what was understood (TS-7a).
import { type Clock, localOffsetMinutes, sinceTimeOfDayMs } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { parseIntent } from '#intent/parse.ts';
import type { Intent } from '#model/intent.ts';
import type { PeerTable } from '#model/peer.ts';
import type { Narrator } from '#model/ports.ts';
import type { Journal } from '../parts/progress.ts';

export type UnderstandParts = {
  readonly node: string;
  readonly peers: PeerTable;
  readonly narrator: Narrator;
  readonly clock: Pick<Clock, 'nowMs'>;
};

/** Rejects with `caller/unknown-intent`: what was understood, and the forms that are known. */
export async function understand(
  text: string,
  parts: UnderstandParts,
  journal: Journal,
  signal: AbortSignal,
): Promise<Intent> {
  const parsed = parseIntent(text);
  if (parsed.ok) return announced(timed(parsed.intent, parts), journal);
  const intent = parsed.isSentence ? await interpreted(text, parts, signal) : undefined;
  if (intent === undefined) {
    const { understood, forms } = parsed;
    const message = `expected a question this agent knows; understood ${understood}`;
    throw new ParleyError('caller/unknown-intent', message, { data: { understood, forms } });
  }
  const message = `understood as ${intent.understoodAs}, by the language model: the grammar does not know the sentence`;
  journal.tell('intent', message, { understoodAs: intent.understoodAs! });
  return announced(timed(intent, parts), journal);
}

/** A time of day is by this node's own clock. */
function timed(intent: Intent, { clock }: UnderstandParts): Intent {
  if (intent.sinceClock === undefined) return intent;
  const nowMs = clock.nowMs();
  return { ...intent, sinceMs: Math.round(sinceTimeOfDayMs(nowMs, intent.sinceClock, localOffsetMinutes(nowMs))) };
}

async function interpreted(
  text: string,
  { node, peers, narrator }: UnderstandParts,
  signal: AbortSignal,
): Promise<Intent | undefined> {
  const known = [node, ...peers.list().map((peer) => peer.node)];
  const structure = await narrator.interpret(text, known, signal);
  if (structure === undefined) return undefined;
  const parsed = parseIntent(JSON.stringify(structure));
  return parsed.ok ? { ...parsed.intent, text: text.trim(), understoodAs: flowOf(structure) } : undefined;
}

/** As an operator would type it: `{ kind: fault, nodes: [PE-1] }`. */
function flowOf(structure: JsonObject): string {
  const members = Object.entries(structure).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? `[${value.join(', ')}]` : String(value)}`,
  );
  return `{ ${members.join(', ')} }`;
}

function announced(intent: Intent, journal: Journal): Intent {
  const { kind } = intent;
  const path = intent.path.map((node) => node.as);
  const about =
    path.length === 0
      ? kind === 'changes'
        ? 'of this node and its neighbours'
        : 'of all known nodes'
      : `of ${path.join(', ')} and ${path.length === 1 ? 'its' : 'their'} neighbours`;
  journal.tell('intent', kind === 'path-loss' ? `${kind} along SID list {${path.join(', ')}}` : `${kind} ${about}`, {
    sidList: path,
  });
  return intent;
}
