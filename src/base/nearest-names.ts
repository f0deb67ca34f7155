// Which of the known names an unknown one was probably meant to be: for error messages.

/** Names that are proposed. */
const PROPOSED = 3;

/** Known names that are most like one that is not known, the nearest first. */
export function nearestNames(given: string, known: readonly string[]): readonly string[] {
  const word = given.toLowerCase().replace(/[-\s]/g, '_');
  return [...known]
    .map((name) => ({
      name,
      far: distance(word, name) - (name.includes(word) || word.includes(name) ? word.length : 0),
    }))
    .sort((one, other) => one.far - other.far || (one.name < other.name ? -1 : 1))
    .slice(0, PROPOSED)
    .map(({ name }) => name);
}

/** How many letters must be inserted, removed or replaced (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [place, letter] of [...one].entries()) {
    const next = [place + 1];
    for (let index = 0; index < other.length; index++) {
      const replaced = row[index]! + (other[index] === letter ? 0 : 1);
      next.push(Math.min(replaced, row[index + 1]! + 1, next[index]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}
