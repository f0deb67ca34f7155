// A sentence becomes an intent, or a reason why not: tokens, items, slots, intent. Guesses nothing; a word that may be misspelled is asked about.

import type { Intent, IntentKind } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { INTENT_LIMITS } from '../limits.ts';
import { spelledOut } from '../words/commands.ts';
import { type Token, tokensOf } from '../words/tokens.ts';
import { assemble } from './assemble.ts';
import { joined } from './doubts/alternatives.ts';
import { contrasted, corrected } from './doubts/corrections.ts';
import { framed } from './frames/frames.ts';
import { grammarOf } from './grammar/grammar.ts';
import { withoutHostNames } from './host-names.ts';
import type { Item } from './item.ts';
import { type KnownNames, knownNode } from './names.ts';
import { isWord, meantNode, meantWord } from './scanning/misspelled.ts';
import { scan } from './scanning/scan.ts';
import { questionApart } from './sentences/question-apart.ts';
import { unclearPronounIn } from './sentences/referents.ts';
import { TIME_BESIDE, withUnanswered } from './sentences/unanswered.ts';
import type { Refusal } from './slots.ts';
import { toIntent } from './to-intent.ts';
import { understoodAs } from './understood-as.ts';

export type Read =
  | { readonly ok: true; readonly intent: Intent }
  | {
      readonly ok: false;
      readonly refusal: Refusal;
      /** Nothing in the sentence would be lost if another reader made a question of it: no time, number, negation or order. */
      readonly isOpen: boolean;
      /** A sign refuses it, in whatever language it is. */
      readonly isSigned?: boolean;
    };

export function readSentence(sentence: string, known: KnownNames): Read {
  const whole = readOnce(sentence, known, spelled);
  const isLong = spelledOut(tokensOf(sentence)).length > INTENT_LIMITS.intentWords;
  if (isLong || (!whole.ok && !APART.includes(whole.refusal.reason))) return whole;
  const readPart = (part: string) => {
    const read = readOnce(part, known, spelled);
    return read.ok ? read.intent : undefined;
  };
  const apart = questionApart(sentence, known, readPart);
  if (apart !== undefined && whole.ok && ![undefined, 'past', apart.read.when].includes(whole.intent.when))
    return { ok: false, refusal: { reason: 'unclear', words: TIME_BESIDE }, isOpen: false };
  if (apart === undefined || (whole.ok && !isOtherThan(whole.intent, apart.read)))
    return whole.ok ? answered(withUnanswered(sentence, whole.intent, known, readPart)) : whole;
  const { read, rest, asked } = apart;
  const intent = { ...read, text: sentence, notUsed: [...(read.notUsed ?? []), ...rest] };
  return answered(withUnanswered(asked, intent, known, readPart));
}

function answered(found: Intent | Refusal): Read {
  return 'reason' in found ? { ok: false, refusal: found, isOpen: false } : { ok: true, intent: found };
}

/** "We changed the cable. Is p2 up?", "p2 was down, is it up?": what is asked, or when, is said by the story. */
function isOtherThan(whole: Intent, part: Intent): boolean {
  return (
    (TOLD.includes(whole.topic) && part.topic !== whole.topic) ||
    (whole.notUsed !== undefined && part.notUsed === undefined) ||
    whole.when !== part.when
  );
}

/** What stories tell: "we changed the cable", "p2 was rebooted". */
const TOLD: readonly (Intent['topic'] | undefined)[] = ['changes', 'uptime'];

/** Refusals that a part of the sentence may be the reason of, and not the question. */
const APART: readonly Refusal['reason'][] = ['unclear', 'unsupported', 'unknown-name', 'off-topic', 'order'];

/** @param better a sentence without misspelled words; the sentence that it makes is read without it: corrections of corrections may have no end */
function readOnce(sentence: string, known: KnownNames, better: typeof spelled): Read {
  const tokens = spelledOut(tokensOf(sentence));
  if (tokens.length > INTENT_LIMITS.intentWords) {
    const words = `${tokens.length} words, of which ${INTENT_LIMITS.intentWords} are read at most`;
    return { ok: false, refusal: { reason: 'unclear', words }, isOpen: false };
  }
  const scanned = scan(tokens, known);
  const items = itemsOf(scanned, known);
  const meant = better(tokens, items, known);
  const assembled = assemble(items, known);
  const isClosed = items.some(turnsQuestion) || (!assembled.ok && assembled.isClosed === true);
  const refused = (refusal: Refusal): Read => ({ ok: false, refusal, isOpen: !isClosed });
  if (!assembled.ok && assembled.isCertain === true)
    return { ok: false, refusal: assembled.refusal, isOpen: false, isSigned: assembled.refusal.reason === 'unclear' };
  // A sentence that is no question either way is not suggested.
  const isQuestion = meant !== undefined && readOnce(meant.sentence, known, () => undefined).ok;
  if (meant !== undefined && (isQuestion || assembled.ok)) {
    const words = `"${meant.typed}", which may be misspelled`;
    return refused({ reason: 'unclear', words, ...(isQuestion ? { didYouMean: meant.sentence } : {}) });
  }
  if (!assembled.ok) return refused(assembled.refusal);
  const made = toIntent(assembled.slots, sentence, known);
  if (!made.ok) return refused(made.refusal);
  const lost = lostName(items, made.intent, known);
  if (lost !== undefined)
    return refused({ reason: 'unclear', words: `"${lost}", which has no place in the question as it was read` });
  const notUsed = [...assembled.notUsed, ...unusedBy(made.intent, items)];
  const misplaced = unclearPronounIn(scanned, made.intent) ?? grammarOf(scanned, made.intent, notUsed);
  // Another reader would lose what refuses it.
  if (misplaced !== undefined) return { ok: false, refusal: misplaced, isOpen: false };
  const { ifname, protocol, ...rest } = made.intent;
  const isIfname = ifname !== undefined && USE_IFNAME.includes(rest.kind);
  const isProtocol = protocol !== undefined && rest.kind !== 'changes';
  const intent: Intent = {
    ...rest,
    ...(isIfname ? { ifname } : {}),
    ...(isProtocol ? { protocol } : {}),
    ...(notUsed.length === 0 ? {} : { notUsed }),
  };
  return { ok: true, intent: { ...intent, understoodAs: understoodAs(intent) } };
}

