// A question becomes an intent: by the reader of questions, and where that knows no answer to a sentence, by the language model as one of the
// structured forms, which are checked again and put into the same words. The answer says what was understood (TS-7a).
import { type Clock, localOffsetMinutes } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { type ParsedIntent, parseIntent } from '#intent/parse.ts';
import type { KnownNames } from '#intent/reader/names.ts';
import { nameLostIn } from '#intent/reader/read.ts';
import { understoodAs } from '#intent/reader/understood-as.ts';
import { timeWords } from '#intent/time/asked-time.ts';
import { spanOf } from '#intent/time/span.ts';
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

type Refused = Extract<ParsedIntent, { readonly ok: false }>;

/** Rejects with `caller/unknown-intent`: why there is no answer, what may have been meant, and examples. */
export async function understand(
  text: string,
  parts: UnderstandParts,
  journal: Journal,
  signal: AbortSignal,
): Promise<Intent> {
  const known = knownNames(parts);
  const parsed = parseIntent(text, known);
  const intent = parsed.ok ? parsed.intent : await interpreted(text, parsed, parts, signal);
  if (intent === undefined) throw notUnderstood(parsed as Refused);
  return announced(timed(intent, parts), journal);
}

/** Names that this agent knows: a name that it does not know is looked for at its peers, before it is said to be unknown. */
function knownNames({ node, peers }: UnderstandParts): KnownNames {
  const records = peers.list();
  const addresses = records.flatMap((record) =>
    [record.verified, record.remembered].flatMap((place) =>
      place === undefined ? [] : [[place.address, record.node] as const],
    ),
  );
  return { here: node, nodes: [node, ...records.map((record) => record.node)], addresses: new Map(addresses) };
}

function notUnderstood({ understood, reason, didYouMean, forms }: Refused): ParleyError {
  const meant = didYouMean === undefined ? '' : `; did you mean "${didYouMean}"?`;
  return new ParleyError('caller/unknown-intent', `expected a question this agent answers, got ${understood}${meant}`, {
    data: { understood, reason, ...(didYouMean === undefined ? {} : { didYouMean }), forms },
  });
}

/** A time of day or a day is by this node's own clock. */
function timed(intent: Intent, { clock }: UnderstandParts): Intent {
  if (intent.when === undefined) return intent;
  const nowMs = clock.nowMs();
  const span = spanOf(intent.when, { nowMs, offsetMinutes: localOffsetMinutes(nowMs) });
  if (span === undefined) throw notUnderstood(notCome(timeWords(intent.when)));
  return { ...intent, ...span };
}

function notCome(time: string): Refused {
  const understood = `a question about a time that has not come ("${time}")`;
  return { ok: false, understood, reason: 'unclear', forms: [], isSentence: false };
}

/** Only a sentence without a time, a number, a negation or an order goes to the model: those it would lose. The answer says that it was the model. */
async function interpreted(
  text: string,
  { isSentence }: Refused,
  { node, peers, narrator }: UnderstandParts,
  signal: AbortSignal,
): Promise<Intent | undefined> {
  if (!isSentence) return undefined;
  const known = [node, ...peers.list().map((peer) => peer.node)];
  const structure = await narrator.interpret(text, known, signal);
  const parsed = structure === undefined ? undefined : parseIntent(JSON.stringify(structure));
  // A name that the model left out would make another question.
  if (parsed?.ok !== true || nameLostIn(text, parsed.intent, { nodes: known }) !== undefined) return undefined;
  const intent: Intent = { ...parsed.intent, topic: TOPICS[parsed.intent.kind], text: text.trim(), byModel: true };
  return { ...intent, understoodAs: understoodAs(intent) };
}

const TOPICS = {
  ...({ 'path-loss': 'loss', fault: 'trouble', 'neighbour-down': 'session', 'interface-fault': 'trouble' } as const),
  ...({ reachability: 'reach', changes: 'changes', data: 'nodes' } as const),
} as const;

function announced(intent: Intent, journal: Journal): Intent {
  const { kind, byModel, notUsed = [], understoodAs: words = flowOf(intent) } = intent;
  const by = byModel === true ? ', by the language model: the reader of questions does not know the sentence' : '';
  const rest = notUsed.length === 0 ? '' : `; not used: ${notUsed.join(', ')}`;
  const sidList = intent.path.map((node) => node.as);
  const along = kind === 'path-loss' ? ` along SID list {${sidList.join(', ')}}` : '';
  journal.tell('intent', `understood as ${words}${along}${by}${rest}`, { sidList, understoodAs: words });
  return intent;
}

/** Of a structure: its kind and nodes. */
function flowOf({ kind, path }: Intent): string {
  return path.length === 0 ? kind : `${kind} of ${path.map(({ as }) => as).join(', ')}`;
}
