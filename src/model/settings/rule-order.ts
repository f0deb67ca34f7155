// Whether rules of a packet filter that were all there before stand in another order: a permission behind a rule that drops lets less through. Rules that
// come or go are changes of their own, and so are words that differ. Pure.
import type { RememberedRule } from '../wire/filter-rule.ts';
import type { SettingRow } from './setting-row.ts';

type Rows = readonly SettingRow[];

/** Of two readings of the same settings. What a row has no data of is in no order that is known. */
export function orderOf(was: Rows, is: Rows): (old: SettingRow, row: SettingRow) => boolean {
  const before = rulesByTable(was);
  const after = rulesByTable(is);
  return (old, row) => {
    if (old.rules === undefined || row.rules === undefined) return false;
    const [one, other] = [old.rules, row.rules].map((rules) => rules.map(keyOf));
    if (one!.join() === other!.join()) return false;
    const [had, has] = [before().get(tableOf(row)), after().get(tableOf(row))];
    const isStanding = (rule: RememberedRule) => had?.has(keyOf(rule)) === true && has?.has(keyOf(rule)) === true;
    return inOrder(old.rules.filter(isStanding)) !== inOrder(row.rules.filter(isStanding));
  };
}

/** Read only where rules of a row are others than before. */
function rulesByTable(rows: Rows): () => ReadonlyMap<string, ReadonlySet<string>> {
  let tables: Map<string, Set<string>> | undefined;
  return () => {
    if (tables !== undefined) return tables;
    tables = new Map();
    for (const row of rows) {
      const rules = tables.get(tableOf(row)) ?? new Set();
      for (const rule of row.rules ?? []) rules.add(keyOf(rule));
      tables.set(tableOf(row), rules);
    }
    return tables;
  };
}

/** Family and table: without the chain, from which others may be reached. */
function tableOf({ subject }: SettingRow): string {
  return subject.slice(0, subject.lastIndexOf(' '));
}

/** Among neighbours that do the same the order makes no difference. */
function inOrder(rules: readonly RememberedRule[]): string {
  const runs: { does: string; keys: string[] }[] = [];
  for (const rule of rules) {
    const does = rule.verdict === 'reject' ? 'drop ' : `${rule.verdict} ${rule.ends ?? ''}`;
    const last = runs.at(-1);
    if (last?.does === does) last.keys.push(keyOf(rule));
    else runs.push({ does, keys: [keyOf(rule)] });
  }
  return JSON.stringify(runs.map(({ keys }) => keys.sort()));
}

function keyOf({ verdict, ends, path, inInterfaces, outInterfaces, matches, matchesRest }: RememberedRule): string {
  const demands = matches.map(({ field, values, negated }) => [field, values, negated]);
  return JSON.stringify([verdict, ends, path, inInterfaces, outInterfaces, demands, matchesRest]);
}
