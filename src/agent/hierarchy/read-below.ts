// What a question at an aggregator asks, read as agents read it, and what each region is asked where none reaches all that it names. Pure:
// guesses nothing; a question that cannot be read is left to the agents, and goes to all of them.
import { parseIntent } from '#intent/parse.ts';
import { understoodAs } from '#intent/reader/understood-as.ts';
import { DATA_TOPICS, type Intent, type Topic } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import type { Report } from '#model/report.ts';
import { coversPath } from '#report/enclosing/conclude.ts';
import { type Below, inTurn } from './nodes-below.ts';

export type ReadBelow = {
  readonly intent: Intent;
  /** Nodes whose answers make one report enough; empty: those of each agent below. */
  readonly wanted: readonly string[];
  readonly turns: readonly Below[];
};

/** Whom a question goes to: with an exception, no named node, or words that are not understood, to all regions. */
export function readBelow(text: string, below: readonly Below[]): ReadBelow {
  const known = below.flatMap(({ agents }) => agents);
  const parsed = parseIntent(text, { nodes: known });
  if (!parsed.ok) {
    const intent: Intent = { kind: 'fault', text: text.trim().replace(/\s+/g, ' '), path: [], encapsulation: 'ip' };
    return { intent, wanted: [], turns: below };
  }
  const { intent } = parsed;
  const wanted = intent.except === undefined ? intent.path.map(({ key }) => key) : [];
  return { intent, wanted, turns: inTurn(below, wanted) };
}

/** A question that names nodes is answered when one report has all of them; any other, when one has each agent of the region. */
export function isEnough(reports: readonly Report[], agents: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length > 0) return reports.some((report) => isHeard(report, wanted) && isWhole(report));
  return agents.length > 0 && reports.some((report) => isHeard(report, agents.map(nodeKey)));
}

function isWhole({ intent, outcomes }: Report): boolean {
  return intent.path.length === 0 || coversPath(intent, { outcomes });
}

function isHeard({ outcomes }: Report, keys: readonly string[]): boolean {
  const answered = new Set(outcomes.filter(({ status }) => status === 'answered').map(({ node }) => nodeKey(node)));
  return keys.every((key) => answered.has(key));
}

export type Part = { readonly below: Below; readonly text: string };

/**
 * A question for each region, about its own nodes: the same question where its kind can be split by node, else what is wrong with them in the
 * same time. Empty where it stands in one region alone, a node of it is nowhere below, or the words for a part would not mean the same.
 */
export function partsOf({ intent, turns }: ReadBelow): readonly Part[] {
  const ofRegion = new Map<Below, Intent['path'][number][]>();
  for (const node of intent.path) {
    const at = turns.find(({ agents }) => agents.some((agent) => nodeKey(agent) === node.key));
    if (at === undefined) return [];
    ofRegion.set(at, [...(ofRegion.get(at) ?? []), node]);
  }
  if (ofRegion.size < 2) return [];
  const parts = [...ofRegion].flatMap(([below, path]) => {
    const text = partText(intent, path);
    return text === undefined ? [] : [{ below, text }];
  });
  return parts.length === ofRegion.size ? parts : [];
}

/** Undefined where reading the words again does not give the same question. */
function partText(intent: Intent, path: Intent['path']): string | undefined {
  const { topic = TOPIC_OF[intent.kind], when } = intent;
  const times = when === undefined ? {} : { when };
  const part: Intent = isByNode({ ...intent, ...(topic === undefined ? {} : { topic }) })
    ? { ...intent, ...(topic === undefined ? {} : { topic }), path }
    : { kind: 'fault', topic: 'trouble', text: '', path, encapsulation: 'ip', ...times, ...spanOf(intent) };
  const text = understoodAs(part);
  const again = parseIntent(text, { nodes: path.map(({ as }) => as) });
  return again.ok && meaningOf(again.intent) === meaningOf(part) ? text : undefined;
}

/** Of a structure, which names no topic. */
const TOPIC_OF: Readonly<Partial<Record<Intent['kind'], Topic>>> = { fault: 'trouble', changes: 'changes' };

/** Ways, and where an address is, are of the nodes together. */
const TOGETHER: readonly Topic[] = ['path', 'where'];

function isByNode({ kind, topic, isLink, neighbour, destination }: Intent): boolean {
  if (isLink === true || neighbour !== undefined || destination !== undefined) return false;
  if (kind === 'fault' || kind === 'changes') return true;
  return kind === 'data' && DATA_TOPICS.some((each) => each === topic) && !TOGETHER.some((each) => each === topic);
}

/** A question about changes has a span without a word of it: its default, which reading gives again. */
function spanOf({ kind, when, sinceMs, untilMs }: Intent): Partial<Intent> {
  if (kind === 'changes' && when === undefined) return {};
  return { ...(sinceMs === undefined ? {} : { sinceMs }), ...(untilMs === undefined ? {} : { untilMs }) };
}

function meaningOf({ text: _text, understoodAs: _words, notUsed: _rest, path, ...asked }: Intent): string {
  const members = { ...asked, path: path.map(({ key }) => key) };
  return JSON.stringify(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
