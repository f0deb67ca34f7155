// What can be changed at one place of a source, and how: the operators of the mutation benchmark. Pure.
// An operator never changes text for people, log lines, imports or types (prose.ts says how these are told apart).
import type * as acorn from 'acorn';
import { isProse, isWordless } from './prose.ts';
import type { Place } from './syntax.ts';

/** Characters `start` to `end` become `text`. */
export type Change = {
  readonly operator: Operator;
  readonly start: number;
  readonly end: number;
  readonly text: string;
};

export const OPERATORS = [
  'boundary',
  'equality',
  'logic',
  'arithmetic',
  'boolean',
  'negation',
  'condition',
  'plus-one',
  'zero',
  'empty-block',
  'no-call',
  'no-exit',
  'empty-string',
  'method',
  'no-method',
  'no-chaining',
  'no-default',
  'default-only',
  'ternary',
] as const;

export type Operator = (typeof OPERATORS)[number];

/** For every binary, logical, assignment and update operator that is exchanged: which operator it is, and what comes instead. */
const EXCHANGED: Readonly<Record<string, readonly [Operator, string]>> = {
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '===': ['equality', '!=='],
  '!==': ['equality', '==='],
  '==': ['equality', '!='],
  '!=': ['equality', '=='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
  '*': ['arithmetic', '/'],
  '/': ['arithmetic', '*'],
  '%': ['arithmetic', '*'],
  '+=': ['arithmetic', '-='],
  '-=': ['arithmetic', '+='],
  '++': ['arithmetic', '--'],
  '--': ['arithmetic', '++'],
};

const OTHER_METHOD: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
};

/** Methods whose call may be left out: the value they are called on has the same form. */
const DROPPED_METHODS = new Set([
  'filter',
  'slice',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'trim',
  'toLowerCase',
]);

/** All changes at this place; none of its children's. */
export function changesAt(place: Place, code: string): readonly Change[] {
  const node = place.node as acorn.AnyNode;
  const change = (operator: Operator, text: string, at: { start: number; end: number } = node): Change => ({
    operator,
    start: at.start,
    end: at.end,
    text,
  });
  const source = (at: { start: number; end: number }) => code.slice(at.start, at.end);
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return node.operator === '??'
        ? [change('no-default', source(node.left)), change('default-only', source(node.right))]
        : exchanged(node, code, node.left.end, node.right.start);
    case 'AssignmentExpression':
      return exchanged(node, code, node.left.end, node.right.start);
    case 'UpdateExpression':
      return node.prefix
        ? exchanged(node, code, node.start, node.argument.start)
        : exchanged(node, code, node.argument.end, node.end);
    case 'UnaryExpression':
      return node.operator === '!' ? [change('negation', source(node.argument))] : [];
    case 'Literal':
      return literalChanges(place, node, change);
    case 'TemplateLiteral':
      return templateChanges(place, node, change);
    case 'IfStatement':
      return isBare(node.test) ? [change('condition', `!(${source(node.test)})`, node.test)] : [];
    case 'BlockStatement':
      return node.body.length === 0 ? [] : [change('empty-block', '{}')];
    case 'ExpressionStatement':
      return isCall(node.expression) && !isProse(place) ? [change('no-call', ';')] : [];
    case 'ReturnStatement':
    case 'ThrowStatement':
    case 'ContinueStatement':
      return isGuard(place) ? [change('no-exit', '{}')] : [];
    case 'CallExpression':
      return methodChanges(node, change, source);
    case 'MemberExpression':
      return node.optional ? [withoutChaining(node, code)] : [];
    case 'ConditionalExpression':
      return [
        change(
          'ternary',
          `${source({ start: node.start, end: node.consequent.start })}${source(node.alternate)}${source({ start: node.consequent.end, end: node.alternate.start })}${source(node.consequent)}${source({ start: node.alternate.end, end: node.end })}`,
        ),
      ];
    default:
      return [];
  }
}

