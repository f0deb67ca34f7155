// Changes JSON as values, so that most inputs come as far as what reads the fields; now and then its text as well.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { mutateBytes } from './mutate-bytes.ts';
import type { Random } from './random.ts';

const LONG = 'x'.repeat(5_000);
const VALUES: readonly JsonValue[] = [
  ...[
    '',
    ' ',
    'a',
    LONG,
    '\u0000',
    '\ud800',
    '\u202e',
    '../..',
    '%zz',
    '{{x}}',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...['0', '-1', '1e999', 'network:///', '2001:db8::1', '198.18.0.1', '::ffff:198.18.0.1', '2026-01-01T00:00:00Z'],
  ...[0, -0, -1, 1, 0.5, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e308, 5e-324],
  ...[true, false, null, [], {}, [[]], [{}], { a: {} }, [null], Array.from({ length: 300 }, () => 0)],
];

export function mutateJson(input: Uint8Array, random: Random, others: readonly Uint8Array[]): Uint8Array {
  if (random() < 0.15) return mutateBytes(input, random, others);
  let value = parsed(input);
  for (let count = 1 + random.below(3); count > 0; count--) value = changed(value, random, 0);
  const text = random() < 0.05 ? spelledOtherwise(value, random) : JSON.stringify(value);
  return Buffer.from(text);
}

function parsed(input: Uint8Array): JsonValue {
  try {
    return JSON.parse(Buffer.from(input).toString('utf8')) as JsonValue;
  } catch {
    return {};
  }
}

function changed(value: JsonValue, random: Random, depth: number): JsonValue {
  if (random() < (depth === 0 ? 0.02 : 0.15)) return random.pick(VALUES);
  if (typeof value === 'string') return changedText(value, random);
  if (typeof value === 'number') return random() < 0.5 ? value + random.below(9) - 4 : random.pick(VALUES);
  if (Array.isArray(value)) return changedList(value, random, depth);
  if (value !== null && typeof value === 'object') return changedObject(value as JsonObject, random, depth);
  return random.pick(VALUES);
}

function changedText(text: string, random: Random): JsonValue {
  const at = random.below(text.length + 1);
  const rest = text.slice(at + random.below(3));
  const added = random() < 0.5 ? String.fromCharCode(random.below(random() < 0.8 ? 128 : 65_536)) : '';
  return random() < 0.1 ? text.repeat(1 + random.below(40)) : `${text.slice(0, at)}${added}${rest}`;
}

function changedList(list: readonly JsonValue[], random: Random, depth: number): JsonValue {
  const copy = [...list];
  const at = random.below(copy.length + 1);
  const way = random();
  if (at < copy.length && way < 0.6) copy[at] = changed(copy[at]!, random, depth + 1);
  else if (way < 0.75) copy.splice(at, 1);
  else if (way < 0.95 || copy.length === 0) copy.splice(at, 0, copy[at] ?? random.pick(VALUES));
  else return Array.from({ length: 2_000 }, (_, index) => copy[index % copy.length]!);
  return copy;
}

function changedObject(object: JsonObject, random: Random, depth: number): JsonValue {
  const names = Object.keys(object);
  const copy: Record<string, JsonValue> = { ...object };
  const name = names.length === 0 ? 'a' : random.pick(names);
  const way = random();
  if (way < 0.65 && names.length > 0) copy[name] = changed(copy[name]!, random, depth + 1);
  else if (way < 0.8) delete copy[name];
  else if (way < 0.9) copy[`${name}${random.below(10)}`] = random.pick(VALUES);
  else copy[random.pick(['__proto__', 'constructor', 'hasOwnProperty', '', LONG])] = random.pick(VALUES);
  return copy;
}

/** The same value where readers differ: twice named members, escapes, numbers with exponents, white space, depth. */
function spelledOtherwise(value: JsonValue, random: Random): string {
  const text = JSON.stringify(value);
  switch (random.below(5)) {
    case 0:
      return text.replace(/"([a-z]+)":/, (whole) => `${whole}1,${whole}`);
    case 1:
      return text.replace(/[a-z]/, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
    case 2:
      return text.replace(/\d+/, (number) => `${number}e${random.below(400)}`);
    case 3:
      return text.replaceAll(',', ` ${'\n'.repeat(random.below(50))},\t`);
    default: {
      const depth = 1 + random.below(5_000);
      return `${'['.repeat(depth)}${text}${']'.repeat(depth)}`;
    }
  }
}
