// Calls between nodes while every one of them renews its certificate again and again: three agents as processes, two of them registrars, and
// nodes in this process that call them. Rotations are spread over the calls.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import { makeRegistrar } from '#mtls/enrol/registrar-ca.ts';
import { type AgentBed, type NodeName, upAgents } from '../../test/agent/agent-bed.ts';
import { type LoadNode, upLoadNode } from './load-node.ts';

export type RotationPlan = {
  readonly calls: number;
  readonly rotations: number;
  /** Nodes that call. */
  readonly nodes: number;
  /** Calls of one node at once. */
  readonly atOnce: number;
  readonly lifeSeconds: number;
  /** No call and no rotation begins after this time. */
  readonly boundMs: number;
};

export type RotationRun = {
  readonly answered: number;
  /** Calls without an answer, and why. */
  readonly dropped: readonly string[];
  readonly rotated: number;
  readonly notRotated: readonly string[];
  readonly callMs: readonly number[];
  readonly renewalMs: readonly number[];
  readonly runMs: number;
};

const AGENTS: readonly NodeName[] = ['pe1', 'p2', 'pe3'];
const REGISTRARS: readonly NodeName[] = ['pe1', 'p2'];

export async function runRotations(plan: RotationPlan, say: (line: string) => void): Promise<RotationRun> {
  const kept = await mkdtemp(join(tmpdir(), 'parley-rotations-'));
  const renewal = { registrars: REGISTRARS };
  const trustList = { file: join(kept, 'trust-list.json') };
  let bed: AgentBed | undefined;
  const nodes: LoadNode[] = [];
  const operators: OperatorClient[] = [];
  try {
    const over = Object.fromEntries(
      AGENTS.map((node) => {
        const registrar = REGISTRARS.includes(node) ? { registrar: { dir: join(kept, node) } } : {};
        return [node, { renewal, trustList, ...registrar }];
      }),
    );
    bed = await upAgents(AGENTS, over, { lifetimeMs: plan.lifeSeconds * 1_000 });
    const clock = createSystemClock();
    for (const name of REGISTRARS)
      await makeRegistrar({ dir: join(bed.dir, 'ca'), name, out: join(kept, name), clock });
    const targets = AGENTS.map((node) => ({ node, port: bed!.portOf(node) }));
    for (let index = 0; index < plan.nodes; index++) {
      const name = `load-${index}`;
      await bed.domain.identity(name, { lifetimeMs: plan.lifeSeconds * 1_000 });
      nodes.push(await upLoadNode({ name, dir: join(bed.dir, name), state: kept, targets, registrars: REGISTRARS }));
    }
    for (const node of AGENTS) operators.push(await bed.local(node));
    const rotators = [
      ...nodes.map((node) => () => node.renew()),
      ...operators.map((operator) => async () => void (await operator.callTool('parley-renew-now', {}))),
    ];
    return await drive(plan, nodes, rotators, say);
  } finally {
    for (const operator of operators) await operator.close();
    for (const node of nodes) await node.close();
    await bed?.down();
    await rm(kept, { recursive: true, force: true });
  }
}

async function drive(
  plan: RotationPlan,
  nodes: readonly LoadNode[],
  rotators: readonly (() => Promise<void>)[],
  say: (line: string) => void,
): Promise<RotationRun> {
  const startedMs = performance.now();
  const callMs: number[] = [];
  const renewalMs: number[] = [];
  const dropped: string[] = [];
  const notRotated: string[] = [];
  let [begun, begunRotations] = [0, 0];
  const done = () => callMs.length + dropped.length;
  const isOver = () => performance.now() - startedMs > plan.boundMs;
  const caller = async (node: LoadNode, first: number) => {
    for (let turn = first; begun < plan.calls && !isOver(); turn++) {
      begun += 1;
      const target = AGENTS[turn % AGENTS.length]!;
      const sentMs = performance.now();
      try {
        await node.call(target);
        callMs.push(performance.now() - sentMs);
      } catch (error) {
        dropped.push(`${node.name} to ${target}: ${messageOf(error)}`);
      }
      if (done() % 10_000 === 0) say(`${done()} calls, ${renewalMs.length} rotations, dropped: ${dropped.length}`);
    }
  };
  const rotator = async (rotate: () => Promise<void>) => {
    while (begunRotations < plan.rotations && !isOver()) {
      // As far along as the calls are.
      if (begunRotations / plan.rotations > begun / plan.calls && begun < plan.calls) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        continue;
      }
      begunRotations += 1;
      const sentMs = performance.now();
      try {
        await rotate();
        renewalMs.push(performance.now() - sentMs);
      } catch (error) {
        notRotated.push(messageOf(error));
      }
    }
  };
  const callers = nodes.flatMap((node) => Array.from({ length: plan.atOnce }, (_, index) => caller(node, index)));
  await Promise.all([...callers, ...rotators.map(rotator)]);
  const runMs = performance.now() - startedMs;
  return { answered: callMs.length, dropped, rotated: renewalMs.length, notRotated, callMs, renewalMs, runMs };
}
