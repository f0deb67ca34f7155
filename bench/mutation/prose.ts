// Which texts are for people alone. They are not changed: a test that pins each wording would say nothing about behaviour.
// Prose is: a text with a blank between its words; anything in a log line; the value of a property named below.
import type * as acorn from 'acorn';
import type { Place } from './syntax.ts';

/** Properties whose value is read by people. */
const FOR_PEOPLE = new Set([
  'description',
  'title',
  'text',
  'summary',
  'message',
  'hint',
  'remedy',
  'expected',
  'help',
]);

/** Calls that only write something down for people: `log.warn(…)`, `say(…)`. */
const LOGGERS = new Set(['log', 'logger', 'say', 'console']);

/** True for a text without a blank: an id, a code, a name, a separator. */
export function isWordless(text: string): boolean {
  return !/\S\s|\s\S/.test(text);
}

/** True inside what is only for people, up to the next function. */
export function isProse(place: Place): boolean {
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) {
    const node = at.node as acorn.AnyNode;
    if (/Function/.test(node.type)) return false;
    if (node.type === 'CallExpression' && LOGGERS.has(ownerOf(node.callee))) return true;
    if (node.type === 'ExpressionStatement' && at === place) {
      const inner = 'argument' in node.expression ? node.expression.argument : node.expression;
      if (inner?.type === 'CallExpression' && LOGGERS.has(ownerOf(inner.callee))) return true;
    }
    if (node.type === 'Property' && at !== place && FOR_PEOPLE.has(nameOf(node.key))) return true;
  }
  return false;
}

function nameOf(node: acorn.AnyNode): string {
  return node.type === 'Identifier' ? node.name : node.type === 'Literal' ? String(node.value) : '';
}

/** `log` of `log(…)`, `log.info(…)`, `parts.log.info(…)` and `log?.info(…)`. */
function ownerOf(node: acorn.AnyNode): string {
  if (node.type === 'ChainExpression') return ownerOf(node.expression);
  if (node.type === 'Identifier') return node.name;
  if (node.type !== 'MemberExpression') return '';
  const { object } = node;
  return object.type === 'MemberExpression' && !object.computed ? nameOf(object.property) : nameOf(object);
}
