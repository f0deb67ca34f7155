// Who may do what here [NET-16], in the manner of RFC 8341: rule lists for groups, rules by tool, resource and YANG path, the first
// match decides, then the defaults. Differs from the RFC in one default: `exec` is denied, since a tool is a remote procedure.
// Pure: it is asked before any tool or resource runs (mcp/catalog/catalog.ts), for what a change touches and for what a read shows (network/).
import type { Party, Role } from './identity.ts';
import { canonicalUri, sameKey } from './router/key-spelling.ts';
import { LIST_KEYS, type PathStep } from './router/yang-path.ts';

export const ACCESS_OPERATIONS = ['read', 'create', 'update', 'delete', 'exec'] as const;
export type AccessOperation = (typeof ACCESS_OPERATIONS)[number];

/** `read` changes nothing; `probe` sends bounded traffic; `write` changes the device and needs consent. */
export type Mutability = 'read' | 'probe' | 'write';

/** One element of what a call reads or changes. */
export type Touch = {
  /** One of them must be permitted. */
  readonly operations: readonly AccessOperation[];
  /** Its YANG paths, one for each module that has it; none: something that has no path. */
  readonly names: readonly (readonly PathStep[])[];
  /** As the caller wrote it, for a refusal. */
  readonly path: string;
};

/** `data` without steps is something that changes and has no YANG path. */
export type AccessTarget =
  | { readonly kind: 'tool'; readonly name: string; readonly mutability: Mutability }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'data'; readonly steps: readonly PathStep[] | undefined };

/** Members that are absent match everything; of `tool`, `class`, `resource` and `module`/`path` a rule has one kind at most. */
export type AccessRule = {
  readonly name: string;
  readonly action: 'permit' | 'deny';
  readonly operations: readonly AccessOperation[];
  /** A name, or its beginning and `*`. */
  readonly tool?: string;
  readonly class?: Mutability;
  /** A URI, or its beginning and `*`. */
  readonly resource?: string;
  readonly module?: string;
  /** The node and everything below it; a list without keys means all of its entries. */
  readonly path?: readonly PathStep[];
};

/** Groups: a role, `node`, `controller`, one party as `operator/alice`, or `*`. */
export type RuleList = {
  readonly name: string;
  readonly groups: readonly string[];
  readonly rules: readonly AccessRule[];
};

export type AccessSettings = {
  /** Operator's name → role; wins over the certificate. */
  readonly roles: Readonly<Record<string, Role>>;
  /** Asked before the built-in ones. */
  readonly lists: readonly RuleList[];
  readonly defaults: { readonly read: Action; readonly write: Action; readonly exec: Action };
};
type Action = AccessRule['action'];

/** What was decided, and by what: `rule bgp of list noc`, `the default for exec`. `named`: the rule names this very target. */
export type Ruling = {
  readonly permit: boolean;
  readonly by: string;
  readonly named: boolean;
  readonly isDefault: boolean;
};

export type Access = {
  /** undefined for nodes and controllers. */
  roleOf(party: Party): Role | undefined;
  rule(party: Party, operation: AccessOperation, target: AccessTarget): Ruling;
  /** True when some YANG data is hidden from this party: what cannot be held against the paths must then be kept back as well. */
  hidesData(party: Party): boolean;
};

export const DEFAULT_ACCESS: AccessSettings = {
  roles: {},
  lists: [],
  defaults: { read: 'permit', write: 'deny', exec: 'deny' },
};

const EVERY = ACCESS_OPERATIONS;

/** Asked after the operator's own lists. Nodes are bound by their negotiated capabilities besides (TS-14). */
const BUILT_IN_LISTS: readonly RuleList[] = [
  { name: 'admins', groups: ['admin'], rules: [{ name: 'everything', action: 'permit', operations: EVERY }] },
  {
    name: 'operators',
    groups: ['operator'],
    rules: [
      { name: 'reading-tools', action: 'permit', operations: ['exec'], class: 'read' },
      { name: 'probing-tools', action: 'permit', operations: ['exec'], class: 'probe' },
    ],
  },
  {
    name: 'observers',
    groups: ['observer'],
    rules: [{ name: 'reading-tools', action: 'permit', operations: ['exec'], class: 'read' }],
  },
  {
    name: 'machines',
    groups: ['node', 'controller'],
    rules: [
      { name: 'changing-tools', action: 'deny', operations: ['exec'], class: 'write' },
      { name: 'other-tools', action: 'permit', operations: ['exec'] },
      { name: 'reading', action: 'permit', operations: ['read'] },
    ],
  },
];

