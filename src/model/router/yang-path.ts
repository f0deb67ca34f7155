// Paths into YANG data, in both spellings that people write: `/ietf-interfaces:interfaces/interface[name='eth0']` (RFC 7950,
// gNMI) and `ietf-interfaces:interfaces/interface=eth0` (RFC 8040, percent-encoded). Pure; bad input is a value.
import { bad, ok, type Result } from '#base/result.ts';

export type PathStep = {
  readonly module: string | undefined;
  readonly name: string;
  /** By name, or by position where the spelling has no names. */
  readonly keys: Readonly<Record<string, string>> | readonly string[];
};

/** Characters of one path, and steps in it. */
const PATH_CHARS = 1_024;
const PATH_STEPS = 32;

/** Keys of the lists in the modules that are served, in the order of their `key` statements. */
export const LIST_KEYS: Readonly<Record<string, readonly string[]>> = {
  interface: ['name'],
  address: ['ip'],
  subinterface: ['index'],
  neighbor: ['neighbor-address'],
  rib: ['name'],
  route: ['ietf-ipv4-unicast-routing:destination-prefix', 'ietf-ipv6-unicast-routing:destination-prefix'],
  'control-plane-protocol': ['type', 'name'],
  vrf: ['name'],
  instance: ['area-tag', 'vrf'],
  module: ['name'],
  'module-set': ['name'],
  'route-list': ['prefix', 'afi-safi'],
};

export function parsePath(text: string): Result<readonly PathStep[]> {
  if (text.length > PATH_CHARS) return bad(`expected a path of at most ${PATH_CHARS} characters, got more`);
  const rest = text.startsWith('/') ? text.slice(1) : text;
  const steps: PathStep[] = [];
  for (const part of splitSteps(rest)) {
    const step = parseStep(part);
    if (step === undefined) return bad(`expected a step of a YANG path, got ${JSON.stringify(part.slice(0, 80))}`);
    steps.push(step);
  }
  if (steps.length === 0 || steps.length > PATH_STEPS)
    return bad(`expected 1 to ${PATH_STEPS} steps, got ${steps.length}`);
  if (steps[0]!.module === undefined) return bad('expected a module before the first step, got none');
  return ok(steps);
}

/** An identity may be named with or without its module. */
export function sameLeaf(leaf: unknown, value: string): boolean {
  const text =
    typeof leaf === 'string' || typeof leaf === 'number' || typeof leaf === 'boolean' ? String(leaf) : undefined;
  return text !== undefined && (text === value || text.split(':').at(-1) === value);
}

/** Steps are parted by slashes outside brackets and quotes. */
function splitSteps(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let quote = '';
  let depth = 0;
  for (const character of text) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (depth > 0 && (character === "'" || character === '"')) quote = character;
    else if (character === '[') depth++;
    else if (character === ']') depth--;
    else if (character === '/' && depth === 0) {
      parts.push(part);
      part = '';
      continue;
    }
    part += character;
  }
  return [...parts, part];
}

const IDENTIFIER = '[A-Za-z_][A-Za-z0-9_.-]*';
const STEP = new RegExp(`^(?:(${IDENTIFIER}):)?(${IDENTIFIER})(=.*|(?:\\[.*\\])?)$`, 's');
const PREDICATE = new RegExp(`^\\[(?:${IDENTIFIER}:)?(${IDENTIFIER})\\s*=\\s*('[^']*'|"[^"]*")\\]`);

function parseStep(text: string): PathStep | undefined {
  const [, module, name, suffix = ''] = STEP.exec(text) ?? [];
  if (name === undefined) return undefined;
  if (suffix.startsWith('=')) {
    const values = suffix.slice(1).split(',').map(decodePercent);
    return values.includes(undefined) ? undefined : { module, name, keys: values as string[] };
  }
  const keys: Record<string, string> = {};
  let rest = suffix;
  while (rest !== '') {
    const predicate = PREDICATE.exec(rest);
    if (predicate === null) return undefined;
    keys[predicate[1]!] = predicate[2]!.slice(1, -1);
    rest = rest.slice(predicate[0].length);
  }
  return { module, name, keys };
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
