// Where a constant of a file is used inside functions: a value at the top of a file is executed by every test that loads the file, but only
// the tests that execute a use of it can notice its change. Pure.
import type * as acorn from 'acorn';
import { type Place, placesOf, type Syntax } from './syntax.ts';

/**
 * Offsets to look for in coverage: `offset` itself inside a function; otherwise those of the functions' uses of what the statement around it
 * declares, by way of other constants too. Empty when the file itself uses it in no function.
 */
export function usesOf({ root }: Syntax, offset: number): readonly number[] {
  const places = [...placesOf(root)];
  if (places.some((place) => isFunction(place) && isAround(place, offset))) return [offset];
  const statements = (root as acorn.Program).body;
  const names = new Set(declaredBy(statements.find((statement) => isAround({ node: statement }, offset))));
  const identifiers = places.filter((place) => place.node.type === 'Identifier');
  const uses = new Set<number>();
  for (const name of names) {
    for (const place of identifiers) {
      if ((place.node as acorn.Identifier).name !== name) continue;
      if (isInFunction(place)) uses.add(place.node.start);
      else
        for (const other of declaredBy(statements.find((each) => isAround({ node: each }, place.node.start))))
          names.add(other);
    }
  }
  return [...uses];
}

function declaredBy(statement: acorn.AnyNode | undefined): string[] {
  const declaration = statement?.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type !== 'VariableDeclaration') return [];
  return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
}

function isInFunction(place: Place): boolean {
  for (let at = place.parent; at !== undefined; at = at.parent) if (isFunction(at)) return true;
  return false;
}

function isFunction({ node }: Place): boolean {
  return /Function/.test(node.type);
}

function isAround({ node }: Pick<Place, 'node'>, offset: number): boolean {
  return node.start <= offset && offset < node.end;
}
