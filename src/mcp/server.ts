// The serving side of MCP on one node (CARD-1): one catalog over frames and HTTP, in three dialects. It only translates;
// every tool call and resource read passes the gate that the agent supplies.
import type { Duplex } from 'node:stream';
import type { Clock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { Party } from '#model/identity.ts';
import type { WebPages } from '#model/web.ts';
import type { Catalog } from './catalog/catalog.ts';
import { createDispatch } from './catalog/dispatch.ts';
import type { Gate, OnRefused } from './catalog/gate.ts';

import type { ServerInfo } from './dialects/mcp-lists.ts';
import type { TokenCheck } from './http/bearer.ts';

import { createHttpServer } from './http/http-server.ts';
import { type Loopback, type LoopbackInit, listenLoopback } from './http/loopback.ts';
import { createOpenCalls } from './modern/open-calls.ts';
import { createFramesServer } from './serve-frames.ts';
import type { OnSession } from './session-count.ts';

export type McpServerInit = {
  readonly serverInfo: ServerInfo;
  /** Name of this node. */
  readonly node: string;
  /** Port that `/.well-known/mcp` names. */
  readonly port: number;
  /** Names that this node announces in negotiation (TS-14). */
  readonly capabilities: readonly string[];
  /** `capabilities.network` of NET-1. */
  readonly network?: () => JsonObject | undefined;
};

export type McpServerParts = {
  readonly catalog: Catalog;
  readonly gate: Gate;
  readonly log: Log;
  readonly onRefused: OnRefused;
  /** Hears of each session when it has ended. */
  readonly onSession: OnSession;
  readonly random: Random;
  readonly clock: Clock;
  /** Served over HTTP on paths that MCP does not own. */
  readonly pages?: WebPages;
  readonly tokens?: TokenCheck;
};

export type McpServer = {
  /** ALPN `mcp`, and the local Unix socket. */
  serveFrames(duplex: Duplex, caller: Party): void;
  /** ALPN `http/1.1`. */
  serveHttp1(socket: Duplex, caller: Party): void;
  /** ALPN `h2`. */
  serveHttp2(socket: Duplex, caller: Party): void;
  /** HTTP for MCP hosts on this machine. */
  listenLoopback(init: LoopbackInit): Promise<Loopback>;
  /** Ends every session. */
  close(): void;
};

export function createMcpServer(init: McpServerInit & McpServerParts): McpServer {
  const calls = createOpenCalls(init);
  const parts = { ...init, dispatch: createDispatch(init.gate), calls };
  const frames = createFramesServer(parts);
  const http = createHttpServer(parts);
  return {
    serveFrames: (duplex, caller) => frames.serve(duplex, caller),
    serveHttp1: http.serveHttp1,
    serveHttp2: http.serveHttp2,
    listenLoopback: (where) => listenLoopback(parts, where),
    close() {
      calls.close();
      frames.close();
      http.close();
    },
  };
}
