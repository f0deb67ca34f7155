// Wires tech-support (TS-26): the tool and the resource that make a file, the pages under which it is fetched, and the folder in between. Wiring only.
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import type { Random } from '#base/random.ts';
import { openSpool, type Spool } from '#base/spool.ts';
import type { Catalog } from '#mcp/catalog/catalog.ts';
import type { ResourceDefinition, ToolDefinition } from '#model/definition.ts';
import type { DevicePort } from '#model/router/device-port.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import type { WebPages } from '#model/web.ts';
import { createFilePages } from '#network/files/file-pages.ts';
import { ownerOf, TECH_SUPPORT, techSupportResource, techSupportTool } from '#network/files/tech-support.ts';

export type TechSupport = {
  readonly tools: readonly ToolDefinition[];
  readonly resources: readonly ResourceDefinition[];
  readonly pages: WebPages;
};

export function openFileSpool(state: string, clock: Clock, random: Random): Promise<Spool> {
  return openSpool({ dir: join(state, 'spool'), clock, random });
}

export function createTechSupport(parts: {
  readonly node: string;
  readonly router: RouterPort;
  readonly device: DevicePort;
  readonly clock: Clock;
  readonly spool: Spool;
  readonly agentState: () => Promise<JsonObject>;
  readonly catalog: () => Catalog;
}): TechSupport {
  return {
    tools: [techSupportTool(parts)],
    resources: [techSupportResource(parts)],
    pages: createFilePages({
      spool: parts.spool,
      ownerOf,
      // A caller that may not make the file may not fetch it: the catalog decides both.
      mayFetch: (caller) =>
        parts
          .catalog()
          .admit(
            { method: 'tools/call', params: { name: TECH_SUPPORT, arguments: {} } },
            { caller, authorised: caller.kind === 'node' ? [] : undefined },
          ).kind !== 'refused',
    }),
  };
}
