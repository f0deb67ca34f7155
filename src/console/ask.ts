// `POST /console/ask`: takes a question and returns lines of JSON (NDJSON): progress as it happens, then the answer or the error. If the
// browser disconnects, the question is cancelled (TS-12, CARD-7).
import { messageOf } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { CallGate } from '#model/ports.ts';
import type { WebReply, WebRequest } from '#model/web.ts';
import { callTool, errorOf } from './call-tool.ts';
import { secured } from './headers.ts';

type Line =
  | { readonly type: 'progress'; readonly step: number; readonly message: string; readonly data: JsonObject }
  | { readonly type: 'answer'; readonly answer: JsonObject }
  | { readonly type: 'error'; readonly error: JsonObject };

export async function ask(gate: CallGate, request: WebRequest, log: Log): Promise<WebReply> {
  const body = await request.readJson();
  if (!body.ok) {
    const error = { error: { reason: body.reason } };
    return { status: body.status, headers: secured('application/json'), body: JSON.stringify(error) };
  }
  return {
    status: 200,
    headers: secured('application/x-ndjson'),
    body: async (write) => {
      const put = (line: Line) => write(`${JSON.stringify(line)}\n`);
      const onProgress = (step: number, _total: number | undefined, message: string, data: JsonObject = {}) => {
        // If the caller has gone, the call is aborted elsewhere; its lines may be lost.
        put({ type: 'progress', step, message, data }).catch(() => {});
      };
      await put(await lastLine(gate, request, body.value, onProgress, log));
    },
  };
}

async function lastLine(
  gate: CallGate,
  request: WebRequest,
  args: JsonObject,
  onProgress: (step: number, total: number | undefined, message: string, data?: JsonObject) => void,
  log: Log,
): Promise<Line> {
  try {
    const called = await callTool(gate, request, 'parley-ask', args, onProgress);
    if (called.ok) return { type: 'answer', answer: called.body };
    return { type: 'error', error: errorOf(called.refusal) };
  } catch (error) {
    log.error('a question of the console failed', { party: request.party.name, reason: messageOf(error) });
    return { type: 'error', error: { code: WIRE_CODES.internal, reason: 'the agent could not answer', data: {} } };
  }
}
