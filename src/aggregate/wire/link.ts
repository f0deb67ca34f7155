// What carries JSON-RPC messages between an aggregator and one other party, in both directions: pipe, TLS session or HTTP. The port
// behind which every transport stands.
import type { RpcId } from '#mcp/protocol/rpc.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import type { Answer, Incoming } from './message.ts';

/** What a message that is sent belongs to; transports with one stream do not need it. */
export type About =
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly related?: RpcId | undefined;
      /** What HTTP says of it beside the body (MCP 2026-07-28). */
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** `kept`: what the text answers with, where that answers many requests. */
  | { readonly kind: 'response'; readonly id: RpcId; readonly kept?: Answer | undefined }
  | {
      readonly kind: 'notification';
      readonly related?: RpcId | undefined;
      /** The own request that it gives up: no answer is expected any more. */
      readonly cancels?: number;
    };

export type Link = {
  /** Passes one message on, or drops it after the end. */
  send(text: string, about: About): void;
  /** `related`: the id of the own request that this message came with, where the transport tells. */
  receive: (message: Incoming, related?: RpcId) => void;
  /** The request with this id was not delivered, or its answer is lost. */
  failed: (id: number, reason: string) => void;
  /** The other side may be gone: a ping shows it. */
  doubted: () => void;
  /** Called once; `reason` is absent after a clean end. */
  ended: (reason?: string) => void;
  /** Begins to read. Set the callbacks before. */
  start(): void;
  close(reason?: string): void;
  readonly closed: boolean;
};

/** Callbacks that do nothing, for a link that is being made. */
export const UNSET = { receive: () => {}, failed: () => {}, doubted: () => {}, ended: () => {} };

/** True for a notification to a party that does not read: nothing that may be lost is kept for it without end. */
export function mayDrop(output: { readonly writableLength: number }, about: About): boolean {
  return about.kind === 'notification' && output.writableLength > AGGREGATE_LIMITS.unreadBytes;
}
