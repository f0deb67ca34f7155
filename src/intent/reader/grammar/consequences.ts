// "P2 is slow, is that why p4 is slow": of two things that are said, whether one comes of the other. No node knows; each by itself can be asked.
import type { Item } from '../item.ts';
import type { Refusal } from '../slots.ts';
import { foundIn, saidIn } from './said.ts';

export function consequenceIn(items: readonly Item[]): Refusal | undefined {
  const names = new Set(items.flatMap((item) => (item.kind === 'node' ? [item.name.toLowerCase()] : [])));
  if (names.size < 2) return undefined;
  const found = foundIn(saidIn(items), IS_WHY, EXPLAINS, BECAUSE);
  if (found === undefined) return undefined;
  return { reason: 'unsupported', words: `what one thing did to another ("${found}"): ask what is wrong on each` };
}

const IT = '(?:that|this|it|which|these|those)';
const IS = '(?:is|are|was|were|be|could|would|might|may|can|must)';
const BY = '(?:also|then|maybe|perhaps|really|be|the|one|a|just|not|actually|possibly)';
const WHY =
  '(?:[LT]/(?:\\w+/)?)?(?:why|because|reason|cause|what|how|behind|due|related|connected|connected to|linked|responsible|result|consequence|root cause|come[_ ]of)';
const IS_WHY = new RegExp(`[N|] (?:and |so |but )*(?:${IS} ${IT}|${IT} ${IS}) (?:${BY} )*${WHY} [^|]*N`);
const EXPLAINS = new RegExp(
  ` (?:does|did|do|would|could|might|may|can|has|have|is|will) ${IT} (?:${BY} )*(?:[LTV]/(?:\\w+/)?)?(?:explain\\w*|caus\\w+|account\\w*|lead|led|leading|mean|make|makes|made|trigger\\w*|affect\\w*|impact\\w*|comes?|stem|result|got|got_to|anything|have|do|take|took|break|broke) (?:[^|]* )?N `,
);
const BECAUSE =
  / (?:(?:because of|due to|thanks to|as a (?:L\/)?result of) (?:it|that|this)|as a (?:L\/)?result|hence|therefore|L\/(?:hence|therefore|thus|consequently)) /;
