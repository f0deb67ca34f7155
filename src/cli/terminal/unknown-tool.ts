// A tool that an agent does not offer: the caller's mistake, with the names that are nearest.
import { ParleyError } from '#base/error.ts';

/** Names that an error lists. */
const NAMED = 5;

export function unknownTool(name: string, names: readonly string[]): ParleyError {
  const alike = (other: string) => sharedWords(name, other);
  const near = names.filter((other) => alike(other) > 0).sort((one, other) => alike(other) - alike(one));
  return new ParleyError(
    'caller/unknown-tool',
    `expected a tool of this agent, got ${name}: "parley tools" lists them`,
    {
      data: { alike: near.slice(0, NAMED) },
    },
  );
}

function sharedWords(one: string, other: string): number {
  const words = new Set(one.toLowerCase().split(/[^a-z0-9]+/));
  return other
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => words.has(word) && word !== 'parley').length;
}
