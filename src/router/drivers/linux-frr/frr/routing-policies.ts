// Named routing policies in FRR's running configuration: route maps, prefix lists, lists of AS paths and communities. Of each what it does, in a
// few words that are equal exactly if its statements are. Pure.
import { createHash } from 'node:crypto';
import { MODEL_LIMITS } from '#model/limits.ts';
import type { BgpPolicy } from '#model/router/control-plane.ts';
import type { Block } from '../../../config/text.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

/** Heads of one statement of a policy: its kind, its name, what is left of the statement. */
const STATEMENTS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['route-map', /^route-map (\S+) ((?:permit|deny) \d+)$/],
  ['prefix-list', /^ip(?:v6)? prefix-list (\S+) (?:seq )?(.+)$/],
  ['as-path access-list', /^bgp as-path access-list (\S+) (?:seq )?(.+)$/],
  ['community-list', /^bgp (?:large-|ext)?community-list (?:standard |expanded )?(\S+) (?:seq )?(.+)$/],
  ['access-list', /^(?:ip(?:v6)? )?access-list (\S+) (?:seq )?(.+)$/],
];
const DIGEST_CHARS = 8;

/** By kind and name, as `route-map ADVERTISE`; undefined where there are more than a state holds, so that none looks as if it had been removed. */
export function policiesOf(blocks: readonly Block[]): readonly BgpPolicy[] | undefined {
  const statements = new Map<string, string[]>();
  const shared = namesOfBothFamilies(blocks);
  for (const { head, lines } of blocks)
    for (const [kind, pattern] of STATEMENTS) {
      const [, name, rest] = pattern.exec(head) ?? [];
      if (name === undefined || rest === undefined || rest.startsWith('description ')) continue;
      const key = `${kind} ${name}`;
      const own = shared.has(name) ? withFamily(head, rest) : rest;
      const said = lines.filter((line) => !line.startsWith('description ')).join(', ');
      statements.set(key, [...(statements.get(key) ?? []), said === '' ? own : `${own} (${said})`]);
      break;
    }
  if (statements.size > DRIVER_LIMITS.bgpPolicies) return undefined;
  const policies = [...statements].map(([name, list]) => ({ name, whole: list.join('; ') }));
  const isShort = policies.reduce((sum, { whole }) => sum + whole.length, 0) <= MODEL_LIMITS.policyChars;
  return policies.map(({ name, whole }) => {
    const content = bounded(whole);
    return { name, content, ...(content === whole || !isShort ? {} : { whole }) };
  });
}

/** Prefix lists of IPv4 and of IPv6 with one name have one entry. */
function namesOfBothFamilies(blocks: readonly Block[]): ReadonlySet<string> {
  const names = (family: string) =>
    new Set(blocks.flatMap(({ head }) => new RegExp(`^${family} prefix-list (\\S+) `).exec(head)?.[1] ?? []));
  return names('ip').intersection(names('ipv6'));
}

/** Whose an `any` is, its words do not tell. */
function withFamily(head: string, rest: string): string {
  return rest.replace(/ any$/, head.startsWith('ipv6 ') ? ' ::/0 le 128' : ' 0.0.0.0/0 le 32');
}

/** What is cut ends with the start of a digest of the whole, so that texts that differ behind the cut are not equal. */
function bounded(text: string): string {
  if (text.length <= MODEL_LIMITS.settingChars) return text;
  const tail = `… #${createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS)}`;
  return text.slice(0, MODEL_LIMITS.settingChars - tail.length) + tail;
}
