// A recorded exchange of test/correlate/recorded, to be changed as one node or another would tell it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { callFor } from '#measure/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { LinkEnd } from '#model/names.ts';
import type { InterfaceState, NodeState, ProbeResult } from '#model/router/router-port.ts';

export function recorded(name: string): DiagnoseInput {
  const text = readFileSync(join(import.meta.dirname, `recorded/${name}.json.txt`), 'utf8');
  const { intent, nodes, outcomes, evidence } = JSON.parse(text);
  return { intent, nodeNames: nodes, outcomes, evidence };
}

type Changes = {
  readonly state?: (state: NodeState, node: string, phase: string) => NodeState;
  readonly probe?: (result: ProbeResult, entry: Evidence) => ProbeResult;
};

/** Everything else stays as it was recorded. */
export function changed(input: DiagnoseInput, { state, probe }: Changes): DiagnoseInput {
  const evidence = input.evidence.map((entry): Evidence => {
    const body = structuredClone(entry.body) as unknown;
    if (entry.kind === 'state' && state !== undefined)
      return { ...entry, body: state(body as NodeState, entry.node, entry.phase) as never };
    if (entry.kind === 'probe' && probe !== undefined)
      return { ...entry, body: probe(body as ProbeResult, entry) as never };
    return entry;
  });
  return { ...input, evidence };
}

export function withInterface(
  state: NodeState,
  name: string,
  change: (entry: InterfaceState) => Partial<InterfaceState>,
): NodeState {
  const interfaces = state.inventory.interfaces.map((entry) =>
    entry.name === name ? { ...entry, ...change(entry) } : entry,
  );
  return { ...state, inventory: { ...state.inventory, interfaces } };
}

/** An end of a link as `r1:eth1`. */
export function endOf(text: string): LinkEnd {
  const [node = '', ifname = ''] = text.split(':');
  return { node, ifname };
}

/** Both ends look at a link again at the same time; `lost` says what each of them counts, out and back. */
export function lookedAgain(
  input: DiagnoseInput,
  link: string,
  count: number,
  lost: Readonly<Record<string, { readonly out: number; readonly back: number }>>,
  round: 'confirmation' | 'extended' = 'confirmation',
): DiagnoseInput {
  const first = input.evidence.find(({ id }) => id === `probe/${link}/link`)!;
  const args = first.request.params['arguments'] as Record<string, unknown>;
  const [one, other] = link.split('/') as [string, string];
  const looks = [
    { from: one, to: other, source: args['source'], destination: args['destination'] },
    { from: other, to: one, source: args['destination'], destination: args['source'] },
  ].map(({ from, to, source, destination }): Evidence => {
    const node = from.split(':')[0]!;
    const { out, back } = lost[node] ?? { out: 0, back: 0 };
    const request = {
      ...first.request,
      params: { ...first.request.params, arguments: { ...args, source, destination, Count: count, flows: 64 } },
    };
    const counts = { sent: count, reflected: count - out, received: count - out - back, sendErrors: 0 };
    const body = { ...(first.body as object), ...counts };
    const purpose = { kind: 'link-probe', from: endOf(from), to: endOf(to), round } as const;
    const { id, phase } = callFor(node, purpose, {}, 0);
    return { ...first, id, purpose, node, phase, request, body } as unknown as Evidence;
  });
  return { ...input, evidence: [...input.evidence, ...looks] };
}

/** Both ends' counters, read in quiet before and after a longer look: so many packets are sent each way, and `lost` of them do not arrive. */
export function countedInQuiet(
  input: DiagnoseInput,
  link: string,
  sent: number,
  lost: Readonly<Record<string, number>>,
): DiagnoseInput {
  const ends = link.split('/').map((end) => end.split(':') as [string, string]);
  const looks = ends.flatMap(([node, ifname], index) => {
    const other = ends[1 - index]![0];
    const state = input.evidence.find((entry) => entry.id.startsWith(`after/${node}/`))!;
    const told = (when: 'first' | 'last', tx: number, rx: number): Evidence => {
      const more = (value: string, by: number) => String(BigInt(value) + BigInt(by));
      const body = withInterface(structuredClone(state.body) as unknown as NodeState, ifname, ({ counters }) => ({
        counters: {
          ...counters,
          ...{ txPackets: more(counters.txPackets, tx), rxPackets: more(counters.rxPackets, rx) },
        },
      }));
      const purpose = { kind: 'counters', reading: when } as const;
      const { id, phase } = callFor(node, purpose, {}, 0);
      return { ...state, id, purpose, phase, body } as unknown as Evidence;
    };
    return [told('first', 0, 0), told('last', sent, sent - (lost[other] ?? 0))];
  });
  const waited = looks.map(({ id, purpose, node, phase }) => {
    return { callId: id, purpose, node, phase, name: 'parley-node-state', status: 'answered' as const, elapsedMs: 10 };
  });
  return { ...input, evidence: [...input.evidence, ...looks], outcomes: [...input.outcomes, ...waited] };
}

/** The healthy recording, whose second look from both ends of `link`, of r1 and r2, loses some; both ends' counters of the whole time lack `lacking` of r1's packets. */
export function lossy(link: string, lost: Parameters<typeof lookedAgain>[3], lacking = 0): DiagnoseInput {
  const counted = changed(recorded('healthy'), {
    state: (state, node, phase) =>
      phase !== 'after' || !['r1', 'r2'].includes(node)
        ? state
        : withInterface(state, 'eth1', ({ counters }) => {
            const more = (value: string, by: number) => String(BigInt(value) + BigInt(by));
            const rx = 2_000 - (node === 'r2' ? lacking : 0);
            return {
              counters: {
                ...counters,
                ...{ rxPackets: more(counters.rxPackets, rx), txPackets: more(counters.txPackets, 2_000) },
              },
            };
          }),
  });
  return lookedAgain(counted, link, 1_000, lost);
}

export const said = (input: DiagnoseInput): readonly string[] => {
  const { verdict, findings } = diagnose(input);
  return [verdict.kind, ...findings.map(({ fault, resource }) => `${fault} ${resource}`)];
};