/** The operator between two operands, or beside one, exchanged for its counterpart. */
function exchanged(
  node: acorn.BinaryExpression | acorn.LogicalExpression | acorn.AssignmentExpression | acorn.UpdateExpression,
  code: string,
  from: number,
  to: number,
): readonly Change[] {
  const [operator, text] = EXCHANGED[node.operator] ?? [];
  if (operator === undefined || text === undefined) return [];
  if (operator === 'arithmetic' && 'left' in node && [node.left, node.right].some(isText)) return [];
  const start = from + code.slice(from, to).lastIndexOf(node.operator);
  return [{ operator, start, end: start + node.operator.length, text }];
}

/** True for a text on one side of `+`, which then joins texts. */
function isText(node: acorn.AnyNode): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

type Changing = (operator: Operator, text: string, at?: { start: number; end: number }) => Change;

function literalChanges(place: Place, node: acorn.Literal, change: Changing): readonly Change[] {
  if (typeof node.value === 'boolean') return [change('boolean', String(!node.value))];
  if (typeof node.value === 'number') {
    const zero = node.value === 0 ? [] : [change('zero', '0')];
    return isKey(place) ? [] : [change('plus-one', String(node.value + 1)), ...zero];
  }
  if (typeof node.value === 'bigint') {
    const zero = node.value === 0n ? [] : [change('zero', '0n')];
    return isKey(place) ? [] : [change('plus-one', `${node.value + 1n}n`), ...zero];
  }
  const kept = typeof node.value !== 'string' || node.value === '' || isKey(place) || isProse(place);
  return kept || !isWordless(String(node.value)) ? [] : [change('empty-string', "''")];
}

function templateChanges(place: Place, node: acorn.TemplateLiteral, change: Changing): readonly Change[] {
  const words = node.quasis.map(({ value }) => value.raw).join('');
  return words === '' || /\s/.test(words) || isProse(place) ? [] : [change('empty-string', "''")];
}

/** True for the name of a property and of a module. */
function isKey({ parent, field }: Place): boolean {
  const type = parent?.node.type ?? '';
  if (/^(?:Import|Export)/.test(type) && field === 'source') return true;
  return /^(?:Property|PropertyDefinition|MethodDefinition)$/.test(type) && field === 'key';
}

/** A condition without an operator that another change would exchange. */
function isBare(node: acorn.Expression): boolean {
  return ['Identifier', 'MemberExpression', 'CallExpression', 'AwaitExpression', 'ChainExpression'].includes(node.type);
}

function isCall(node: acorn.Expression): boolean {
  const called = node.type === 'AwaitExpression' || (node.type === 'UnaryExpression' && node.operator === 'void');
  const inner = called ? node.argument : node;
  return ['CallExpression', 'ChainExpression'].includes(inner.type);
}

/** True for a statement that alone follows a condition: `if (…) return …;` or `if (…) { throw …; }`. */
function isGuard({ parent, field }: Place): boolean {
  if (parent?.node.type === 'IfStatement') return field === 'consequent';
  if (parent?.node.type !== 'BlockStatement' || parent.parent?.node.type !== 'IfStatement') return false;
  return parent.field === 'consequent' && (parent.node as acorn.BlockStatement).body.length === 1;
}

function methodChanges(
  node: acorn.CallExpression,
  change: Changing,
  source: (at: { start: number; end: number }) => string,
): readonly Change[] {
  const { callee } = node;
  if (node.optional) return [change('no-chaining', source(node).replace(`${source(callee)}?.`, source(callee)))];
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return [];
  const other = OTHER_METHOD[callee.property.name];
  if (other !== undefined) return [change('method', other, callee.property)];
  return DROPPED_METHODS.has(callee.property.name) ? [change('no-method', source(callee.object))] : [];
}

function withoutChaining(node: acorn.MemberExpression, code: string): Change {
  const start = node.object.end + code.slice(node.object.end, node.property.start).indexOf('?.');
  return { operator: 'no-chaining', start, end: start + 2, text: node.computed ? '' : '.' };
}
