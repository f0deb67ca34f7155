// Words of which English has a closed number, and which say how the rest of a sentence hangs together: negations, exclusions, comparisons,
// quantities, prepositions, conjunctions. One that no rule takes turns the question into another one, so it refuses it; it is never "not used".
// Words that have a meaning of their own stand elsewhere in the lexicon.

/** Leaves something out, turns it round, joins two things, or says where something is in a way that nothing here reads. */
export const TURNING_WORDS = `
non, nor, neither, either, nobody, no one, noone, nowhere, lack, lacks, lacked, lacking, absent, absence of, devoid of, free of,
avoid, avoids, avoided, avoiding, bypass, bypasses, bypassed, bypassing, circumvent, circumventing, sans, bar, spare, sparing, forget, forget about, never mind, excluded, excepted, omitted, ignored, skipped, disregarded, exempt, exempted, left out, spared, barred, removed from, from the list, off the list, out of the list, on the list, to the list, we know about, we know of, i know about, know about that, aware of, well known, let alone, apart, aside, notwithstanding, away from, far from, irrespective of, regardless of, regardless,
beyond, past, under, underneath, beneath, upstream, upstream of, downstream, downstream of, opposite, opposite of, ahead of, alongside, beside, throughout, despite, in spite of, per, amid, outwith, beneath, atop, onto, upon, above, below, next to,
other, others, another, otherwise, elsewhere, vice versa, reverse, reversed, reversely, backwards, inverse, inversely, conversely, contrary, swapped, the rest, rest of, the rest of, remaining,
than, if, unless, or, and/or, versus, vs, compare, compared to, compared with, instead, instead of, rather than, while, whereas, before, after, twice, thrice, else, during, whenever, provided, everybody, everyone, since, till, in case, in the case, what if, suppose, supposing, assume, assuming, imagine, what happens when, although, lest, once again if, even if, only if, as if, as long as, as soon as, except if, unlike, similar to, different from, differs from, differ, different
`
  .replaceAll('\n', ' ')
  .trim();

/** Tells amounts apart, wherever it stands. */
export const COMPARING_WORDS = `
more than, less than, at least, at most, fewer than, larger than, greater than, smaller than, higher than, lower than, longer than, shorter than, better than, worse than, faster than, slower than, no more than, no less than, not more than, not less than, exceed, exceeds, exceeded, exceeding, in excess of, or more, or less, or higher, or lower, or above, or below, or better, or worse, and above, and more, and up, upwards of, threshold
`
  .replaceAll('\n', ' ')
  .trim();

/** Before a number or an amount these tell amounts apart; elsewhere they say where something is, or nothing. */
export const BEFORE_AMOUNTS =
  /^(?:over|under|above|below|beyond|past|beneath|up to|within|until|max|maximum|min|minimum|exceeds?|exceeding|equals?|equal to|more|less|greater|higher|lower|fewer|longer|shorter|larger|smaller|bigger)$/;

/** More or less of something than of something else, which is not said: an answer makes no difference by it, and names it. */
export const DEGREES =
  'more, most, less, least, fewer, fewest, higher, lower, highest, lowest, larger, largest, bigger, biggest, smaller, smallest, longer, longest, shorter, shortest, better, best, worse, worst, faster, fastest, slowest, later, sooner, greater, greatest, heavier, heaviest, busier, busiest, top, bottom, new, old, newest, oldest, nothing else, nothing more, no others';

/** Stands for something that was said before. */
export const REFERENCES =
  'same, the same, the same again, same again, ditto, likewise, repeat, repeat it, repeat that, once more, one more time, as above, as before, as earlier, like before, like above, former, the former, latter, the latter, the other one, the other ones, that one, this one, those ones, these ones, the previous one, previous question, the last one, last question, the last question, aforementioned, my last question, the one before, the one, the ones';

/** Numbers that are no time: "the first three interfaces". */
export const NUMBER_WORDS: ReadonlySet<string> = new Set(
  'zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen twenty thirty forty fifty sixty ninety hundred hundreds thousand thousands million dozen dozens half quarter first second third fourth fifth sixth seventh eighth ninth tenth couple single double triple'.split(
    ' ',
  ),
);
