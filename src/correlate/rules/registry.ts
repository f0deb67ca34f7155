// Every rule there is. Refuses two rules for one fault; docs/faults.md is generated from this table.
import { aclMisconfig } from './acl-misconfig.ts';
import { packetLoss } from './packet-loss.ts';
import { reflectorOverrun } from './reflector-overrun.ts';
import type { Rule } from './rule.ts';

export const RULES: readonly Rule[] = registered([packetLoss, aclMisconfig, reflectorOverrun]);

function registered(rules: readonly Rule[]): readonly Rule[] {
  const faults = new Set(rules.map((rule) => rule.fault));
  if (faults.size !== rules.length) throw new TypeError('two rules for one fault');
  return rules;
}
