// `parley history`: what happened to nodes, a link, an interface, a session or a prefix, when, and who did it. One question for data to the agent:
// the answer is sealed in a report as every other.

import { parsePrefix } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import { type Answer, ask } from '../report/ask-agent.ts';
import { printTable } from '../report/table-lines.ts';
import { type AgentOptions, withClient } from '../terminal/connect.ts';
import { exitCodeOfVerdict } from '../terminal/exit-codes.ts';
import { createOutput, entry } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';

type HistoryOptions = AgentOptions & { readonly since?: string; readonly until?: string };

/** Exit code 0, or 3 where not all that was asked for is remembered. */
export async function historyCommand(options: HistoryOptions, words: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const question = historyQuestion(words, options);
  return withClient(options, async (client) => {
    const answer: Answer = await ask(client, JSON.stringify(question), output, LIMITS.investigationMs);
    output.result({ ...answer, question });
    if (answer.table !== undefined) printTable(answer.table, output);
    if ((answer.table?.rows.length ?? 0) === 0) output.line('nothing is remembered of that time');
    output.line();
    entry(output, 'report', answer.id);
    return exitCodeOfVerdict(answer.verdict.kind);
  });
}

export type HistoryQuestion = Readonly<Record<string, string | readonly string[]>>;

/**
 * `p2`, `p2 eth1`, `eth1@p2`, `p2:eth1`: a node and its interface; `pe1--p2`, `pe1:eth1--p2:eth1`: a link; an address: a session; with a length: a
 * prefix. Several nodes may be named.
 */
export function historyQuestion(words: readonly string[], { since, until }: HistoryOptions = {}): HistoryQuestion {
  const nodes: string[] = [];
  const said: Record<string, string> = {};
  const only = (name: string, value: string) => {
    if (said[name] !== undefined && said[name] !== value)
      throw usage(`one ${NAMES[name]}`, `${said[name]} and ${value}`);
    said[name] = value;
  };
  for (const word of words) {
    if (parsePrefix(word) !== undefined) only(word.includes('/') ? 'destination' : 'neighbour', word);
    else if (word.includes('--')) {
      for (const end of word.split('--')) addPlace(end, nodes, only, nodes.length === 0);
      said['link'] = 'yes';
    } else if (/[@:]/.test(word)) addPlace(word, nodes, only, true);
    else if (nodes.length > 0 && IFNAME.test(word)) only('ifname', word);
    else nodes.push(word);
  }
  return {
    ...{ kind: 'history', nodes, ...said },
    ...(since === undefined ? {} : DURATION.test(since) ? { since } : { when: since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** Anything else is the name of a time. */
const DURATION = /^\d/;
const NAMES: Readonly<Record<string, string>> = {
  ...{ ifname: 'interface', neighbour: 'address of a session', destination: 'prefix' },
};
/** What interfaces of routers are called; a node may be called so too, and then is named with its interface. */
const IFNAME =
  /^(?:eth|ens|enp|eno|ge|xe|et|te|po|bond|br|vlan|lo|dum|gre|wg|tun|tap|veth|swp|ethernet|gigabitethernet)[-_.\d/]*\d*$/i;

/** `eth1@p2` or `p2:eth1`; of a link the first end names the interface. */
function addPlace(
  text: string,
  nodes: string[],
  only: (name: string, value: string) => void,
  withInterface: boolean,
): void {
  const [, ifname, at] = /^([^@]+)@([^@]+)$/.exec(text) ?? [];
  const [, of, port] = /^([^:]+):(.+)$/.exec(text) ?? [];
  nodes.push(at ?? of ?? text);
  const name = ifname ?? port;
  if (name !== undefined && withInterface) only('ifname', name);
}
