// Rules of an nftables chain as nft's own JSON, and how one that was deleted comes back: at its place, with the counters it had when it was
// read. Pure. A rule with anything that the JSON does not carry whole is not restorable.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { RulePlace } from '#model/router/live-setting.ts';

export type NftRule = { readonly handle: number; readonly comment?: string; readonly expr: readonly JsonValue[] };
export type NftRules = readonly NftRule[];
export type DeletedRule = {
  readonly place: RulePlace;
  readonly rule: NftRule;
  readonly index: number;
  readonly alike: number;
};

/** What `nft --json list chain` prints. */
export function nftRulesOf(text: string): NftRules {
  const { nftables } = JSON.parse(text) as { readonly nftables: readonly JsonObject[] };
  return nftables.flatMap(({ rule }) => {
    if (rule === undefined || !isJsonObject(rule)) return [];
    const { handle, comment, expr } = rule;
    const named = typeof comment === 'string' ? { comment } : {};
    return [{ handle: Number(handle), ...named, expr: Array.isArray(expr) ? expr : [] }];
  });
}

/** Whether the chain is among what `nft --json list chains` prints. */
export function hasChain(text: string, { family, table, chain }: Omit<RulePlace, 'handle'>): boolean {
  const { nftables } = JSON.parse(text) as { readonly nftables: readonly JsonObject[] };
  return nftables.some(
    ({ chain: there }) =>
      isJsonObject(there) && there['family'] === family && there['table'] === table && there['name'] === chain,
  );
}

/** Two rules that say the same have the same key, whatever they have counted. */
export function ruleKey({ comment, expr }: NftRule): string {
  return JSON.stringify([comment ?? '', expr.map((each) => (isAnonymousCounter(each) ? { counter: null } : each))]);
}

/** Statements that come back exactly as they were, by nft 1.0.6. */
const STATEMENTS: ReadonlySet<string> = new Set(['match', 'counter', 'drop', 'reject']);

/** Why a rule could not be put back; undefined when it can. */
export function restorable({ expr }: NftRule): string | undefined {
  for (const each of expr) {
    const [word = ''] = isJsonObject(each) ? Object.keys(each) : [];
    if (!STATEMENTS.has(word)) return `it has the statement "${word}"`;
  }
  const denies = expr.some((each) => isJsonObject(each) && ('drop' in each || 'reject' in each));
  return denies ? undefined : 'it drops nothing';
}

/** Not deleted yet, or back already. */
export function isPresent({ rule, alike }: DeletedRule, there: NftRules): boolean {
  if (there.some((each) => each.handle === rule.handle && ruleKey(each) === ruleKey(rule))) return true;
  return there.filter((each) => ruleKey(each) === ruleKey(rule)).length >= alike;
}

/** One argument of `nft --json`: before the rule that has its place now, or at the end of a chain of `count` rules. */
export function restoringBatch({ place, rule, index }: DeletedRule, count: number): string {
  const { family, table, chain } = place;
  const body = {
    family,
    table,
    chain,
    ...(rule.comment === undefined ? {} : { comment: rule.comment }),
    expr: rule.expr,
  };
  const command = index < count ? { insert: { rule: { ...body, index } } } : { add: { rule: body } };
  return JSON.stringify({ nftables: [command] });
}

function isAnonymousCounter(expr: JsonValue): boolean {
  return isJsonObject(expr) && expr['counter'] !== undefined && typeof expr['counter'] !== 'string';
}
