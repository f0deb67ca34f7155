// States of connections in rules of iptables-nft: nft gives the name of the match alone in its JSON, and what it demands in its text, which is
// read for that alone, rule by rule. Where a rule demands anything else of a connection, it stays as it is. Pure.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { textOf } from '../kernel/ip-command.ts';

/** Table and number of a rule → the match in the words of nft. */
type States = ReadonlyMap<string, JsonObject>;

/** `listed`: what `nft -a -t list ruleset` prints. */
export function withStates(objects: readonly JsonObject[], listed: string): readonly JsonObject[] {
  const states = statesIn(listed);
  if (states.size === 0) return objects;
  return objects.map((entry) => {
    const { rule } = entry;
    if (rule === undefined || !isJsonObject(rule) || !Array.isArray(rule['expr'])) return entry;
    const match = states.get(keyOf(textOf(rule['family']), textOf(rule['table']), rule['handle']));
    const expr = rule['expr'];
    if (match === undefined || expr.filter(isOfStates).length !== 1) return entry;
    return { ...entry, rule: { ...rule, expr: expr.map((each) => (isOfStates(each) ? { match } : each)) } };
  });
}

function isOfStates(statement: unknown): boolean {
  const xt = isJsonObject(statement) ? statement['xt'] : undefined;
  return isJsonObject(xt) && xt['type'] === 'match' && xt['name'] === 'conntrack';
}

function statesIn(listed: string): States {
  const states = new Map<string, JsonObject>();
  let [family, table]: (string | undefined)[] = [];
  for (const line of listed.split('\n')) {
    [, family, table] = /^table (\S+) (\S+) \{/.exec(line) ?? ['', family, table];
    const [, rule = '', handle] = /^\t\t(.*[^{]) # handle (\d+)$/.exec(line) ?? [];
    const match = handle === undefined ? undefined : stateIn(rule);
    if (match !== undefined) states.set(keyOf(family, table, Number(handle)), match);
  }
  return states;
}

/** Names of interfaces, comments, prefixes of log lines: they may have any words. nft writes a quote within them as it is. */
const QUOTED = /"[^"]*"/g;

/** Of a rule with one word about the connection alone, of which it is known what is quoted. */
function stateIn(rule: string): JsonObject | undefined {
  const words = rule.replaceAll(QUOTED, '""');
  const [, not, states] = /(?:^| )ct state (! )?([a-z]+(?:,[a-z]+)*) /.exec(words) ?? [];
  if (states === undefined || words.replaceAll('""', '').includes('"') || words.split(/(?:^| )ct /).length !== 2)
    return undefined;
  return { op: not === undefined ? 'in' : '!=', left: { ct: { key: 'state' } }, right: states.split(',') };
}

function keyOf(family: string | undefined, table: string | undefined, handle: unknown): string {
  return `${family} ${table} ${handle}`;
}
