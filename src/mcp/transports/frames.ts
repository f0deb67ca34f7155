// The MCP SDK's Transport over a frame channel. The channel has already refused everything that is not one strict JSON-RPC
// message; this file only connects the two. A result that does not fit into a frame becomes an error that says so.
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { errorResponse, nameOfCode, type RpcId } from '../protocol/rpc.ts';
import { isLosable } from './backlog.ts';
import type { FrameChannel } from './frame-channel.ts';

/** `ended` of the channel is chained: an earlier callback is called as well. */
export function createFramesTransport(channel: FrameChannel): Transport {
  const ended = channel.ended;
  const transport: Transport = {
    async start() {
      channel.receive = (message) => transport.onmessage?.(message.raw as unknown as JSONRPCMessage);
    },
    send: (message) =>
      isLosable(message)
        ? channel.offer(message as unknown as JsonObject)
        : sendOrExplain(channel, message as unknown as JsonObject),
    async close() {
      channel.close();
    },
  };
  channel.ended = (reason) => {
    ended(reason);
    transport.onclose?.();
  };
  return transport;
}

/** Sends a message; in place of a result too large for one frame, an error. Requests that are too large reject. */
export async function sendOrExplain(channel: FrameChannel, message: JsonObject): Promise<void> {
  try {
    await channel.send(message);
  } catch (error) {
    const tooLarge = error instanceof ParleyError && error.code === 'us/frame-size';
    if (!tooLarge || message['method'] !== undefined) throw error;
    const data = { detail: 'the result does not fit into one frame', retryPossible: false };
    await channel.send(
      errorResponse(message['id'] as RpcId, {
        code: WIRE_CODES.internal,
        message: nameOfCode(WIRE_CODES.internal),
        data,
      }),
    );
  }
}
