// The data tree that a set of YANG modules defines (RFC 7950), as far as RFC 7951 JSON needs it: which node is a list with which keys, a
// leaf-list or a container, and what a leaf's text becomes. Groupings are written out, augments put in, choices passed over. No
// constraints: the device checks its own data. Pure and total; what cannot be resolved is a string.
import { CODEC_LIMITS } from '../limits.ts';
import { argumentOf, statementsOf, type YangStatement } from './statements.ts';

/** How a leaf's value stands in RFC 7951 §6: a number, `true`, `[null]`, `module:name`, or a string. */
export type LeafForm = 'number' | 'boolean' | 'empty' | 'identity' | 'string';

export type SchemaNode = {
  readonly kind: 'container' | 'list' | 'leaf' | 'leaf-list' | 'anydata';
  readonly module: string;
  readonly name: string;
  /** Of a list, in the order of its `key` statement. */
  readonly keys: readonly string[];
  /** Forms that the value may have, in the order of the union; one for most. */
  readonly forms: readonly LeafForm[];
  readonly config: boolean;
  /** Its module says `nacm:default-deny-all` of it, or of what it stands in (RFC 8341 §3.4.4). */
  readonly denied: boolean;
  /** By `module:name`. */
  readonly children: Map<string, SchemaNode>;
};

export type YangSchema = {
  /** Top-level nodes by `module:name`. */
  readonly roots: Map<string, SchemaNode>;
  /** Top-level notifications by `module:name`, as containers of what they tell. */
  readonly notifications: Map<string, SchemaNode>;
  readonly namespaces: ReadonlyMap<string, string>;
};

type Module = {
  readonly name: string;
  readonly namespace: string;
  /** The module itself and its submodules. */
  readonly parts: readonly YangStatement[];
  /** Prefix to module name, by part. */
  readonly prefixes: ReadonlyMap<YangStatement, ReadonlyMap<string, string>>;
};

/** Where a statement stands: names are looked up from here outwards, children belong to `owner`. */
type Place = {
  readonly module: Module;
  readonly part: YangStatement;
  readonly scope: readonly YangStatement[];
  readonly owner: string;
  /** Something around it is denied, wherever that is written: also around a `uses`, and in the target of an augment. */
  readonly denied: boolean;
};
type Work = {
  readonly modules: ReadonlyMap<string, Module>;
  /** Choices and cases, which stand in schema paths but not in the data tree. */
  readonly choices: WeakMap<Map<string, SchemaNode>, Set<string>>;
  nodes: number;
  /** Lookups of names. A module of one kilobyte can ask for 2^64: unions of unions, or augments that each wait for the next. */
  steps: number;
  /** What a type is: where a statement stands decides what the names in it mean. */
  readonly forms: WeakMap<YangStatement, readonly LeafForm[]>;
  /** Groupings and typedefs right below a statement, by keyword and name. */
  readonly definitions: WeakMap<YangStatement, ReadonlyMap<string, YangStatement>>;
};

const NUMBERS = new Set(['int8', 'int16', 'int32', 'uint8', 'uint16', 'uint32']);
const DATA = ['container', 'list', 'leaf', 'leaf-list', 'anydata', 'anyxml', 'choice', 'case', 'uses'];

const KINDS: Readonly<Record<string, SchemaNode['kind']>> = { anyxml: 'anydata', notification: 'container' };

/** `texts` are modules and submodules, parsed; an import that is not among them leaves its types strings. */
export function buildSchema(texts: readonly YangStatement[]): YangSchema {
  const modules = modulesOf(texts);
  const work: Work = {
    ...{ modules, nodes: 0, steps: 0 },
    ...{ choices: new WeakMap(), forms: new WeakMap(), definitions: new WeakMap() },
  };
  const roots = new Map<string, SchemaNode>();
  for (const module of modules.values())
    for (const part of module.parts) addAll(work, roots, part, placeOf(module, part), true, 0);
  const notifications = new Map<string, SchemaNode>();
  for (const module of modules.values())
    for (const part of module.parts) addNotifications(work, notifications, part, placeOf(module, part));
  augmentAll(work, roots, notifications);
  return {
    roots,
    notifications,
    namespaces: new Map([...modules.values()].map(({ name, namespace }) => [name, namespace])),
  };
}

/** Modules that `text` imports, and submodules that it includes. */
export function neededBy(text: YangStatement): readonly string[] {
  return statementsOf(text, 'import', 'include', 'belongs-to').map(({ argument }) => argument);
}

/** The child that an element of this module and name is. */
export function childNode(parent: Map<string, SchemaNode>, module: string, name: string): SchemaNode | undefined {
  return parent.get(`${module}:${name}`);
}

function placeOf(module: Module, part: YangStatement): Place {
  const place = { module, part, scope: [part], owner: module.name, denied: false };
  return { ...place, denied: isDenied(part, place) };
}

