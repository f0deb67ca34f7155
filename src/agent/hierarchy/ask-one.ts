// One question to one agent or aggregator below: the question, its progress, and the report, which counts only if it verifies, is of that node
// and belongs to this question.

import type { Asked, Vouching } from '#aggregate/asked/asked.ts';
import type { Caller } from '#aggregate/leaf/events.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Report, SealedReport } from '#model/report.ts';
import type { ChainVerifier } from '#report/countersign.ts';
import { openUnverified } from '#report/open-unverified.ts';
import { parseSealedReport } from '#report/seal.ts';
import { verifySealedReport } from '#report/verify.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { Below } from './nodes-below.ts';

export type OneQuestion = {
  /** Arguments of `parley-ask`. */
  readonly args: JsonObject;
  readonly asked: Asked;
  readonly vouching: Vouching;
  readonly verifyChain: ChainVerifier;
  readonly caller: Caller;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

export type Answered = {
  readonly below: Below;
  readonly answer: JsonObject;
  readonly report: Report;
  readonly sealed: SealedReport;
};

/** Rejects with the refusal of the node, `peer/timeout`, or `peer/bad-report` for a report that does not count. */
export async function askOne(below: Below, question: OneQuestion): Promise<Answered> {
  const answer = await callBelow(below, question, 'parley-ask', question.args, question.timeoutMs);
  const bytes = Buffer.from(await reportOf(below, question, String(answer['id'])));
  // Whose it says it is, and of which question, costs little to read: before anything in it is verified.
  const said = openUnverified(bytes);
  if (!said.ok) throw badReport(below, said.reason);
  mustBeAsked(below, question, said.value);
  const { ok, checks, report } = await verifySealedReport(bytes, { verifyChain: question.verifyChain });
  const fault = checks.find((check) => !check.ok);
  if (!ok || report === undefined) throw badReport(below, `${fault?.part}: ${fault?.detail}`);
  mustBeAsked(below, question, report);
  const sealed = parseSealedReport(bytes);
  if (!sealed.ok) throw badReport(below, sealed.reason);
  return { below, answer, report, sealed: sealed.value };
}

function mustBeAsked(below: Below, { asked }: OneQuestion, report: Report): void {
  if (report.creator !== below.node) throw badReport(below, `it is of ${report.creator}`);
  if (report['session-id'] !== asked.sessionId) throw badReport(below, 'it belongs to another question');
}

async function reportOf(below: Below, question: OneQuestion, id: string): Promise<string> {
  const pieces: string[] = [];
  let offset = 0;
  for (;;) {
    const args = { id, offset };
    const piece = await callBelow(below, question, 'parley-report-fetch', args, AGENT_LIMITS.reportPieceMs);
    const text = String(piece['text']);
    pieces.push(text);
    offset += text.length;
    if (piece['nextOffset'] === undefined) return pieces.join('');
    if (piece['nextOffset'] !== offset || text === '' || offset > LIMITS.reportBytes)
      throw badReport(below, 'its pieces do not follow each other');
  }
}

async function callBelow(
  { slot, node }: Below,
  { asked, vouching, caller, signal }: OneQuestion,
  name: string,
  args: JsonObject,
  timeoutMs: number,
): Promise<JsonObject> {
  const params = { name, arguments: args };
  const stated = vouching.metaFor(asked, { method: 'tools/call', params });
  const { subserver } = slot;
  if (subserver === undefined) throw new ParleyError('peer/unreachable', `${node} has no session now`);
  const sent = subserver.request({
    method: 'tools/call',
    paramsText: (id) => JSON.stringify({ ...params, _meta: { ...stated, progressToken: id } }),
    timeoutMs,
    caller,
  });
  const onAbort = () => sent.cancel('the client cancelled the question');
  signal.addEventListener('abort', onAbort, { once: true });
  const answer = await sent.answer;
  signal.removeEventListener('abort', onAbort);
  const said = JSON.parse(answer.text) as JsonValue;
  if (!isJsonObject(said)) throw new ParleyError('peer/protocol', `expected an object from ${node}, got another type`);
  if (answer.kind === 'error') throw refusalIn(node, said);
  const content = said['structuredContent'];
  if (content === undefined || !isJsonObject(content))
    throw new ParleyError('peer/protocol', `expected structured content from ${node}, got none`);
  // An agent tells a refusal as a result that is an error, as MCP has it.
  if (said['isError'] === true) throw refusalIn(node, content);
  return content;
}

const ERROR_CODE = /^(?:caller|peer|node|us)\/[a-z0-9-]{1,64}$/;

/** The refusal of a node as this aggregator's own answer: the caller sees what the node says. */
function refusalIn(node: string, error: JsonObject): ParleyError {
  const { code, message } = error;
  const data = error['data'] !== undefined && isJsonObject(error['data']) ? error['data'] : {};
  const { errorCode, detail, ...more } = data;
  const told = typeof errorCode === 'string' && ERROR_CODE.test(errorCode) ? errorCode : 'peer/refused';
  const wireCode = typeof code === 'number' ? code : WIRE_CODES.internal;
  const isLate = wireCode === WIRE_CODES.timeout;
  return new ParleyError(
    (isLate ? 'peer/timeout' : told) as ParleyError['code'],
    `${node}: ${String(detail ?? message ?? 'refused')}`,
    { data: { ...more, wireCode, ...(typeof message === 'string' ? { wireMessage: message } : {}) } },
  );
}

function badReport({ node }: Below, reason: string): ParleyError {
  return new ParleyError('peer/bad-report', `expected a report of ${node} that verifies: ${reason}`, {
    data: { wireCode: WIRE_CODES.internal },
  });
}
