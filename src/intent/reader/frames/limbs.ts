// An "or" that opens no second question: its limb only doubts the first ("or does the dashboard lie"), or is the other outcome of the same question ("or no
// longer", "or well again").
import { type Item, isName, textOf } from '../item.ts';
import { aside, type Frame, isMeaning, isWord } from './parts.ts';

/** The limb is named as not used. */
export const limbed: Frame = (items) => {
  const at = items.findIndex((item) => isMeaning(item, 'turn') && isWord(item, /^or$/));
  const [before, limb] = [items.slice(0, at), items.slice(at + 1)];
  const isAsked = before.some((item) => isMeaning(item, 'topic', 'verb')) && before.some(isName);
  if (at < 1 || !isAsked || limb.some((item) => isName(item) || item.kind === 'time')) return items;
  const said = limb.map(textOf).join(' ').replace(/ +/g, ' ').trim();
  if (!DOUBTS.test(said) && !(isYesNo(before) && !before.some(isDone) && OUTCOME.test(said))) return items;
  const end = items[at - 1]?.kind === 'comma' ? at - 1 : at;
  return [
    ...items.slice(0, end),
    aside(`or ${said}`),
    ...items.slice(items.length - (items.at(-1)?.kind === 'stop' ? 1 : 0)),
  ];
};

const DOUBTS =
  /^(?:(?:is|am|are|does|do|did|has|have|was) (?:i|we|you|he|she|they|(?:my|our|your|the) (?:dash ?board|counters?|probes?|monitor(?:ing)?|graphs?|alarms?|tool|screen|nms)) (?:just |only |now )?(?:lie|lies|lying|lied|wrong|mistaken|imagin\w+|dream\w*|see things|seeing things|crazy|mad|blind|misread\w*|confused)(?: (?:it|things|that|this|something|again))?|is it (?:just|only) me|just me|is that (?:just|only) me)$/;
const OUTCOME =
  /^(?:is it |has it |are they )?(?:already |now |just )?(?:no longer|not|not any ?more|not anymore|no|(?:well|fine|ok|okay|good|up|back|healthy|working|alive|better|recovered|fixed|gone|over)(?: (?:again|now|already|by now))*|back up|back to normal)$/;

function isYesNo(before: readonly Item[]): boolean {
  const start =
    before.findLastIndex(({ kind }, at) => kind === 'stop' || (kind === 'comma' && at < before.length - 1)) + 1;
  return isWord(before[start], /^(?:is|are|was|were|does|do|did|has|have|can|could)(?: |$)/);
}

/** "Was p2 rebooted or recovered": what was done is another fact, and has no other outcome. */
function isDone(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'topic' && ['changes', 'uptime'].includes(item.meaning.topic);
}
