// Questions about the past, asked of three agents whose memory of seven days was simulated: whether the answers are right, and how much longer they
// take than the same question about now. `npm run bench -- past --json`.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { localOffsetMinutes } from '#base/clock.ts';
import { spanOf } from '#intent/time/span.ts';
import { type AgentBed, runParley, upAgents } from '../test/agent/agent-bed.ts';
import type { Benchmark } from './main.ts';
import { NODES, type PastIncident, segmentsOf } from './past/days.ts';
import { summary } from './statistics.ts';

const DAY_MS = 86_400_000;
const DAYS = 7;
const LINKS = { pe1p2: 'link/p2:eth1--pe1:eth1', p2pe3: 'link/p2:eth2--pe3:eth1' } as const;

type Case = {
  readonly question: string;
  /** Pairs of resource and fault that the answer has to name, no others. */
  readonly truth: readonly string[];
  /** Words of a row of what happened that it has to have. */
  readonly row?: string;
  readonly verdict?: string;
};

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean' }, count: { type: 'string' }, seed: { type: 'string' } },
  });
  const count = Number(values.count ?? 5);
  const bed = await upAgents(NODES);
  try {
    const incidents = incidentsOf(Date.now());
    const bytes = await remember(bed, incidents, Number(values.seed ?? 20_261_126));
    say(`${DAYS} days of three nodes written, ${Math.round(bytes / 1e6)} MB`);
    const cases = casesOf();
    const wrong: string[] = [];
    const nowMs: number[] = [];
    const pastMs: number[] = [];
    await ask(bed, 'what is wrong');
    for (let turn = 0; turn < count; turn++) {
      nowMs.push((await ask(bed, 'what is wrong')).tookMs);
      for (const each of cases) {
        const { answer, tookMs } = await ask(bed, each.question);
        if (each === cases[0]) pastMs.push(tookMs);
        if (turn > 0) continue;
        const why = wrongIn(answer, each);
        if (why !== undefined) wrong.push(`${each.question}: ${why}`);
        say(`${why === undefined ? 'right' : 'WRONG'}  ${Math.round(tookMs)} ms  ${each.question}`);
      }
    }
    const moreMs = Math.round(summary(pastMs).p50 - summary(nowMs).p50);
    const right = cases.length - wrong.length;
    const figures = { days: DAYS, bytes, questions: cases.length, right, wrong };
    return {
      ...figures,
      nowMs: summary(nowMs),
      lastNightMs: summary(pastMs),
      moreMs,
      ok: wrong.length === 0 && moreMs <= 1_000,
    };
  } finally {
    await bed.down();
  }
};

/** In the middle of last night one link is down for six minutes; in the middle of the night three days ago the other loses 3 %. */
function incidentsOf(nowMs: number): readonly PastIncident[] {
  const { sinceMs, untilMs = 0 } = spanOf('last-night', { nowMs, offsetMinutes: localOffsetMinutes(nowMs) })!;
  const nightMs = nowMs - (sinceMs + untilMs) / 2;
  return [
    { kind: 'carrier', ends: { p2: 'eth2', pe3: 'eth1' }, atMs: nightMs, minutes: 6 },
    { kind: 'loss', ends: { pe1: 'eth1', p2: 'eth1' }, atMs: nightMs - 3 * DAY_MS, minutes: 10 },
  ];
}

function casesOf(): readonly Case[] {
  const down = `${LINKS.p2pe3} link_down`;
  const lossy = `${LINKS.pe1p2} unexplained_loss`;
  return [
    { question: 'anything weird last night?', truth: [down], row: 'carrier of eth2' },
    { question: 'what was wrong last night on pe3', truth: [down] },
    { question: 'did the link between p2 and pe3 flap last night?', truth: [down] },
    { question: 'was the link pe1 - p2 down last night?', truth: [], verdict: 'healthy' },
    { question: 'what went wrong in the last 5 days', truth: [down, lossy] },
    { question: 'timeline of p2 last night', truth: [], row: 'carrier of eth2', verdict: 'answered' },
  ];
}

async function remember(bed: AgentBed, incidents: readonly PastIncident[], seed: number): Promise<number> {
  let bytes = 0;
  for (const [index, node] of NODES.entries()) {
    const dir = join(dirname(bed.configOf(node)), 'state', 'memory');
    await mkdir(dir, { recursive: true });
    for (const [name, text] of segmentsOf({ node, incidents, seed: seed + index, untilMs: Date.now(), days: DAYS })) {
      bytes += text.length;
      await writeFile(join(dir, name), text);
    }
  }
  return bytes;
}

type Told = {
  readonly verdict: { readonly kind: string; readonly reasons: readonly string[] };
  readonly findings: readonly {
    readonly resource: string;
    readonly fault: string;
    readonly details: { readonly over?: boolean };
  }[];
  readonly table?: { readonly rows: readonly (readonly string[])[] };
  readonly timings: { readonly totalMs: number };
};

async function ask(bed: AgentBed, question: string): Promise<{ readonly answer: Told; readonly tookMs: number }> {
  const said = await runParley(['ask', question, '--json', '--socket', bed.socketOf('pe1')]);
  const answer = JSON.parse(said.stdout) as Told;
  if (answer.timings === undefined) throw new Error(`no answer to ${question}: ${said.stdout.slice(0, 400)}`);
  return { answer, tookMs: answer.timings.totalMs };
}

/** Undefined where it is right. */
function wrongIn(
  { verdict, findings, table }: Told,
  { truth, row, verdict: wanted = 'fault' }: Case,
): string | undefined {
  const found = findings.map(({ resource, fault }) => `${resource} ${fault}`).sort();
  if (found.join() !== [...truth].sort().join())
    return `found ${found.join(', ') || 'nothing'}; ${verdict.reasons.join('; ').slice(0, 300)}`;
  if (findings.some(({ details }) => details.over !== true)) return 'what is over was said to be there now';
  if (verdict.kind !== wanted) return `verdict ${verdict.kind}: ${verdict.reasons.join('; ').slice(0, 300)}`;
  if (row !== undefined && table?.rows.some((cells) => cells.includes(row)) !== true) return `no row ${row}`;
  return undefined;
}
