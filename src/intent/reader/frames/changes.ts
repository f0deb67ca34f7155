// What people did to a node: "has anyone been working on p2", "did someone disable BGP on p2", "was the configuration of p2 changed".
import { asking, emptied, type Frame, hasWord, isMeaning, isOnly, isPlain, isWord, topicsOf } from './parts.ts';

const PERSON = /^(?:anyone|anybody|someone|somebody|they|we|he|she|who|the customer|people)$/;
const DID = /^(?:did|has|have|had|has been|have been|was|were)$/;

export const worked: Frame = (items) => {
  const person = items.findIndex((item) => isWord(item, PERSON));
  const isDone = person >= 0 && items.slice(0, person + 2).some((item) => isWord(item, DID));
  const isWork = items
    .slice(person + 1)
    .some(
      (item, at) =>
        isWord(item, /^(?:working on|worked on|do|done)$/) &&
        (isWord(item, / on$/) || isWord(items[person + 2 + at], /^(?:on|to|at|with|in)$/)),
    );
  const isWhat = hasWord(items, /^what$/) || hasWord(items, /^work(?:ing|ed) on$/);
  if (isDone && isWork && isWhat && isPlain(items) && isOnly(items, 'changes'))
    return asking(
      'changes',
      items.map((item) =>
        isWord(item, /^work(?:ing|ed) on$/)
          ? { kind: 'meaning', meaning: { kind: 'role', role: 'on' }, text: 'on' }
          : item,
      ),
    );
  return items;
};

/** "The configuration of p2 was changed": of what was changed, and no text of it is asked for. */
export const configured: Frame = (items) => {
  const isConfig = (item: (typeof items)[number]) =>
    item.kind === 'meaning' && item.meaning.kind === 'beyond' && item.meaning.what === 'configuration text';
  // "Which addresses are configured on leaf1": what is, and not what was done.
  const isSet =
    hasWord(items, /^configured$/) && hasWord(items, /^(?:is|are)$/) && !hasWord(items, /^(?:who|when|was|were)$/);
  if (isSet && (topicsOf(items, false).has('interfaces') || items.some((item) => isMeaning(item, 'protocol'))))
    return items.map((item) => (isWord(item, /^configured$/) ? emptied(item) : item));
  if (!items.some(isConfig) || !topicsOf(items, false).has('changes')) return items;
  return items.map((item) =>
    isConfig(item)
      ? / of$/.test(item.kind === 'meaning' ? item.text : '')
        ? { kind: 'meaning', meaning: { kind: 'role', role: 'on' }, text: 'of' }
        : emptied(item)
      : item,
  );
};
