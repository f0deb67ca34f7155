// The closed set of configuration statements that may be set or removed here. Each has a form for its value, so that nothing
// but configuration can be written: no `log file`, no `do`, no `write`, no shell. What is not listed may stay but not change.
import { bad, ok, type Result } from '#base/result.ts';

export type Statement = {
  /** The words before the value. */
  readonly words: string;
  readonly value?: RegExp;
  /** Several may stand side by side, told apart by their values. */
  readonly many?: true;
  /** So many words of the value belong to what the statement is about; the rest is what it says. */
  readonly about?: number;
};

const NUMBER = /^\d{1,10}$/;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,62}$/;
const KEY = /^(clear|md5) [!-~]{1,64}$/;
const IP4 = String.raw`\d{1,3}(?:\.\d{1,3}){3}`;
const IP6 = '[0-9A-Fa-f:.]{2,45}';
const IFNAME = '[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14}';
const ROUTE_END = `(?:${IP4}|${IP6}|${IFNAME}|blackhole|reject|Null0)(?: ${IFNAME})?(?: tag \\d{1,10})?(?: \\d{1,3})?`;
const TEXT = /^[ -~]{1,200}$/;
const LEVELS = /^\d{1,8}( level-[12])?$/;

const TOP: readonly Statement[] = [
  { words: 'ip route', value: new RegExp(`^${IP4}/\\d{1,2} ${ROUTE_END}$`), many: true },
  { words: 'ipv6 route', value: new RegExp(`^${IP6}/\\d{1,3} ${ROUTE_END}$`), many: true },
];

const INTERFACE: readonly Statement[] = [
  { words: 'description', value: TEXT },
  { words: 'shutdown' },
  { words: 'ip address', value: new RegExp(`^${IP4}/\\d{1,2}$`), many: true },
  { words: 'ipv6 address', value: new RegExp(`^${IP6}/\\d{1,3}$`), many: true },
  { words: 'ip router isis', value: NAME },
  { words: 'ipv6 router isis', value: NAME },
  { words: 'isis bfd' },
  { words: 'isis circuit-type', value: /^level-(1|1-2|2-only)$/ },
  { words: 'isis hello-interval', value: LEVELS },
  { words: 'isis hello-multiplier', value: LEVELS },
  { words: 'isis metric', value: LEVELS },
  { words: 'isis network point-to-point' },
  { words: 'isis passive' },
  { words: 'isis password', value: KEY },
  { words: 'ip ospf area', value: new RegExp(`^(?:${NUMBER.source.slice(1, -1)}|${IP4})$`) },
  { words: 'ip ospf dead-interval', value: /^\d{1,5}$/ },
  { words: 'ip ospf hello-interval', value: /^\d{1,5}$/ },
  { words: 'ip ospf passive' },
  { words: 'ipv6 ospf6 area', value: new RegExp(`^(?:${NUMBER.source.slice(1, -1)}|${IP4})$`) },
  { words: 'ipv6 ospf6 dead-interval', value: /^\d{1,5}$/ },
  { words: 'ipv6 ospf6 hello-interval', value: /^\d{1,5}$/ },
  { words: 'ipv6 ospf6 passive' },
];

const ISIS: readonly Statement[] = [
  { words: 'area-password', value: KEY },
  { words: 'domain-password', value: KEY },
  { words: 'is-type', value: /^level-(1|1-2|2-only)$/ },
  { words: 'metric-style', value: /^(narrow|transition|wide)$/ },
  { words: 'log-adjacency-changes' },
  { words: 'set-overload-bit' },
  { words: 'redistribute ipv4', value: /^(connected|static|bgp) level-[12]$/, many: true },
  { words: 'redistribute ipv6', value: /^(connected|static|bgp) level-[12]$/, many: true },
];

const BGP: readonly Statement[] = [
  { words: 'bgp router-id', value: new RegExp(`^${IP4}$`) },
  {
    words: 'neighbor',
    value: new RegExp(
      `^(?:${IP4}|${IP6}) (?:remote-as ${NUMBER.source.slice(1, -1)}|shutdown|bfd|description [ -~]{1,80}|password [!-~]{1,64})$`,
    ),
    about: 2,
  },
];

const BGP_HEAD = /^router bgp \d{1,10}$/;

/** Below `address-family ipv4 unicast` and the like of `router bgp`. */
const BGP_FAMILY: readonly Statement[] = [
  { words: 'network', value: new RegExp(`^(?:${IP4}/\\d{1,2}|${IP6}/\\d{1,3})$`), many: true },
];

const CONTEXTS: readonly { readonly head: RegExp; readonly statements: readonly Statement[] }[] = [
  { head: new RegExp(`^interface ${IFNAME}$`), statements: INTERFACE },
  { head: /^router isis [A-Za-z0-9_.-]{1,64}$/, statements: ISIS },
  { head: BGP_HEAD, statements: BGP },
];

const FAMILY_HEAD = /^address-family ipv[46] unicast$/;

/** Whether `line` opens a family below `head`, whose lines may be written. */
export function isFamily(head: string, line: string): boolean {
  return BGP_HEAD.test(head) && FAMILY_HEAD.test(line);
}

/** A line of a family as a statement that may be configured there. */
export function matchFamilyStatement(line: string): Result<string> {
  return matchAmong(BGP_FAMILY, line) === undefined
    ? bad('expected a statement that may be configured below "address-family"')
    : ok(line);
}

/** True when lines may be written below `head`; the empty text is the top level. */
export function isContext(head: string): boolean {
  return head === '' || CONTEXTS.some((context) => context.head.test(head));
}

/** A line of `context` as a statement with its value; bad when it is not in the closed set. */
export function matchStatement(
  context: string,
  line: string,
): Result<{ readonly statement: Statement; readonly value: string }> {
  const statements = context === '' ? TOP : (CONTEXTS.find(({ head }) => head.test(context))?.statements ?? []);
  const matched = matchAmong(statements, line);
  if (matched !== undefined) return ok(matched);
  return bad(`expected a statement that may be configured${context === '' ? '' : ` below "${context}"`}`);
}

function matchAmong(
  statements: readonly Statement[],
  line: string,
): { readonly statement: Statement; readonly value: string } | undefined {
  for (const statement of statements) {
    if (statement.value === undefined) {
      if (line === statement.words) return { statement, value: '' };
      continue;
    }
    if (!line.startsWith(`${statement.words} `)) continue;
    const value = line.slice(statement.words.length + 1);
    if (statement.value.test(value)) return { statement, value };
  }
  return undefined;
}

/** What a line is about: two lines of one subject cannot stand side by side. */
export function subjectOf(statement: Statement, value: string): string {
  if (statement.many === true) return `${statement.words} ${value}`;
  return [statement.words, ...value.split(' ').slice(0, statement.about ?? 0)].join(' ');
}

/** The statement that `no <words>` names without its value: only where there can be but one. */
export function matchWords(context: string, words: string): Statement | undefined {
  const statements = context === '' ? TOP : (CONTEXTS.find(({ head }) => head.test(context))?.statements ?? []);
  return statements.find(
    (statement) => statement.words === words && statement.many !== true && statement.about === undefined,
  );
}
