// Questions as YAML or JSON: which members each kind has, and how it is read (TS-7a).
import type { JsonObject } from '#base/json.ts';
import type { IntentKind } from '#model/intent.ts';
import { pathOf } from './path.ts';
import type { Recognition } from './recognition.ts';
import { type Member, structured } from './structured.ts';

/** Without a time in a question about changes. */
const DAY_MS = 86_400_000;

const MEMBERS: Readonly<Record<Exclude<IntentKind, 'path-loss' | 'data'>, readonly Member[]>> = {
  'neighbour-down': ['protocol', 'neighbour'],
  'interface-fault': ['ifname'],
  reachability: ['from', 'destination', 'service', 'record'],
  fault: [],
  changes: [],
};
/** What happened, as a table: not among the kinds of questions about faults. */
const HISTORY_MEMBERS: readonly Member[] = ['ifname', 'neighbour', 'destination', 'until', 'when', 'link'];

const STRUCTURED_KINDS: readonly string[] = ['path-loss', 'history', ...Object.keys(MEMBERS)];

export function readStructure(value: JsonObject, text: string): Recognition {
  const kind = value['kind'];
  if (kind === 'path-loss') return pathLoss(value, text);
  if (kind === 'history') return history(value, text);
  const known = Object.keys(MEMBERS).find((each) => each === kind) as keyof typeof MEMBERS | undefined;
  if (known === undefined)
    return {
      ok: false,
      understood: [],
      problem: `a structure without a kind that is known (${STRUCTURED_KINDS.join(', ')})`,
    };
  const read = structured(known, value, text, MEMBERS[known]);
  return read.ok && known === 'changes' ? { ok: true, intent: { sinceMs: DAY_MS, ...read.intent } } : read;
}

function history(value: JsonObject, text: string): Recognition {
  const read = structured('data', value, text, HISTORY_MEMBERS);
  return read.ok ? { ok: true, intent: { sinceMs: DAY_MS, ...read.intent, topic: 'history' } } : read;
}

function pathLoss(value: JsonObject, text: string): Recognition {
  const refused = (problem: string): Recognition => ({ ok: false, understood: ['kind path-loss'], problem });
  const unknown = Object.keys(value).filter((key) => !['kind', 'path', 'encapsulation'].includes(key));
  if (unknown.length > 0) return refused(`unknown member ${unknown[0]}`);
  const path = pathOf(Array.isArray(value['path']) ? value['path'] : []);
  if (!path.ok) return refused(`path: ${path.reason}`);
  const encapsulation = value['encapsulation'] ?? 'srv6';
  if (encapsulation !== 'srv6' && encapsulation !== 'ip') return refused('encapsulation: expected srv6 or ip');
  return { ok: true, intent: { kind: 'path-loss', text, path: path.value, encapsulation } };
}