export function createAccess(settings: AccessSettings = DEFAULT_ACCESS): Access {
  const lists = [...settings.lists, ...BUILT_IN_LISTS];
  const roleOf = (party: Party): Role | undefined =>
    party.kind === 'operator' ? (own(settings.roles, party.name) ?? party.role ?? 'operator') : undefined;
  const listsOf = (party: Party) => {
    const groups = [roleOf(party) ?? party.kind, `${party.kind}/${party.name}`, '*'];
    return lists.filter((list) => list.groups.some((group) => groups.includes(group)));
  };
  return {
    roleOf,
    rule(party, operation, target) {
      for (const list of listsOf(party)) {
        const rule = list.rules.find((entry) => matches(entry, operation, target));
        if (rule === undefined) continue;
        const named = isNamed(rule.tool) || isNamed(rule.resource) || rule.path !== undefined;
        return {
          permit: rule.action === 'permit',
          by: `rule ${rule.name} of list ${list.name}`,
          named,
          isDefault: false,
        };
      }
      const kind = operation === 'read' || operation === 'exec' ? operation : 'write';
      return {
        permit: settings.defaults[kind] === 'permit',
        by: `the default for ${kind}`,
        named: false,
        isDefault: true,
      };
    },
    hidesData: (party) =>
      (settings.defaults.read === 'deny' && roleOf(party) !== 'admin' && party.kind === 'operator') ||
      listsOf(party).some((list) => list.rules.some(hides)),
  };
}

/** Why a party may not do this to something with several names: one denied name denies, one permitted name permits. */
export function touchRefusal(access: Access, party: Party, touch: Touch): Ruling | undefined {
  const targets = touch.names.length === 0 ? [undefined] : touch.names;
  let refusal: Ruling | undefined;
  for (const operation of touch.operations) {
    const rulings = targets.map((steps) => access.rule(party, operation, { kind: 'data', steps }));
    const denied = rulings.find(({ permit, isDefault }) => !permit && !isDefault);
    if (denied === undefined && rulings.some(({ permit }) => permit)) return undefined;
    refusal = denied ?? rulings[0];
  }
  return refusal;
}

export function denialText(access: Access, party: Party, operation: string, { by }: Ruling): string {
  return `${access.roleOf(party) ?? party.kind} may not ${operation} this, by ${by}`;
}

function own(roles: AccessSettings['roles'], name: string): Role | undefined {
  return Object.hasOwn(roles, name) ? roles[name] : undefined;
}

/** A rule without a kind is about everything, data included. */
function hides({ action, operations, tool, class: kind, resource }: AccessRule): boolean {
  return action === 'deny' && operations.includes('read') && (tool ?? kind ?? resource) === undefined;
}

function isNamed(pattern: string | undefined): boolean {
  return pattern !== undefined && pattern !== '*';
}

function matches(rule: AccessRule, operation: AccessOperation, target: AccessTarget): boolean {
  if (!rule.operations.includes(operation)) return false;
  const ofData = rule.module !== undefined || rule.path !== undefined;
  const ofTool = rule.tool !== undefined || rule.class !== undefined;
  const ofResource = rule.resource !== undefined;
  switch (target.kind) {
    case 'tool':
      if (ofData || ofResource) return false;
      return fits(rule.tool, target.name) && (rule.class === undefined || rule.class === target.mutability);
    case 'resource':
      return !ofData && !ofTool && fitsUri(rule, target.uri);
    case 'data':
      return !ofTool && !ofResource && (!ofData || matchesData(rule, operation, target.steps));
  }
}

function fits(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined) return true;
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
}

function fitsUri({ resource, action }: AccessRule, uri: string): boolean {
  const spelling = (text: string) => canonicalUri(text, action === 'deny');
  return fits(resource === undefined ? undefined : spelling(resource), spelling(uri));
}

/** What has no path cannot be shown to lie outside a denied one, nor inside a permitted one. */
function matchesData(rule: AccessRule, operation: AccessOperation, steps: readonly PathStep[] | undefined): boolean {
  if (steps === undefined) return rule.action === 'deny';
  if (rule.module !== undefined && rule.module !== '*' && rule.module !== steps[0]?.module) return false;
  // Of a list as a whole a read leaves out the denied entries; a change of all entries is a change of the denied one.
  const unkeyed = rule.action === 'deny' && operation !== 'read';
  let module: string | undefined;
  let ruleModule: string | undefined;
  for (const [index, wanted] of (rule.path ?? []).entries()) {
    const step = steps[index];
    if (step === undefined) return false;
    module = step.module ?? module;
    ruleModule = wanted.module ?? ruleModule;
    if (step.name !== wanted.name || module !== ruleModule || !sameEntry(wanted, step, unkeyed)) return false;
  }
  return true;
}

/** `unkeyed`: what a list that is named without keys counts as. */
function sameEntry(wanted: PathStep, step: PathStep, unkeyed: boolean): boolean {
  const keys = keysOf(wanted);
  const given = keysOf(step);
  if (keys.length === 0) return true;
  if (given.length === 0) return unkeyed;
  return keys.every(([name, value]) => {
    const found = given.find((entry) => entry[0] === name || bare(entry[0]) === bare(name));
    return found === undefined ? unkeyed : sameKey(found[0], found[1], value);
  });
}

/** By name; positions take the names of the list's keys. */
function keysOf(step: PathStep): readonly (readonly [string, string])[] {
  if (!Array.isArray(step.keys)) return Object.entries(step.keys);
  const names = LIST_KEYS[step.name] ?? [];
  return step.keys.map((value: string, index) => [names[index] ?? String(index), value] as const);
}

function bare(name: string): string {
  return name.split(':').at(-1)!;
}
