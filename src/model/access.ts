// Who may do what here [NET-16], in the manner of RFC 8341: rule lists for groups, rules by tool, resource and YANG path, the first
// match decides, then the defaults. Differs from the RFC in one default: `exec` is denied, since a tool is a remote procedure.
// Pure: it is asked before any tool or resource runs (mcp/catalog/catalog.ts), for what a change touches and for what a read shows (network/).

import type { Party, Role } from './identity.ts';
import { fits, fitsUri, placeOf } from './rights/access-match.ts';
import type { TokenGrant } from './rights/token-scope.ts';
import type { PathStep } from './router/yang-path.ts';

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
  /** Groups whose certificate alone permits nothing: each call needs an access token (TS-29). */
  readonly tokensRequired?: readonly string[];
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
  /** Whether a party belongs to one of these groups. */
  isOf(party: Party, groups: readonly string[]): boolean;
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
  const groupsOf = (party: Party) => [roleOf(party) ?? party.kind, `${party.kind}/${party.name}`, '*'];
  const listsOf = (party: Party) => {
    const groups = groupsOf(party);
    return lists.filter((list) => list.groups.some((group) => groups.includes(group)));
  };
  const ruleOf = (party: Party, operation: AccessOperation, target: AccessTarget): Ruling => {
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
  };
  const hidden = (party: Party) =>
    (settings.defaults.read === 'deny' && roleOf(party) !== 'admin' && party.kind === 'operator') ||
    listsOf(party).some((list) => list.rules.some(hides));
  const isOf: Access['isOf'] = (party, groups) => groupsOf(party).some((group) => groups.includes(group));
  return {
    roleOf,
    isOf,
    rule(party, operation, target) {
      const ruling = ruleOf(party, operation, target);
      const { token } = party;
      if (!ruling.permit) return ruling;
      if (token === undefined) {
        const needed = party.isBehind !== true && isOf(party, settings.tokensRequired ?? []);
        return needed ? { permit: false, by: NEEDS_TOKEN, named: false, isDefault: false } : ruling;
      }
      // The certificate, what tokens of this issuer count for here, and the token's own scopes: the weakest decides (TS-29).
      const bounded = upTo(party, token);
      const ceiling = ruleOf(bounded, operation, target);
      if (!ceiling.permit) return { ...ceiling, by: `${ceiling.by}, which bounds tokens of ${token.issuer}` };
      const narrowed = tokenRuling(token, operation, target);
      if (!narrowed.permit) return narrowed;
      // What shows data unfiltered must be named by everything that hides data.
      const named =
        (!hidden(party) || ruling.named) && (!hidden(bounded) || ceiling.named) && (!isOfData(token) || narrowed.named);
      return { ...ruling, named };
    },
    hidesData: (party) =>
      hidden(party) || (party.token !== undefined && (isOfData(party.token) || hidden(upTo(party, party.token)))),
  };
}

const NEEDS_TOKEN = 'tokens.required: its certificate alone permits nothing, and the call came without an access token';

/** No certificate carries an `@`: rules may name `operator/token@ISSUER`, and fit no other party by it. */
function upTo({ domain }: Party, { issuer, ceiling }: TokenGrant): Party {
  return { kind: 'operator', domain, name: `token@${issuer}`, role: ceiling };
}

function isOfData({ scopes }: TokenGrant): boolean {
  return scopes.some(({ kind }) => kind === 'data');
}

/** Tools and resources: those that scopes name; where only subtrees are named, what reads or changes data. Data: the named subtrees, else all. */
export function tokenRuling(token: TokenGrant, operation: AccessOperation, target: AccessTarget): Ruling {
  const denied = (by: string): Ruling => ({ permit: false, by, named: false, isDefault: true });
  if (!token.isInForce()) return { ...denied('the end of the access token'), isDefault: false };
  const { permit, named } = coverage(token, operation, target);
  return permit
    ? { permit, by: 'the access token', named, isDefault: false }
    : denied(`the scope of the access token ${token.id}`);
}

function coverage(
  { scopes }: TokenGrant,
  operation: AccessOperation,
  target: AccessTarget,
): { readonly permit: boolean; readonly named: boolean } {
  const data = scopes.filter((scope) => scope.kind === 'data');
  const writes = operation !== 'read' && operation !== 'exec';
  const ofUse = (write: boolean) => data.some(({ use }) => !write || use === 'write');
  switch (target.kind) {
    case 'tool': {
      const named = scopes.some((scope) => scope.kind === 'tool' && fits(scope.name, target.name));
      const tools = scopes.filter(({ kind }) => kind === 'tool' || kind === 'class');
      const ofClass = tools.some((scope) => scope.kind === 'class' && scope.mutability === target.mutability);
      const byData = tools.length === 0 && target.mutability !== 'probe' && ofUse(target.mutability === 'write');
      return { permit: named || ofClass || byData, named };
    }
    case 'resource': {
      const resources = scopes.filter((scope) => scope.kind === 'resource');
      const named = resources.some(({ uri }) => fitsUri(uri, target.uri, false));
      const reads = scopes.some((scope) => scope.kind === 'class' && scope.mutability === (writes ? 'write' : 'read'));
      return { permit: named || (resources.length === 0 && (reads || ofUse(writes))), named };
    }
    case 'data': {
      if (data.length === 0) return { permit: true, named: false };
      const steps = target.steps;
      const covers = data.some(({ use, path }) => {
        if (steps === undefined || (writes && use !== 'write')) return false;
        const place = placeOf(path, steps, false);
        // What is above is read as far as it leads there: its other members are left out one by one.
        return place === 'within' || (place === 'above' && !writes);
      });
      return { permit: covers, named: covers };
    }
  }
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
      return !ofData && !ofTool && fitsUri(rule.resource, target.uri, rule.action === 'deny');
    case 'data':
      return !ofTool && !ofResource && (!ofData || matchesData(rule, operation, target.steps));
  }
}

/** What has no path cannot be shown to lie outside a denied one, nor inside a permitted one. */
function matchesData(rule: AccessRule, operation: AccessOperation, steps: readonly PathStep[] | undefined): boolean {
  if (steps === undefined) return rule.action === 'deny';
  if (rule.module !== undefined && rule.module !== '*' && rule.module !== steps[0]?.module) return false;
  // Of a list as a whole a read leaves out the denied entries; a change of all entries is a change of the denied one.
  const unkeyed = rule.action === 'deny' && operation !== 'read';
  return placeOf(rule.path ?? [], steps, unkeyed) === 'within';
}
