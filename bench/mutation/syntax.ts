// TypeScript sources as syntax trees with the offsets of the source: types are replaced by blanks, acorn parses what is left.
// Refuses a file that does not keep its length, because then no offset could be trusted.
import { stripTypeScriptTypes } from 'node:module';
import { type Node, parse } from 'acorn';

export type { Node };

/** A node with its parent, and the name of the parent's field it stands in. */
export type Place = { readonly node: Node; readonly parent: Place | undefined; readonly field: string };

export type Syntax = { readonly code: string; readonly root: Node };

/** JavaScript as Node runs it: the source with every type replaced by blanks. */
export function stripped(source: string): string {
  const code = stripTypeScriptTypes(source, { mode: 'strip' });
  if (code.length !== source.length) throw new RangeError(`expected ${source.length} characters, got ${code.length}`);
  return code;
}

/** @throws SyntaxError for what is no program */
export function syntaxOf(source: string): Syntax {
  const code = stripped(source);
  return { code, root: parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }) };
}

/** Every node below `root` and itself, parents first, in the order of the source. */
export function* placesOf(root: Node): Generator<Place> {
  const waiting: Place[] = [{ node: root, parent: undefined, field: '' }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    yield place;
    const parent = place;
    const children = Object.entries(place.node).flatMap(([field, value]) =>
      (Array.isArray(value) ? value : [value]).filter(isNode).map((node) => ({ node, parent, field })),
    );
    waiting.push(...children.sort((one, other) => other.node.start - one.node.start));
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string' && 'start' in value;
}
