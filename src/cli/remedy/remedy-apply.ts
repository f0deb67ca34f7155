// Applies one remedy: commits unconfirmed, asks again until the finding is gone or time is up, then confirms or rolls back. Any error in
// between rolls back; if that fails too, the node undoes the change when this session ends.

import { createSystemClock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import type { RemedyChange } from '#model/finding.ts';
import { type Asked, whyNotHelped } from '#model/reports/remedy-judge.ts';
import { CLI_LIMITS } from '../limits.ts';
import { asLocalError } from '../terminal/connect.ts';
import type { Output } from '../terminal/output.ts';

export type Target = {
  readonly id: string;
  readonly node: string;
  readonly change: RemedyChange;
  /** The report with the finding, and the question that it answers. */
  readonly report: string;
  readonly intent: string;
};

export type Outcome = {
  readonly finding: string;
  readonly status:
    | 'none'
    | 'recommended'
    | 'proposed'
    | 'refused'
    | 'waits for approval'
    | 'confirmed'
    | 'rolled back'
    | 'unsettled';
  readonly node?: string;
  readonly summary?: string;
  readonly reason?: string;
  readonly code?: string;
  readonly changes?: readonly JsonObject[];
  readonly consent?: string;
  readonly commit?: string;
  /** The signed report of the repeated question; it names the first report and the commit. */
  readonly after?: string;
};

export type ApplyParts = {
  readonly client: OperatorClient;
  readonly ask: (args: JsonObject) => Promise<JsonObject>;
  readonly output: Output;
};

export async function applyRemedy(
  parts: ApplyParts,
  target: Target,
  before: Asked,
): Promise<{ readonly outcome: Outcome; readonly after?: Asked }> {
  const { client, output } = parts;
  const { changes, drop } = await draw(client, target, output);
  if (changes.length === 0) {
    await drop();
    return { outcome: { finding: target.id, status: 'refused', reason: NOTHING } };
  }
  output.progress(`· ${target.node}: applying, unconfirmed`);
  const committed = await client.callTool(
    'network.commit',
    { confirmed: CLI_LIMITS.remedyConfirmMs / 1_000 },
    {
      timeoutMs: CLI_LIMITS.remedyConfirmMs,
      onProgress: ({ message }) => output.progress(`· ${target.node}: ${message}`),
    },
  );
  const commit = String(committed['commit-id']);
  const proven = await prove(parts, target, before, commit).catch((error): Proven => {
    return { reasons: [`the question could not be asked again: ${messageOf(error)}`] };
  });
  const outcome = {
    finding: target.id,
    changes,
    commit,
    ...(proven.report === undefined ? {} : { after: proven.report }),
  };
  const settled = await settle(client, target, proven.reasons);
  return { outcome: { ...outcome, ...settled }, ...(settled.status === 'confirmed' ? { after: proven.asked! } : {}) };
}

type Settled = Pick<Outcome, 'status' | 'reason' | 'code'>;

/** Reports "confirmed" or "rolled back" only if the node reported it. */
async function settle(client: OperatorClient, { node }: Target, reasons: readonly string[]): Promise<Settled> {
  const why = [...reasons];
  if (why.length === 0) {
    try {
      await client.callTool('network.commit', { confirm: true });
      return { status: 'confirmed' };
    } catch (error) {
      why.push(`it could not be confirmed: ${messageOf(error)}`);
    }
  }
  try {
    await client.callTool('network.rollback', {});
    return { status: 'rolled back', reason: why.join('; ') };
  } catch (error) {
    const reason = `${why.join('; ')}; the rollback was not answered (${messageOf(error)}): unless it was confirmed, ${node} undoes the change when this session ends`;
    return { status: 'unsettled', reason, code: 'node/remedy-unsettled' };
  }
}

export const NOTHING = 'the change would not alter the running configuration';

type Drawn = {
  readonly changes: readonly JsonObject[];
  readonly consent?: string;
  /** Discards the candidate, unless it existed before: it may be waiting for consent. */
  readonly drop: () => Promise<void>;
};

/** Rejects if the node would not take the change; the candidate is then as it was before. */
export async function draw(client: OperatorClient, { node, change }: Target, output: Output): Promise<Drawn> {
  const wasThere = await hasCandidate(client);
  const drop = async () => {
    if (!wasThere) await client.callTool('network.rollback', { discard: true });
  };
  const answer = await client.callTool('network.cli.configure', {
    ...(change.lines === undefined ? {} : { commands: [...change.lines] }),
    live: (change.live ?? []).map((each) => ({ ...each })),
  });
  if (answer['status'] !== 'candidate') {
    await drop();
    throw new ParleyError('node/remedy-refused', `expected ${node} to take the change, got:  ${answer['wrong']}`);
  }
  const changes = (Array.isArray(answer['changes']) ? answer['changes'] : []).filter((each: JsonValue) =>
    isJsonObject(each),
  ) as JsonObject[];
  for (const { sign, context, line } of changes)
    output.line(`change      ${sign} ${context === '' ? '' : `${String(context)}: `}${String(line)}`);
  if ((change.live ?? []).length > 0)
    output.line('            changes the running kernel only: the setting for the next boot stays as it is');
  const { consent } = answer;
  return { changes, drop, ...(typeof consent === 'string' ? { consent } : {}) };
}

/** Whether this caller already holds a candidate there; assumed if the node cannot be asked. */
async function hasCandidate(client: OperatorClient): Promise<boolean> {
  try {
    await client.callTool('network.file.pull', { file: 'candidate-config' });
    return true;
  } catch (error) {
    const local = asLocalError(error);
    return !(local instanceof ParleyError && local.code === 'caller/no-candidate');
  }
}

type Proven = { readonly reasons: readonly string[]; readonly report?: string; readonly asked?: Asked };

/** Protocols take time to recover: the question is repeated until the answer is good or this time has passed. */
async function prove({ ask, output }: ApplyParts, target: Target, before: Asked, commit: string): Promise<Proven> {
  const clock = createSystemClock();
  const endMs = clock.monotonicMs() + CLI_LIMITS.remedyProofMs;
  const remedy = { report: target.report, finding: target.id, node: target.node, commit };
  for (;;) {
    output.progress(`· asking again: ${target.intent}`);
    const answer = await ask({ intent: target.intent, remedy });
    const verdict = answer['verdict'] as { readonly kind: Asked['verdict'] };
    const asked = { verdict: verdict.kind, findings: answer['findings'] as unknown as Asked['findings'] };
    const reasons = whyNotHelped(before, target.id, asked);
    const proven = { reasons, report: String(answer['uri']), asked };
    if (reasons.length === 0 || clock.monotonicMs() >= endMs) return proven;
    output.progress(`· not yet: ${reasons.join('; ')}`);
    await clock.sleep(CLI_LIMITS.remedyPauseMs);
  }
}