function modulesOf(texts: readonly YangStatement[]): Map<string, Module> {
  const submodules = texts.filter(({ keyword }) => keyword === 'submodule');
  const found = new Map<string, Module>();
  for (const text of texts.filter(({ keyword }) => keyword === 'module')) {
    const name = text.argument;
    const parts = [text, ...submodules.filter((one) => argumentOf(one, 'belongs-to') === name)];
    const prefixes = new Map(parts.map((part) => [part, prefixesOf(part, name)]));
    found.set(name, { name, namespace: argumentOf(text, 'namespace') ?? '', parts, prefixes });
  }
  return found;
}

function prefixesOf(part: YangStatement, module: string): ReadonlyMap<string, string> {
  const own = statementsOf(part, 'belongs-to')[0] ?? part;
  const imports = statementsOf(part, 'import').map(
    (entry) => [argumentOf(entry, 'prefix') ?? '', entry.argument] as const,
  );
  return new Map([[argumentOf(own, 'prefix') ?? '', module], ...imports]);
}

function addAll(
  work: Work,
  into: Map<string, SchemaNode>,
  above: YangStatement,
  place: Place,
  config: boolean,
  depth: number,
): void {
  for (const statement of above.statements) {
    if (!DATA.includes(statement.keyword)) continue;
    if (depth > CODEC_LIMITS.yangDepth || ++work.nodes > CODEC_LIMITS.yangNodes) return;
    const denied = place.denied || isDenied(statement, place);
    const inner = { ...place, scope: [statement, ...place.scope], denied };
    if (statement.keyword === 'choice' || statement.keyword === 'case') {
      const names = work.choices.get(into) ?? new Set();
      work.choices.set(into, names.add(`${place.owner}:${statement.argument}`));
      addAll(work, into, statement, inner, config, depth + 1);
    } else if (statement.keyword === 'uses') addGrouping(work, into, statement, place, config, depth + 1);
    else into.set(`${place.owner}:${statement.argument}`, nodeOf(work, statement, inner, config, depth));
  }
}

function addNotifications(work: Work, into: Map<string, SchemaNode>, part: YangStatement, place: Place): void {
  for (const statement of statementsOf(part, 'notification')) {
    if (++work.nodes > CODEC_LIMITS.yangNodes) return;
    const denied = place.denied || isDenied(statement, place);
    const inner = { ...place, scope: [statement, ...place.scope], denied };
    into.set(`${place.owner}:${statement.argument}`, nodeOf(work, statement, inner, false, 0));
  }
}

function nodeOf(work: Work, statement: YangStatement, place: Place, above: boolean, depth: number): SchemaNode {
  const { keyword } = statement;
  const kind = KINDS[keyword] ?? (keyword as SchemaNode['kind']);
  const config = above && argumentOf(statement, 'config') !== 'false';
  const type = statementsOf(statement, 'type')[0];
  const children = new Map<string, SchemaNode>();
  const keys = argumentOf(statement, 'key')?.trim().split(/\s+/) ?? [];
  addAll(work, children, statement, place, config, depth + 1);
  const forms = type === undefined ? [] : formsOf(work, type, place, 0);
  return {
    kind,
    module: place.owner,
    name: statement.argument,
    keys: keys.map(local),
    forms,
    config,
    denied: place.denied,
    children,
  };
}

function isDenied(statement: YangStatement, { module, part }: Pick<Place, 'module' | 'part'>): boolean {
  return statement.statements.some(({ keyword }) => {
    if (!keyword.endsWith(':default-deny-all')) return false;
    return module.prefixes.get(part)?.get(keyword.split(':')[0]!) === 'ietf-netconf-acm';
  });
}

function addGrouping(
  work: Work,
  into: Map<string, SchemaNode>,
  uses: YangStatement,
  place: Place,
  config: boolean,
  depth: number,
): void {
  const found = definitionOf(work, 'grouping', uses.argument, place);
  if (found === undefined) return;
  // Names inside a grouping mean what they mean where it is defined; its nodes belong to the module that uses it.
  const denied = place.denied || isDenied(found.statement, found.place);
  addAll(work, into, found.statement, { ...found.place, owner: place.owner, denied }, config, depth);
  for (const augment of statementsOf(uses, 'augment')) {
    const target = descend(work, into, stepsOf(augment.argument, place, place.owner));
    if (target !== undefined)
      addAll(work, target.children, augment, augmenting(place, augment, target), target.config, depth);
  }
}

function augmenting(place: Place, augment: YangStatement, target: SchemaNode): Place {
  return { ...place, denied: place.denied || target.denied || isDenied(augment, place) };
}

