// What an nftables rule says, as a digest that names it across processes: the driver puts it into evidence, the configuration helper compares it
// before it deletes. A handle alone names whatever has it by then. Counters are not part of it; a comment is.
import { createHash } from 'node:crypto';
import type { JsonObject } from '#base/json.ts';
import { type NftRule, ruleKey } from './nft-rules.ts';

/** SHA-256, lower-case hex, of a rule as `nft --json` prints it. */
export function ruleSha256({ comment, expr }: Pick<NftRule, 'comment' | 'expr'>): string {
  const named = comment === undefined ? {} : { comment };
  return createHash('sha256')
    .update(ruleKey({ handle: 0, ...named, expr }))
    .digest('hex');
}

/** The same of one object of a listing. */
export function listedRuleSha256(rule: JsonObject): string {
  const { comment, expr } = rule;
  return ruleSha256({ ...(typeof comment === 'string' ? { comment } : {}), expr: Array.isArray(expr) ? expr : [] });
}
