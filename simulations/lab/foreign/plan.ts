// The plan of a network of other people: what shows that it is well, what happens to it, and what is asked. A refusal names every problem at
// once, each with its path and with what to write instead.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { bad, ok, type Result } from '#base/result.ts';
import { problemsOf, type Topology } from '../topology.ts';

/** A shell command that must succeed inside `node`. `full`: a try of a whole service, made less often. */
export type Check = { readonly node: string; readonly sh: string; readonly full?: boolean | undefined };

/** Done once the network is up. Waits are in seconds; `static` gives the address of each agent by the name of its node. */
export type AfterStep =
  | { readonly node: string; readonly sh: string }
  | { readonly wait: number }
  | { readonly reboot: string }
  | { readonly lldp?: 'off' | undefined; readonly static?: Readonly<Record<string, string>> | undefined };

export type ForeignPlan = {
  readonly about: string;
  readonly checks: readonly Check[];
  readonly after: readonly AfterStep[];
  /** Seconds between the healthy network and the first question. */
  readonly settle: number;
  readonly noAgent: readonly string[];
  readonly questions: readonly { readonly node: string; readonly q: string }[];
};

const LONGEST_SECONDS = 600;
const seconds = z.number().min(0).max(LONGEST_SECONDS, `expected at most ${LONGEST_SECONDS} seconds`);
const name = z.string().min(1);
const command = z.strictObject({ node: name, sh: z.string().min(1) });
const STEP_FORMS = 'expected {node, sh}, {wait: seconds}, {reboot: node} or {lldp: "off", static: {node: address}}';
const STEPS: readonly z.ZodType<AfterStep>[] = [
  command,
  z.strictObject({ wait: seconds }),
  z.strictObject({ reboot: name }),
  z
    .strictObject({ lldp: z.literal('off').optional(), static: z.record(name, z.string().min(1)).optional() })
    .refine((entry) => Object.keys(entry).length > 0),
];
const step = z.unknown().transform((value, context): AfterStep => {
  const read = STEPS.map((form) => form.safeParse(value)).find((tried) => tried.success);
  if (read?.success) return read.data;
  context.addIssue({ code: 'custom', message: STEP_FORMS });
  return z.NEVER;
});
const fileSchema = z.strictObject({
  about: z.string().default(''),
  checks: z
    .array(command.extend({ full: z.boolean().optional() }))
    .min(1, 'expected a check {node, sh} at least: without one, nothing shows that the network is well'),
  after: z.array(step).default([]),
  settle: seconds.default(0),
  noAgent: z.array(name).default([]),
  questions: z
    .array(z.strictObject({ node: name, q: z.string().min(1) }))
    .min(1, 'expected a question at least, such as {"node": "r1", "q": "What is wrong?"}'),
});

type Network = Pick<Topology, 'nodes' | 'file'>;

export async function loadForeignPlan(file: string, topology: Network): Promise<Result<ForeignPlan>> {
  const path = resolve(file);
  const text = await readFile(path, 'utf8').catch((error: Error) => error);
  return typeof text === 'string' ? parseForeignPlan(text, topology) : bad(`${path}: ${text.message}`);
}

/** The reason of a refusal has one problem a line. */
export function parseForeignPlan(text: string, topology: Network): Result<ForeignPlan> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return bad(`expected a plan as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) return bad(problemsOf(parsed.error).join('\n'));
  const problems = placeProblems(parsed.data, topology);
  return problems.length > 0 ? bad(problems.join('\n')) : ok(parsed.data);
}

/** Names that the network does not have, and questions where no agent could answer. */
function placeProblems(plan: ForeignPlan, { nodes, file }: Network): string[] {
  const all = nodes.map((node) => node.name);
  const routers = nodes.filter((node) => node.role === 'router').map((node) => node.name);
  const agents = routers.filter((node) => !plan.noAgent.includes(node));
  const among = (known: readonly string[], what: string) => (at: string, node: string) =>
    known.includes(node) ? [] : [`${at}: expected ${what} of ${file} (${known.join(', ')}), got ${node}`];
  const anyNode = among(all, 'a node');
  const agentNode = among(agents, 'a node with an agent');
  return [
    ...plan.checks.flatMap(({ node }, index) => anyNode(`checks.${index}.node`, node)),
    ...plan.after.flatMap((entry, index) => {
      if ('node' in entry) return anyNode(`after.${index}.node`, entry.node);
      if ('reboot' in entry) return among(routers, 'a router')(`after.${index}.reboot`, entry.reboot);
      if ('wait' in entry) return [];
      return Object.keys(entry.static ?? {}).flatMap((node) => agentNode(`after.${index}.static.${node}`, node));
    }),
    ...plan.noAgent.flatMap((node, index) => among(routers, 'a router')(`noAgent.${index}`, node)),
    ...plan.questions.flatMap(({ node }, index) => agentNode(`questions.${index}.node`, node)),
  ];
}
