// Nodes, and how long what runs on them has been running.
import { ageWords } from '#model/settings/change-words.ts';
import type { View, World } from '../network/world.ts';
import type { Rows } from './rows.ts';

export const NODE_COLUMNS = ['node', 'answered', 'interfaces', 'system'];

/** All that were asked, and those that gave no state; not those of which only neighbours tell. */
export function nodeRows({ nodes, views, agentless }: World): Rows {
  return nodes
    .filter((node) => agentless?.has(node) !== true)
    .map((node) => {
      const { inventory } = views.get(node)?.state ?? {};
      if (inventory === undefined) return [node, 'no', '-', '-'];
      return [
        node,
        'yes',
        String(inventory.interfaces.length),
        [inventory.system.routing, inventory.system.kernel].filter(Boolean).join(', ') || '-',
      ];
    });
}

export const UPTIME_COLUMNS = ['node', 'what', 'up for', 'restarts that are remembered'];

/** Of the router itself what is remembered of its restarts; a kernel's uptime is in no state. */
export function uptimeRows({ node, state }: View, span: { readonly sinceMs: number; readonly untilMs?: number }): Rows {
  const { settings = [], settingsSpanMs } = state.history ?? {};
  const within = settings.filter(({ agoMs }) => agoMs <= span.sinceMs && agoMs >= (span.untilMs ?? 0));
  const restarts = (kind: string, subject?: string) =>
    within.filter((change) => change.kind === kind && (subject === undefined || change.subject === subject));
  const words = (found: typeof within) =>
    found.length === 0 ? 'none' : found.map(({ agoMs }) => `${ageWords(agoMs)} ago`).join(', ');
  const remembered =
    settingsSpanMs === undefined ? ' (no memory of days)' : ` (memory reaches back ${ageWords(settingsSpanMs)})`;
  const reboots = restarts('reboot');
  const [last] = settings.filter(({ kind }) => kind === 'reboot');
  const router = last === undefined ? 'longer than memory reaches' : ageWords(last.agoMs);
  const daemons = (state.daemons ?? []).map(({ name, alive, upMs }) => [
    node,
    name,
    alive ? (upMs === undefined ? 'not known' : ageWords(upMs)) : 'not running',
    words(restarts('daemon', name)),
  ]);
  return [[node, 'router', router, `${words(reboots)}${remembered}`], ...daemons];
}