/** With names in the place of those that they correct. */
function itemsOf(scanned: readonly Item[], known: KnownNames): readonly Item[] {
  return framed(joined(contrasted(corrected(withoutHostNames(scanned, known)))));
}

/** A name of the sentence that is nowhere in what another reader made of it. */
export function nameLostIn(sentence: string, intent: Intent, known: KnownNames): string | undefined {
  return lostName(itemsOf(scan(spelledOut(tokensOf(sentence)), known), known), intent, known);
}

function turnsQuestion(item: Item): boolean {
  if (item.kind === 'meaning')
    return (
      ['turn', 'order', 'not', 'compare', 'reference'].includes(item.meaning.kind) ||
      (item.meaning.kind === 'role' && item.meaning.role === 'except')
    );
  return (
    item.kind === 'time' ||
    item.kind === 'number' ||
    (item.kind === 'left' && item.why !== 'word' && item.why !== 'aside')
  );
}

/** Kinds of question to which an interface makes a difference. */
const USE_IFNAME: readonly IntentKind[] = ['interface-fault', 'data'];

/** What was read and changes nothing of how this kind of question is answered. */
function unusedBy(
  { kind, ifname, protocol, isLink, encapsulation }: Intent,
  items: readonly Item[],
): readonly string[] {
  const isSrv6 = items.some((item) => item.kind === 'meaning' && item.meaning.kind === 'srv6');
  return [
    ...(isLink === true ? items.flatMap((item) => (item.kind === 'ifname' ? [item.ifname] : [])) : []),
    ...(isSrv6 && encapsulation !== 'srv6' ? ['SRv6'] : []),
    ...(protocol !== undefined && kind === 'changes' ? [protocol] : []),
    ...(ifname !== undefined && !USE_IFNAME.includes(kind) ? [ifname] : []),
  ];
}

/** A name that was typed and is nowhere in the intent: a question without it would be another one. */
function lostName(items: readonly Item[], intent: Intent, { addresses }: KnownNames): string | undefined {
  const { path, except = [], neighbour, destination, fromHost, service } = intent;
  const ifname = intent.ifname ?? fromHost?.ifname;
  // What is kept and not said is no part of what is answered.
  const said = ` ${understoodAs(intent).replace(/[(),]/g, '')} `;
  const isSaid = (name: string) => said.includes(` ${name} `);
  const kept = new Set([...path, ...except].filter(({ as }) => isSaid(as)).map(({ key }) => key));
  const asked = [neighbour, destination, fromHost?.address, service?.record].flatMap((each) =>
    each !== undefined && isSaid(each) ? [each] : [],
  );
  for (const item of items) {
    if (
      item.kind === 'node' &&
      !kept.has(nodeKey(item.name)) &&
      !asked.some((each) => nodeKey(each) === nodeKey(item.name))
    )
      return item.name;
    if (item.kind === 'record' && !asked.includes(item.name)) return item.name;
    if (item.kind === 'ifname' && item.ifname !== ifname && intent.isLink !== true) return item.ifname;
    if (item.kind !== 'address' || asked.includes(item.address)) continue;
    const owner = addresses?.get(item.address);
    if (owner === undefined || !kept.has(nodeKey(owner))) return item.address;
  }
  return undefined;
}

type Spelled = { readonly typed: string; readonly sentence: string };

/** The question with each word that is not known replaced by the nearest that is; undefined where there is none to replace. */
function spelled(tokens: readonly Token[], items: readonly Item[], known: KnownNames): Spelled | undefined {
  const left = items.flatMap((item) =>
    item.kind === 'left' && (item.why === 'word' || item.why === 'order') ? [item.text] : [],
  );
  const strangers = items.flatMap((item) =>
    item.kind === 'node' && knownNode(item.name, known) === undefined ? [item.name] : [],
  );
  let typed: string | undefined;
  const better = tokens.map(({ text, low }) => {
    const candidate = left.includes(text) && !isWord(low) ? meantWord(low, known) : undefined;
    if (candidate !== undefined) typed ??= text;
    // A name is asked about where the sentence is asked about anyway.
    return candidate ?? (strangers.includes(text) ? meantNode(text, known) : undefined) ?? text;
  });
  return typed === undefined ? undefined : { typed, sentence: better.join(' ').replace(/ (?=[,.?!;:])/g, '') };
}
