// MCP over standard input and output for hosts that start a program (`parley mcp`), carried over one session with an agent, by mutual
// TLS or its Unix socket. Messages pass unchanged, except that `initialize` requests the MCP dialect. No server of its own.
import type { Duplex, Readable, Writable } from 'node:stream';
import { messageOf } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { TOOLS_META } from '../catalog/listing.ts';
import { PARLEY_EXPERIMENT } from '../protocol/negotiation.ts';
import { errorResponse, invalidAnswer, nameOfCode, parseRpcMessage } from '../protocol/rpc.ts';
import { createFrameChannel } from '../transports/frame-channel.ts';

export type BridgeInit = {
  readonly duplex: Duplex;
  readonly input: Readable;
  readonly output: Writable;
  /** Lists every tool, not only the short list. */
  readonly allTools: boolean;
};

/** Resolves with the reason when either side ends: undefined after a clean end. */
export function bridgeStdio(init: BridgeInit): Promise<string | undefined> {
  const { input, output } = init;
  const channel = createFrameChannel({ duplex: init.duplex, role: 'calling' });
  const say = (message: JsonObject) => void output.write(`${JSON.stringify(message)}\n`);
  return new Promise((resolve) => {
    channel.receive = (message) => say(message.raw);
    channel.ended = (reason) => {
      input.pause();
      resolve(reason);
    };
    channel.start();
    readLines(input, (line) => {
      const value = decodeStrictJson(line);
      if (!value.ok) {
        const message = `${nameOfCode(WIRE_CODES.parse)}: ${value.reason}`;
        say(errorResponse(null, { code: WIRE_CODES.parse, message }));
        return;
      }
      const parsed = parseRpcMessage(value.value);
      if (!parsed.ok) {
        if (parsed.id !== undefined) say(invalidAnswer(parsed, parsed.id));
        return;
      }
      const message = announce(parsed.value.raw, init.allTools);
      channel.send(message).catch((error) => {
        if (parsed.value.kind !== 'request') return;
        const reason = channel.closed ? 'the agent is gone: start parley mcp again' : messageOf(error);
        say(errorResponse(parsed.value.id, { code: WIRE_CODES.internal, message: reason }));
      });
    }).then(() => channel.close());
  });
}

/** Requests the MCP dialect in `initialize` (DESIGN: dialects), and every tool if wanted. */
function announce(message: JsonObject, allTools: boolean): JsonObject {
  const params = objectOf(message['params']);
  if (message['method'] === 'tools/list' && allTools) {
    return { ...message, params: { ...params, _meta: { ...objectOf(params['_meta']), [TOOLS_META]: 'all' } } };
  }
  if (message['method'] !== 'initialize') return message;
  const capabilities = objectOf(params['capabilities']);
  const experimental = { ...objectOf(capabilities['experimental']), [PARLEY_EXPERIMENT]: { capabilities: [] } };
  return { ...message, params: { ...params, capabilities: { ...capabilities, experimental } } };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

/** Resolves at the end of the input; a line longer than a frame may be ends it. */
function readLines(input: Readable, each: (line: Uint8Array) => void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  return new Promise((resolve) => {
    input.on('data', (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        const line = rest.subarray(0, end);
        rest = rest.subarray(end + 1);
        if (line.length > 0 && line.toString('utf8').trim() !== '') each(line);
      }
      if (rest.length > LIMITS.frameBytes) input.destroy();
    });
    input.once('end', resolve);
    input.once('close', resolve);
    input.once('error', () => resolve());
  });
}
