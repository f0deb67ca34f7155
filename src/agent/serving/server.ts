// The MCP server of an agent with everything that it serves beside MCP: the operators' page, files, tokens. Wiring only.
import type { Clock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import { VERSION } from '#base/version.ts';
import type { Config } from '#config/schema.ts';
import { createConsole } from '#console/console.ts';
import { hostNamesOf } from '#console/own-host.ts';
import type { Catalog } from '#mcp/catalog/catalog.ts';
import type { Gate, OnRefused } from '#mcp/catalog/gate.ts';
import type { TokenCheck } from '#mcp/http/bearer.ts';
import { createMcpServer, type McpServer } from '#mcp/server.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { WebPages } from '#model/web.ts';
import type { Identity } from '#mtls/identity.ts';
import { joinPages } from '#network/files/file-pages.ts';
import { sessionRecord } from './session-record.ts';

export type ServerFoundation = {
  readonly config: Config;
  readonly identity: () => Identity;
  readonly log: Log;
  readonly random: Random;
  readonly clock: Clock;
  readonly record: (record: AuditRecord) => void;
};

export function serverOf(
  foundation: ServerFoundation,
  served: {
    readonly catalog: Catalog;
    readonly gate: Gate;
    readonly onRefused: OnRefused;
    readonly capabilities: readonly string[];
    readonly network: () => JsonObject | undefined;
    readonly pages: readonly WebPages[];
    readonly tokens: TokenCheck;
  },
): McpServer {
  const { config, log, random, clock } = foundation;
  return createMcpServer({
    serverInfo: { name: 'parley', version: VERSION },
    node: config.node,
    port: config.listen.port,
    ...served,
    onSession: (summary) => foundation.record(sessionRecord(summary)),
    log,
    random,
    clock,
    pages: joinPages([
      createConsole({
        node: config.node,
        names: hostNamesOf(config, foundation.identity().dnsNames),
        gate: (call) => served.gate(call, 'http'),
        log,
      }),
      ...served.pages,
    ]),
  });
}