/** Augments of augments need their target first: repeated until nothing new is found, at most as often as statements nest. */
function augmentAll(work: Work, ...trees: readonly Map<string, SchemaNode>[]): void {
  const waiting = [...work.modules.values()].flatMap((module) =>
    module.parts.flatMap((part) =>
      statementsOf(part, 'augment').map((statement) => {
        const place = placeOf(module, part);
        return { statement, place, steps: stepsOf(statement.argument, place, '') };
      }),
    ),
  );
  for (let left = waiting, before = -1, pass = 0; left.length !== before && pass < CODEC_LIMITS.yangDepth; pass++) {
    before = left.length;
    left = left.filter(({ statement, place, steps }) => {
      const targets = trees.map((tree) => descend(work, tree, steps));
      const target = targets.find((found) => found !== undefined);
      if (target === undefined) return true;
      addAll(work, target.children, statement, augmenting(place, statement, target), target.config, 0);
      return false;
    });
  }
}

type Step = { readonly key: string; readonly name: string };

function stepsOf(path: string, place: Place, implied: string): readonly Step[] {
  return path
    .split('/')
    .filter((text) => text !== '')
    .map((step) => {
      const [prefix, name] = step.includes(':') ? (step.split(':') as [string, string]) : ['', step];
      const module = prefix === '' ? implied || place.module.name : place.module.prefixes.get(place.part)?.get(prefix);
      return { key: `${module}:${name}`, name };
    });
}

/** The node under a schema path; choices and cases are passed over. Undefined while a step of it is not there (yet). */
function descend(work: Work, from: Map<string, SchemaNode>, steps: readonly Step[]): SchemaNode | undefined {
  let children = from;
  let node: SchemaNode | undefined;
  for (const { key, name } of steps) {
    if (!mayLookUp(work)) return undefined;
    const next = children.get(key);
    if (next === undefined) {
      // A short case has the name of its one node, which then stands twice in the path.
      if (work.choices.get(children)?.has(key) || node?.name === name) continue;
      return undefined;
    }
    node = next;
    children = next.children;
  }
  return node;
}

type Found = { readonly statement: YangStatement; readonly place: Place };

/** A grouping or typedef, by name or `prefix:name`, from the inside out, then in the module's other parts. */
function definitionOf(work: Work, keyword: string, name: string, place: Place): Found | undefined {
  const [prefix, plain] = name.includes(':') ? (name.split(':') as [string, string]) : ['', name];
  const module = prefix === '' ? place.module.name : place.module.prefixes.get(place.part)?.get(prefix);
  const below = (statement: YangStatement) => definedIn(work, statement).get(`${keyword} ${plain}`);
  if (module === place.module.name) {
    for (const [index, statement] of place.scope.entries()) {
      if (!mayLookUp(work)) return undefined;
      const found = below(statement);
      if (found !== undefined)
        return { statement: found, place: { ...place, scope: [found, ...place.scope.slice(index)] } };
    }
  }
  const other = work.modules.get(module ?? '');
  for (const part of other?.parts ?? []) {
    if (!mayLookUp(work)) return undefined;
    const found = below(part);
    if (found !== undefined)
      return { statement: found, place: { ...placeOf(other!, part), scope: [found, part], owner: place.owner } };
  }
  return undefined;
}

function mayLookUp(work: Work): boolean {
  return ++work.steps <= CODEC_LIMITS.yangSteps;
}

/** The first of each name. */
function definedIn(work: Work, statement: YangStatement): ReadonlyMap<string, YangStatement> {
  const known = work.definitions.get(statement);
  if (known !== undefined) return known;
  const found = statementsOf(statement, 'grouping', 'typedef').toReversed();
  const made = new Map(found.map((each) => [`${each.keyword} ${each.argument}`, each]));
  work.definitions.set(statement, made);
  return made;
}

/** Each form once. */
function formsOf(work: Work, type: YangStatement, place: Place, depth: number): readonly LeafForm[] {
  const known = work.forms.get(type);
  if (known !== undefined) return known;
  const found = depth > CODEC_LIMITS.yangDepth || !mayLookUp(work) ? undefined : readForms(work, type, place, depth);
  if (found === undefined) return ['string'];
  work.forms.set(type, found);
  return found;
}

function readForms(work: Work, type: YangStatement, place: Place, depth: number): readonly LeafForm[] {
  const name = type.argument;
  if (NUMBERS.has(name)) return ['number'];
  if (name === 'boolean' || name === 'empty') return [name];
  if (name === 'identityref') return ['identity'];
  if (name === 'union')
    return [...new Set(statementsOf(type, 'type').flatMap((member) => formsOf(work, member, place, depth + 1)))];
  const found = definitionOf(work, 'typedef', name, place);
  const inner = found === undefined ? undefined : statementsOf(found.statement, 'type')[0];
  return inner === undefined ? ['string'] : formsOf(work, inner, found!.place, depth + 1);
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
