// What one thing did to another, and what should be: "does p2 cause the loss", "was p2 the cause", "did the change help", "why should p2 be slow".
// Answers say what is and what was, of each thing by itself.
import { isMeaning, isNoun, isWord } from '../frames/parts.ts';
import { type Item, isName, textOf } from '../item.ts';
import { type Refusal, unsupported } from '../slots.ts';

export function causeIn(items: readonly Item[]): Refusal | undefined {
  const cause = items.find(
    (_, at) => isCausing(items, at) || isCulprit(items, at) || isDoing(items, at) || isCondition(items, at),
  );
  if (cause !== undefined)
    return unsupported(`what one thing did to another ("${textOf(cause)}"): ask what is wrong on each`);
  const norm = items.find((_, at) => isNorm(items, at));
  if (norm !== undefined)
    return {
      reason: 'unclear',
      words: `what is to be, or would be ("${textOf(norm)}"); answers say what is and what was`,
    };
  const change = items.find((_, at) => isOneChange(items, at));
  if (change !== undefined) return unsupported('what one change was, or did: ask what changed, or what is wrong');
  return undefined;
}

/** "P2 causes loss", "caused by p2", "come from p2"; "what caused the loss" asks for the fault. */
function isCausing(items: readonly Item[], at: number): boolean {
  const [item, before, next] = [items[at], items[at - 1], items[at + 1]];
  // "Is the loss due to congestion".
  const isOfOther =
    isWord(item, /^(?:due to|because of|caused by|thanks to)$/) && isTopic(next) && items.slice(0, at).some(isTopic);
  if (isOfOther) return true;
  if (isWord(item, /^caused by$/)) return isName(next);
  if (isWord(item, /^(?:come|comes|coming)$/))
    return (
      isMeaning(next, 'role') && isWord(next, /^from$/) && isName(items[at + 2]) && items.slice(0, at).some(isTopic)
    );
  return isWord(item, /^(?:cause|causes|caused|causing)$/) && (isName(before) || isTopic(before));
}

/** "P2 took pe1 down", "p2 broke eth1". */
function isDoing(items: readonly Item[], at: number): boolean {
  const next = isWord(items[at + 1], /^down$/) ? items[at + 2] : items[at + 1];
  return isName(items[at - 1]) && isName(next) && isWord(items[at], DOES);
}

const DOES =
  /^(?:took|taken|brought|knocked|breaks?|broke|crash(?:es|ed)|freezes?|kills?|killed|stalls?|saturates?|overloads?|corrupts?)(?: down)?$/;

/** "With p2 down is pe1 ok", "now that p2 is up", "even though p2 is up", "thanks to p2 pe1 is down". */
function isCondition(items: readonly Item[], at: number): boolean {
  const name = items[at + 1];
  const isStart = at === 0 || ['stop', 'comma'].includes(items[at - 1]!.kind);
  if (name?.kind !== 'node' || !items.slice(at + 2).some((item) => item.kind === 'node')) return false;
  if (isWord(items[at], /^to$/) && isWord(items[at - 1], /^thanks$/)) return true;
  if (isWord(items[at], /^(?:though|thanks to|due to|because of|because)$/)) return true;
  if (isWord(items[at], /^that$/) && isWord(items[at - 1], /^now$/)) return true;
  return (
    isStart &&
    isMeaning(items[at], 'role') &&
    isWord(items[at], /^with$/) &&
    isWord(items[at + 2], /^(?:down|up|gone|off|offline|dead|back)$/)
  );
}

/** "Was p2 the problem", "is p2 the root cause", "p2 is the reason". */
function isCulprit(items: readonly Item[], at: number): boolean {
  const isThe = isWord(items[at - 1], /^(?:the|a|to)$/);
  const [second, third] = [items[at - 2], items[at - 3]];
  const isSaid = (isBe(second) && isName(third)) || (isName(second) && isBe(third));
  return isThe && isSaid && isWord(items[at], /^(?:problem|cause|root cause|reason|fault|culprit|slow|matter|bad)$/);
}

/** "Should p2 be slow", and not "p2 should be up but is not". */
function isNorm(items: readonly Item[], at: number): boolean {
  const next = items.slice(at + 1).find((item) => !isWord(item, /^(?:the|a|an|my|our|node|router)$/));
  const isOf = next !== undefined && (isName(next) || isTopic(next) || isNoun(next, 'link', 'path', 'interface'));
  return (
    isMeaning(items[at], 'empty') &&
    isWord(items[at], /^(?:should|must|shall)$/) &&
    isOf &&
    items.slice(at).some(isTopic)
  );
}

/** "Did the change on p2 help", "is the change done". */
function isOneChange(items: readonly Item[], at: number): boolean {
  return (
    isWord(items[at], /^changes?$/) &&
    isTopic(items[at]) &&
    isWord(items[at - 1], /^(?:the|a|this|that|my|our|your)$/) &&
    isWord(items[at - 2], /^(?:did|does|do|is|was|has|have|are|were|will)$/)
  );
}

function isBe(item: Item | undefined): boolean {
  return isWord(item, /^(?:is|was|are|were)$/);
}

function isTopic(item: Item | undefined): boolean {
  return isMeaning(item, 'topic');
}
