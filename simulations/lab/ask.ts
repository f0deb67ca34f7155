// Puts an operator's question to a node of a lab, as an operator would: `parley ask --json` inside the node over its Unix socket, or over
// mutual TLS with the lab's operator certificate from another place in the network. Reads the answer; judges nothing.
import { join } from 'node:path';
import { ParleyError } from '#base/error.ts';
import type { Finished } from '#base/process.ts';
import { CONTROL_SOCKET } from './node-files.ts';
import { REPOSITORY, runInNetwork, runInNode } from './node-processes.ts';
import { identityDir, LAB_OPERATOR } from './pki.ts';
import type { LabRecord, NodeRecord } from './registry.ts';
import type { Pair } from './scoring.ts';

export type AskOptions = {
  readonly dist?: boolean;
  /** Over mutual TLS to port 9514 of the node instead of its Unix socket. */
  readonly mutualTls?: boolean;
  readonly timeoutMs?: number;
};

export type Answer = {
  /** What `parley ask --json` printed, as it was. */
  readonly printed: Readonly<Record<string, unknown>>;
  readonly verdict: string;
  readonly findings: readonly Pair[];
  readonly report: string | undefined;
  readonly seconds: number;
};

const ASK_MS = 60_000;
/** Exit codes of `parley ask` that come with an answer: healthy, findings, evidence incomplete. */
const ANSWERING_CODES = new Set([0, 1, 3]);

export async function askNode(
  node: NodeRecord,
  lab: LabRecord,
  intent: string,
  options: AskOptions = {},
): Promise<Answer> {
  const started = performance.now();
  const ended = await (options.mutualTls
    ? askOverTls(node, lab, intent, options)
    : askOverSocket(node, intent, options));
  const seconds = Math.round(performance.now() - started) / 1_000;
  if (!ANSWERING_CODES.has(ended.exitCode)) {
    const said = (ended.stderr || ended.stdout).trim().slice(-600);
    throw new ParleyError(
      'us/lab-ask',
      `expected an answer of ${node.name}, parley ask ended with ${ended.exitCode}: ${said}`,
    );
  }
  return { ...readAnswer(ended.stdout), seconds };
}

/** The members of the answer that scoring needs; the rest stays in `printed`. */
export function readAnswer(stdout: string): Omit<Answer, 'seconds'> {
  const printed = lastJsonObject(stdout);
  const report = (printed['report'] ?? printed) as Record<string, unknown>;
  const verdict = report['verdict'] ?? printed['verdict'];
  const kind = typeof verdict === 'object' && verdict !== null ? (verdict as { kind?: unknown }).kind : verdict;
  const findings = (report['findings'] ?? printed['findings'] ?? []) as Pair[];
  if (typeof kind !== 'string' || !Array.isArray(findings)) {
    throw new ParleyError('us/lab-ask', `expected verdict and findings, got ${stdout.slice(0, 200)}`);
  }
  const uri = typeof printed['report'] === 'string' ? printed['report'] : (report['uri'] ?? printed['uri']);
  return {
    printed,
    verdict: kind,
    findings: findings.map(({ resource, fault }) => ({ resource, fault })),
    report: typeof uri === 'string' ? uri : undefined,
  };
}

function askOverSocket(node: NodeRecord, intent: string, options: AskOptions): Promise<Finished> {
  const program = options.dist
    ? ['/opt/parley/dist/main.js']
    : ['--conditions=parley-source', '/opt/parley/src/main.ts'];
  const args = ['ask', intent, '--json', '--socket', CONTROL_SOCKET];
  return runInNode(node, ['node', ...program, ...args], { timeoutMs: options.timeoutMs ?? ASK_MS });
}

/** From the node's own network, as a process of this machine that holds the operator's certificate. */
function askOverTls(node: NodeRecord, lab: LabRecord, intent: string, options: AskOptions): Promise<Finished> {
  const program = options.dist
    ? [join(REPOSITORY, 'dist/main.js')]
    : ['--conditions=parley-source', join(REPOSITORY, 'src/main.ts')];
  const args = [
    'ask',
    intent,
    '--json',
    '--connect',
    '[::1]:9514',
    '--identity',
    identityDir(lab, 'operator', LAB_OPERATOR),
  ];
  return runInNetwork(node.namespace, [process.execPath, ...program, ...args], options.timeoutMs ?? ASK_MS);
}

function lastJsonObject(stdout: string): Record<string, unknown> {
  const candidates = [stdout.trim(), ...stdout.trim().split('\n').toReversed()];
  for (const text of candidates) {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // Not this line.
    }
  }
  throw new ParleyError('us/lab-ask', `expected a JSON object, got ${stdout.slice(0, 200)}`);
}
