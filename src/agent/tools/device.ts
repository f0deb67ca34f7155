// The MCP-NET definitions of the device for operators, controllers and MCP hosts (MCP-NET): tools, resources, prompts, and what
// `capabilities.network` says of it. Wiring only.
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { type Access, createAccess } from '#model/access.ts';
import type { ConsentGate } from '#model/consent.ts';
import type { ResourceDefinition, ToolDefinition } from '#model/definition.ts';
import type { DevicePort } from '#model/router/device-port.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { clearCountersTool } from '#network/device/clear-counters.ts';
import { cliExecTool } from '#network/device/cli-exec.ts';
import { createCounterOffsets } from '#network/device/counter-offsets.ts';
import { createTicker } from '#network/device/ticker.ts';
import { echoTools } from '#network/measurement/echo-tools.ts';
import { tcpdumpTool } from '#network/measurement/tcpdump.ts';
import { networkResources, yangResource } from '#network/resources.ts';
import { createDatastores, type DatastoreParts, type Datastores } from '#network/yang/datastores.ts';
import { yangGetTool } from '#network/yang/yang-get.ts';

export type DeviceDefinitions = {
  readonly tools: readonly ToolDefinition[];
  readonly resources: readonly ResourceDefinition[];
  /** NET-1, from the device's last answer; undefined before the first one. */
  network(): JsonObject | undefined;
  /** Reads the device's identity. */
  refresh(): Promise<void>;
};

export type DeviceDefinitionParts = {
  readonly access?: Access;
  readonly agent?: DatastoreParts['agent'];
  readonly consent?: ConsentGate;
  readonly node: string;
  readonly router: RouterPort;
  readonly device: DevicePort;
  readonly clock: Clock;
  readonly log: Log;
};

export function createDeviceDefinitions(parts: DeviceDefinitionParts): DeviceDefinitions {
  const { router, device, clock, log, access = createAccess() } = parts;
  const offsets = createCounterOffsets(clock);
  const datastores = createDatastores({
    router,
    device,
    offsets,
    access,
    ...(parts.agent === undefined ? {} : { agent: parts.agent }),
  });
  const shared = { ...parts, datastores, offsets, ticker: createTicker(clock) };
  let network: JsonObject | undefined;
  let asking: Promise<void> | undefined;
  const ask = async () => {
    try {
      network = await networkOf(router, device, datastores);
    } catch (error) {
      log.warn('the device could not be identified', { reason: messageOf(error) });
    }
  };
  const refresh = () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  return {
    tools: [
      cliExecTool(device),
      yangGetTool({ datastores, device }),
      ...echoTools(device),
      tcpdumpTool(router, parts.consent),
      clearCountersTool({ router, offsets }),
    ],
    resources: [...networkResources(shared), yangResource(shared)],
    network() {
      // Asks again if the device was unreachable when the agent started.
      if (network === undefined) void refresh();
      return network;
    },
    refresh,
  };
}

/** A node without configuration, or whose changes could not be undone, lists these tools as not available. */
async function networkOf(router: RouterPort, device: DevicePort, datastores: Datastores): Promise<JsonObject> {
  const [facts, modules, configuration] = await Promise.all([
    device.facts(),
    datastores.modules(),
    router.configuration?.facts(),
  ]);
  const editing = configuration?.confirmedCommit === true;
  return {
    yangModules: modules.map(({ name }) => name),
    cliDialect: facts.cliDialect,
    configDatastore: editing ? ['running', 'candidate', 'operational'] : ['running', 'operational'],
    notificationStream: [...facts.notificationStreams],
    maxBulkEdit: editing ? LIMITS.configEditLines : 0,
    supportsRollback: editing,
    rollbackTimeout: editing ? LIMITS.confirmMs / 1_000 : 0,
  };
}

/** Completes names of interfaces. */
export function interfaceNames(router: RouterPort) {
  return async (value: string, { signal }: { readonly signal: AbortSignal }): Promise<readonly string[]> =>
    (await router.counters(signal)).interfaces.map(({ name }) => name).filter((name) => name.startsWith(value));
}
